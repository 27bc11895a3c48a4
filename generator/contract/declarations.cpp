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

  /// A matrix [rows, columns] with a tensor of its own.
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
  /// One of a sub-block's matrices and its bias, which may share a tensor with others.
  struct Projection {
    std::string word;  ///< "q"
    AxisId rows, columns;
    bool bias = false;
  };
  /// `block`: "attention"; `heads`: of each projection that is cut by heads.
  void projections(const std::string& block, const std::vector<Projection>& all, std::int64_t heads) {
    const std::string prefix = "layers.{i}." + block + ".";
    for (const Projection& one : all) {
      const auto* line = fused_line(checkpoint_, prefix + one.word);
      const std::string tensor = line != nullptr ? line->first : prefix + one.word;
      for (const bool bias : {false, true}) {
        if (bias && !one.bias) continue;
        CheckpointPart source = whole(tensor, bias, contract_.axes[one.rows].size);
        if (line != nullptr) cut(source.view, line->second, one.word, all, heads);
        const std::vector<AxisId> axes = bias ? std::vector{one.rows} : std::vector{one.rows, one.columns};
        contract_.weights.add({prefix + one.word + (bias ? ".bias" : ""),
                               block + "::" + one.word + (bias ? "_bias" : "_proj"),
                               scope_,
                               axes,
                               dtype_of(dtype_name(checkpoint_, tensor, bias)),
                               {std::move(source)}});
      }
    }
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
    return {*name, {rows, 0, rows, !bias && found != checkpoint_.tensors.end() && found->second.transposed}};
  }

  /// Leaves a view those of a tensor's rows that are one projection's: the tensor holds `name.fused` part after part,
  /// or of each head so.
  void cut(RowView& view, const TensorName& name, const std::string& own, const std::vector<Projection>& all,
           std::int64_t heads) const {
    const std::int64_t pieces = name.interleaved.empty() ? 1 : heads;
    std::int64_t before = 0, stride = 0;
    for (const std::string& word : name.fused) {
      const auto part = std::find_if(all.begin(), all.end(), [&](const Projection& one) { return one.word == word; });
      if (part == all.end()) throw InternalError("checkpoint.transform: no projection " + word);
      if (word == own) before = stride;
      stride += contract_.axes[part->rows].size / pieces;
    }
    view.source_row = before;
    view.source_rows = stride * pieces;
    if (pieces == 1) return;
    view.run = view.rows / pieces;
    view.run_stride = stride;
  }

  const CheckpointSection& checkpoint_;
  Contract& contract_;
  Scope scope_;
  std::string user_;
};

void declare_attention(const LayerKind& kind, bool norm_bias, Declarer& declare, Contract& contract,
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
  const Biases& bias = kind.attention.bias.value;
  declare.projections("attention",
                      {{"q", q, declare.hidden(), bias.has("q")},
                       {"k", kv, declare.hidden(), bias.has("k")},
                       {"v", kv, declare.hidden(), bias.has("v")}},
                      attention.num_attention_heads);
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
  declare.projections("attention", {{"o", declare.hidden(), q, bias.has("o")}}, 1);
  if (attention.norms.output) declare.norm(part + "output_norm", "attention::output_norm", norm_bias);
  if (attention.norms.residual) declare.norm(part + "residual_norm", "attention::residual_norm", norm_bias);
}

void declare_mlp(const LayerKind& kind, bool norm_bias, Declarer& declare, const MlpContract& mlp) {
  const std::string part = "layers.{i}.mlp.";
  const Biases& bias = kind.mlp.bias.value;
  const AxisId intermediate = declare.axis("intermediate", mlp.intermediate_size);
  if (mlp.norms.input) declare.norm(part + "input_norm", "mlp::input_norm", norm_bias);
  std::vector<Declarer::Projection> inputs;
  if (mlp.gated) inputs.push_back({"gate", intermediate, declare.hidden(), bias.has("gate")});
  inputs.push_back({"up", intermediate, declare.hidden(), bias.has("up")});
  declare.projections("mlp", inputs, 1);
  declare.projections("mlp", {{"down", declare.hidden(), intermediate, bias.has("down")}}, 1);
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
      declare_attention(spec.kinds[kind], layer.norm.bias, declare, contract, layer.attention);
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
