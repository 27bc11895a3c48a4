#include "generator/blocks/token_shift.hpp"

#include "generator/contract/declarations.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {

void declare_token_shift(const std::vector<std::string>& words, const Field<std::int64_t>& hidden_size,
                         Declarations& declare) {
  const AxisId hidden = declare.hidden(), one = declare.model_axis("one", 1, hidden_size.span);
  for (const std::string& word : words) declare.vector("mix_" + word, hidden);
  declare.state("inputs", one, hidden, Dtype::f32, {2, 0});
}

std::vector<ValueId> build_token_shift(const std::vector<std::string>& words, Builder& build, ValueId in) {
  static const Expression mixed = known_expression("x * mix + before * (1 - mix)", {"x", "before", "mix"});
  const ValueId inputs = build.append("inputs", in);
  std::vector<ValueId> result;
  for (const std::string& word : words) {
    // Each by itself: what is made of it is then the epilogue of its kernel.
    const ValueId before = build.token_before("before_" + word, inputs, in, "before_" + word);
    const ValueId mix = build.vector("mix_" + word);
    result.push_back(build.map("mix", mixed, {"x", "before", "mix"}, {in, before, mix}, "mixed_" + word));
  }
  return result;
}

}  // namespace monomorph::generator
