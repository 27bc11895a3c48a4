// A checkpoint's weights as a contract names them, without an engine: the runtime finds and decodes them, from tables
// that are filled from the contract.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generator/contract/contract.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::test {

/// Ids of a contract's weights in a program's list, by weight and layer (-1: of the model).
using WeightPlaces = std::map<std::pair<generator::WeightId, std::int64_t>, std::int32_t>;
WeightPlaces places_of_weights(const generator::Contract& contract);

class ContractWeights {
 public:
  /// Throws Error as HostWeights::open does. The contract must live as long as this.
  ContractWeights(const generator::Contract& contract, const std::string& checkpoint);
  ContractWeights(const ContractWeights&) = delete;

  /// Element (row, column) of a weight in a layer (-1: of the model). A weight is read when it is first asked for.
  double at(generator::WeightId id, std::int64_t layer, std::int64_t row, std::int64_t column);

 private:
  void add_weights(generator::Scope scope);
  std::vector<float> read(generator::WeightId id, std::int64_t layer) const;

  const generator::Contract& contract_;
  Program program_{};
  std::vector<const char*> prefixes_, ignored_;
  std::deque<std::vector<WeightPart>> parts_;
  std::deque<std::vector<WeightPattern>> patterns_;
  std::vector<WeightGroup> groups_;
  const WeightPlaces places_;
  std::optional<HostWeights> weights_;
  std::map<std::pair<generator::WeightId, std::int64_t>, std::vector<float>> read_;
  /// What was asked for last: most elements follow one another.
  std::pair<generator::WeightId, std::int64_t> last_{};
  const float* last_values_ = nullptr;
  std::int64_t last_columns_ = 0;
};

}  // namespace monomorph::test
