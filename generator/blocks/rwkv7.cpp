#include "generator/blocks/rwkv7.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generator/blocks/activation.hpp"
#include "generator/blocks/earlier_kind.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/remembering_heads.hpp"
#include "generator/blocks/token_shift.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/graph/recurrences.hpp"
#include "generator/spec/field_rows.hpp"
#include "generator/spec/section_reader.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<Rwkv7Section>>& fields() {
  using S = Rwkv7Section;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("num_heads", at(&S::num_heads), required(), "heads", "Heads of queries, keys and values"),
      row<S>("head_dim", at(&S::head_dim), required(), "elements", "Width of a query, a key and a value"),
      expression(row<S>("log_decay", at(&S::log_decay), literal("\"-exp(-0.5) * sigmoid(x)\""), "",
                        "The logarithm of what a token leaves of a row of a head's matrix: an expression of x, the "
                        "number that the part decay gives for each element of a key")),
      row<S>("decay_rank", at(&S::decay_rank), required(), "elements",
             "Width of the vector that decay_down gives, and decay is multiplied with after tanh"),
      row<S>("rate_rank", at(&S::rate_rank), required(), "elements",
             "Width of the vector that rate_down gives and rate is multiplied with: sigmoid of that is how much of "
             "each element is written anew"),
      row<S>("gate_rank", at(&S::gate_rank), required(), "elements",
             "Width of the vector that gate_down gives, and gate is multiplied with after sigmoid"),
      row<S>("value_rank", at(&S::value_rank), computed("none; required where values_from is given"), "elements",
             "Width of the vector that value_down gives and value is multiplied with: sigmoid of that is the share of "
             "earlier values"),
      row<S>("values_from", at(&S::values_from), computed("none"), "",
             "A kind of layer: what v gives in its last layer before this one is mixed into what v gives here"),
      row<S>("head_norm", at(&S::head_norm), literal("true"), "",
             "Normalise what each head gives, by weights of each head: true, false, or keys laid over those of [norm]"),
  };
  return rows;
}

