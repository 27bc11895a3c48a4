#include "tests/golden/golden_distance.hpp"

#include <algorithm>

#include "generator/blocks/pooling.hpp"
#include "tests/golden/comparison.hpp"
#include "tests/support/contract_weights.hpp"
#include "tests/support/graph_evaluator.hpp"

namespace monomorph::tests {

using namespace generator;

namespace {

/// Tokens that are run at once from the golden's first on, and which rows of them the golden keeps, and where.
struct Text {
  std::int64_t tokens;
  std::vector<std::int64_t> rows;
  std::size_t first;
  std::int64_t source = 0;  ///< tokens of the source that it answers to
};

/// The shortest first, since most faults show soon; the whole last.
std::vector<Text> texts_of(const golden::Golden& golden) {
  std::vector<Text> texts;
  for (std::size_t i = 0; i < golden.source_lengths.size(); ++i) {
    texts.push_back(
        {golden::Golden::answered, {golden::Golden::answered - 1}, golden.rows.size() + i, golden.source_lengths[i]});
  }
  const auto source = static_cast<std::int64_t>(golden.source.size());
  if (golden.calls.empty()) {
    for (const std::int64_t tokens : {16, 67, 130}) {
      std::vector<std::int64_t> rows = golden.rows;
      std::erase_if(rows, [&](std::int64_t row) { return row >= tokens; });
      texts.push_back({tokens, rows, 0, source});
    }
  }
  std::size_t kept = golden.rows.size();
  for (const std::vector<std::int64_t>& calls : golden.calls) {
    if (calls.size() == 1) texts.push_back({calls[0], {calls[0] - 1}, kept});
    kept += calls.size();
  }
  texts.push_back({static_cast<std::int64_t>(golden.tokens.size()), golden.rows, 0, source});
  return texts;
}

}  // namespace

namespace {

std::vector<float> row_of(const test::EvaluatedValue& value, std::int64_t row) {
  const auto begin = value.elements.begin() + row * value.columns;
  return {begin, begin + value.columns};
}

/// Of a model that gives vectors of texts: of hidden states, and of the vectors.
double distance_of_texts(const Meaning& meaning, const golden::Golden& golden, test::GraphEvaluator& evaluator,
                         std::int64_t most_tokens) {
  const std::vector<golden::Golden::Text> texts = golden.texts();
  double worst = 0;
  for (std::size_t i = 0; i < texts.size() && worst <= refused_by_golden; ++i) {
    const auto count = static_cast<std::int64_t>(texts[i].tokens.size());
    if (count > most_tokens) continue;
    const auto record = evaluator.run(texts[i].tokens, 0, texts[i].types);
    const test::EvaluatedValue& states = record.at(meaning.graph.values[meaning.graph.own().hidden_states].role);
    const bool whole = i + 1 == texts.size();
    for (std::size_t kept = 0; kept < (whole ? golden.rows.size() : 1); ++kept) {
      const std::int64_t row = whole ? golden.rows[kept] : count - 1;
      const std::size_t place = whole ? kept : golden.rows.size() + i;
      worst = std::max(worst, golden::row_error(row_of(states, row), golden.logits_of(place)));
    }
    const bool first = meaning.contract.pooling->type.value == "cls";
    const std::vector<std::int64_t> wanted = {first ? 0 : count - 1};
    worst = std::max(worst, golden::row_error(row_of(evaluator.head(wanted), 0), golden.vectors[i]));
  }
  return worst;
}

}  // namespace

double golden_distance(const Meaning& meaning, const std::filesystem::path& directory, std::int64_t most_tokens) {
  const golden::Golden golden = golden::read_golden(directory);
  test::ContractWeights weights(meaning.contract, directory.string());
  if (!golden.vectors.empty()) {
    test::GraphEvaluator evaluator(meaning.graph, meaning.contract, [&](auto... at) { return weights.at(at...); });
    return distance_of_texts(meaning, golden, evaluator, most_tokens);
  }
  double worst = 0;
  for (const Text& text : texts_of(golden)) {
    const auto& [tokens, rows, first, source] = text;
    if (tokens > most_tokens || source > most_tokens) break;
    test::GraphEvaluator evaluator(meaning.graph, meaning.contract, [&](auto... at) { return weights.at(at...); });
    if (source > 0) evaluator.encode(std::span(golden.source).first(static_cast<std::size_t>(source)));
    const auto count = static_cast<std::size_t>(tokens);
    evaluator.run(std::span(golden.tokens).first(count), 0,
                  std::span(golden.types).first(golden.types.empty() ? 0 : count));
    const test::EvaluatedValue logits = evaluator.head(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<float> row = row_of(logits, static_cast<std::int64_t>(i));
      worst = std::max(worst, golden::row_error(row, golden.logits_of(first + i)));
    }
    if (worst > refused_by_golden) break;
  }
  return worst;
}

}  // namespace monomorph::tests
