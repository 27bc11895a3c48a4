#include "tests/altered_inputs/golden_distance.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/checkpoint_names.hpp"
#include "tests/golden/comparison.hpp"
#include "tests/support/graph_evaluator.hpp"

namespace monomorph::tests {

using namespace generator;

namespace {

/// Tokens that are run at once from the golden's first on, and which rows of them the golden keeps, and where.
struct Text {
  std::int64_t tokens;
  std::vector<std::int64_t> rows;
  std::size_t first;
};

/// The shortest first, since most faults show soon; the whole last.
std::vector<Text> texts_of(const golden::Golden& golden) {
  std::vector<Text> texts;
  if (golden.calls.empty()) {
    for (const std::int64_t tokens : {16, 67, 130}) {
      std::vector<std::int64_t> rows = golden.rows;
      std::erase_if(rows, [&](std::int64_t row) { return row >= tokens; });
      texts.push_back({tokens, rows, 0});
    }
  }
  std::size_t kept = golden.rows.size();
  for (const std::vector<std::int64_t>& calls : golden.calls) {
    if (calls.size() == 1) texts.push_back({calls[0], {calls[0] - 1}, kept});
    kept += calls.size();
  }
  texts.push_back({static_cast<std::int64_t>(golden.tokens.size()), golden.rows, 0});
  return texts;
}

/// The weights of a contract, taken out of the checkpoint's tensors when they are first asked for.
class Weights {
 public:
  Weights(const Contract& contract, const std::filesystem::path& path)
      : contract_(contract), checkpoint_(Checkpoint::open(path)) {
    std::vector<std::string> names;
    for (const WeightContract& weight : contract.weights) {
      for (const CheckpointPart& part : weight.sources) names.push_back(with_layer(part.name, 0));
    }
    prefix_ = choose_prefix(contract.checkpoint_prefixes, names, checkpoint_);
  }

  double at(WeightId id, std::int64_t layer, std::int64_t row, std::int64_t column) {
    const auto [place, is_new] = read_.try_emplace({id, layer});
    if (is_new) place->second = read(contract_.weights[id], layer);
    return place->second[static_cast<std::size_t>(row * columns(contract_.weights[id]) + column)];
  }

 private:
  std::int64_t columns(const WeightContract& weight) const { return contract_.axes[weight.axes.back()].size; }

  /// Row by row; a vector as one row.
  std::vector<float> read(const WeightContract& weight, std::int64_t layer) const {
    if (!weight.in_checkpoint()) {
      const std::vector<std::int32_t>& layers = contract_.kinds[weight.scope.kind].layers;
      return {weight.values[static_cast<std::size_t>(std::find(layers.begin(), layers.end(), layer) - layers.begin())]};
    }
    const std::int64_t width = weight.axes.size() == 1 ? 1 : columns(weight);
    std::vector<float> values;
    for (const CheckpointPart& part : weight.sources) {
      const std::byte* data = checkpoint_.find(prefix_ + with_layer(part.name, layer))->data.data();
      for (std::int64_t row = 0; row < part.view.rows; ++row) {
        for (std::int64_t column = 0; column < width; ++column) {
          const std::int64_t index = part.view.element_of(row, column, width);
          std::memcpy(&values.emplace_back(), data + index * static_cast<std::int64_t>(sizeof(float)), sizeof(float));
        }
      }
    }
    return values;
  }

  const Contract& contract_;
  Checkpoint checkpoint_;
  std::string prefix_;
  std::map<std::pair<WeightId, std::int64_t>, std::vector<float>> read_;
};

}  // namespace

double golden_distance(const Meaning& meaning, const std::filesystem::path& directory, std::int64_t most_tokens) {
  const golden::Golden golden = golden::read_golden(directory);
  Weights weights(meaning.contract, directory);
  double worst = 0;
  for (const auto& [tokens, rows, first] : texts_of(golden)) {
    if (tokens > most_tokens) break;
    test::GraphEvaluator evaluator(meaning.graph, meaning.contract, [&](auto... at) { return weights.at(at...); });
    evaluator.run(std::span(golden.tokens).first(static_cast<std::size_t>(tokens)), 0);
    const test::EvaluatedValue logits = evaluator.head(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto begin = logits.elements.begin() + static_cast<std::ptrdiff_t>(i) * logits.columns;
      const std::vector<float> row(begin, begin + logits.columns);
      worst = std::max(worst, golden::row_error(row, golden.logits_of(first + i)));
    }
    if (worst > refused_by_golden) break;
  }
  return worst;
}

}  // namespace monomorph::tests
