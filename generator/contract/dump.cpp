#include <fmt/format.h>

#include "generator/contract/contract.hpp"

namespace monomorph::generator {
namespace {

const char* name_of(PositionType type) {
  switch (type) {
    case PositionType::rope:
      return "rope";
    case PositionType::learned:
      return "learned";
    case PositionType::none:
      return "none";
  }
  throw InternalError("contract: a position type without a name");
}

std::string dump_norm(const NormContract& norm) {
  return fmt::format("{} eps {}{}", norm.type == NormType::layer_norm ? "layer_norm" : "rms_norm", norm.eps,
                     norm.bias ? " with bias" : "");
}

std::string dump_norms(const SubBlockNormsContract& norms) {
  std::string result;
  if (norms.input) result += " input";
  if (norms.output) result += " output";
  if (norms.residual) result += " residual";
  return result.empty() ? " none" : result;
}

void dump_weight(const WeightContract& weight, std::string& out) {
  std::string axes;
  for (const Axis& axis : weight.axes) axes += fmt::format("{}{} {}", axes.empty() ? "" : " x ", axis.name, axis.size);
  out += fmt::format("  {}: {} [{}] {}, part {}\n", weight.role, weight.parameters(), axes, name_of(weight.dtype),
                     weight.part);
  for (const CheckpointPart& source : weight.sources) {
    if (source.name.empty()) {
      out += fmt::format("    {} zeros\n", source.rows);
      continue;
    }
    const bool whole = source.rows == source.source_rows;
    out += fmt::format("    {} from {}{}{}\n", source.rows, source.name,
                       whole ? "" : fmt::format(" rows {} of {}", source.source_row, source.source_rows),
                       source.transposed ? " transposed" : "");
  }
}

void dump_attention(const AttentionContract& attention, std::string& out) {
  out += fmt::format(
      "  attention: {} heads, {} key and value heads, head_dim {}, q_size {}, kv_size {}, kv_group_size {}\n",
      attention.num_attention_heads, attention.num_key_value_heads, attention.head_dim, attention.q_size,
      attention.kv_size, attention.kv_group_size);
  out += fmt::format("    scale {}, qk_norm {}, bias qkv {} o {}, norms{}\n", attention.attention_scale,
                     attention.qk_norm ? "head" : "none", attention.qkv_bias, attention.o_bias,
                     dump_norms(attention.norms));
  out += fmt::format("    position {}", name_of(attention.position));
  if (attention.position == PositionType::rope) {
    out += fmt::format(", theta {}, rotary_dim {}\n    frequencies", attention.rope_theta, attention.rotary_dim);
    for (const float frequency : attention.rotary_frequencies) out += fmt::format(" {}", frequency);
  }
  out += '\n';
}

void dump_mlp(const MlpContract& mlp, std::string& out) {
  out += fmt::format("  mlp: {}, intermediate_size {}, activation {}\n", mlp.gated ? "gated" : "plain",
                     mlp.intermediate_size, mlp.activation.text);
  out += fmt::format("    bias gate {} up {} down {}, norms{}\n", mlp.gate_bias, mlp.up_bias, mlp.down_bias,
                     dump_norms(mlp.norms));
}

void dump_kind(const LayerContract& kind, std::string& out) {
  out += fmt::format("\nkind {}: {} of layers {}\n", kind.name, kind.layers.size(), fmt::join(kind.layers, " "));
  out += "  norm " + dump_norm(kind.norm) + "\n";
  for (const SubBlockKind step : kind.steps) {
    step == SubBlockKind::attention ? dump_attention(kind.attention, out) : dump_mlp(kind.mlp, out);
  }
  for (const WeightContract& weight : kind.weights) dump_weight(weight, out);
}

}  // namespace

std::string dump_contract(const Contract& contract) {
  std::string out = fmt::format("model {} ({})\n", contract.name, contract.identifier);
  out += fmt::format("vocab_size {}, hidden_size {}, num_hidden_layers {}, max_position_embeddings {}\n",
                     contract.vocab_size, contract.hidden_size, contract.num_hidden_layers,
                     contract.max_position_embeddings);
  out += fmt::format("max_sequence_length {}, prefill_chunk {}, kv_cache {}\n", contract.max_sequence_length,
                     contract.prefill_chunk, name_of(contract.kv_cache));
  out += fmt::format("tie_word_embeddings {}, learned_positions {}\n", contract.tie_word_embeddings,
                     contract.learned_positions);
  out += fmt::format("bos_token_id {}, eos_token_ids [{}]\n", contract.bos_token_id,
                     fmt::join(contract.eos_token_ids, ", "));
  out += fmt::format("final norm {}\n", dump_norm(contract.final_norm));
  out += fmt::format("parameters {}: embedding {}, attention {}, mlp {}, norm {}, lm_head {}\n",
                     contract.total_parameters, contract.embedding_parameters, contract.attention_parameters,
                     contract.mlp_parameters, contract.norm_parameters, contract.lm_head_parameters);
  out += fmt::format("matrix flops per token {}, kv elements per token {}\n", contract.matrix_flops_per_token,
                     contract.kv_elements_per_token);
  out += "\nprologue\n";
  for (const WeightContract& weight : contract.prologue) dump_weight(weight, out);
  for (const LayerContract& kind : contract.kinds) dump_kind(kind, out);
  out += "\nepilogue\n";
  for (const WeightContract& weight : contract.epilogue) dump_weight(weight, out);
  out += "\ncheckpoint\n";
  for (const std::string& prefix : contract.checkpoint_prefixes) out += fmt::format("  prefix \"{}\"\n", prefix);
  for (const IgnoredCheckpointTensor& tensor : contract.ignored_tensors) {
    out += fmt::format("  ignores {}: {}\n", tensor.name, tensor.why);
  }
  return out;
}

}  // namespace monomorph::generator
