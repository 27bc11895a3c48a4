#include "generator/contract/contract.hpp"

#include "generator/contract/declarations.hpp"
#include "generator/contract/names.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/distinct.hpp"

namespace monomorph::generator {
namespace {

/// Rows whose logits one pass gives, where it has as many.
constexpr std::int64_t most_head_rows = 8;

NormContract derive_norm(const NormSection& norm) {
  return {norm.type.value == "layer_norm" ? NormType::layer_norm : NormType::rms_norm, norm.eps.value, norm.bias.value};
}

SubBlockNormsContract derive_norms(const SubBlockNorms& norms) {
  return {norms.input_norm.value, norms.output_norm.value, norms.residual_norm.value};
}

AttentionContract derive_attention(const Spec& spec, const LayerKind& kind) {
  const AttentionSection& section = kind.attention;
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
  result.norms = derive_norms(section.norms);
  if (kind.position.type.value == "rope") {
    result.position = PositionType::rope;
    result.rope_theta = kind.position.rope_theta.value;
    result.rotary_dim = kind.position.rotary_dim.value;
  } else {
    result.position = kind.position.type.value == "learned" ? PositionType::learned : PositionType::none;
  }
  return result;
}

MlpContract derive_mlp(const Spec& spec, const LayerKind& kind) {
  const MlpSection& section = kind.mlp;
  Diagnostics diagnostics;
  MlpContract result;
  result.gated = section.type.value == "gated";
  result.intermediate_size = section.intermediate_size.value;
  result.activation = mlp_expression(spec, kind, diagnostics).value();
  result.activation_name = section.combine.given ? section.combine.value : section.activation.value;
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
      result.mlp = derive_mlp(spec, kind);
    }
  }
  return result;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// The component that a weight's parameters are counted to.
std::int64_t& component(const WeightContract& weight, Contract& contract) {
  if (contains(weight.part, "norm")) return contract.norm_parameters;
  if (contains(weight.part, "embedding.")) return contract.embedding_parameters;
  if (contains(weight.part, ".attention.")) return contract.attention_parameters;
  if (contains(weight.part, ".mlp.")) return contract.mlp_parameters;
  if (weight.part == "lm_head") return contract.lm_head_parameters;
  throw InternalError("contract: the part " + weight.part + " belongs to no component");
}

void sum_up(Contract& contract) {
  contract.matrix_flops_per_token = 2 * contract.vocab_size * contract.hidden_size;
  for (const WeightContract& weight : contract.weights) {
    const std::int64_t elements = contract.copies(weight.scope) * parameters(weight, contract);
    contract.total_parameters += elements;
    component(weight, contract) += elements;
    const bool in_layers = weight.scope.kind != Scope::model;
    if (in_layers && weight.axes.size() == 2) contract.matrix_flops_per_token += 2 * elements;
  }
  for (const std::size_t index : contract.layer_kinds) {
    contract.kv_elements_per_token += 2 * contract.kinds[index].attention.kv_size;  // 0 without attention
  }
}

void name_shared(Contract& contract) {
  contract.axes.name_all();
  std::vector<NamedUse> uses;
  for (const TableContract& table : contract.tables) uses.push_back({table.role, table.users});
  const std::vector<std::string> names = qualified_names(uses);
  for (const TableId id : contract.tables.ids()) contract.tables[id].role = names[id.index];
}

Contract derive(const Spec& spec) {
  Contract contract;
  contract.name = spec.model.name.value;
  contract.identifier = "model_" + identifier_of(contract.name);
  contract.spec_hash = spec.hash;
  contract.vocab_size = spec.model.vocab_size.value;
  contract.hidden_size = spec.model.hidden_size.value;
  contract.num_hidden_layers = spec.model.num_hidden_layers.value;
  contract.max_position_embeddings = spec.model.max_position_embeddings.value;
  contract.max_sequence_length = spec.engine.max_sequence_length.value;
  contract.prefill_chunk = spec.engine.prefill_chunk.value;
  contract.max_batch = spec.engine.max_batch.value;
  contract.fusion = spec.engine.fusion.value;
  contract.head_rows = std::min(std::max(contract.max_batch, most_head_rows), contract.prefill_chunk);
  contract.kv_cache = spec.engine.kv_cache.value == "f32" ? Dtype::f32 : Dtype::f16;
  contract.tie_word_embeddings = spec.lm_head.tie_word_embeddings.value;
  contract.learned_positions = spec.position.type.value == "learned";
  contract.final_norm = derive_norm(spec.norm);
  declare_embedding(spec, contract);
  for (const LayerKind& kind : spec.kinds) {
    contract.kinds.push_back(derive_kind(spec, kind));
    declare_layer(spec, contract.kinds.size() - 1, contract);
  }
  declare_head(spec, contract);
  name_shared(contract);
  contract.layer_kinds = spec.layer_kinds;
  for (std::size_t layer = 0; layer < spec.layer_kinds.size(); ++layer) {
    contract.kinds[spec.layer_kinds[layer]].layers.push_back(static_cast<std::int32_t>(layer));
  }
  contract.checkpoint_prefixes = spec.checkpoint.prefix.value;
  for (const IgnoredTensor& tensor : spec.checkpoint.ignore)
    contract.ignored_tensors.push_back({tensor.name, tensor.why});
  contract.bos_token_id = spec.tokenizer.bos_token_id.value;
  contract.eos_token_ids = spec.tokenizer.eos_token_id.value;
  sum_up(contract);
  return contract;
}

}  // namespace

WeightId Contract::find_weight(Scope scope, const std::string& role) const {
  for (const WeightId id : weights.ids()) {
    if (weights[id].scope == scope && weights[id].role == role) return id;
  }
  return {};
}

StateId Contract::find_state(Scope scope, const std::string& role) const {
  for (const StateId id : states.ids()) {
    if (states[id].scope == scope && states[id].role == role) return id;
  }
  return {};
}

std::vector<WeightId> Contract::weights_of(Scope scope) const {
  std::vector<WeightId> result;
  for (const WeightId id : weights.ids()) {
    if (weights[id].scope == scope) result.push_back(id);
  }
  return result;
}

std::int64_t Contract::copies(Scope scope) const {
  return scope.kind == Scope::model ? 1 : static_cast<std::int64_t>(kinds[scope.kind].layers.size());
}

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
