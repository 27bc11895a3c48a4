#include "tests/support/random_graph.hpp"

#include <string>

#include "tests/support/random_mixture.hpp"

namespace monomorph::test {
namespace {

class Writer : RandomMixture {
 public:
  Writer(std::uint64_t seed, const RandomGraphOptions& options)
      : RandomMixture(seed, options), two_stacks_(options.two_stacks.value_or(seed % 4 == 2)) {}

  RandomGraph run() {
    start();
    graph_.axes = contract_.axes;
    for (std::size_t stack = 0; stack < contract_.stacks.size(); ++stack) embed(stack);
    for (const std::size_t stack : {encoder_stack, own_stack}) {
      if (stack >= contract_.stacks.size()) continue;
      for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
        if (contract_.kinds[kind].kind.stack == stack) layer(kind);
      }
      if (stack == encoder_stack) finish();
    }
    head();
    contract_.axes = graph_.axes;
    contract_.axes.name_all();
    graph_.axes = contract_.axes;
    return {std::move(contract_), std::move(graph_)};
  }

 private:
  void start() {
    contract_.name = contract_.identifier = "random";
    contract_.spec_hash = "0";
    contract_.vocab_size = between(5, 11);
    contract_.own().hidden_size = between(3, 9);
    contract_.max_sequence_length = options_.max_sequence_length;
    contract_.prefill_chunk = options_.prefill_chunk;
    contract_.max_batch = between(1, 2);
    contract_.head_rows = std::min(std::max<std::int64_t>(contract_.max_batch, 3), contract_.prefill_chunk);
    contract_.kv_cache = {Dtype::f32, Dtype::f32};
    add_layers(own_stack, {"local", "global"});
    if (two_stacks_) {
      contract_.stacks.emplace_back();
      contract_.max_source_length = contract_.stacks[encoder_stack].rows = between(1, 9);
      contract_.stacks[encoder_stack].hidden_size = between(3, 9);
      add_layers(encoder_stack, {"near", "far"});
    }
    graph_.stacks.resize(contract_.stacks.size());
    graph_.layers.resize(contract_.kinds.size());
    graph_.sources.resize(contract_.kinds.size());
    for (std::size_t stack = 0; stack < contract_.stacks.size(); ++stack) {
      hiddens_.push_back(axis(name_prefix(stack) + std::string("hidden"), contract_.stacks[stack].hidden_size));
    }
    vocab_ = axis("vocab", contract_.vocab_size);
    one_ = axis("one", 1);
    slots_ = axis("slots", contract_.max_batch);
    positions_ = axis("positions", contract_.max_sequence_length, {}, Live::positions);
  }

  void add_layers(std::size_t index, const std::vector<std::string>& names) {
    StackContract& stack = contract_.stacks[index];
    stack.num_hidden_layers = between(1, 3);
    stack.repeat = chance(20) ? 2 : 1;
    const std::int64_t kinds = between(1, std::min<std::int64_t>(2, stack.num_hidden_layers));
    const std::size_t first = contract_.kinds.size();
    for (std::int64_t kind = 0; kind < kinds; ++kind) {
      LayerContract layer;
      layer.kind.name = layer.kind.identifier = names[static_cast<std::size_t>(kind)];
      layer.kind.stack = index;
      contract_.kinds.push_back(layer);
    }
    for (std::int64_t i = 0; i < stack.num_hidden_layers; ++i) {
      const std::size_t kind = first + static_cast<std::size_t>(i < kinds ? i : below(kinds));
      stack.layer_kinds.push_back(kind);
      contract_.kinds[kind].layers.push_back(static_cast<std::int32_t>(i));
    }
  }

