#include "generator/check/totals.hpp"

#include <fmt/format.h>

#include <vector>

namespace monomorph::generator {

void verify_totals(const CppInput& header, const std::map<std::string, std::int64_t>& expected) {
  std::vector<std::string> names;
  for (const auto& [name, value] : expected) names.push_back(name);
  const std::map<std::string, std::int64_t> emitted = evaluate_constants(header, names);
  std::string differences;
  for (const auto& [name, value] : expected) {
    if (emitted.at(name) != value) {
      differences += fmt::format("\n  {}: emitted code adds up to {}, the plan to {}", name, emitted.at(name), value);
    }
  }
  if (!differences.empty()) throw InternalError("check.totals: totals differ in " + header.path + ":" + differences);
}

}  // namespace monomorph::generator
