#include "tests/support/small_graph.hpp"

#include <fmt/format.h>

namespace monomorph::test {

using namespace generator;

WeightId LayerWriter::declare(const std::string& role, std::vector<AxisId> axes, Dtype dtype) {
  WeightContract weight;
  weight.role = weight.part = role;
  weight.scope = {kind_};
  weight.axes = std::move(axes);
  weight.dtype = dtype;
  weight.sources = {{role, {1, 0, 1, false}}};
  return contract_.weights.add(weight);
}

AxisId LayerWriter::axis(const std::string& word, std::int64_t size, std::vector<AxisId> factors, Live live) {
  const AxisId id =
      contract_.axes.intern({word, size, std::move(factors), live, {}, {}}, contract_.kinds[kind_].kind.identifier);
  graph_.axes = contract_.axes;
  return id;
}

ValueId LayerWriter::linear(ValueId x, std::int64_t rows, Dtype dtype) {
  const bool hidden = rows == contract_.own().hidden_size;
  return projection(x, hidden ? axis_of(hidden_) : axis("wide" + std::to_string(rows), rows), dtype);
}

ValueId LayerWriter::vector(std::int64_t size) {
  const std::string role = next("m");
  declare(role, {size == 6 ? q() : size == 2 ? heads() : axis("one", 1)}, Dtype::f32);
  return builder_.weight(role);
}

ValueId LayerWriter::attention(ValueId x, const Window& seen, const Window& kept, const std::string& mask) {
  const AxisId kv_heads = axis("kv_heads", 1), head = axis("head", 3), kv = axis("kv", 3, {kv_heads, head});
  const AxisId entries = axis("window", kept.first + kept.recent + contract_.prefill_chunk - 1, {}, Live::positions);
  const AxisId slots = contract_.axes.intern({"slots", contract_.max_batch, {}, Live::all, {}, {}});
  const ValueId queries = this->queries(x);
  std::vector<ValueId> states;
  for (const char* word : {"keys", "values"}) {
    contract_.states.add({word,
                          {kind_},
                          {slots, kv_heads, entries, head},
                          Dtype::f32,
                          kept.recent > 0 ? StateKind::ring : StateKind::growing,
                          kept});
    states.push_back(builder_.append(word, projection(x, kv, Dtype::f32)));
  }
  return attend(queries, seen, states, mask);
}

ValueId LayerWriter::shared_attention(ValueId x, const Window& seen, const std::string& kind) {
  return attend(queries(x), seen, {builder_.state_of(kind, "keys"), builder_.state_of(kind, "values")}, "");
}

ValueId LayerWriter::weighted_mean(ValueId x, double scale, const std::string& log_decay) {
  const AxisId slots = contract_.axes.intern({"slots", contract_.max_batch, {}, Live::all, {}, {}});
  const AxisId element = axis("mean", 9, {axis("head", 3), axis("sums", 3)});
  contract_.states.add(
      {"means",
       {kind_},
       {slots, axis("one", 1), axis("copies", recurrent_copies), axis("means", 18, {heads(), element})},
       Dtype::f32,
       StateKind::recurrent});
  const std::string scaled = fmt::format("{} * a", scale);
  const WeightedMeanOperands operands{
      .log_weights = map(scaled, {queries(x)}), .values = queries(x), .decays = vector(6), .bonus = vector(6)};
  const WeightedMean how{.log_decay = known_expression(log_decay, {"x"})};
  return projection(builder_.weighted_mean("mean", how, "means", operands, next("v")), axis_of(hidden_), Dtype::f32);
}

ValueId LayerWriter::attend(ValueId queries, const Window& seen, const std::vector<ValueId>& states,
                            const std::string& mask) {
  const ExpressionNames keys = {{"query", {Type::integer}}, {"key", {Type::integer}}};
  Attention how{1, true};
  Diagnostics none;
  if (!mask.empty()) how.mask = *parse_expression(mask, {}, keys, Type::boolean, none);
  how.recent = seen.recent;
  how.first = seen.first;
  return projection(builder_.attention(how, {queries, states[0], states[1]}, next("v")), axis_of(hidden_), Dtype::f32);
}

ValueId LayerWriter::projection(ValueId x, AxisId to, Dtype dtype) {
  const std::string role = next("w") + "_proj";
  declare(role, {to, axis_of(x)}, dtype);
  return builder_.linear(role, role, "", x, next("v"));
}

ValueId LayerWriter::norm(ValueId x) {
  const std::string role = next("n") + "_norm";
  declare(role, {axis_of(x)}, Dtype::f32);
  return builder_.norm(role, {NormType::rms_norm, 1e-5, false}, role, x, next("v"));
}

ValueId LayerWriter::map(const std::string& text, const std::vector<ValueId>& operands) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < operands.size(); ++i) names.push_back(std::string(1, static_cast<char>('a' + i)));
  return builder_.map("", known_expression(text, names), names, operands, next("v"));
}