  void embed(std::size_t stack) {
    const std::string prefix = name_prefix(stack);
    const std::int64_t hidden_size = contract_.stacks[stack].hidden_size;
    const bool of_source = stack == encoder_stack;
    hidden_ = hiddens_[stack];
    const bool projected = chance(15);
    const AxisId columns = projected ? axis(prefix + "embedding", between(3, 7)) : hidden_;
    // Either stack has a table of its own, or the encoder reads the model's.
    const WeightId table_of_model = of_source ? contract_.find_weight({}, "embedding::tokens") : WeightId{};
    const bool shared = of_source && contract_.weights[table_of_model].axes[1] == columns && chance(50);
    if (!shared) weight({}, prefix + "embedding::tokens", {vocab_, columns}, format());
    if (projected) weight({}, prefix + "embedding::projection", {hidden_, columns}, format());
    const bool sinusoidal = hidden_size % 2 == 0 && chance(25);
    const bool placed = !sinusoidal && chance(30);
    const std::int64_t offset = chance(50) ? between(1, 3) : 0;
    const std::int64_t positions_there = of_source ? contract_.max_source_length : contract_.max_sequence_length;
    const AxisId table = axis(prefix + "position_embeddings", positions_there + offset);
    if (placed) weight({}, prefix + "embedding::positions", {table, hidden_}, format());
    const bool normed = chance(30);
    if (normed) weight({}, prefix + "embedding::norm", {hidden_}, Dtype::f32);
    RotaryContract sines;
    sines.first_position = offset;
    for (std::int64_t j = 0; j < hidden_size / 2; ++j) {
      sines.frequencies.push_back(1.0f / static_cast<float>(1 + 2 * j));
    }
    AnglesId angles;
    if (sinusoidal) {
      angles = contract_.angles.add(
          {prefix + "position_angles", axis("angles", hidden_size), sines, {prefix + "embedding"}});
    }
    graph_.axes = contract_.axes;
    Builder build(contract_, graph_, prefix + "embed", {}, stack);
    const ValueId tokens = shared ? build.weight_of_model("embedding::tokens") : build.weight("embedding::tokens");
    ValueId h = build.gather("embed", tokens, build.host(HostList::token_ids),
                             !projected && chance(50) ? "hidden_states" : "embedded");
    if (projected) h = build.linear("embedding_projection", "embedding::projection", "", h, "hidden_states");
    ValueId positions;
    if (placed) {
      positions = build.gather("embed_positions", build.weight("embedding::positions"), build.host(HostList::positions),
                               chance(50) ? "hidden_states" : "positioned", offset);
    } else if (sinusoidal) {
      const RotaryLayout layout = chance(50) ? RotaryLayout::half : RotaryLayout::interleaved;
      positions = build.sinusoids("embed_positions", layout, angles, hidden_, "positioned");
    }
    if (positions) {
      h = build.map("add", known_expression("a + 0.5 * b", {"a", "b"}), {"a", "b"}, {h, positions}, "hidden_states");
    } else if (graph_.values[h].role != prefix + "hidden_states") {
      h = build.map("scale", known_expression("1.5 * a", {"a"}), {"a"}, {h}, "hidden_states");
    }
    if (normed)
      h = build.norm("embedding_norm", {NormType::rms_norm, eps(), false}, "embedding::norm", h, "hidden_states");
    graph_.stacks[stack].hidden_states = h;
    build.result(h);
    graph_.stacks[stack].embed = build.finish();
    contract_.axes = graph_.axes;
  }

  /// The last norm of what the encoder gives.
  void finish() {
    if (!chance(60)) return;
    weight({}, "encoder_final_norm", {hiddens_[encoder_stack]}, Dtype::f32);
    Builder build(contract_, graph_, "encoder_finish", {}, encoder_stack);
    const ValueId h = build.parameter(graph_.stacks[encoder_stack].hidden_states);
    build.result(build.norm("final_norm", {NormType::rms_norm, eps(), false}, "final_norm", h, "hidden_states"));
    graph_.stacks[encoder_stack].finish = build.finish();
  }

