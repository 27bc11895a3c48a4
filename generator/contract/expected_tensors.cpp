#include "generator/contract/expected_tensors.hpp"

#include <algorithm>
#include <charconv>

#include "runtime/formats/checkpoint_names.hpp"

namespace monomorph::generator {
namespace {

void add(const WeightContract& weight, const Contract& contract, std::int64_t layer,
         std::map<std::string, ExpectedTensor>& expected) {
  const bool numbered = !weight.sources.empty() && !weight.sources.front().numbered.empty();
  for (std::size_t number = 0; number < weight.sources.size(); ++number) {
    const CheckpointPart& source = weight.sources[number];
    ExpectedTensor tensor;
    tensor.pattern = source.pattern();
    tensor.layer = layer;
    if (numbered) tensor.number = static_cast<std::int64_t>(number);
    tensor.part = weight.part;
    tensor.dtype = weight.file_dtype();
    tensor.shape = {source.view.source_rows};
    const Axis& rows = contract.axes[weight.axes[0]];
    tensor.axes = {source.view.source_rows == rows.size ? weight.axes[0] : AxisId()};
    if (numbered && rows.factors.size() == 2) tensor.axes = {rows.factors.back()};
    if (!numbered && weight.axes.size() == 1 && tensor.axes[0]) {
      for (const AxisId factor : contract.axes[tensor.axes[0]].factors) {
        tensor.by_head.push_back(contract.axes[factor].size);
      }
    }
    if (weight.axes.size() == 2) {
      tensor.shape.push_back(contract.axes[weight.axes[1]].size);
      tensor.axes.push_back(weight.axes[1]);
    }
    if (source.view.transposed) {
      std::reverse(tensor.shape.begin(), tensor.shape.end());
      std::reverse(tensor.axes.begin(), tensor.axes.end());
    }
    expected.emplace(with_layer(source.name, layer), tensor);
  }
}

}  // namespace

LayerName split_layer(const std::string& name) {
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    std::int64_t layer = 0;
    const auto [stop, error] = std::from_chars(name.data() + begin, name.data() + end, layer);
    if (error == std::errc{} && stop == name.data() + end && layer >= 0) {
      return {name.substr(0, begin) + "{i}" + name.substr(end), layer};
    }
    begin = end + 1;
  }
  return {name, -1};
}

std::map<std::string, ExpectedTensor> expected_tensors(const Contract& contract) {
  std::map<std::string, ExpectedTensor> expected;
  const std::vector<std::int32_t> once = {-1};
  for (const WeightContract& weight : contract.weights) {
    const bool in_layers = weight.scope.kind != Scope::model;
    for (const std::int32_t layer : in_layers ? contract.kinds[weight.scope.kind].layers : once) {
      add(weight, contract, layer, expected);
    }
  }
  return expected;
}

}  // namespace monomorph::generator
