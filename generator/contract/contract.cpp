#include "generator/contract/contract.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "generator/blocks/embedding.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/pooling.hpp"
#include "generator/blocks/position.hpp"
#include "generator/contract/classes.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/names.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/distinct.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/engine_section.hpp"
#include "generator/spec/tokenizer_section.hpp"

namespace monomorph::generator {
namespace {

/// Of a text whose tokens are found where masks stand, which looks at a block of it in each pass.
constexpr std::int64_t rows_of_a_masked_text = 64;

/// Rows whose logits one submission gives, where a pass has as many.
std::int64_t head_rows_of(const Spec& spec) {
  const EngineSection& engine = *spec.engine;
  if (engine.head_rows.given) return sane(engine.head_rows);
  const std::int64_t usual =
      spec.tokenizer->mask_token_id.given ? std::min(rows_of_a_masked_text, bound_rows(spec)) : usual_head_rows;
  return std::min(std::max(engine.max_batch.value, usual), engine.prefill_chunk.value);
}

/// Tensors that its layers read, of those that several may, and that are not counted yet.
std::int64_t count_new(const WeightContract& weight, const Contract& contract, std::set<std::string>& counted) {
  const LayerContract& kind = contract.kinds[weight.scope.kind];
  std::int64_t result = 0;
  for (std::size_t turn = 0; turn < kind.layers.size(); ++turn) {
    // A tensor may hold several parts, each of which counts.
    if (counted.insert(weight.part + " " + with_layer(weight.sources.front().name, kind.place(turn))).second) ++result;
  }
  return result;
}

void sum_up(Contract& contract) {
  contract.components = {{"embedding"}};
  for (const BlockType& type : block_types()) {
    const bool used = std::any_of(contract.kinds.begin(), contract.kinds.end(), [&](const LayerContract& layer) {
      const std::vector<const Block*> blocks = layer.kind.blocks();
      return std::any_of(blocks.begin(), blocks.end(), [&](const Block* block) { return block->type == &type; });
    });
    if (used) contract.components.push_back({type.name});
  }
  contract.components.push_back({"norm"});
  const bool vectors = pools(*contract.pooling);
  contract.components.push_back({vectors ? "pooling" : "lm_head"});
  if (!vectors) contract.head_flops = 2 * contract.axes.elements(contract.token_embedding().axes);
  std::set<std::string> counted;
  for (const WeightContract& weight : contract.weights) {
    if (!weight.in_checkpoint()) continue;
    const std::int64_t tensors = weight.shared ? count_new(weight, contract, counted) : contract.copies(weight.scope);
    const std::int64_t elements = tensors * parameters(weight, contract);
    if (weight.shared) contract.shared_parameters += elements;
    const std::int64_t rows = contract.axes[weight.axes[0]].size;
    const std::int64_t active = weight.chosen_rows == 0 ? elements : elements / rows * weight.chosen_rows;
    const auto component = std::find_if(contract.components.begin(), contract.components.end(),
                                        [&](const ComponentContract& one) { return one.name == weight.component; });
    if (component == contract.components.end()) {
      throw InternalError("contract: the part " + weight.part + " belongs to no component");
    }
    component->parameters += elements;
    contract.total_parameters += elements;
    contract.active_parameters += active;
    if (weight.axes.size() != 2 || weight.of_source) continue;
    if (weight.scope.kind != Scope::model) {
      // Each layer multiplies, whoever else has the matrix.
      const std::int64_t multiplied =
          weight.shared ? contract.copies(weight.scope) * parameters(weight, contract) : active;
      contract.matrix_flops_per_token += 2 * multiplied * contract.own().repeat;
    } else if (weight.role == "embedding::projection") {
      contract.matrix_flops_per_token += 2 * elements;
    } else if (weight.role.starts_with("lm_head_block::") || weight.role.starts_with("pooling::")) {
      contract.head_flops += 2 * elements;
    }
  }
  contract.matrix_flops_per_token += contract.head_flops;
  for (const StateContract& state : contract.states) {
    if (!state.growing()) continue;
    const std::int64_t of_slot = elements_per_position(state, contract.axes).value() / contract.max_batch;
    contract.kv_elements_per_token += contract.runs(state.scope) * of_slot;
  }
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
    const LayerKind& layer = contract.kinds[kind].kind;
    for (const Block* block : layer.blocks()) {
      if (block->type->pair_work == nullptr || layer.stack != own_stack || reads_source(*block)) continue;
      const PairWork own = block->type->pair_work({contract.own().model, layer, *block});
      auto row = std::ranges::find(contract.pair_work, own.window, &PairWork::window);
      if (row == contract.pair_work.end()) row = contract.pair_work.insert(row, {0, own.window});
      row->flops += contract.runs({kind}) * own.flops;
    }
  }
}

void name_shared(Contract& contract) {
  contract.axes.name_all();
  std::vector<NamedUse> uses;
  for (const AnglesContract& each : contract.angles) uses.push_back({each.role, each.users});
  const std::vector<std::string> names = qualified_names(uses);
  for (const AnglesId id : contract.angles.ids()) contract.angles[id].role = names[id.index];
}

std::vector<StackContract> stacks_of(const Spec& spec) {
  std::vector<StackContract> stacks = {{.model = spec.model,
                                        .embedding = spec.embedding,
                                        .position = spec.position,
                                        .repeat = sane(spec.repeat),
                                        .layer_kinds = spec.layer_kinds,
                                        .rows = spec.engine->prefill_chunk.value}};
  if (spec.encoder) {
    const EncoderSpec& encoder = *spec.encoder;
    stacks.push_back({.model = encoder.model,
                      .embedding = encoder.embedding,
                      .position = encoder.position,
                      .final_norm = encoder.section->final_norm.value,
                      .repeat = sane(encoder.repeat),
                      .layer_kinds = encoder.layer_kinds,
                      .rows = spec.engine->max_source_length.value});
  }
  for (StackContract& stack : stacks) {
    stack.hidden_size = stack.model.hidden_size.value;
    stack.num_hidden_layers = stack.model.num_hidden_layers.value;
  }
  return stacks;
}

/// Everything but what is declared and its sums; sizes may be out of range.
Contract derive(const Spec& spec) {
  Contract contract;
  contract.name = spec.model.name.value;
  contract.identifier = "model_" + identifier_of(contract.name);
  contract.spec_hash = spec.hash;
  contract.lm_head = spec.lm_head;
  contract.pooling = spec.pooling;
  contract.vocab_size = spec.model.vocab_size.value;
  contract.max_sequence_length = spec.engine->max_sequence_length.value;
  contract.prefill_chunk = spec.engine->prefill_chunk.value;
  contract.one_pass = reads_ahead(spec);
  if (spec.embedding->token_types.given) contract.token_types = spec.embedding->token_types.value;
  contract.max_batch = spec.engine->max_batch.value;
  contract.fusion = spec.engine->fusion.value;
  contract.devices = spec.engine->devices.value;
  contract.head_rows = head_rows_of(spec);
  const CacheTypes& cache = spec.engine->kv_cache.value;
  contract.kv_cache = {cache_type(cache.keys.value), cache_type(cache.values.value)};
  contract.tie_word_embeddings = spec.lm_head->tie_word_embeddings.value;
  for (const LayerKind& kind : spec.kinds) contract.kinds.push_back({kind, {}, {}, {}});
  contract.stacks = stacks_of(spec);
  for (const StackContract& stack : contract.stacks) {
    std::map<std::string, std::vector<std::int32_t>> of_name;  // kinds of one name count together
    for (std::size_t layer = 0; layer < stack.layer_kinds.size(); ++layer) {
      LayerContract& kind = contract.kinds[stack.layer_kinds[layer]];
      const auto number = static_cast<std::int32_t>(layer);
      kind.layers.push_back(number);
      if (!kind.kind.weight_sets.given) continue;
      std::vector<std::int32_t>& before = of_name[kind.kind.in_pattern];
      const std::int64_t set = static_cast<std::int64_t>(before.size()) % sane(kind.kind.weight_sets);
      before.push_back(number);
      kind.numbers.push_back(static_cast<std::int32_t>(before.size()) - 1);
      kind.sets.push_back(before[static_cast<std::size_t>(set)]);
    }
  }
  if (spec.encoder) contract.max_source_length = spec.engine->max_source_length.value;
  contract.decoder_start_token_id = spec.tokenizer->decoder_start_token_id.value;
  contract.mask_token_id = spec.tokenizer->mask_token_id.value;
  contract.checkpoint_prefixes = spec.checkpoint->prefix.value;
  const std::string past_the_last = std::to_string(contract.own().num_hidden_layers);
  for (const IgnoredTensor& tensor : spec.checkpoint->ignore) {
    contract.ignored_tensors.push_back({filled(tensor.name, "{n}", past_the_last), tensor.why});
  }
  contract.bos_token_id = spec.tokenizer->bos_token_id.value;
  contract.eos_token_ids = spec.tokenizer->eos_token_id.value;
  return contract;
}

}  // namespace