  void head() {
    hidden_ = hiddens_[own_stack];
    const bool normed = chance(80);
    if (normed) weight({}, "final_norm", {hidden_}, Dtype::f32);
    const bool tied = chance(50);
    const AxisId columns = contract_.weights[contract_.find_weight({}, "embedding::tokens")].axes[1];
    if (!tied) weight({}, "lm_head", {vocab_, columns}, format());
    if (columns != hidden_) weight({}, "projection", {columns, hidden_}, format());
    const bool biased = chance(20);
    if (biased) weight({}, "lm_head_bias", {vocab_}, Dtype::f32);
    Builder build(contract_, graph_, "head", {});
    ValueId h = build.parameter(graph_.own().hidden_states);
    h = build.gather("rows", h, build.host(HostList::head_rows), "last");
    if (normed) h = build.norm("final_norm", {NormType::rms_norm, eps(), false}, "final_norm", h, "final");
    if (columns != hidden_) h = build.linear("head_projection", "projection", "", h, "projected");
    const bool capped = chance(30);
    ValueId logits = build.linear("lm_head", tied ? "embedding::tokens" : "lm_head", biased ? "lm_head_bias" : "", h,
                                  capped ? "raw_logits" : "logits");
    if (capped) logits = build.map("cap", known_expression("3 * tanh(a / 3)", {"a"}), {"a"}, {logits}, "logits");
    build.result(logits);
    graph_.head = build.finish();
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

  void layer(std::size_t kind) {
    scope_ = {kind};
    const std::size_t stack = contract_.kinds[kind].kind.stack;
    const std::string user = contract_.kinds[kind].kind.identifier;
    begin_heads();
    inner_ = axis("inner", between(3, 10), {}, Live::all, user);
    graph_.axes = contract_.axes;
    kept_.clear();
    source_states_.clear();
    of_source_ = true;
    // The first kind keeps something of a source in any case.
    if (two_stacks_ && stack == own_stack && (kind == 0 || chance(60))) source(kind);
    of_source_ = stack == encoder_stack;
    known_.clear();
    hidden_ = hiddens_[stack];
    Builder build(contract_, graph_, user, scope_, stack);
    know(build.parameter(graph_.stacks[stack].hidden_states));
    operate(build, between(3, options_.most_ops));
    for (std::size_t which = 0; which < kept_.size(); ++which) attend_to_source(build, which);
    auto [sum, changed] = joined(build);
    if (!changed || chance(15)) {  // a norm after the addition
      const std::string word = "n" + std::to_string(++count_);
      weight(scope_, word, {hidden_}, Dtype::f32);
      sum = build.norm(word, {NormType::rms_norm, eps(), false}, word, sum, "hidden_states");
    }
    build.result(sum);
    graph_.layers[kind] = build.finish();
    contract_.axes = graph_.axes;
  }

  /// What the kind keeps of a source: one or two times keys and values, of what some operations make of its tokens.
  void source(std::size_t kind) {
    known_.clear();
    hidden_ = hiddens_[encoder_stack];
    Builder build(contract_, graph_, contract_.kinds[kind].kind.identifier + "_source", scope_, encoder_stack);
    know(build.parameter(graph_.stacks[encoder_stack].hidden_states));
    operate(build, between(0, 3));
    const ValueId sum = joined(build).first;
    known_ = {{sum, true}};
    for (std::int64_t times = between(1, 2); times > 0; --times) keep_source(build, 0);
    graph_.sources[kind] = build.finish();
    contract_.axes = graph_.axes;
  }

  /// So many operations on what the function has.
  void operate(Builder& build, std::int64_t ops) {
    const std::vector<AxisId> targets = {hidden_, q_, kv_, inner_, heads_};
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
        linear(build, from, inner_, dtype);
        linear(build, from, inner_, one_format ? dtype : format());
        const std::size_t gate = known_.size() - 2, up = known_.size() - 1;
        map(build, chance(50) ? std::vector{gate, up} : std::vector{up, gate});
      } else if (what < 82) {
        std::vector<std::size_t> operands = {from};
        const std::vector<std::size_t> alike = of_axis(axis_of(known_[from]));
        while (operands.size() < 3 && chance(60)) operands.push_back(pick(alike));
        map(build, operands);
      } else if (what < 86) {
        differ(build, from);
      } else if (what < 89) {
        mix(build, from, chance(70) ? hidden_ : inner_);
      } else if (what < 90) {
        if (axis_of(known_[from]) == q_) by_head(build, from);
      } else if (what < 91) {
        set_beside(build, from, some());
      } else if (what < 93) {
        chance(70) ? convolve(build) : look_back(build, from);
      } else if (what < 96) {
        chance(75) ? recur(build) : weigh(build);
      } else {
        attend(build);
      }
    }
  }

  void set_beside(Builder& build, std::size_t first, std::size_t second) {
    const auto size = [&](std::size_t of) { return contract_.axes[axis_of(known_[of])].size; };
    axis(concatenated_axis, size(first) + size(second));
    graph_.axes = contract_.axes;
    const ValueId a = read(known_[first]), b = read(known_[second]);
    know(build.concat("concat", a, b, new_role()));
  }

  /// The function's first value with all that nothing has read yet added; and whether there was any.
  std::pair<ValueId, bool> joined(Builder& build) {
    ValueId sum = known_[0].id;
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
    return {sum, changed};
  }

  const bool two_stacks_;
  std::vector<AxisId> hiddens_;  ///< by stack
  AxisId hidden_, inner_, vocab_;
};

}  // namespace

RandomGraph random_graph(std::uint64_t seed, const RandomGraphOptions& options) { return Writer(seed, options).run(); }

}  // namespace monomorph::test
