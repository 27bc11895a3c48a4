#include "tests/support/random_graph.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "generator/graph/builder.hpp"

namespace monomorph::test {
namespace {

using namespace generator;

class Writer {
 public:
  Writer(std::uint64_t seed, const RandomGraphOptions& options) : random_(seed), options_(options) {}

  RandomGraph run() {
    start();
    graph_.axes = contract_.axes;
    embed();
    for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) layer(kind);
    head();
    contract_.axes = graph_.axes;
    contract_.axes.name_all();
    graph_.axes = contract_.axes;
    return {std::move(contract_), std::move(graph_)};
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  std::int64_t between(std::int64_t first, std::int64_t last) { return first + below(last - first + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  }

  /// As models have it, and so large that its place under the root shows.
  double eps() { return chance(50) ? 0.1 : 1e-5; }

  AxisId axis(const std::string& word, std::int64_t size, std::vector<AxisId> factors = {}, Live live = Live::all,
              const std::string& user = "") {
    return contract_.axes.intern({word, size, std::move(factors), live, {}, {}}, user);
  }

  void start() {
    contract_.name = contract_.identifier = "random";
    contract_.spec_hash = "0";
    contract_.vocab_size = between(5, 11);
    contract_.hidden_size = between(3, 9);
    contract_.max_sequence_length = options_.max_sequence_length;
    contract_.prefill_chunk = options_.prefill_chunk;
    contract_.max_batch = between(1, 2);
    contract_.head_rows = std::min(std::max<std::int64_t>(contract_.max_batch, 3), contract_.prefill_chunk);
    contract_.kv_cache = Dtype::f32;
    contract_.num_hidden_layers = between(1, 3);
    contract_.repeat = chance(20) ? 2 : 1;
    const std::int64_t kinds = between(1, std::min<std::int64_t>(2, contract_.num_hidden_layers));
    for (std::int64_t kind = 0; kind < kinds; ++kind) {
      LayerContract layer;
      layer.kind.name = layer.kind.identifier = kind == 0 ? "local" : "global";
      contract_.kinds.push_back(layer);
    }
    for (std::int64_t i = 0; i < contract_.num_hidden_layers; ++i) {
      const auto kind = static_cast<std::size_t>(i < kinds ? i : below(kinds));
      contract_.layer_kinds.push_back(kind);
      contract_.kinds[kind].layers.push_back(static_cast<std::int32_t>(i));
    }
    hidden_ = axis("hidden", contract_.hidden_size);
    vocab_ = axis("vocab", contract_.vocab_size);
    one_ = axis("one", 1);
    slots_ = axis("slots", contract_.max_batch);
    positions_ = axis("positions", contract_.max_sequence_length, {}, Live::positions);
  }

  WeightId weight(Scope scope, const std::string& role, std::vector<AxisId> axes, Dtype dtype) {
    WeightContract weight;
    weight.role = weight.part = role;
    weight.scope = scope;
    weight.axes = std::move(axes);
    weight.dtype = dtype;
    weight.sources = {{role, {1, 0, 1, false}}};
    return contract_.weights.add(weight);
  }
  Dtype format() { return options_.formats ? static_cast<Dtype>(below(3)) : Dtype::f32; }

  void embed() {
    weight({}, "embedding::tokens", {vocab_, hidden_}, format());
    const bool placed = chance(30);
    const AxisId table = axis("position_embeddings", contract_.max_sequence_length);
    if (placed) weight({}, "embedding::positions", {table, hidden_}, format());
    const bool normed = chance(30);
    if (normed) weight({}, "embedding::norm", {hidden_}, Dtype::f32);
    graph_.axes = contract_.axes;
    Builder build(contract_, graph_, "embed", {});
    ValueId h = build.gather("embed", build.weight("embedding::tokens"), build.host(HostList::token_ids),
                             chance(50) ? "hidden_states" : "embedded");
    if (placed) {
      const ValueId p = build.gather("embed_positions", build.weight("embedding::positions"),
                                     build.host(HostList::positions), chance(50) ? "hidden_states" : "positioned");
      h = build.map("add", known_expression("a + 0.5 * b", {"a", "b"}), {"a", "b"}, {h, p}, "hidden_states");
    } else if (graph_.values[h].role != "hidden_states") {
      h = build.map("scale", known_expression("1.5 * a", {"a"}), {"a"}, {h}, "hidden_states");
    }
    if (normed)
      h = build.norm("embedding_norm", {NormType::rms_norm, eps(), false}, "embedding::norm", h, "hidden_states");
    carried_ = graph_.hidden_states = h;
    build.result(h);
    graph_.embed = build.finish();
    contract_.axes = graph_.axes;
  }

  void head() {
    weight({}, "final_norm", {hidden_}, Dtype::f32);
    const bool tied = chance(50);
    if (!tied) weight({}, "lm_head", {vocab_, hidden_}, format());
    Builder build(contract_, graph_, "head", {});
    ValueId h = build.parameter(carried_);
    h = build.gather("rows", h, build.host(HostList::head_rows), "last");
    h = build.norm("final_norm", {NormType::rms_norm, eps(), false}, "final_norm", h, "final");
    const bool capped = chance(30);
    ValueId logits =
        build.linear("lm_head", tied ? "embedding::tokens" : "lm_head", "", h, capped ? "raw_logits" : "logits");
    if (capped) logits = build.map("cap", known_expression("3 * tanh(a / 3)", {"a"}), {"a"}, {logits}, "logits");
    build.result(logits);
    graph_.head = build.finish();
  }

  /// A value and whether anything reads it.
  struct Known {
    ValueId id;
    bool read = false;
  };

  std::string new_role() { return chance(40) ? "work" : "v" + std::to_string(++count_); }

  ValueId read(Known& value) {
    value.read = true;
    return value.id;
  }
  void know(ValueId id) { known_.push_back({id, false}); }

  std::vector<std::size_t> of_axis(AxisId wanted) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (graph_.values[known_[i].id].axes[1] == wanted) result.push_back(i);
    }
    return result;
  }
  AxisId axis_of(const Known& value) { return graph_.values[value.id].axes[1]; }

