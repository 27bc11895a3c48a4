#include "generator/contract/weights.hpp"

#include <algorithm>
#include <iterator>

#include "generator/contract/parts.hpp"

namespace monomorph::generator {
namespace {

Dtype dtype_of(const std::string& name) {
  const auto row =
      std::find_if(std::begin(dtype_rows), std::end(dtype_rows), [&](const DtypeRow& row) { return row.name == name; });
  if (row == std::end(dtype_rows)) throw InternalError("checkpoint.dtype: no dtype " + name);
  return static_cast<Dtype>(row - std::begin(dtype_rows));
}

/// Collects weights; every part it is asked for has a name, as the rules have checked.
class WeightList {
 public:
  explicit WeightList(const CheckpointSection& checkpoint) : checkpoint_(checkpoint) {}

  /// A matrix [rows, columns].
  void matrix(const std::string& part, const std::string& role, const Axis& rows, const Axis& columns) {
    add({part, role, {rows, columns}, dtype(part, false), {source(part, false, rows.size)}});
  }
  /// A bias or a norm's vector; the part is that of the weight it belongs to.
  void vector(const std::string& part, const std::string& role, const Axis& elements, bool bias) {
    add({bias ? part + ".bias" : part, role, {elements}, dtype(part, bias), {source(part, bias, elements.size)}});
  }
  void norm(const std::string& part, const std::string& role, const Axis& elements, bool bias) {
    vector(part, role, elements, false);
    if (bias) vector(part, role + "_bias", elements, true);
  }
  void add(WeightContract weight) { weights_.push_back(std::move(weight)); }

  Dtype dtype(const std::string& part, bool bias) const { return dtype_of(dtype_name(checkpoint_, part, bias)); }

  /// All rows of the part's own tensor.
  CheckpointPart source(const std::string& part, bool bias, std::int64_t rows) const {
    const auto name = tensor_name(checkpoint_, part, bias);
    if (!name) throw InternalError("checkpoint.tensors_missing: no name for " + part);
    const auto found = checkpoint_.tensors.find(part);
    return {*name, rows, 0, rows, !bias && found != checkpoint_.tensors.end() && found->second.transposed};
  }

  std::vector<WeightContract> take() { return std::move(weights_); }

