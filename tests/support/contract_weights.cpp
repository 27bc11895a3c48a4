#include "tests/support/contract_weights.hpp"

#include <array>

namespace monomorph::test {

using namespace generator;

WeightPlaces places_of_weights(const Contract& contract) {
  WeightPlaces places;
  const auto add = [&](Scope scope, std::int64_t layer) {
    for (const WeightId id : contract.weights_of(scope)) {
      places.emplace(std::pair(id, layer), static_cast<std::int32_t>(places.size()));
    }
  };
  add({}, -1);
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
    for (const std::int32_t layer : contract.kinds[kind].layers) add({kind}, layer);
  }
  return places;
}

ContractWeights::ContractWeights(const Contract& contract, const std::string& checkpoint)
    : contract_(contract), places_(places_of_weights(contract)) {
  add_weights({});
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) add_weights({kind});
  for (const std::string& prefix : contract.checkpoint_prefixes) prefixes_.push_back(prefix.c_str());
  for (const IgnoredCheckpointTensor& tensor : contract.ignored_tensors) ignored_.push_back(tensor.name.c_str());
  program_.name = contract.name;
  program_.num_hidden_layers = contract.own().num_hidden_layers;
  program_.weights = groups_;
  program_.checkpoint_prefixes = prefixes_;
  program_.ignored_tensors = ignored_;
  if (contract.tie_word_embeddings) program_.tied_embedding = contract.token_embedding().sources.front().name.c_str();
  weights_ = HostWeights::open(program_, checkpoint);
}

void ContractWeights::add_weights(Scope scope) {
  auto& patterns = patterns_.emplace_back();
  for (const WeightId id : contract_.weights_of(scope)) {
    const WeightContract& weight = contract_.weights[id];
    const bool vector = weight.axes.size() == 1;
    auto& parts = parts_.emplace_back();
    for (const CheckpointPart& part : weight.sources) parts.push_back({part.name.c_str(), part.view});
    patterns.push_back({weight.role.c_str(), weight.dtype, vector ? 1 : contract_.axes[weight.axes[0]].size,
                        contract_.axes[weight.axes.back()].size, parts, vector,
                        vector ? contract_.axes.inner_of_vector(weight.axes[0]) : std::array<std::int64_t, 2>{},
                        weight.converted_from, weight.values});
  }
  WeightGroup group{patterns, {}, {}};
  if (scope.kind != Scope::model) {
    const LayerContract& kind = contract_.kinds[scope.kind];
    group.layers = kind.layers;
    group.numbers = kind.numbers;
    group.sets = kind.sets;
  }
  groups_.push_back(group);
}

std::vector<float> ContractWeights::read(WeightId id, std::int64_t layer) const {
  const WeightContract& weight = contract_.weights[id];
  const std::int64_t columns = contract_.axes[weight.axes.back()].size;
  const std::int64_t rows = weight.axes.size() == 1 ? 1 : contract_.axes[weight.axes[0]].size;
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    weights_->row(
        places_.at({id, layer}), row,
        std::span(values).subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns)));
  }
  return values;
}

double ContractWeights::at(WeightId id, std::int64_t layer, std::int64_t row, std::int64_t column) {
  if (last_values_ == nullptr || last_ != std::pair(id, layer)) {
    const auto [place, is_new] = read_.try_emplace({id, layer});
    if (is_new) place->second = read(id, layer);
    last_ = {id, layer};
    last_values_ = place->second.data();
    last_columns_ = contract_.axes[contract_.weights[id].axes.back()].size;
  }
  return last_values_[row * last_columns_ + column];
}

}  // namespace monomorph::test