const char* name_of(NormType type) {
  switch (type) {
    case NormType::rms_norm:
      return "rms_norm";
    case NormType::layer_norm:
      return "layer_norm";
    case NormType::scale_norm:
      return "scale_norm";
  }
  throw InternalError("contract: a norm without a name");
}

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

std::int64_t Contract::tensors(const WeightContract& weight) const {
  std::set<std::string> counted;
  return weight.shared ? count_new(weight, *this, counted) : copies(weight.scope);
}

AnglesId Contract::find_angles(const RotaryContract& rotary) const {
  for (const AnglesId id : angles.ids()) {
    if (angles[id].rotary == rotary) return id;
  }
  return {};
}

Conversions list_conversions(const Contract& contract) {
  Conversions conversions;
  for (const WeightContract& weight : contract.weights) {
    if (weight.converted_from) conversions[{*weight.converted_from, weight.dtype}] += contract.tensors(weight);
  }
  return conversions;
}

std::optional<Contract> check_contract(const Spec& asked, Diagnostics& diagnostics) {
  const Spec spec = cut_into_classes(asked);
  Diagnostics found;
  check_model_rules(spec, found);
  check_layer_rules(spec, found);
  Contract contract = derive(spec);
  Declarations declared(spec, contract);
  declare_model(spec, declared);
  check_checkpoint_rules(spec, declared, found);
  check_encoder_rules(spec, declared, found);
  check_engine_rules(spec, found);
  check_total_rules(spec, declared, found);
  if (found.has_errors() || diagnostics.has_errors()) {
    append_distinct(found, diagnostics);
    return std::nullopt;
  }
  name_shared(contract);
  sum_up(contract);
  advise(contract, spec, found);
  append_distinct(found, diagnostics);
  return contract;
}

}  // namespace monomorph::generator