  /// Half the time one of the latest.
  std::size_t some() {
    const auto count = static_cast<std::int64_t>(known_.size());
    return static_cast<std::size_t>(chance(50) ? count - 1 - below(std::min<std::int64_t>(3, count)) : below(count));
  }

  void linear(Builder& build, std::size_t from, AxisId to, Dtype dtype) {
    const std::string word = "w" + std::to_string(++count_) + "_proj";
    const std::string bias = chance(30) ? "w" + std::to_string(count_) + "_bias" : "";
    weight(scope_, word, {to, axis_of(known_[from])}, dtype);
    if (!bias.empty()) weight(scope_, bias, {to}, Dtype::f32);
    know(build.linear(word, word, bias, read(known_[from]), new_role()));
  }

  /// Scores as they are, capped or sloped; every key, some of them, or of either those of a window.
  static ExpressionNames names_of_keys() {
    return {{"query", {Type::integer}}, {"key", {Type::integer}}, {"head", {Type::integer}}};
  }

  static Expression scored(const std::string& text) {
    ExpressionNames names = names_of_keys();
    names.merge(variables({"score", "slope", "bias"}));
    Diagnostics none;
    return *parse_expression(text, {}, names, Type::real, none);
  }

  Attention how() {
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

  /// A ring's, where it is shorter than the sequence.
  AxisId entries_of(const Window& kept) {
    const std::int64_t ring = kept.first + kept.recent + contract_.prefill_chunk - 1;
    if (kept.recent == 0 || ring >= contract_.max_sequence_length) return positions_;
    return axis("window", ring, {}, Live::positions, contract_.kinds[scope_.kind].kind.identifier);
  }

  void norm(Builder& build, std::size_t from, bool of_heads) {
    const AxisId row = axis_of(known_[from]);
    const AxisId over = of_heads ? contract_.axes[row].factors[1] : row;
    const std::string word = "n" + std::to_string(++count_);
    NormContract norm{NormType::rms_norm, eps(), false};
    if (chance(55)) norm.type = of_heads || chance(75) ? NormType::layer_norm : NormType::scale_norm;
    const bool one = norm.type == NormType::scale_norm;
    norm.weight = one || chance(85);
    norm.weight_offset = norm.weight && chance(30) ? 0.5 : 0;
    norm.bias = norm.type == NormType::layer_norm && chance(70);
    const AxisId weighted = chance(40) ? row : over;  // of heads: each head's own, or one head's for all
    if (norm.weight) weight(scope_, word, {one ? one_ : weighted}, Dtype::f32);
    if (norm.bias) weight(scope_, word + "_bias", {weighted}, Dtype::f32);
    know(build.norm(word, norm, word, read(known_[from]), new_role(), over));
  }

  /// One more operand that has an element for several of the first's, or is the same for every token.
  void spread(Builder& build, std::vector<std::string>& names, std::vector<ValueId>& operands) {
    const AxisId row = graph_.values[operands[0]].axes[1];
    std::vector<std::size_t> coarser;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (axis_of(known_[i]) != row && graph_.run_of(operands[0], known_[i].id) > 0) coarser.push_back(i);
    }
    if (!coarser.empty() && chance(60)) {
      operands.push_back(read(known_[pick(coarser)]));
    } else {
      const std::string word = "m" + std::to_string(++count_);
      const std::vector<AxisId>& factors = contract_.axes[row].factors;
      weight(scope_, word, {chance(40) ? one_ : !factors.empty() && chance(60) ? factors[0] : row}, Dtype::f32);
      operands.push_back(build.weight(word));
    }
    names.push_back(std::string(1, static_cast<char>('a' + names.size())));
  }