 private:
  const CheckpointSection& checkpoint_;
  std::vector<WeightContract> weights_;
};

std::int64_t projection_rows(const AttentionContract& attention, const std::string& projection) {
  return projection == "q" ? attention.q_size : attention.kv_size;
}

/// Rows q, k, v out of the one tensor that holds all three, in its own order.
std::vector<CheckpointPart> fused_sources(const WeightList& list, const std::vector<std::string>& fused,
                                          const AttentionContract& attention, bool bias) {
  const std::int64_t qkv_size = attention.q_size + 2 * attention.kv_size;
  const CheckpointPart whole = list.source("layers.{i}.attention.qkv", bias, qkv_size);
  if (fused == std::vector<std::string>{"q", "k", "v"}) return {whole};
  std::vector<CheckpointPart> sources;
  for (const char* projection : {"q", "k", "v"}) {
    CheckpointPart part = whole;
    part.rows = projection_rows(attention, projection);
    part.source_row = 0;
    for (const std::string& before : fused) {
      if (before == projection) break;
      part.source_row += projection_rows(attention, before);
    }
    sources.push_back(part);
  }
  return sources;
}

void add_qkv(WeightList& list, const CheckpointSection& checkpoint, const AttentionSection& section,
             const AttentionContract& attention, const Axis& qkv, const Axis& hidden) {
  const std::string part = "layers.{i}.attention.";
  WeightContract matrix{part + "qkv", "qkv_proj", {qkv, hidden}, {}, {}};
  WeightContract bias{part + "qkv.bias", "qkv_bias", {qkv}, {}, {}};
  if (has_fused_qkv(checkpoint)) {
    const std::vector<std::string>& fused = checkpoint.tensors.at(part + "qkv").fused;
    matrix.dtype = list.dtype(part + "qkv", false);
    matrix.sources = fused_sources(list, fused, attention, false);
    if (attention.qkv_bias) {
      bias.dtype = list.dtype(part + "qkv", true);
      bias.sources = fused_sources(list, fused, attention, true);
    }
  } else {
    for (const char* projection : {"q", "k", "v"}) {
      const std::int64_t rows = projection_rows(attention, projection);
      matrix.dtype = list.dtype(part + projection, false);
      matrix.sources.push_back(list.source(part + projection, false, rows));
      if (!section.bias.value.has(projection)) {
        // Nothing in the checkpoint fills these rows: they are zero.
        if (attention.qkv_bias) bias.sources.push_back({"", rows, 0, 0, false});
        continue;
      }
      bias.dtype = list.dtype(part + projection, true);
      bias.sources.push_back(list.source(part + projection, true, rows));
    }
  }
  list.add(std::move(matrix));
  if (attention.qkv_bias) list.add(std::move(bias));
}

}  // namespace

std::int64_t WeightContract::parameters() const {
  std::int64_t product = 1;
  for (const Axis& axis : axes) product *= axis.size;
  return product;
}

std::int64_t checkpoint_parameters(const WeightContract& weight) {
  std::int64_t rows = 0;
  for (const CheckpointPart& part : weight.sources) rows += part.name.empty() ? 0 : part.rows;
  return weight.axes.size() == 1 ? rows : rows * weight.axes.back().size;
}

std::vector<WeightContract> prologue_weights(const Spec& spec) {
  WeightList list(spec.checkpoint);
  const Axis hidden{"hidden", spec.model.hidden_size.value};
  list.matrix("embedding.tokens", "embed_tokens", {"vocab", spec.model.vocab_size.value}, hidden);
  if (spec.position.type.value == "learned") {
    list.matrix("embedding.positions", "embed_positions",
                {"position_embeddings", spec.model.max_position_embeddings.value}, hidden);
  }
  return list.take();
}

std::vector<WeightContract> layer_weights(const Spec& spec, const LayerKind& spec_kind, const LayerContract& kind,
                                          const std::string& prefix) {
  WeightList list(spec.checkpoint);
  const Axis hidden{"hidden", spec.model.hidden_size.value};
  const auto own = [&](const char* name, std::int64_t size) { return Axis{prefix + name, size}; };
  const auto add_attention = [&] {
    const AttentionContract& attention = kind.attention;
    const std::string part = "layers.{i}.attention.";
    const Axis head = own("head", attention.head_dim);
    if (attention.norms.input) list.norm(part + "input_norm", "input_layernorm", hidden, kind.norm.bias);
    add_qkv(list, spec.checkpoint, spec_kind.attention, attention, own("qkv", attention.q_size + 2 * attention.kv_size),
            hidden);
    if (attention.qk_norm) {
      list.vector(part + "q_norm", "q_norm", head, false);
      list.vector(part + "k_norm", "k_norm", head, false);
    }
    list.matrix(part + "o", "o_proj", hidden, own("q", attention.q_size));
    if (attention.o_bias) list.vector(part + "o", "o_bias", hidden, true);
    if (attention.norms.output) list.norm(part + "output_norm", "attention_output_norm", hidden, kind.norm.bias);
    if (attention.norms.residual) list.norm(part + "residual_norm", "attention_residual_norm", hidden, kind.norm.bias);
  };
  const auto add_mlp = [&] {
    const MlpContract& mlp = kind.mlp;
    const std::string part = "layers.{i}.mlp.";
    const Axis intermediate = own("intermediate", mlp.intermediate_size);
    if (mlp.norms.input) list.norm(part + "input_norm", "post_attention_layernorm", hidden, kind.norm.bias);
    if (mlp.gated) {
      list.matrix(part + "gate", "gate_proj", intermediate, hidden);
      if (mlp.gate_bias) list.vector(part + "gate", "gate_bias", intermediate, true);
    }
    list.matrix(part + "up", "up_proj", intermediate, hidden);
    if (mlp.up_bias) list.vector(part + "up", "up_bias", intermediate, true);
    list.matrix(part + "down", "down_proj", hidden, intermediate);
    if (mlp.down_bias) list.vector(part + "down", "down_bias", hidden, true);
    if (mlp.norms.output) list.norm(part + "output_norm", "mlp_output_norm", hidden, kind.norm.bias);
    if (mlp.norms.residual) list.norm(part + "residual_norm", "mlp_residual_norm", hidden, kind.norm.bias);
  };
  for (const SubBlockKind step : kind.steps) step == SubBlockKind::attention ? add_attention() : add_mlp();
  return list.take();
}

std::vector<WeightContract> epilogue_weights(const Spec& spec) {
  WeightList list(spec.checkpoint);
  const Axis hidden{"hidden", spec.model.hidden_size.value};
  list.norm("final_norm", "final_norm", hidden, spec.norm.bias.value);
  if (!spec.lm_head.tie_word_embeddings.value) {
    list.matrix("lm_head", "lm_head", {"vocab", spec.model.vocab_size.value}, hidden);
  }
  return list.take();
}

}  // namespace monomorph::generator
