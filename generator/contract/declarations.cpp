#include "generator/contract/declarations.hpp"

#include <algorithm>
#include <iterator>

#include "generator/contract/parts.hpp"
#include "generator/contract/rotary.hpp"

namespace monomorph::generator {
namespace {

Dtype dtype_of(const std::string& name) {
  const auto row =
      std::find_if(std::begin(dtype_rows), std::end(dtype_rows), [&](const DtypeRow& row) { return row.name == name; });
  if (row == std::end(dtype_rows)) throw InternalError("checkpoint.dtype: no dtype " + name);
  return static_cast<Dtype>(row - std::begin(dtype_rows));
}

/// Declares for one scope; every part it is asked for has a name, as the rules have checked.
class Declarer {
 public:
  Declarer(const Spec& spec, Contract& contract, Scope scope)
      : checkpoint_(spec.checkpoint), contract_(contract), scope_(scope) {
    if (scope.kind != Scope::model) user_ = contract.kinds[scope.kind].identifier;
  }

  AxisId axis(const std::string& word, std::int64_t size, std::vector<AxisId> factors = {}, Live live = Live::all) {
    return contract_.axes.intern({word, size, std::move(factors), live, {}, {}}, user_);
  }
  AxisId model_axis(const std::string& word, std::int64_t size, Live live = Live::all) {
    return contract_.axes.intern({word, size, {}, live, {}, {}});
  }
  AxisId hidden() { return model_axis("hidden", contract_.hidden_size); }

  /// A matrix [rows, columns].
  void matrix(const std::string& part, const std::string& role, AxisId rows, AxisId columns) {
    add(part, role, {rows, columns}, false, whole(part, false, contract_.axes[rows].size));
  }
  /// A norm's weight, or a bias; the part is that of the weight it belongs to.
  void vector(const std::string& part, const std::string& role, AxisId elements, bool bias) {
    add(part, role, {elements}, bias, whole(part, bias, contract_.axes[elements].size));
  }
  void norm(const std::string& part, const std::string& role, bool bias) {
    vector(part, role, hidden(), false);
    if (bias) vector(part, role + "_bias", hidden(), true);
  }
  /// One of several parts that stand in one tensor, `fused` in this order with `rows_of` rows each.
  template <class RowsOf>
  void fused(const std::string& part, const std::string& role, const std::vector<AxisId>& axes, bool bias,
             const std::string& tensor, const std::vector<std::string>& order, const std::string& own,
             const RowsOf& rows_of) {
    std::int64_t all = 0, before = 0;
    for (const std::string& each : order) {
      if (each == own) before = all;
      all += rows_of(each);
    }
    CheckpointPart source = whole(tensor, bias, all);
    source.rows = rows_of(own);
    source.source_row = before;
    contract_.weights.add({bias ? part + ".bias" : part,
                           role,
                           scope_,
                           axes,
                           dtype_of(dtype_name(checkpoint_, tensor, bias)),
                           {std::move(source)}});
  }

  void state(const std::string& role, std::vector<AxisId> axes) {
    contract_.states.add({role, scope_, std::move(axes), contract_.kv_cache});
  }

  TableId rotary_table(const std::vector<float>& frequencies, std::int64_t rotary_dim) {
    for (const TableId id : contract_.tables.ids()) {
      if (contract_.tables[id].frequencies != frequencies) continue;
      contract_.tables[id].users.push_back(user_);
      return id;
    }
    const AxisId positions = model_axis("positions", contract_.max_sequence_length, Live::positions);
    return contract_.tables.add({"rotary_angles", {positions, axis("angles", rotary_dim)}, frequencies, {user_}});
  }

 private:
  void add(const std::string& part, const std::string& role, std::vector<AxisId> axes, bool bias,
           CheckpointPart source) {
    contract_.weights.add({bias ? part + ".bias" : part,
                           role,
                           scope_,
                           std::move(axes),
                           dtype_of(dtype_name(checkpoint_, part, bias)),
                           {std::move(source)}});
  }

  /// All rows of the part's own tensor.
  CheckpointPart whole(const std::string& part, bool bias, std::int64_t rows) const {
    const auto name = tensor_name(checkpoint_, part, bias);
    if (!name) throw InternalError("checkpoint.tensors_missing: no name for " + part);
    const auto found = checkpoint_.tensors.find(part);
    return {*name, rows, 0, rows, !bias && found != checkpoint_.tensors.end() && found->second.transposed};
  }