namespace {

RandomGraph small_contract(const std::vector<std::string>& kinds, const std::vector<std::size_t>& layer_kinds,
                           const RandomGraphOptions& options) {
  RandomGraph small;
  Contract& contract = small.contract;
  contract.name = contract.identifier = "small";
  contract.spec_hash = "0";
  contract.vocab_size = 7;
  contract.own().hidden_size = 6;
  contract.max_sequence_length = options.max_sequence_length;
  contract.prefill_chunk = options.prefill_chunk;
  contract.max_batch = 2;
  contract.head_rows = 3;
  contract.kv_cache = {Dtype::f32, Dtype::f32};
  contract.own().num_hidden_layers = static_cast<std::int64_t>(layer_kinds.size());
  contract.own().layer_kinds = layer_kinds;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    LayerContract kind;
    kind.kind.name = kind.kind.identifier = kinds[i];
    for (std::size_t layer = 0; layer < layer_kinds.size(); ++layer) {
      if (layer_kinds[layer] == i) kind.layers.push_back(static_cast<std::int32_t>(layer));
    }
    contract.kinds.push_back(kind);
  }
  const AxisId hidden = contract.axes.intern({"hidden", contract.own().hidden_size, {}, Live::all, {}, {}}, "");
  const AxisId vocab = contract.axes.intern({"vocab", contract.vocab_size, {}, Live::all, {}, {}}, "");
  contract.axes.intern({"slots", contract.max_batch, {}, Live::all, {}, {}}, "");
  contract.axes.intern({"positions", contract.max_sequence_length, {}, Live::positions, {}, {}}, "");
  const auto declare = [&](const std::string& role, std::vector<AxisId> axes) {
    WeightContract weight;
    weight.role = weight.part = role;
    weight.axes = std::move(axes);
    weight.dtype = Dtype::f32;
    weight.sources = {{role, {1, 0, 1, false}}};
    contract.weights.add(weight);
  };
  declare("embedding::tokens", {vocab, hidden});
  declare("final_norm", {hidden});
  small.graph.axes = contract.axes;
  return small;
}

ValueId small_embedding(Builder& embed) {
  return embed.gather("embed", embed.weight("embedding::tokens"), embed.host(HostList::token_ids), "hidden_states");
}

ValueId picked(Builder& head, ValueId x, const std::string& role) {
  return head.gather("rows", x, head.host(HostList::head_rows), role);
}

void small_head(Builder& head, ValueId rows) {
  const ValueId normed = head.norm("final_norm", {NormType::rms_norm, 1e-5, false}, "final_norm", rows, "final");
  head.result(head.linear("lm_head", "embedding::tokens", "", normed, "logits"));
}

void name_axes(RandomGraph& small) {
  small.contract.axes = small.graph.axes;
  small.contract.axes.name_all();
  small.graph.axes = small.contract.axes;
}

/// Layers between an embedding and a head; `layer` gives the hidden states after one of a kind.
RandomGraph framed(RandomGraph small, const std::function<ValueId(Builder&, LayerWriter&, std::size_t)>& layer) {
  Contract& contract = small.contract;
  Graph& graph = small.graph;
  Builder embed(contract, graph, "embed", {});
  const ValueId carried = graph.own().hidden_states = small_embedding(embed);
  embed.result(carried);
  graph.own().embed = embed.finish();
  contract.axes = graph.axes;
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
    Builder builder(contract, graph, contract.kinds[kind].kind.identifier, {kind});
    LayerWriter writer(contract, graph, builder, builder.parameter(carried), kind);
    builder.result(layer(builder, writer, kind));
    graph.layers.push_back(builder.finish());
    contract.axes = graph.axes;
  }
  Builder head(contract, graph, "head", {});
  small_head(head, picked(head, head.parameter(carried), "last"));
  graph.head = head.finish();
  name_axes(small);
  return small;
}

}  // namespace

