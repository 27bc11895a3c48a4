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

std::string dump_axes(const std::vector<AxisId>& axes, const AxisTable& table) {
  std::string text;
  for (const AxisId axis : axes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " x ", table[axis].name, table[axis].size);
  }
  return text;
}

void dump_weights(Scope scope, const Contract& contract, std::string& out) {
  for (const WeightId id : contract.weights_of(scope)) {
    const WeightContract& weight = contract.weights[id];
    out += fmt::format("  {}: [{}] {}, part {}\n", weight.role, dump_axes(weight.axes, contract.axes),
                       name_of(weight.dtype), weight.part);
    for (const CheckpointPart& source : weight.sources) {
      const RowView& view = source.view;
      const bool whole = view.rows == view.source_rows;
      out += fmt::format("    {} from {}{}{}{}\n", view.rows, source.name,
                         whole ? "" : fmt::format(" rows {} of {}", view.source_row, view.source_rows),
                         view.run == 0 ? "" : fmt::format(", {} of every {}", view.run, view.run_stride),
                         view.transposed ? " transposed" : "");
    }
  }
  for (const StateContract& state : contract.states) {
    if (state.scope != scope) continue;
    out +=
        fmt::format("  state {}: [{}] {}\n", state.role, dump_axes(state.axes, contract.axes), name_of(state.element));
  }
}

void dump_attention(const AttentionContract& attention, const Contract& contract, std::string& out) {
  out += fmt::format(
      "  attention: {} heads, {} key and value heads, head_dim {}, q_size {}, kv_size {}, kv_group_size {}\n",
      attention.num_attention_heads, attention.num_key_value_heads, attention.head_dim, attention.q_size,
      attention.kv_size, attention.kv_group_size);
  out += fmt::format("    scale {}, qk_norm {}, norms{}\n", attention.attention_scale,
                     attention.qk_norm ? "head" : "none", dump_norms(attention.norms));
  out += fmt::format("    position {}", name_of(attention.position));
  if (attention.position == PositionType::rope) {
    out += fmt::format(", theta {}, rotary_dim {}, table {}", attention.rope_theta, attention.rotary_dim,
                       contract.tables[attention.rotary_table].role);
  }
  out += '\n';
}

void dump_mlp(const MlpContract& mlp, std::string& out) {
  out += fmt::format("  mlp: {}, intermediate_size {}, activation {}\n", mlp.gated ? "gated" : "plain",
                     mlp.intermediate_size, mlp.activation.text);
  out += fmt::format("    norms{}\n", dump_norms(mlp.norms));
}

void dump_kind(std::size_t index, const Contract& contract, std::string& out) {
  const LayerContract& kind = contract.kinds[index];
  out += fmt::format("\nkind {}: {} of layers {}\n", kind.name, kind.layers.size(), fmt::join(kind.layers, " "));
  out += "  norm " + dump_norm(kind.norm) + "\n";
  for (const SubBlockKind step : kind.steps) {
    step == SubBlockKind::attention ? dump_attention(kind.attention, contract, out) : dump_mlp(kind.mlp, out);
  }
  dump_weights({index}, contract, out);
}

}  // namespace

std::string dump_contract(const Contract& contract) {
  std::string out = fmt::format("model {} ({})\n", contract.name, contract.identifier);
  out += fmt::format("vocab_size {}, hidden_size {}, num_hidden_layers {}, max_position_embeddings {}\n",
                     contract.vocab_size, contract.hidden_size, contract.num_hidden_layers,
                     contract.max_position_embeddings);
  out += fmt::format("max_sequence_length {}, prefill_chunk {}, max_batch {}, kv_cache {}, fusion {}\n",
                     contract.max_sequence_length, contract.prefill_chunk, contract.max_batch,
                     name_of(contract.kv_cache), contract.fusion);
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
  out += "\nonce\n";
  dump_weights({}, contract, out);
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) dump_kind(kind, contract, out);
  for (const TableContract& table : contract.tables) {
    out += fmt::format("\ntable {}: [{}]\n  frequencies {}\n", table.role, dump_axes(table.axes, contract.axes),
                       fmt::join(table.frequencies, " "));
  }
  out += "\ncheckpoint\n";
  for (const std::string& prefix : contract.checkpoint_prefixes) out += fmt::format("  prefix \"{}\"\n", prefix);
  for (const IgnoredCheckpointTensor& tensor : contract.ignored_tensors) {
    out += fmt::format("  ignores {}: {}\n", tensor.name, tensor.why);
  }
  return out;
}

}  // namespace monomorph::generator
