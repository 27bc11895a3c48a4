#include "tests/golden/golden.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "runtime/formats/npy.hpp"

namespace monomorph::golden {

std::size_t Golden::last_of_prompt(std::int64_t length) const {
  const auto found = std::find(rows.begin(), rows.end(), length - 1);
  if (found == rows.end()) throw std::runtime_error(fmt::format("{}: row {} is not kept", name, length - 1));
  return static_cast<std::size_t>(found - rows.begin());
}

Golden read_golden(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "golden.json";
  std::ifstream in(path);
  if (!in) throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  const nlohmann::json json = nlohmann::json::parse(in);

  Golden golden;
  golden.name = std::filesystem::absolute(directory).filename().string();
  golden.tokens = json.at("tokens").get<std::vector<std::int32_t>>();
  golden.rows = json.at("rows").get<std::vector<std::int64_t>>();
  NpyArray logits = read_npy(directory / json.at("logits").get<std::string>());
  if (json.contains("calls")) golden.calls = json.at("calls").get<std::vector<std::vector<std::int64_t>>>();
  auto kept = static_cast<std::int64_t>(golden.rows.size());
  for (const std::vector<std::int64_t>& pattern : golden.calls) kept += static_cast<std::int64_t>(pattern.size());
  if (kept == 0 || logits.shape.size() != 2 || logits.shape[0] != kept) {
    throw std::runtime_error(fmt::format("{}: {} rows are named, and logits has others", path.string(), kept));
  }
  if (!std::is_sorted(golden.rows.begin(), golden.rows.end()) || golden.rows.front() < 0 ||
      golden.rows.back() >= static_cast<std::int64_t>(golden.tokens.size())) {
    throw std::runtime_error(fmt::format("{}: rows are not ascending indices into tokens", path.string()));
  }
  golden.vocab_size = logits.shape[1];
  golden.logits = std::move(logits.values);
  return golden;
}

}  // namespace monomorph::golden
