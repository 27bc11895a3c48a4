#include "generator/blocks/token_shift.hpp"

#include <fmt/format.h>

#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

/// Of x, before and mix, and of more where something is added to mix.
Expression shifting(const TokenShift& how, bool more) {
  const std::string mix = more ? "(mix + more)" : "mix";
  std::vector<std::string> names = {"x", "before", "mix"};
  if (more) names.emplace_back("more");
  return known_expression(
      how.weighs_before ? fmt::format("x + (before - x) * {}", mix) : fmt::format("x * {0} + before * (1 - {0})", mix),
      names);
}

}  // namespace

std::vector<std::string> token_shift_parts(const std::vector<std::string>& words, bool ranked) {
  std::vector<std::string> parts;
  if (ranked) parts.emplace_back("mix");
  for (const std::string& word : words) {
    parts.push_back("mix_" + word);
    if (ranked) parts.insert(parts.end(), {"mix_" + word + "_down", "mix_" + word + "_up"});
  }
  return parts;
}

void declare_token_shift(const std::vector<std::string>& words, const Field<std::int64_t>& hidden_size,
                         const TokenShift& how, Declarations& declare) {
  const AxisId hidden = declare.hidden(), one = declare.model_axis("one", 1, hidden_size.span);
  std::vector<std::string> numbers;
  for (const std::string& word : words) numbers.push_back("mix_" + word);
  declare.vectors("shifted", numbers, hidden, hidden_size.span);
  declare.state("inputs", one, hidden, Dtype::f32, {2, 0});
  if (how.rank == nullptr) return;
  const AxisId narrow = declare.axis("mix_rank", sane(*how.rank), how.rank->span);
  declare.vector("mix", hidden);
  std::vector<Projection> narrowing, widening;
  for (const std::string& word : words) {
    narrowing.push_back({"mix_" + word + "_down", narrow, hidden});
    widening.push_back({"mix_" + word + "_up", hidden, narrow});
  }
  declare.projections("mixed", std::move(narrowing));
  declare.projections("squashed", std::move(widening));  // each of its own input, which checkpoints have in one tensor
}

std::vector<ValueId> build_token_shift(const std::vector<std::string>& words, const TokenShift& how, Builder& build,
                                       ValueId in) {
  static const Expression squashing = known_expression("tanh(x)", {"x"});
  const ValueId inputs = build.append("inputs", in);
  // Each by itself: what is made of it is then the epilogue of its kernel.
  const auto mixed = [&](const std::string& word, ValueId more) {
    const std::string suffix = word.empty() ? "" : "_" + word;
    const ValueId before = build.token_before("before" + suffix, inputs, in, "before" + suffix);
    std::vector<std::string> names = {"x", "before", "mix"};
    std::vector<ValueId> operands = {in, before, build.vector("mix" + suffix)};
    if (more) {
      names.emplace_back("more");
      operands.push_back(more);
    }
    return build.map("mix", shifting(how, bool(more)), names, operands, "mixed" + suffix);
  };
  const ValueId whole = how.rank != nullptr ? mixed("", {}) : ValueId{};
  std::vector<ValueId> result;
  for (const std::string& word : words) {
    ValueId more;
    if (whole) {
      const std::string part = "mix_" + word;
      const ValueId low = build.projection(part + "_down", whole, part + "_low");
      more = build.projection(part + "_up", build.map("", squashing, {"x"}, {low}, part + "_squashed"), part + "_more");
    }
    result.push_back(mixed(word, more));
  }
  return result;
}

}  // namespace monomorph::generator
