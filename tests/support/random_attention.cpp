#include "tests/support/random_attention.hpp"

#include <algorithm>

#include "generator/plan/draft.hpp"

namespace monomorph::test {
namespace {

ExpressionNames names_of_keys() {
  return {{"query", {Type::integer}}, {"key", {Type::integer}}, {"head", {Type::integer}}};
}

Expression scored(const std::string& text) {
  ExpressionNames names = names_of_keys();
  names.merge(variables({"score", "slope", "bias"}));
  Diagnostics none;
  return *parse_expression(text, {}, names, Type::real, none);
}

}  // namespace

void RandomAttention::begin_heads() {
  const std::string user = contract_.kinds[scope_.kind].kind.identifier;
  const std::int64_t head = between(1, 4) * (chance(70) ? 2 : 1) + (chance(20) ? 1 : 0);
  const auto rows = [&](const std::string& word, AxisId of_heads, AxisId of_head) {
    const std::int64_t size = contract_.axes[of_heads].size * contract_.axes[of_head].size;
    return axis(word, size, {of_heads, of_head}, Live::all, user);
  };
  kv_heads_ = axis("kv_heads", between(1, 2), {}, Live::all, user);
  const AxisId group = axis("kv_group", between(1, 2), {}, Live::all, user);
  heads_ = rows("heads", kv_heads_, group);
  head_ = axis("head", std::max<std::int64_t>(head, 2), {}, Live::all, user);
  q_ = rows("q", heads_, head_);
  kv_ = rows("kv", kv_heads_, head_);
  const bool own_width = chance(35);
  const AxisId value_head = own_width ? axis("value_head", between(2, 9), {}, Live::all, user) : head_;
  values_ = own_width ? rows("values", kv_heads_, value_head) : kv_;
  attended_ = own_width ? rows("attended", heads_, value_head) : q_;
  const AxisId second_head = axis("second_head", between(2, 6), {}, Live::all, user);
  second_q_ = rows("second_q", heads_, second_head);
  second_k_ = rows("second_k", kv_heads_, second_head);
  angles_ = {};
}

Attention RandomAttention::how() {
  Attention how{0.7, true};
  if (chance(25)) how.score = scored("2 * tanh(score / 2)");
  if (chance(25)) {
    how.score = scored("score - (head % 2 == 0 ? slope * (query - key) : 0)");
    for (std::int64_t head = 0; head < contract_.axes[q_].size / contract_.axes[head_].size; ++head) {
      how.slopes.push_back(0.5f / static_cast<float>(head + 1));
    }
  }
  if (chance(40)) {
    how.recent = between(1, 6);
    how.first = chance(40) ? between(1, 3) : 0;
  }
  static const std::vector<std::string> masks = {"query - key < 3 || key < 2", "key % 3 == 0 || key == query",
                                                 "(query - key) % 2 == 0"};
  Diagnostics none;
  if (chance(25)) how.mask = *parse_expression(pick(masks), {}, names_of_keys(), Type::boolean, none);
  return how;
}

AxisId RandomAttention::entries_of(const Window& kept) {
  const std::int64_t ring = kept.first + kept.recent + contract_.prefill_chunk - 1;
  if (kept.recent == 0 || ring >= contract_.max_sequence_length) return positions_;
  return axis("window", ring, {}, Live::positions, contract_.kinds[scope_.kind].kind.identifier);
}

RotaryContract RandomAttention::rotary(std::int64_t rotary_dim) {
  RotaryContract result;
  for (std::int64_t j = 0; j < rotary_dim / 2; ++j) {
    result.frequencies.push_back(1.0f / static_cast<float>(1 + 3 * j));
  }
  if (chance(20)) {
    for (float& frequency : result.frequencies) frequency = -frequency;
  }
  if (rotary_dim % 4 == 0) result.factor = 1.25f;
  if (rotary_dim > 2 && chance(40)) {
    result.original_length = 3;
    result.theta = 100;
    result.stretch = 2;
  }
  return result;
}

std::size_t RandomAttention::prepared(Builder& build, std::size_t from) {
  if (chance(40)) {
    norm(build, from, true);
    from = known_.size() - 1;
  }
  if (chance(60)) {
    const std::int64_t rotary_dim = contract_.axes[head_].size / 2 * 2;
    if (!angles_) {
      const std::string user = contract_.kinds[scope_.kind].kind.identifier;
      angles_ = contract_.angles.add({user + "_angles", axis("angles", rotary_dim), rotary(rotary_dim), {user}});
      graph_.axes = contract_.axes;
    }
    const RotaryLayout layout = chance(50) ? RotaryLayout::half : RotaryLayout::interleaved;
    know(build.rotary({rotary_dim, layout}, angles_, read(known_[from]), new_role()));
    from = known_.size() - 1;
  }
  return from;
}

void RandomAttention::attend(Builder& build) {
  const std::vector<std::size_t> queries = of_axis(q_), keys = of_axis(kv_);
  if (queries.empty() || keys.empty()) return;
  std::size_t q = pick(queries), k = pick(keys), v = some_of(build, values_);
  const bool second = chance(25);
  const std::size_t second_q = second ? some_of(build, second_q_) : 0,
                    second_k = second ? some_of(build, second_k_) : 0;
  q = prepared(build, q);
  k = prepared(build, k);
  const std::string name = "s" + std::to_string(++count_);
  Attention how = this->how();
  how.causal = !of_source_ && (how.recent > 0 || chance(75));
  if (!how.causal) how.recent = how.first = 0;
  const Window kept = chance(70) ? Window{how.recent, how.first} : Window{};
  const AxisId entries = entries_of(kept);
  const bool values_are_keys = values_ == kv_ && chance(15);
  const auto seen = [&](const std::string& word, std::size_t of_pass) {
    const ValueId value = read(known_[of_pass]);
    if (!how.causal) return value;
    const AxisId head = contract_.axes[graph_.values[value].axes[1]].factors[1];
    contract_.states.add({name + word,
                          scope_,
                          {slots_, kv_heads_, entries, head},
                          Dtype::f32,
                          entries == positions_ ? StateKind::growing : StateKind::ring,
                          entries == positions_ ? Window{} : kept});
    return build.append(name + word, value);
  };
  graph_.axes = contract_.axes;
  AttentionOperands operands{.queries = read(known_[q]), .keys = seen("_keys", k), .values = {}};
  operands.values = values_are_keys ? operands.keys : seen("_values", v);
  if (second) {
    operands.second_queries = read(known_[second_q]);
    operands.second_keys = seen("_second_keys", second_k);
  }
  attended(build, name, how, operands);
}

void RandomAttention::convolve(Builder& build) {
  if (of_source_) return;
  const std::size_t from = some_of(build, kv_);
  const std::string name = "c" + std::to_string(++count_), user = contract_.kinds[scope_.kind].kind.identifier;
  const std::int64_t count = between(1, 5);
  const AxisId taps = axis(name + "_taps", count, {}, Live::all, user);
  weight(scope_, name + "_conv",
         {axis(name + "_filters", contract_.axes[kv_].size * count, {kv_, taps}, Live::all, user)}, Dtype::f32);
  if (chance(50)) weight(scope_, name + "_conv_bias", {kv_}, Dtype::f32);
  const Window kept = chance(70) ? Window{count + below(2), 0} : Window{};
  const AxisId entries = entries_of(kept);
  contract_.states.add({name + "_inputs",
                        scope_,
                        {slots_, kv_heads_, entries, head_},
                        Dtype::f32,
                        entries == positions_ ? StateKind::growing : StateKind::ring,
                        entries == positions_ ? Window{} : kept});
  graph_.axes = contract_.axes;
  const ValueId value = read(known_[from]);
  const ValueId state = build.append(name + "_inputs", value);
  know(build.convolve(name + "_conv", state, value, new_role()));
}

void RandomAttention::look_back(Builder& build, std::size_t from) {
  if (of_source_) return;
  const std::string name = "b" + std::to_string(++count_) + "_inputs";
  const AxisId row = graph_.values[known_[from].id].axes[1];
  const Window kept = chance(70) ? Window{2 + below(2), 0} : Window{};
  const AxisId entries = entries_of(kept);
  contract_.states.add({name,
                        scope_,
                        {slots_, one_, entries, row},
                        Dtype::f32,
                        entries == positions_ ? StateKind::growing : StateKind::ring,
                        entries == positions_ ? Window{} : kept});
  graph_.axes = contract_.axes;
  const ValueId value = read(known_[from]);
  know(build.token_before("token_before", build.append(name, value), value, new_role()));
}

void RandomAttention::weigh(Builder& build) {
  if (of_source_) return;
  const std::string name = "m" + std::to_string(++count_), user = contract_.kinds[scope_.kind].kind.identifier;
  const auto own = [&](const std::string& word, std::int64_t size, std::vector<AxisId> factors = {}) {
    return axis(name + "_" + word, size, std::move(factors), Live::all, user);
  };
  const std::int64_t heads = between(1, 2), values = between(1, 9);
  const AxisId head = own("heads", heads), value = own("value", values), sums = own("sums", 3);
  const AxisId row = own("means", heads * values, {head, value});
  const AxisId of_value = own("matrix", values * 3, {value, sums});
  contract_.states.add(
      {name + "_states",
       scope_,
       {slots_, one_, axis("copies", recurrent_copies), own("matrices", heads * values * 3, {head, of_value})},
       Dtype::f32,
       StateKind::recurrent});
  for (const char* word : {"_decays", "_bonus"}) weight(scope_, name + word, {row}, Dtype::f32);
  graph_.axes = contract_.axes;
  linear(build, some(), row, format());
  const ValueId log_weights = read(known_.back());
  linear(build, some(), row, format());
  const WeightedMean how{.log_decay = known_expression(chance(50) ? "-exp(x)" : "-abs(x) * 30", {"x"})};
  const WeightedMeanOperands operands{.log_weights = log_weights,
                                      .values = read(known_.back()),
                                      .decays = build.weight(name + "_decays"),
                                      .bonus = build.weight(name + "_bonus")};
  know(build.weighted_mean(name, how, name + "_states", operands, new_role()));
}

void RandomAttention::recur(Builder& build) {
  if (of_source_) return;
  const std::string name = "r" + std::to_string(++count_), user = contract_.kinds[scope_.kind].kind.identifier;
  const auto own = [&](const std::string& word, std::int64_t size, std::vector<AxisId> factors = {}) {
    return axis(name + "_" + word, size, std::move(factors), Live::all, user);
  };
  const auto size = [&](AxisId id) { return contract_.axes[id].size; };
  const bool keyed = chance(85);
  const AxisId groups = own("groups", between(1, 2));
  const AxisId heads = own("heads", size(groups) * between(1, 2));
  const AxisId key = own("key", keyed ? between(1, 9) : 1), value = own("value", between(1, 5));
  const AxisId keys = own("keys", size(groups) * size(key), {groups, key});
  const AxisId of_heads = own("keys_of_heads", size(heads) * size(key), {heads, key});
  const AxisId values = own("values", size(heads) * size(value), {heads, value});
  const AxisId matrix = own("matrix", size(value) * size(key), {value, key});
  contract_.states.add(
      {name + "_states",
       scope_,
       {slots_, one_, axis("copies", recurrent_copies), own("matrices", size(heads) * size(matrix), {heads, matrix})},
       Dtype::f32,
       StateKind::recurrent});
  graph_.axes = contract_.axes;
  /// A projection whose elements are within +-0.5, so that no state grows without end.
  static const Expression bounded = known_expression("a * 0.5 / (1 + abs(a))", {"a"});
  const auto projected = [&](AxisId to) {
    linear(build, some(), to, format());
    return build.map("", bounded, {"a"}, {read(known_.back())}, new_role());
  };
  Recurrence how;
  RecurrenceOperands operands{.values = projected(values)};
  std::int64_t left = max_bindings - 4;  // beside the step, the state, the values and the result
  if (keyed) {
    operands.queries = projected(chance(70) ? keys : of_heads);
    operands.keys = projected(chance(70) ? keys : of_heads);
    left -= 2;
  }
  if (chance(45)) {
    how.erased_beside = chance(40);
    if (how.erased_beside) {
      axis(concatenated_axis, 2 * size(of_heads));
      graph_.axes = contract_.axes;
      const ValueId removed = projected(of_heads), erased = projected(of_heads);
      operands.removed = build.concat("", removed, erased, new_role());
    } else {
      operands.removed = keyed && chance(60) ? operands.keys : projected(chance(50) ? keys : of_heads);
    }
    if (operands.removed != operands.keys) --left;
    if (left > 0 && chance(40)) {
      operands.rates = projected(heads);
      --left;
    }
    how.removed_first = chance(40);
  }
  if (keyed && left > 0 && chance(25)) {
    weight(scope_, name + "_bonus", {of_heads}, Dtype::f32);
    operands.bonus = build.weight(name + "_bonus");
    --left;
  }
  const std::int64_t numbers = chance(20) ? 0 : std::min<std::int64_t>(between(1, 2), left);
  for (std::int64_t i = 0; i < numbers; ++i) {
    how.names.push_back(i == 0 ? "a" : "b");
    const AxisId by = pick(std::vector{heads, of_heads, values});
    if (chance(60)) {
      operands.decays.push_back(projected(by));
      continue;
    }
    const std::string word = name + "_decay" + std::to_string(i);
    const AxisId of = chance(40) ? own("elements", size(heads) * size(matrix), {values, key}) : by;
    weight(scope_, word, {of}, Dtype::f32);
    graph_.axes = contract_.axes;
    operands.decays.push_back(build.weight(word));
  }
  if (numbers == 0 && chance(50)) how.log_decay = known_expression("-0.1 - 0.5 * head", {"head"});
  if (numbers == 1 && chance(30)) how.log_decay = known_expression("-abs(a) * (1 + head)", {"a", "head"});
  if (numbers == 1 && how.log_decay.empty()) how.log_decay = known_expression("-abs(a)", {"a"});
  if (numbers == 2) how.log_decay = known_expression("-abs(a) * exp(0.5 * b)", {"a", "b"});
  how.normalized = !how.log_decay.empty() && !operands.bonus && chance(25);
  know(build.recurrence(name, how, name + "_states", operands, new_role()));
}

void RandomAttention::attended(Builder& build, const std::string& name, Attention how, AttentionOperands operands) {
  if (attended_ != q_) operands.attended = attended_;
  // A kernel binds one of these beside a second term, and all of them without.
  const bool second = bool(operands.second_keys);
  const int one = second ? static_cast<int>(below(3)) : -1;
  const auto drawn = [&](int which) { return chance(30) && (!second || one == which); };
  if (drawn(0)) {
    weight(scope_, name + "_sinks", {contract_.axes[q_].factors[0]}, Dtype::f32);
    operands.sinks = build.weight(name + "_sinks");
  }
  if (drawn(1) && !how.of_source) {  // a source's tokens are at no distance
    const bool of_heads = chance(50);
    operands.relative = distances(build, name + "_relative", of_heads, how.distances);
    if (of_heads) how.score = scored(how.score.empty() ? "score + bias" : "bias + " + how.score.text);
  }
  if (drawn(2)) operands.layer_scale = number(build, name + "_layer_scale");
  know(build.attention(how, operands, new_role()));
}

void RandomAttention::keep_source(Builder& build, std::size_t from) {
  const KeptOfSource kept = {"s" + std::to_string(++count_), chance(25), values_ == kv_ && chance(25)};
  const AxisId entries = axis("source_positions", contract_.max_source_length, {}, Live::positions);
  graph_.axes = contract_.axes;
  const auto keep = [&](const std::string& word, AxisId row, bool prepares) {
    linear(build, from, row, format());
    const std::size_t made = prepares ? prepared(build, known_.size() - 1) : known_.size() - 1;
    StateContract state;
    state.role = kept.name + word;
    state.scope = scope_;
    state.axes = {slots_, kv_heads_, entries, contract_.axes[row].factors[1]};
    state.element = Dtype::f32;
    state.kind = StateKind::source;
    contract_.states.add(state);
    build.append(state.role, read(known_[made]));
  };
  keep("_keys", kv_, true);
  if (!kept.values_are_keys) keep("_values", values_, false);
  if (kept.second) keep("_second_keys", second_k_, false);
  kept_.push_back(kept);
}

void RandomAttention::attend_to_source(Builder& build, std::size_t which) {
  const KeptOfSource& kept = kept_[which];
  const std::size_t q = prepared(build, some_of(build, q_));
  const std::size_t second_q = kept.second ? some_of(build, second_q_) : 0;
  Attention how = this->how();
  how.causal = false;
  how.of_source = true;
  how.recent = how.first = 0;
  how.mask = {};
  const auto state = [&](const std::string& word) {
    ValueId& value = source_states_[kept.name + word];
    if (!value) value = build.source_state(kept.name + word);
    return value;
  };
  AttentionOperands operands{.queries = read(known_[q]), .keys = state("_keys"), .values = {}};
  operands.values = kept.values_are_keys ? operands.keys : state("_values");
  if (kept.second) {
    operands.second_queries = read(known_[second_q]);
    operands.second_keys = state("_second_keys");
  }
  attended(build, "s" + std::to_string(++count_), how, operands);
}

void RandomAttention::differ(Builder& build, std::size_t from) {
  const std::string name = "d" + std::to_string(++count_) + "_lambda_";
  const std::size_t other = pick(of_axis(axis_of(known_[from])));
  std::vector<std::string> words;
  for (const char* vector : {"q1", "k1", "q2", "k2"}) {
    words.push_back(name + vector);
    weight(scope_, words.back(), {head_}, Dtype::f32);
  }
  words.push_back(name + "init");
  number(build, words.back());
  const AxisId row = axis_of(known_[from]);
  const ValueId difference = build.differential(read(known_[from]), read(known_[other]), words, new_role());
  const std::vector<AxisId>& factors = contract_.axes[row].factors;
  const bool normed = factors.size() == 2 && chance(80);  // as differential attention's heads are
  know(normed ? build.norm("", {NormType::rms_norm, eps(), false, false}, "", difference, new_role(), factors[1])
              : difference);
}

ValueId RandomAttention::number(Builder& build, const std::string& name) {
  WeightContract& number = contract_.weights[weight(scope_, name, {one_}, Dtype::f32)];
  number.sources.clear();
  for (std::size_t i = 0; i < contract_.kinds[scope_.kind].layers.size(); ++i) {
    number.values.push_back(0.25f * static_cast<float>(between(1, 8)));
  }
  return build.weight(name);
}

ValueId RandomAttention::distances(Builder& build, const std::string& name, bool of_heads, Distances& how) {
  how = {between(0, 5), between(0, 3), {}};
  for (std::int64_t i = chance(50) ? how.back + how.ahead : -1; i >= 0; --i) {
    how.buckets.push_back(static_cast<std::int32_t>(between(0, 3)));
  }
  const AxisId of_row = of_heads ? contract_.axes[q_].factors[0] : head_;
  const std::string user = contract_.kinds[scope_.kind].kind.identifier;
  const std::int64_t count = how.bucket_count() + between(0, 1);
  const AxisId rows = axis(name + "_rows", count, {}, Live::all, user);
  const AxisId all = axis(name, count * contract_.axes[of_row].size, {rows, of_row}, Live::all, user);
  graph_.axes = contract_.axes;
  weight(scope_, name, {all}, Dtype::f32);
  return build.weight(name);
}

}  // namespace monomorph::test