  const CheckpointSection& checkpoint_;
  Contract& contract_;
  Scope scope_;
  std::string user_;
};

/// q, k and v with their biases, from a tensor each or from one.
void declare_projections(Declarer& declare, const Spec& spec, const AttentionSection& section, AxisId q, AxisId kv,
                         const AttentionContract& attention) {
  const std::string part = "layers.{i}.attention.";
  const auto rows_of = [&](const std::string& word) { return word == "q" ? attention.q_size : attention.kv_size; };
  const bool fused = has_fused_qkv(spec.checkpoint);
  const Biases& bias = section.bias.value;
  // A fused tensor of biases has all three.
  const bool any_bias = bias.has("q") || bias.has("k") || bias.has("v");
  for (const char* word : {"q", "k", "v"}) {
    const AxisId rows = std::string(word) == "q" ? q : kv;
    const std::string role = std::string("attention::") + word;
    if (!fused) {
      declare.matrix(part + word, role + "_proj", rows, declare.hidden());
      if (bias.has(word)) declare.vector(part + word, role + "_bias", rows, true);
      continue;
    }
    const std::vector<std::string>& order = spec.checkpoint.tensors.at(part + "qkv").fused;
    declare.fused(part + word, role + "_proj", {rows, declare.hidden()}, false, part + "qkv", order, word, rows_of);
    if (any_bias) declare.fused(part + word, role + "_bias", {rows}, true, part + "qkv", order, word, rows_of);
  }
}

void declare_attention(const Spec& spec, const LayerKind& kind, bool norm_bias, Declarer& declare, Contract& contract,
                       AttentionContract& attention) {
  const std::string part = "layers.{i}.attention.";
  const AxisId kv_heads = declare.axis("kv_heads", attention.num_key_value_heads);
  const AxisId group = declare.axis("kv_group", attention.kv_group_size);
  const AxisId heads = declare.axis("heads", attention.num_attention_heads, {kv_heads, group});
  const AxisId head = declare.axis("head", attention.head_dim);
  const AxisId q = declare.axis("q", attention.q_size, {heads, head});
  const AxisId kv = declare.axis("kv", attention.kv_size, {kv_heads, head});
  const AxisId slots = declare.model_axis("slots", contract.max_batch);
  const AxisId positions = declare.model_axis("positions", contract.max_sequence_length, Live::positions);

  if (attention.norms.input) declare.norm(part + "input_norm", "attention::input_norm", norm_bias);
  declare_projections(declare, spec, kind.attention, q, kv, attention);
  if (attention.qk_norm) {
    declare.vector(part + "q_norm", "attention::q_norm", head, false);
    declare.vector(part + "k_norm", "attention::k_norm", head, false);
  }
  if (attention.position == PositionType::rope) {
    attention.rotary_table =
        declare.rotary_table(rotary_frequencies(attention.rope_theta, attention.rotary_dim), attention.rotary_dim);
  }
  declare.state("attention::keys", {slots, kv_heads, positions, head});
  declare.state("attention::values", {slots, kv_heads, positions, head});
  declare.matrix(part + "o", "attention::o_proj", declare.hidden(), q);
  if (kind.attention.bias.value.has("o")) declare.vector(part + "o", "attention::o_bias", declare.hidden(), true);
  if (attention.norms.output) declare.norm(part + "output_norm", "attention::output_norm", norm_bias);
  if (attention.norms.residual) declare.norm(part + "residual_norm", "attention::residual_norm", norm_bias);
}

void declare_mlp(const LayerKind& kind, bool norm_bias, Declarer& declare, const MlpContract& mlp) {
  const std::string part = "layers.{i}.mlp.";
  const Biases& bias = kind.mlp.bias.value;
  const AxisId intermediate = declare.axis("intermediate", mlp.intermediate_size);
  if (mlp.norms.input) declare.norm(part + "input_norm", "mlp::input_norm", norm_bias);
  if (mlp.gated) {
    declare.matrix(part + "gate", "mlp::gate_proj", intermediate, declare.hidden());
    if (bias.has("gate")) declare.vector(part + "gate", "mlp::gate_bias", intermediate, true);
  }
  declare.matrix(part + "up", "mlp::up_proj", intermediate, declare.hidden());
  if (bias.has("up")) declare.vector(part + "up", "mlp::up_bias", intermediate, true);
  declare.matrix(part + "down", "mlp::down_proj", declare.hidden(), intermediate);
  if (bias.has("down")) declare.vector(part + "down", "mlp::down_bias", declare.hidden(), true);
  if (mlp.norms.output) declare.norm(part + "output_norm", "mlp::output_norm", norm_bias);
  if (mlp.norms.residual) declare.norm(part + "residual_norm", "mlp::residual_norm", norm_bias);
}

}  // namespace

void declare_embedding(const Spec& spec, Contract& contract) {
  Declarer declare(spec, contract, {});
  declare.matrix("embedding.tokens", "embedding::tokens", declare.model_axis("vocab", contract.vocab_size),
                 declare.hidden());
  if (contract.learned_positions) {
    declare.matrix("embedding.positions", "embedding::positions",
                   declare.model_axis("position_embeddings", contract.max_position_embeddings), declare.hidden());
  }
}

void declare_layer(const Spec& spec, std::size_t kind, Contract& contract) {
  Declarer declare(spec, contract, {kind});
  LayerContract& layer = contract.kinds[kind];
  for (const SubBlockKind step : layer.steps) {
    if (step == SubBlockKind::attention) {
      declare_attention(spec, spec.kinds[kind], layer.norm.bias, declare, contract, layer.attention);
    } else {
      declare_mlp(spec.kinds[kind], layer.norm.bias, declare, layer.mlp);
    }
  }
}

void declare_head(const Spec& spec, Contract& contract) {
  Declarer declare(spec, contract, {});
  declare.norm("final_norm", "final_norm", contract.final_norm.bias);
  if (!contract.tie_word_embeddings) {
    declare.matrix("lm_head", "lm_head", declare.model_axis("vocab", contract.vocab_size), declare.hidden());
  }
}

std::int64_t parameters(const WeightContract& weight, const Contract& contract) {
  return contract.axes.elements(weight.axes);
}

}  // namespace monomorph::generator
