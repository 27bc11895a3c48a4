#include "generator/graph/graph.hpp"

#include <algorithm>
#include <iterator>

namespace monomorph::generator {

std::int64_t Distances::bucket_count() const {
  return buckets.empty() ? back + ahead + 1 : 1 + *std::max_element(buckets.begin(), buckets.end());
}

std::vector<OpId> Graph::readers(ValueId value) const {
  std::vector<OpId> result;
  for (const OpId id : ops.ids()) {
    const std::vector<ValueId>& in = ops[id].in;
    if (std::find(in.begin(), in.end(), value) != in.end()) result.push_back(id);
  }
  return result;
}

std::size_t Graph::kind_of(FunctionId function) const {
  for (const std::vector<FunctionId>* of : {&layers, &sources}) {
    const auto found = std::ranges::find(*of, function);
    if (function && found != of->end()) return static_cast<std::size_t>(found - of->begin());
  }
  return Scope::model;
}

std::vector<FunctionId> Graph::source_functions() const {
  std::vector<FunctionId> result;
  std::ranges::copy_if(sources, std::back_inserter(result), [](FunctionId function) { return bool(function); });
  return result;
}

bool Graph::is_result(ValueId value) const {
  const FunctionId function = values[value].function;
  if (!function) return false;
  const std::vector<ValueId>& results = functions[function].results;
  return std::find(results.begin(), results.end(), value) != results.end();
}

bool Graph::is_parameter(ValueId value) const {
  const FunctionId function = values[value].function;
  if (!function) return false;
  const std::vector<ValueId>& parameters = functions[function].parameters;
  return std::find(parameters.begin(), parameters.end(), value) != parameters.end();
}

std::int64_t Graph::run_of(ValueId whole, ValueId operand) const {
  const std::vector<AxisId>&rows = values[whole].axes, &own = values[operand].axes;
  const bool weight = values[operand].storage == Storage::weight;
  if (!weight && values[operand].storage != Storage::activation) return 0;
  const bool fits = weight ? own.size() == 1 : own.size() == 2 && own[0] == rows[0];
  return fits ? axes.run_of(rows[1], own.back()) : 0;
}

std::int64_t convolved_positions(const Op& op, const Graph& graph) {
  if (op.in.size() > 1 && !op.in[1]) return 2;
  if (op.in.size() < 2 || graph.values[op.in[1]].axes.empty()) return 0;
  return graph.axes.inner_of_two(graph.values[op.in[1]].axes[0]);
}

}  // namespace monomorph::generator
