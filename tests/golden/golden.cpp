#include "tests/golden/golden.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "runtime/formats/json.hpp"
#include "runtime/formats/npy.hpp"
#include "tests/support/files.hpp"

namespace monomorph::golden {

std::size_t Golden::last_of_prompt(std::int64_t length) const {
  const auto found = std::find(rows.begin(), rows.end(), length - 1);
  if (found == rows.end()) throw std::runtime_error(fmt::format("{}: row {} is not kept", name, length - 1));
  return static_cast<std::size_t>(found - rows.begin());
}

std::vector<Golden::Text> Golden::texts() const {
  std::vector<Text> result;
  const auto add = [&](std::int64_t count) {
    const auto size = static_cast<std::size_t>(count);
    result.push_back({std::span(tokens).first(size), std::span(types).first(types.empty() ? 0 : size)});
  };
  for (const std::vector<std::int64_t>& calls_of_text : calls) add(calls_of_text.front());
  add(static_cast<std::int64_t>(tokens.size()));
  return result;
}

Golden read_golden(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "golden.json";
  if (!std::filesystem::exists(path)) throw std::runtime_error(fmt::format("{}: there is no such file", path.string()));
  const nlohmann::json json = nlohmann::json::parse(with_words_quoted(tests::read_file(path)));

  Golden golden;
  golden.name = std::filesystem::absolute(directory).filename().string();
  golden.tokens = json.at("tokens").get<std::vector<std::int32_t>>();
  golden.rows = json.at("rows").get<std::vector<std::int64_t>>();
  NpyArray logits = read_npy(directory / json.at("logits").get<std::string>());
  if (json.contains("calls")) golden.calls = json.at("calls").get<std::vector<std::vector<std::int64_t>>>();
  if (json.contains("source")) {
    golden.source = json.at("source").get<std::vector<std::int32_t>>();
    golden.source_lengths = json.at("source_lengths").get<std::vector<std::int64_t>>();
  }
  auto kept = static_cast<std::int64_t>(golden.rows.size() + golden.source_lengths.size());
  for (const std::vector<std::int64_t>& pattern : golden.calls) kept += static_cast<std::int64_t>(pattern.size());
  if (kept == 0 || logits.shape.size() != 2 || logits.shape[0] != kept) {
    throw std::runtime_error(fmt::format("{}: {} rows are named, and logits has others", path.string(), kept));
  }
  if (!std::is_sorted(golden.rows.begin(), golden.rows.end()) || golden.rows.front() < 0 ||
      golden.rows.back() >= static_cast<std::int64_t>(golden.tokens.size())) {
    throw std::runtime_error(fmt::format("{}: rows are not ascending indices into tokens", path.string()));
  }
  golden.row_size = logits.shape[1];
  golden.logits = std::move(logits.values);
  if (json.contains("types")) golden.types = json.at("types").get<std::vector<std::int32_t>>();
  if (!json.contains("vectors")) return golden;
  const NpyArray vectors = read_npy(directory / json.at("vectors").get<std::string>());
  const auto count = static_cast<std::int64_t>(golden.calls.size() + 1);
  if (vectors.shape.size() != 2 || vectors.shape[0] != count) {
    throw std::runtime_error(fmt::format("{}: {} texts are named, and vectors has others", path.string(), count));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const auto begin = vectors.values.begin() + i * vectors.shape[1];
    golden.vectors.emplace_back(begin, begin + vectors.shape[1]);
  }
  return golden;
}

}  // namespace monomorph::golden