RandomGraph small_graph(const std::function<ValueId(LayerWriter&)>& layer, const RandomGraphOptions& options) {
  return framed(small_contract({"layer"}, {0, 0}, options), [&](Builder& build, LayerWriter& writer, std::size_t) {
    return build.map("add", known_expression("a + b", {"a", "b"}), {"a", "b"}, {writer.hidden(), layer(writer)},
                     "hidden_states");
  });
}

RandomGraph stream_graph(bool joined_first) {
  RandomGraph small = small_contract({"giving", "passing", "taking"}, {0, 1, 2, 1, 2}, {});
  Contract& contract = small.contract;
  Graph& graph = small.graph;
  Builder embed(contract, graph, "embed", {});
  const ValueId one = graph.own().hidden_states = small_embedding(embed);
  const ValueId other = embed.map("", known_expression("0.5 * a", {"a"}), {"a"}, {one}, "second_stream");
  embed.result(one);
  embed.result(other);
  graph.own().embed = embed.finish();
  contract.axes = graph.axes;

  ValueId memory;
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
    Builder builder(contract, graph, contract.kinds[kind].kind.identifier, {kind});
    const ValueId a = builder.parameter(one), b = builder.parameter(other);
    LayerWriter layer(contract, graph, builder, a, kind);
    const auto mix = [&](const std::string& text, const std::vector<ValueId>& values, const std::string& role) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < values.size(); ++i) names.push_back(std::string(1, static_cast<char>('a' + i)));
      return builder.map("mix", known_expression(text, names), names, values, role);
    };
    // What the sub-block reads: the streams by a number of each token and one of the layer.
    ValueId x = mix("sigmoid(c) * b + a * d", {a, b, layer.of_token(layer.norm(a)), layer.vector(1)}, "mixed");
    if (kind == 2) x = mix("a + c * b", {x, builder.parameter(memory), layer.vector(1)}, "remembered");
    const ValueId out = layer.linear(layer.map("a * sigmoid(a)", {layer.linear(layer.norm(x), 9)}), 6);
    // Each stream becomes a mix of both, as they were, and of what the sub-block gave.
    builder.result(
        mix("a * d + b * e + c * f", {a, b, out, layer.vector(1), layer.vector(1), layer.vector(1)}, "hidden_states"));
    builder.result(
        mix("b * d - a * e + c * f", {b, a, out, layer.vector(1), layer.vector(1), layer.vector(1)}, "second_stream"));
    if (kind == 0) builder.result(memory = mix("a - b", {out, x}, "memory"));
    graph.layers.push_back(builder.finish());
    contract.axes = graph.axes;
  }

  Builder head(contract, graph, "head", {});
  ValueId a = head.parameter(one), b = head.parameter(other);
  const auto join = [&] { return head.map("", known_expression("a + b", {"a", "b"}), {"a", "b"}, {a, b}, "joined"); };
  if (joined_first) {
    small_head(head, picked(head, join(), "last"));
  } else {
    a = picked(head, a, "last");
    b = picked(head, b, "second_last");
    small_head(head, join());
  }
  graph.head = head.finish();
  name_axes(small);
  return small;
}

RandomGraph sharing_graph(const Window& kept, const Window& seen) {
  RandomGraph small = small_contract({"keeping", "reading"}, {0, 1, 0, 1, 1}, {});
  small.contract.own().repeat = 2;
  return framed(std::move(small), [&](Builder& build, LayerWriter& layer, std::size_t kind) {
    const ValueId x = layer.norm(layer.hidden());
    const ValueId out =
        kind == 0 ? layer.attention(x, kept, kept) : layer.linear(layer.shared_attention(x, seen, "keeping"), 6);
    return build.sum({layer.hidden(), out}, "hidden_states");
  });
}

}  // namespace monomorph::test