namespace {

const TokenShift by_shares_of_before{.weighs_before = true};
/// What is mixed with what the token before had.
const std::vector<std::string> shifted = {"q", "decay", "k", "v", "rate", "gate"};

const Rwkv7Section& own(const BlockContext& context) { return section_of<Rwkv7Section>(context.block); }

Field<std::string>& reads_kind(std::any& any) { return std::any_cast<Rwkv7Section>(&any)->values_from; }

bool mixes_values(const Rwkv7Section& rwkv) { return rwkv.values_from.given; }

void complete(Block& block, LayerKind&, const ModelSection&) {
  Field<std::int64_t>& rank = std::any_cast<Rwkv7Section>(&block.section)->value_rank;
  if (!rank.given) rank.value = -1;  // absent
}

std::optional<Expression> log_decay_of(const BlockContext& context, Diagnostics& diagnostics) {
  const Field<std::string>& text = own(context).log_decay;
  return expression_of_x(text.value, text.span, "rwkv7.log_decay", context.model, diagnostics);
}

/// What is wrong with the kind of layer whose values are read; empty: nothing.
std::string fault_of_source(const BlockContext& context) {
  const Rwkv7Section& rwkv = own(context);
  const auto [found, fault] = earlier_block(context, rwkv.values_from.value);
  if (found == nullptr) return fault;
  const auto& from = section_of<Rwkv7Section>(*found);
  if (from.num_heads.value == rwkv.num_heads.value && from.head_dim.value == rwkv.head_dim.value) return "";
  return fmt::format("the kind {} has {} heads of {}, and this one {} of {}", rwkv.values_from.value,
                     from.num_heads.value, from.head_dim.value, rwkv.num_heads.value, rwkv.head_dim.value);
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const Rwkv7Section& rwkv = own(context);
  check_range(rwkv.num_heads, "rwkv7.num_heads", 1, max_recurrent_heads, diagnostics);
  check_range(rwkv.head_dim, "rwkv7.head_dim", 1, max_recurrent_keys, diagnostics);
  check_range(rwkv.decay_rank, "rwkv7.decay_rank", 1, max_size, diagnostics);
  check_range(rwkv.rate_rank, "rwkv7.rate_rank", 1, max_size, diagnostics);
  check_range(rwkv.gate_rank, "rwkv7.gate_rank", 1, max_size, diagnostics);
  if (rwkv.value_rank.given) check_range(rwkv.value_rank, "rwkv7.value_rank", 1, max_size, diagnostics);
  log_decay_of(context, diagnostics);
  if (const NormChoice& norm = rwkv.head_norm.value; norm.present) {
    check_norm_of_heads("rwkv7.head_norm", norm.norm, rwkv.head_norm.span, diagnostics);
  }
  if (rwkv.value_rank.given && !mixes_values(rwkv)) {
    diagnostics.error("spec.unused_key", rwkv.value_rank.span,
                      "rwkv7.value_rank has no meaning without rwkv7.values_from");
  }
  if (!mixes_values(rwkv)) return;
  if (!rwkv.value_rank.given) {
    diagnostics.error("spec.missing_key", rwkv.values_from.span,
                      "rwkv7.value_rank is missing: the width of the vector that shares of earlier values are made of");
  }
  const std::string fault = fault_of_source(context);
  if (!fault.empty()) diagnostics.error("rwkv7.values_from", rwkv.values_from.span, fault);
}

/// Of low rank: `word`_down, and `word`, with or without a bias.
void declare_short(const std::string& word, AxisId rows, const Field<std::int64_t>& rank, bool bias,
                   Declarations& declare) {
  const AxisId hidden = declare.hidden(), narrow = declare.axis(word + "_rank", sane(rank), rank.span);
  declare.projections("mixed_" + word, {{word + "_down", narrow, hidden}});
  declare.projections(word, {{word, rows, narrow, bias}});
}

void declare(const BlockContext& context, Declarations& declare) {
  const Rwkv7Section& rwkv = own(context);
  const std::int64_t heads = sane(rwkv.num_heads, max_recurrent_heads), dim = sane(rwkv.head_dim, max_recurrent_keys);
  const Span& of_heads = rwkv.head_dim.span;
  const AxisId hidden = declare.hidden(), head = declare.axis("retained_heads", heads, rwkv.num_heads.span);
  const AxisId key = declare.axis("key", dim, of_heads), value = declare.axis("value", dim, of_heads);
  const AxisId keys = declare.axis("qk", heads * dim, of_heads, {head, key});
  const AxisId values = declare.axis("v", heads * dim, of_heads, {head, value});
  const AxisId one = declare.model_axis("one", 1, of_heads);
  const AxisId bonuses = declare.axis("bonuses", heads, of_heads, {head, one});
  declare_token_shift(shifted, context.model.hidden_size, by_shares_of_before, declare);
  for (const auto& [word, rows] : {std::pair("q", keys), {"k", keys}, {"v", values}}) {
    declare.projections(std::string("mixed_") + word, {{word, rows, hidden}});
  }
  declare_short("decay", keys, rwkv.decay_rank, true, declare);
  declare_short("rate", keys, rwkv.rate_rank, true, declare);
  declare_short("gate", values, rwkv.gate_rank, false, declare);
  // Of the same input as v.
  if (mixes_values(rwkv)) declare_short("value", values, rwkv.value_rank, true, declare);
  declare.beside(keys, of_heads);  // what is removed and what is erased
  declare.vector("removal", keys);
  declare.vector("renewal", keys);
  declare.projections("bonus", {{.word = "bonus", .rows = bonuses, .columns = key, .heads = heads, .by_head = true}});
  declare.recurrent_state("states", head, value, key, of_heads);
  if (const NormChoice& norm = rwkv.head_norm.value; norm.present) {
    declare_norm("head_norm", norm.norm, values, declare);
  }
  declare.projections("gated", {{"o", hidden, values}});
}

const Expression& product() {
  static const Expression expression = known_expression("x * y", {"x", "y"});
  return expression;
}

/// Values, with a share of those of an earlier layer, and given to later ones where a kind of them asks for it.
ValueId build_values(const BlockContext& context, Builder& build, ValueId in) {
  static const Expression mixing = known_expression("v + (earlier - v) * sigmoid(share)", {"v", "earlier", "share"});
  const auto named = [](const Block& other) { return section_of<Rwkv7Section>(other).values_from.value; };
  const ValueId values = build_for_later(context, build, named, "values",
                                         [&](const std::string& role) { return build.projection("v", in, role); });
  const Rwkv7Section& rwkv = own(context);
  if (!mixes_values(rwkv)) return values;
  const ValueId earlier = build_of_earlier(build, rwkv.values_from.value, "values", values);
  const ValueId share = build_short(build, "value", rwkv.value_rank, in, "value_share");
  return build.map("mix", mixing, {"v", "earlier", "share"}, {values, earlier, share}, "values_mixed");
}

/// What is removed: keys times a vector, so that each head's have length 1. Beside it what is erased: that times rates.
ValueId build_removal(const Rwkv7Section& rwkv, Builder& build, ValueId keys, ValueId rate) {
  // x / sqrt(sum of x^2 + eps): an RMSNorm without weights gives sqrt(head_dim) times that.
  const auto dim = static_cast<double>(rwkv.head_dim.value);
  constexpr double smallest = 1e-24;  // the published code divides by no length below its root
  const AxisId key = build.axes()[build.axes_of(keys)[1]].factors[1];
  const ValueId raw = build.map("", product(), {"x", "y"}, {keys, build.vector("removal")}, "removal_raw");
  const ValueId normed =
      build.norm("removal_norm", {.eps = smallest / dim, .weight = false}, "", raw, "removal_normed", key);
  const ValueId removed = build.scaled(normed, 1 / std::sqrt(dim), "removed");
  const ValueId erased = build.map("", product(), {"x", "y"}, {removed, rate}, "erased");
  return build.concat("removal_beside", removed, erased, "removed_and_erased");
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  static const Expression squashed = known_expression("tanh(x)", {"x"}), share = known_expression("sigmoid(x)", {"x"}),
                          renewed = known_expression("k * (1 + (rate - 1) * renewal)", {"k", "rate", "renewal"}),
                          with_bonus = known_expression("y + weight * v", {"y", "weight", "v"});
  const Rwkv7Section& rwkv = own(context);
  Diagnostics none;
  const std::vector<ValueId> mixed = build_token_shift(shifted, by_shares_of_before, build, in);
  const auto of = [&](const char* word) { return mixed.at(std::ranges::find(shifted, word) - shifted.begin()); };
  const ValueId queries = build.projection("q", of("q"), "queries"), raw = build.projection("k", of("k"), "keys_raw");
  const ValueId values = build_values(context, build, of("v"));
  const ValueId decay = build_short(build, "decay", rwkv.decay_rank, of("decay"), "decay", squashed);
  const ValueId rate =
      build.map("", share, {"x"}, {build_short(build, "rate", rwkv.rate_rank, of("rate"), "rate_raw")}, "rate");
  const ValueId gate = build_short(build, "gate", rwkv.gate_rank, of("gate"), "gate", share);

  const ValueId removal = build_removal(rwkv, build, raw, rate);
  const ValueId keys = build.map("", renewed, {"k", "rate", "renewal"}, {raw, rate, build.vector("renewal")}, "keys");
  const Recurrence how{
      .log_decay = log_decay_of(context, none).value(), .names = {"x"}, .removed_first = true, .erased_beside = true};
  ValueId read = build.recurrence(
      "recurrence", how, "states",
      {.queries = queries, .keys = keys, .values = values, .removed = removal, .decays = {decay}}, "read");
  if (rwkv.head_norm.value.present) {
    const AxisId value = build.axes()[build.axes_of(read)[1]].factors[1];
    read = build_norm("head_norm", rwkv.head_norm, context.block, build, read, "head_normed", value);
  }
  const ValueId products = build.map("", product(), {"x", "y"}, {queries, keys}, "products");
  const ValueId weight = build.projection_by_bank("bonus", products, "bonus_weight");
  const ValueId given = build.map("", with_bonus, {"y", "weight", "v"}, {read, weight, values}, "given");
  return build.projection("o", build.map("", product(), {"x", "y"}, {given, gate}, "gated"), "projected");
}

std::vector<std::string> parts() {
  std::vector<std::string> result = token_shift_parts(shifted, false);
  result.insert(result.end(), {"q", "k", "v", "decay_down", "decay", "rate_down", "rate", "gate_down", "gate",
                               "value_down", "value", "removal", "renewal", "bonus", "head_norm", "o"});
  return result;
}

}  // namespace

BlockType rwkv7_block() {
  return {.name = "rwkv7",
          .meaning = "RWKV-7's time mixing: heads that remember a matrix each, of which tokens erase and write parts.",
          .parts = parts(),
          .make = make_section<Rwkv7Section>,
          .bind = bind_section<Rwkv7Section>,
          .complete = complete,
          .check = check,
          .declare = declare,
          .build = build,
          .reads_kind = reads_kind};
}

}  // namespace monomorph::generator
