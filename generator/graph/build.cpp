// The forward pass of a decoder: embedding, layers kind by kind, final norm and head.
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

const std::vector<std::string> added_names = {"residual", "x"};

/// Builds the sub-blocks of one layer kind on the residual stream.
class LayerBuilder {
 public:
  LayerBuilder(const Contract& contract, const LayerContract& kind, Builder& builder)
      : contract_(contract), kind_(kind), build_(builder), added_(known_expression("residual + x", added_names)) {}

  ValueId attention(ValueId hidden_states) {
    const AttentionContract& attention = kind_.attention;
    const ValueId in = input("attention", attention.norms, hidden_states);
    ValueId queries = projection("q", in, "queries");
    ValueId keys = projection("k", in, "keys");
    const ValueId values = projection("v", in, "values");
    if (attention.qk_norm) {
      const NormContract norm{NormType::rms_norm, kind_.norm.eps, false};
      const AxisId head = build_.axes()[build_.axes_of(queries)[1]].factors[1];
      queries = build_.norm("q_norm", norm, "q_norm", queries, "queries_normed", head);
      keys = build_.norm("k_norm", norm, "k_norm", keys, "keys_normed", head);
    }
    if (attention.position == PositionType::rope) {
      queries = build_.rotary(attention.rotary_dim, attention.rotary_table, queries, "queries_turned");
      keys = build_.rotary(attention.rotary_dim, attention.rotary_table, keys, "keys_turned");
    }
    const ValueId cached_keys = build_.append("keys", keys);
    const ValueId cached_values = build_.append("values", values);
    const ValueId attended =
        build_.attention(attention.attention_scale, queries, cached_keys, cached_values, "attended");
    return finish("attention", attention.norms, projection("o", attended, "projected"), hidden_states);
  }

  ValueId mlp(ValueId hidden_states) {
    const MlpContract& mlp = kind_.mlp;
    const ValueId in = input("mlp", mlp.norms, hidden_states);
    std::vector<ValueId> parts;
    std::vector<std::string> names = {"x"};
    if (mlp.gated) {
      parts.push_back(projection("gate", in, "gate"));
      names = {"gate", "up"};
    }
    parts.push_back(projection("up", in, "up"));
    const ValueId activated = build_.map("", mlp.activation, names, parts, "activated");
    return finish("mlp", mlp.norms, projection("down", activated, "projected"), hidden_states);
  }

 private:
  ValueId projection(const std::string& word, ValueId in, const std::string& role) {
    const std::string part = instance_ + "::" + word;
    return build_.linear(word + "_proj", part + "_proj", part + "_bias", in, role);
  }

  /// What the sub-block reads.
  ValueId input(const std::string& instance, const SubBlockNormsContract& norms, ValueId hidden_states) {
    instance_ = instance;
    build_.enter(instance);
    if (!norms.input) return hidden_states;
    return build_.norm(instance + "_input_norm", kind_.norm, "input_norm", hidden_states, "input");
  }

  /// residual_norm(h + output_norm(output))
  ValueId finish(const std::string& instance, const SubBlockNormsContract& norms, ValueId output,
                 ValueId hidden_states) {
    if (norms.output) {
      output = build_.norm(instance + "_output_norm", kind_.norm, "output_norm", output, "output");
    }
    build_.enter("");
    ValueId sum = build_.map("add", added_, added_names, {hidden_states, output}, "hidden_states");
    if (norms.residual) {
      sum = build_.norm(instance + "_residual_norm", kind_.norm, instance + "::residual_norm", sum, "hidden_states");
    }
    return sum;
  }

  const Contract& contract_;
  const LayerContract& kind_;
  Builder& build_;
  const Expression added_;
  std::string instance_;
};

ValueId build_embedding(const Contract& contract, Builder& build) {
  const ValueId ids = build.host("token_ids", "tokens", contract.prefill_chunk, Live::tokens);
  const ValueId table = build.weight("embedding::tokens");
  if (!contract.learned_positions) return build.gather("embed", table, ids, "hidden_states");
  const ValueId positions = build.host("positions", "tokens", contract.prefill_chunk, Live::tokens);
  const ValueId placed =
      build.gather("embed_positions", build.weight("embedding::positions"), positions, "position_embeddings");
  const ValueId embedded = build.gather("embed", table, ids, "token_embeddings");
  return build.map("add", known_expression("residual + x", added_names), added_names, {placed, embedded},
                   "hidden_states");
}

ValueId build_head(const Contract& contract, Builder& build, ValueId hidden_states) {
  const ValueId rows = build.host("head_rows", "rows", contract.head_rows, Live::rows);
  const ValueId last = build.gather("rows", hidden_states, rows, "last_hidden_states");
  const ValueId normed = build.norm("final_norm", contract.final_norm, "final_norm", last, "final_hidden_states");
  return build.linear("lm_head", contract.tie_word_embeddings ? "embedding::tokens" : "lm_head", "", normed, "logits");
}

}  // namespace

Graph build_graph(const Contract& contract) {
  Graph graph;
  graph.axes = contract.axes;
  Builder embed(contract, graph, "embed", {});
  const ValueId hidden_states = build_embedding(contract, embed);
  embed.result(hidden_states);
  graph.embed = embed.finish();

  for (std::size_t index = 0; index < contract.kinds.size(); ++index) {
    const LayerContract& kind = contract.kinds[index];
    Builder builder(contract, graph, kind.identifier, {index});
    LayerBuilder layer(contract, kind, builder);
    ValueId carried = builder.parameter(hidden_states);
    for (const SubBlockKind step : kind.steps) {
      carried = step == SubBlockKind::attention ? layer.attention(carried) : layer.mlp(carried);
    }
    builder.result(carried);
    graph.layers.push_back(builder.finish());
  }

  Builder head(contract, graph, "head", {});
  head.result(build_head(contract, head, head.parameter(hidden_states)));
  graph.head = head.finish();
  graph.axes.name_all();
  verify_graph(graph, contract);
  return graph;
}

}  // namespace monomorph::generator