  void map(Builder& build, const std::vector<std::size_t>& from) {
    static const std::vector<std::string> unary = {"0.5 * a", "a * sigmoid(a)", "max(a, 0) - 0.25"};
    static const std::vector<std::string> binary = {"a + b", "a * sigmoid(a) * b", "a - 0.5 * b", "b * 0.25"};
    std::vector<std::string> names;
    std::vector<ValueId> operands;
    for (const std::size_t i : from) {
      names.push_back(std::string(1, static_cast<char>('a' + operands.size())));
      operands.push_back(read(known_[i]));
    }
    if (chance(35)) spread(build, names, operands);
    const std::string text = names.size() == 1   ? pick(unary)
                             : names.size() == 2 ? pick(binary)
                             : names.size() == 3 ? "a + b - c"
                                                 : "a + b - c * d";
    know(build.map(chance(50) ? "add" : "", known_expression(text, names), names, operands, new_role()));
  }

  RotaryContract rotary(std::int64_t rotary_dim) {
    RotaryContract result;
    for (std::int64_t j = 0; j < rotary_dim / 2; ++j) {
      result.frequencies.push_back(1.0f / static_cast<float>(1 + 3 * j));
    }
    if (rotary_dim % 4 == 0) result.factor = 1.25f;
    if (rotary_dim > 2 && chance(40)) {
      result.original_length = 3;
      result.theta = 100;
      result.stretch = 2;
    }
    return result;
  }

