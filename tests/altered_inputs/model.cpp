#include "tests/altered_inputs/model.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "generator/audit/audit.hpp"
#include "generator/audit/config_facts.hpp"
#include "generator/blocks/pooling.hpp"
#include "generator/contract/expected_tensors.hpp"
#include "generator/import/import.hpp"
#include "runtime/formats/config_facts.hpp"
#include "tests/golden/golden_distance.hpp"

namespace monomorph::tests {

using namespace generator;
using json = nlohmann::ordered_json;

namespace {

/// The graph says what is computed of weights, and not which rows of which tensors they are.
bool same_model(const Meaning& a, const Meaning& b) {
  const auto same_sources = [](const WeightContract& one, const WeightContract& other) {
    return std::equal(
        one.sources.begin(), one.sources.end(), other.sources.begin(), other.sources.end(),
        [](const CheckpointPart& x, const CheckpointPart& y) { return x.name == y.name && x.view == y.view; });
  };
  const auto &ours = a.contract.weights, &others = b.contract.weights;
  return same(a, b) && std::equal(ours.begin(), ours.end(), others.begin(), others.end(), same_sources);
}

/// What an engine of the same model is for: how it is called, where its texts end, how long they may be.
bool same_use(const Contract& a, const Contract& b) {
  const auto use = [](const Contract& of) {
    return std::tie(of.name, of.bos_token_id, of.eos_token_ids, of.decoder_start_token_id, of.mask_token_id,
                    of.head_rows, of.max_sequence_length, of.max_source_length, of.prefill_chunk, of.max_batch,
                    of.kv_cache, of.fusion, of.own().model.max_position_embeddings.value);
  };
  return use(a) == use(b);
}

}  // namespace

std::optional<Model::Accepted> Model::accept(const std::shared_ptr<const Source>& source,
                                             std::vector<Override> changes) {
  Diagnostics diagnostics;
  std::optional<Spec> spec = read_spec(source, changes, diagnostics);
  std::optional<Contract> contract = spec ? check_contract(*spec, diagnostics) : std::nullopt;
  if (!contract) return std::nullopt;
  return Accepted{std::move(*spec), std::move(*contract), std::move(changes)};
}

Model::Model(const std::shared_ptr<const Source>& spec, std::filesystem::path weights)
    : weights_(std::move(weights)), accepted_(accept(spec, {}).value()), meanings_(accepted_.spec, {}) {
  const auto& weights_of_model = accepted_.contract.weights;
  has_golden_ = std::filesystem::exists(weights_ / "golden.json") &&
                std::all_of(weights_of_model.begin(), weights_of_model.end(),
                            [](const WeightContract& weight) { return weight.file_dtype() == Dtype::f32; });
  has_tensors_ = std::filesystem::exists(weights_) &&
                 std::any_of(std::filesystem::directory_iterator(weights_), {},
                             [](const auto& entry) { return entry.path().extension() == ".safetensors"; });
}

bool Model::tensors_fit(const Contract& contract) const {
  if (has_tensors_) return !audit_checkpoint(contract, weights_.string(), false).has_errors();
  // Of weights that are not here: what the audit asks of each tensor, and under which prefixes it looks for it.
  const auto ours = expected_tensors(accepted_.contract), asked = expected_tensors(contract);
  return accepted_.contract.checkpoint_prefixes == contract.checkpoint_prefixes &&
         std::equal(ours.begin(), ours.end(), asked.begin(), asked.end(), [](const auto& one, const auto& other) {
           return one.first == other.first && other.second.fits(one.second.shape) &&
                  one.second.dtype == other.second.dtype;
         });
}

Fate Model::fate_of(const Accepted& changed) {
  if (!tensors_fit(changed.contract)) return Fate::tensors;
  Meanings meanings(changed.spec, changed.changes);
  const std::optional<Meaning>& before = meanings_.of({});
  const std::optional<Meaning>& after = meanings.of({});
  if (same_model(*before, *after)) return same_use(accepted_.contract, changed.contract) ? Fate::same : Fate::use;
  // Capacities are axes of the graph: are they all that differs?
  const Contract& was = accepted_.contract;
  std::vector<Override> capacities = {
      {"engine.max_sequence_length", std::to_string(was.max_sequence_length)},
      {"engine.prefill_chunk", std::to_string(was.prefill_chunk)},
      {"engine.max_batch", std::to_string(was.max_batch)},
      {"engine.kv_cache.keys", name_of(was.kv_cache.keys)},
      {"engine.kv_cache.values", name_of(was.kv_cache.values)},
      {"engine.beyond_positions", "true"},
  };
  if (!pools(*was.pooling)) capacities.push_back({"engine.head_rows", std::to_string(was.head_rows)});
  if (was.encoder() != nullptr)
    capacities.push_back({"engine.max_source_length", std::to_string(was.max_source_length)});
  const std::optional<Meaning>& as_large = meanings.of(capacities);
  if (as_large && same_model(*before, *as_large)) return Fate::use;
  if (audit_config(changed.spec, meanings, weights_.string(), false).has_errors()) return Fate::comparison;
  if (!has_golden_ || !golden_is_met()) return Fate::unseen;
  const double distance = golden_distance(*after, weights_, std::numeric_limits<std::int64_t>::max());
  return distance > refused_by_golden ? Fate::goldens : distance < inert_in_golden ? Fate::inert : Fate::unseen;
}

bool Model::golden_is_met() {
  constexpr std::int64_t some_tokens = 67;
  if (!golden_is_met_) golden_is_met_ = golden_distance(*meanings_.of({}), weights_, some_tokens) < inert_in_golden;
  return *golden_is_met_;
}

Fate Model::alter_spec(const Override& change) {
  const std::optional<Accepted> changed = accept(accepted_.spec.source, {change});
  return changed ? fate_of(*changed) : Fate::contract;
}

Fate Model::alter_config(const json& config) {
  const auto source = std::make_shared<const Source>(Source{"config.json", config.dump(2)});
  Diagnostics diagnostics;
  const auto imported = import_config(source, weights_.string(), {}, diagnostics);
  const auto changed =
      imported ? accept(std::make_shared<const Source>(Source{"spec.toml", imported->text}), {}) : std::nullopt;
  if (!changed) return Fate::contract;
  if (!tensors_fit(changed->contract)) return Fate::tensors;
  if (facts_.empty()) facts_ = config_facts(accepted_.spec, meanings_, accepted_.contract);
  const ConfigComparison compared = compare_config({source->name, source->text}, facts_,
                                                   accepted_.contract.own().num_hidden_layers, accepted_.contract.name);
  return compared.differences.empty() ? fate_of(*changed) : Fate::comparison;
}

}  // namespace monomorph::tests
