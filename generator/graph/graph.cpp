#include "generator/graph/graph.hpp"

namespace monomorph::generator {
namespace {

/// Appends the operations of one layer kind in the order of the paper.
class LayerBuilder {
 public:
  LayerBuilder(const Contract& contract, const LayerContract& kind)
      : contract_(contract), kind_(kind), hidden_states_{"hidden_states", {"hidden", contract.hidden_size}} {}

  std::vector<Op> build() {
    for (const SubBlockKind step : kind_.steps) {
      step == SubBlockKind::attention ? attention() : mlp();
    }
    return std::move(ops_);
  }

 private:
  Value value(const std::string& name, const std::string& axis, std::int64_t size) const {
    return {name, {layer_axis_name(contract_, kind_, axis), size}};
  }
  Value hidden_value(const std::string& name) const { return {name, hidden_states_.axis}; }

  NormWeights norm_weights(const std::string& role) const {
    return {role, kind_.norm.bias ? role + "_bias" : std::string()};
  }

  /// input_norm: gives what the sub-block reads.
  Value input(const SubBlockNormsContract& norms, const std::string& role, const std::string& name) {
    if (!norms.input) return hidden_states_;
    const Value normed = hidden_value(name);
    ops_.push_back(NormOp{kind_.norm, norm_weights(role), hidden_states_, normed});
    return normed;
  }

  /// output_norm, the addition to the residual stream, residual_norm.
  void finish(const SubBlockNormsContract& norms, const std::string& sub_block, const Value& output) {
    Value added = output;
    if (norms.output) {
      added = hidden_value(sub_block + "_output");
      ops_.push_back(NormOp{kind_.norm, norm_weights(sub_block + "_output_norm"), output, added});
    }
    ops_.push_back(AddOp{added, hidden_states_});
    if (norms.residual) {
      ops_.push_back(NormOp{kind_.norm, norm_weights(sub_block + "_residual_norm"), hidden_states_, hidden_states_});
    }
  }

  void attention() {
    const AttentionContract& attention = kind_.attention;
    const Value normed = input(attention.norms, "input_layernorm", "attention_input");
    const Value qkv = value("query_key_value", "qkv", attention.q_size + 2 * attention.kv_size);
    ops_.push_back(LinearOp{"qkv_proj", attention.qkv_bias ? "qkv_bias" : "", normed, qkv});

    Value queries = value("queries", "q", attention.q_size);
    Value keys = value("keys", "kv", attention.kv_size);
    const Value values = value("values", "kv", attention.kv_size);
    ops_.push_back(SplitOp{qkv, queries, keys, values});
    if (attention.qk_norm) {
      queries = normed_heads("q_norm", queries);
      keys = normed_heads("k_norm", keys);
    }
    if (attention.position == PositionType::rope) {
      queries = rotated(queries);
      keys = rotated(keys);
    }
    ops_.push_back(CacheWriteOp{"keys", keys});
    ops_.push_back(CacheWriteOp{"values", values});

    const Value attended = value("attended", "q", attention.q_size);
    ops_.push_back(AttentionOp{queries, attended, attention.attention_scale});
    const Value output = hidden_value("attention_projected");
    ops_.push_back(LinearOp{"o_proj", attention.o_bias ? "o_bias" : "", attended, output});
    finish(attention.norms, "attention", output);
  }

  Value normed_heads(const std::string& role, const Value& in) {
    const Value out{in.name + "_normed", in.axis};
    ops_.push_back(HeadNormOp{role, kind_.norm.eps, in, out});
    return out;
  }

  Value rotated(const Value& in) {
    const Value out{in.name + "_rotated", in.axis};
    ops_.push_back(RotaryOp{kind_.attention.rotary_dim, in, out});
    return out;
  }

  void mlp() {
    const MlpContract& mlp = kind_.mlp;
    const Value normed = input(mlp.norms, "post_attention_layernorm", "mlp_input");
    const Value activated = value("activated", "intermediate", mlp.intermediate_size);
    std::vector<Value> inputs;
    if (mlp.gated) {
      inputs.push_back(value("gate", "intermediate", mlp.intermediate_size));
      ops_.push_back(LinearOp{"gate_proj", mlp.gate_bias ? "gate_bias" : "", normed, inputs.back()});
    }
    inputs.push_back(value("up", "intermediate", mlp.intermediate_size));
    ops_.push_back(LinearOp{"up_proj", mlp.up_bias ? "up_bias" : "", normed, inputs.back()});
    ops_.push_back(ActivationOp{mlp.activation, inputs, activated});
    const Value output = hidden_value("mlp_projected");
    ops_.push_back(LinearOp{"down_proj", mlp.down_bias ? "down_bias" : "", activated, output});
    finish(mlp.norms, "mlp", output);
  }

  const Contract& contract_;
  const LayerContract& kind_;
  Value hidden_states_;
  std::vector<Op> ops_;
};

}  // namespace

std::string layer_axis_name(const Contract& contract, const LayerContract& kind, const std::string& axis) {
  return contract.kinds.size() > 1 ? kind.identifier + "_" + axis : axis;
}

Graph build_graph(const Contract& contract) {
  const Value hidden_states{"hidden_states", {"hidden", contract.hidden_size}};
  Graph graph;
  graph.prologue.push_back(EmbedOp{"embed_tokens", contract.learned_positions ? "embed_positions" : "", hidden_states});
  for (const LayerContract& kind : contract.kinds) graph.layers.push_back(LayerBuilder(contract, kind).build());

  const Value final_hidden{"final_hidden", hidden_states.axis};
  graph.epilogue.push_back(NormOp{contract.final_norm,
                                  {"final_norm", contract.final_norm.bias ? "final_norm_bias" : ""},
                                  hidden_states,
                                  final_hidden});
  graph.epilogue.push_back(LinearOp{contract.tie_word_embeddings ? "embed_tokens" : "lm_head", "", final_hidden,
                                    Value{"logits", {"vocab", contract.vocab_size}}});
  return graph;
}

}  // namespace monomorph::generator