  void attend(Builder& build) {
    const std::vector<std::size_t> queries = of_axis(q_), keys = of_axis(kv_);
    if (queries.empty() || keys.empty()) return;
    std::size_t q = pick(queries), k = pick(keys), v = some_of(build, values_);
    const bool second = chance(25);
    const std::size_t second_q = second ? some_of(build, second_q_) : 0,
                      second_k = second ? some_of(build, second_k_) : 0;
    const auto prepared = [&](std::size_t from) {
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
    };
    q = prepared(q);
    k = prepared(k);
    const std::string name = "s" + std::to_string(++count_);
    Attention how = this->how();
    how.causal = how.recent > 0 || chance(75);
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
                            entries == positions_ ? Window{} : kept});
      return build.append(name + word, value);
    };
    graph_.axes = contract_.axes;
    AttentionOperands operands{.queries = read(known_[q]), .keys = seen("_keys", k), .values = {}};
    operands.values = values_are_keys ? operands.keys : seen("_values", v);
    if (attended_ != q_) operands.attended = attended_;
    if (second) {
      operands.second_queries = read(known_[second_q]);
      operands.second_keys = seen("_second_keys", second_k);
    }
    // A kernel binds one of these beside a second term, and all of them without.
    const int one = second ? static_cast<int>(below(3)) : -1;
    const auto drawn = [&](int which) { return chance(30) && (!second || one == which); };
    if (drawn(0)) {
      weight(scope_, name + "_sinks", {contract_.axes[q_].factors[0]}, Dtype::f32);
      operands.sinks = build.weight(name + "_sinks");
    }
    if (drawn(1)) {
      const bool of_heads = chance(50);
      operands.relative = distances(build, name + "_relative", of_heads, how.distances);
      if (of_heads) how.score = scored(how.score.empty() ? "score + bias" : "bias + " + how.score.text);
    }
    if (drawn(2)) operands.layer_scale = number(build, name + "_layer_scale");
    know(build.attention(how, operands, new_role()));
  }

  /// A value of this axis: a known one, or a new projection.
  std::size_t some_of(Builder& build, AxisId axis) {
    const std::vector<std::size_t> known = of_axis(axis);
    if (!known.empty()) return pick(known);
    linear(build, some(), axis, format());
    return known_.size() - 1;
  }

  /// One of each layer, which no checkpoint has.
  ValueId number(Builder& build, const std::string& name) {
    WeightContract& number = contract_.weights[weight(scope_, name, {one_}, Dtype::f32)];
    number.sources.clear();
    for (std::size_t i = 0; i < contract_.kinds[scope_.kind].layers.size(); ++i) {
      number.values.push_back(0.25f * static_cast<float>(between(1, 8)));
    }
    return build.weight(name);
  }

  /// Rows of what distances give, more than are read at times; and how distances find theirs.
  ValueId distances(Builder& build, const std::string& name, bool of_heads, Distances& how) {
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

  void layer(std::size_t kind) {
    scope_ = {kind};
    const std::string user = contract_.kinds[kind].kind.identifier;
    const std::int64_t head = between(1, 4) * (chance(70) ? 2 : 1) + (chance(20) ? 1 : 0);
    kv_heads_ = axis("kv_heads", between(1, 2), {}, Live::all, user);
    const AxisId group = axis("kv_group", between(1, 2), {}, Live::all, user);
    const std::int64_t heads = contract_.axes[kv_heads_].size * contract_.axes[group].size;
    const AxisId heads_axis = axis("heads", heads, {kv_heads_, group}, Live::all, user);
    head_ = axis("head", std::max<std::int64_t>(head, 2), {}, Live::all, user);
    q_ = axis("q", heads * contract_.axes[head_].size, {heads_axis, head_}, Live::all, user);
    const auto rows = [&](const std::string& word, AxisId of_heads, AxisId of_head) {
      const std::int64_t size = contract_.axes[of_heads].size * contract_.axes[of_head].size;
      return axis(word, size, {of_heads, of_head}, Live::all, user);
    };
    kv_ = rows("kv", kv_heads_, head_);
    const bool own_width = chance(35);
    const AxisId value_head = own_width ? axis("value_head", between(2, 9), {}, Live::all, user) : head_;
    values_ = own_width ? rows("values", kv_heads_, value_head) : kv_;
    attended_ = own_width ? rows("attended", heads_axis, value_head) : q_;
    const AxisId second_head = axis("second_head", between(2, 6), {}, Live::all, user);
    second_q_ = rows("second_q", heads_axis, second_head);
    second_k_ = rows("second_k", kv_heads_, second_head);
    const AxisId inner = axis("inner", between(3, 10), {}, Live::all, user);
    graph_.axes = contract_.axes;
    angles_ = {};
    known_.clear();
    Builder build(contract_, graph_, user, scope_);
    const ValueId h = build.parameter(carried_);
    know(h);
    const std::vector<AxisId> targets = {hidden_, q_, kv_, inner, heads_axis};
    const std::int64_t ops = between(3, options_.most_ops);
    for (std::int64_t i = 0; i < ops; ++i) {
      const std::size_t from = some();
      const std::int64_t what = below(100);
      if (what < 15) {
        norm(build, from, false);
      } else if (what < 22) {
        if (contract_.axes[axis_of(known_[from])].factors.size() == 2) norm(build, from, true);
      } else if (what < 45) {
        linear(build, from, pick(targets), format());
      } else if (what < 55) {  // q, k and v, or any three of one input; of one format or several
        const bool one_format = chance(70);
        const Dtype dtype = format();
        for (const AxisId to : {q_, kv_, chance(80) ? kv_ : pick(targets)}) {
          linear(build, from, to, one_format ? dtype : format());
        }
        if (chance(70)) attend(build);
      } else if (what < 65) {  // gate and up, in either order
        const bool one_format = chance(80);
        const Dtype dtype = format();
        linear(build, from, inner, dtype);
        linear(build, from, inner, one_format ? dtype : format());
        const std::size_t gate = known_.size() - 2, up = known_.size() - 1;
        map(build, chance(50) ? std::vector{gate, up} : std::vector{up, gate});
      } else if (what < 85) {
        std::vector<std::size_t> operands = {from};
        const std::vector<std::size_t> alike = of_axis(axis_of(known_[from]));
        while (operands.size() < 3 && chance(60)) operands.push_back(pick(alike));
        map(build, operands);
      } else {
        attend(build);
      }
    }
    // What nothing has read yet goes into the result.
    ValueId sum = h;
    bool changed = false;
    for (std::size_t i = 1; i < known_.size(); ++i) {
      if (known_[i].read) continue;
      std::size_t from = i;
      if (axis_of(known_[i]) != hidden_) {
        linear(build, i, hidden_, format());
        from = known_.size() - 1;
      }
      sum = build.map("add", known_expression("residual + x", {"residual", "x"}), {"residual", "x"},
                      {sum, read(known_[from])}, "hidden_states");
      changed = true;
    }
    if (!changed || chance(15)) {  // a norm after the addition
      const std::string word = "n" + std::to_string(++count_);
      weight(scope_, word, {hidden_}, Dtype::f32);
      sum = build.norm(word, {NormType::rms_norm, eps(), false}, word, sum, "hidden_states");
    }
    build.result(sum);
    graph_.layers.push_back(build.finish());
    contract_.axes = graph_.axes;
  }

  std::mt19937_64 random_;
  const RandomGraphOptions options_;
  Contract contract_;
  Graph graph_;
  AxisId hidden_, vocab_, one_, slots_, positions_, kv_heads_, head_, q_, kv_, values_, attended_, second_q_, second_k_;
  AnglesId angles_;
  Scope scope_;
  ValueId carried_;
  std::vector<Known> known_;
  int count_ = 0;
};

}  // namespace

RandomGraph random_graph(std::uint64_t seed, const RandomGraphOptions& options) { return Writer(seed, options).run(); }

}  // namespace monomorph::test
