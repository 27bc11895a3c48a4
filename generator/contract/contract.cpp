#include "generator/contract/contract.hpp"

#include "generator/contract/rotary.hpp"
#include "generator/contract/rules.hpp"
#include "generator/contract/weights.hpp"
#include "generator/spec/distinct.hpp"

namespace monomorph::generator {
namespace {

NormContract derive_norm(const NormSection& norm) {
  return {norm.type.value == "layer_norm" ? NormType::layer_norm : NormType::rms_norm, norm.eps.value, norm.bias.value};
}

SubBlockNormsContract derive_norms(const SubBlockNorms& norms) {
  return {norms.input_norm.value, norms.output_norm.value, norms.residual_norm.value};
}

AttentionContract derive_attention(const Spec& spec, const LayerKind& kind) {
  const AttentionSection& section = kind.attention;
  const Biases& bias = section.bias.value;
  Diagnostics diagnostics;
  AttentionContract result;
  result.num_attention_heads = section.num_attention_heads.value;
  result.num_key_value_heads = section.num_key_value_heads.value;
  result.head_dim = section.head_dim.value;
  result.q_size = result.num_attention_heads * result.head_dim;
  result.kv_size = result.num_key_value_heads * result.head_dim;
  result.kv_group_size = result.num_attention_heads / result.num_key_value_heads;
  result.attention_scale = attention_scale(spec, kind, diagnostics).value();
  result.qk_norm = section.qk_norm.value == "head";
  result.qkv_bias = bias.has("q") || bias.has("k") || bias.has("v");
  result.o_bias = bias.has("o");
  result.norms = derive_norms(section.norms);
  if (kind.position.type.value == "rope") {
    result.position = PositionType::rope;
    result.rope_theta = kind.position.rope_theta.value;
    result.rotary_dim = kind.position.rotary_dim.value;
    result.rotary_frequencies = rotary_frequencies(result.rope_theta, result.rotary_dim);
  } else {
    result.position = kind.position.type.value == "learned" ? PositionType::learned : PositionType::none;
  }
  return result;
}

MlpContract derive_mlp(const LayerKind& kind) {
  const MlpSection& section = kind.mlp;
  Diagnostics diagnostics;
  MlpContract result;
  result.gated = section.type.value == "gated";
  result.intermediate_size = section.intermediate_size.value;
  result.activation = mlp_expression(kind, diagnostics).value();
  result.activation_name = section.combine.given ? section.combine.value : section.activation.value;
  result.gate_bias = result.gated && section.bias.value.has("gate");
  result.up_bias = section.bias.value.has("up");
  result.down_bias = section.bias.value.has("down");
  result.norms = derive_norms(section.norms);
  return result;
}

LayerContract derive_kind(const Spec& spec, const LayerKind& kind) {
  LayerContract result;
  result.name = kind.name;
  result.identifier = kind.identifier;
  result.norm = derive_norm(kind.norm);
  for (const std::string& step : kind.steps.value) {
    if (step == "attention") {
      result.steps.push_back(SubBlockKind::attention);
      result.attention = derive_attention(spec, kind);
    } else {
      result.steps.push_back(SubBlockKind::mlp);
      result.mlp = derive_mlp(kind);
    }
  }
  result.weights = layer_weights(spec, kind, result, spec.kinds.size() > 1 ? kind.identifier + "_" : "");
  return result;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Adds what the checkpoint has of a weight to the component it belongs to.
void count(const WeightContract& weight, Contract& contract) {
  const std::int64_t parameters = checkpoint_parameters(weight);
  contract.total_parameters += parameters;
  if (contains(weight.part, "norm")) {
    contract.norm_parameters += parameters;
  } else if (contains(weight.part, "embedding.")) {
    contract.embedding_parameters += parameters;
  } else if (contains(weight.part, ".attention.")) {
    contract.attention_parameters += parameters;
  } else if (contains(weight.part, ".mlp.")) {
    contract.mlp_parameters += parameters;
  } else if (weight.part == "lm_head") {
    contract.lm_head_parameters += parameters;
  } else {
    throw InternalError("contract: the part " + weight.part + " belongs to no component");
  }
}

void sum_up(Contract& contract) {
  for (const WeightContract& weight : contract.prologue) count(weight, contract);
  for (const WeightContract& weight : contract.epilogue) count(weight, contract);
  contract.matrix_flops_per_token = 2 * contract.vocab_size * contract.hidden_size;
  for (const std::size_t index : contract.layer_kinds) {
    const LayerContract& kind = contract.kinds[index];
    for (const WeightContract& weight : kind.weights) {
      count(weight, contract);
      if (weight.axes.size() == 2) contract.matrix_flops_per_token += 2 * weight.parameters();
    }
    contract.kv_elements_per_token += 2 * kind.attention.kv_size;  // 0 without attention
  }
}

Contract derive(const Spec& spec) {
  Contract contract;
  contract.name = spec.model.name.value;
  contract.identifier = identifier_of(contract.name);
  contract.spec_hash = spec.hash;
  contract.vocab_size = spec.model.vocab_size.value;
  contract.hidden_size = spec.model.hidden_size.value;
  contract.num_hidden_layers = spec.model.num_hidden_layers.value;
  contract.max_position_embeddings = spec.model.max_position_embeddings.value;
  contract.max_sequence_length = spec.engine.max_sequence_length.value;
  contract.prefill_chunk = spec.engine.prefill_chunk.value;
  contract.kv_cache = spec.engine.kv_cache.value == "f32" ? Dtype::f32 : Dtype::f16;
  contract.tie_word_embeddings = spec.lm_head.tie_word_embeddings.value;
  contract.learned_positions = spec.position.type.value == "learned";
  contract.final_norm = derive_norm(spec.norm);
  for (const LayerKind& kind : spec.kinds) contract.kinds.push_back(derive_kind(spec, kind));
  contract.layer_kinds = spec.layer_kinds;
  for (std::size_t layer = 0; layer < spec.layer_kinds.size(); ++layer) {
    contract.kinds[spec.layer_kinds[layer]].layers.push_back(static_cast<std::int32_t>(layer));
  }
  contract.prologue = prologue_weights(spec);
  contract.epilogue = epilogue_weights(spec);
  contract.checkpoint_prefixes = spec.checkpoint.prefix.value;
  for (const IgnoredTensor& tensor : spec.checkpoint.ignore)
    contract.ignored_tensors.push_back({tensor.name, tensor.why});
  contract.bos_token_id = spec.tokenizer.bos_token_id.value;
  contract.eos_token_ids = spec.tokenizer.eos_token_id.value;
  sum_up(contract);
  return contract;
}

}  // namespace

std::optional<Contract> check_contract(const Spec& spec, Diagnostics& diagnostics) {
  Diagnostics found;
  check_model_rules(spec, found);
  check_layer_rules(spec, found);
  check_attention_rules(spec, found);
  check_position_rules(spec, found);
  check_mlp_rules(spec, found);
  check_checkpoint_rules(spec, found);
  check_engine_rules(spec, found);
  check_total_rules(spec, found);
  if (found.has_errors() || diagnostics.has_errors()) {
    append_distinct(found, diagnostics);
    return std::nullopt;
  }
  Contract contract = derive(spec);
  advise(contract, spec, found);
  append_distinct(found, diagnostics);
  return contract;
}

}  // namespace monomorph::generator
