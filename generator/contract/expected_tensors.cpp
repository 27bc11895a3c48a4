#include "generator/contract/expected_tensors.hpp"

#include <algorithm>
#include <charconv>

#include "generator/contract/parts.hpp"
#include "runtime/formats/checkpoint_names.hpp"

namespace monomorph::generator {
namespace {

/// The shape of a tensor that is banks of a matrix, [banks, rows, columns], or of their biases; all rows, or lines of a
/// transposed one, may stand in one axis.
void stack(ExpectedTensor& tensor, AxisId rows, const RowView& view, bool of_experts, const AxisTable& axes) {
  const std::vector<AxisId>& factors = axes[rows].factors;
  const std::size_t at = view.transposed ? 1 : 0;
  tensor.shape[at] = view.bank_rows();
  tensor.axes[at] = view.bank_rows() == axes[factors.back()].size ? factors.back() : AxisId();
  tensor.others = {tensor.shape};
  tensor.others[0].front() *= view.banks;
  const bool number_by_number = view.bank_rows() == 1 && tensor.shape.size() == 2;
  if (number_by_number) tensor.others.push_back({view.banks * tensor.shape[1 - at]});
  tensor.shape.insert(tensor.shape.begin(), view.banks);
  tensor.axes.insert(tensor.axes.begin(), factors.front());
  if (of_experts) return;
  // Heads stand in one axis where nothing else is said.
  std::swap(tensor.shape, tensor.others[0]);
  tensor.axes.erase(tensor.axes.begin());
  tensor.axes.front() = tensor.shape.front() == axes[rows].size ? rows : AxisId();
}

void add(const WeightContract& weight, const Contract& contract, const LayerPlace& place,
         std::map<std::string, ExpectedTensor>& expected) {
  const bool numbered = !weight.sources.empty() && !weight.sources.front().numbered.empty();
  for (std::size_t number = 0; number < weight.sources.size(); ++number) {
    const CheckpointPart& source = weight.sources[number];
    ExpectedTensor tensor;
    tensor.pattern = source.pattern();
    if (is_of_sets(tensor.pattern)) tensor.pattern = with_layer(tensor.pattern, place);  // "{j}" alone is left
    tensor.layer = place.layer;
    if (place.layer >= 0) tensor.stack = contract.kinds[weight.scope.kind].kind.stack;
    tensor.part = weight.part;
    tensor.dtype = weight.file_dtype();
    tensor.shape = {source.view.source_rows};
    const Axis& rows = contract.axes[weight.axes[0]];
    if (numbered) tensor.number = static_cast<std::int64_t>(number);
    if (numbered && !rows.factors.empty()) tensor.counted = rows.factors.front();
    const bool whole = source.view.rows == source.view.source_rows, of_factor = numbered && rows.factors.size() == 2;
    tensor.axes = {!whole ? AxisId() : of_factor ? rows.factors.back() : weight.axes[0]};
    if (!numbered && weight.axes.size() == 1) {
      for (const std::int64_t inner : contract.axes.inner_of_vector(weight.axes[0])) {
        if (inner != 0 && source.view.source_rows % inner == 0)
          tensor.others.push_back({source.view.source_rows / inner, inner});
      }
    }
    if (weight.axes.size() == 2) {
      tensor.shape.push_back(source.view.lines_of(contract.axes[weight.axes[1]].size));
      tensor.axes.push_back(source.view.lines == 0 ? weight.axes[1] : AxisId());
    }
    if (source.view.has_like_parts()) {
      tensor.others.push_back(tensor.shape);
      tensor.others.back().front() = source.view.rows;
      tensor.others.back().insert(tensor.others.back().begin(), source.view.source_rows / source.view.rows);
    }
    if (source.view.transposed) {
      std::reverse(tensor.shape.begin(), tensor.shape.end());
      std::reverse(tensor.axes.begin(), tensor.axes.end());
    }
    if (source.view.banks != 0) stack(tensor, weight.axes[0], source.view, weight.chosen_rows > 0, contract.axes);
    expected.emplace(with_layer(source.name, place), tensor);
  }
}

}  // namespace

bool ExpectedTensor::fits(const std::vector<std::int64_t>& given) const {
  return same_but_for_ones(given, shape) ||
         std::ranges::any_of(others, [&](const auto& other) { return same_but_for_ones(given, other); });
}

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
  for (const WeightContract& weight : contract.weights) {
    if (weight.scope.kind == Scope::model) {
      add(weight, contract, {}, expected);
      continue;
    }
    const LayerContract& kind = contract.kinds[weight.scope.kind];
    for (std::size_t turn = 0; turn < kind.layers.size(); ++turn) add(weight, contract, kind.place(turn), expected);
  }
  return expected;
}

}  // namespace monomorph::generator
