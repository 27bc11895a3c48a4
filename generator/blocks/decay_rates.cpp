#include "generator/blocks/decay_rates.hpp"

#include "generator/graph/builder.hpp"

namespace monomorph::generator {

std::string part_of_rates(const Field<std::string>& decay_rates) {
  return decay_rates.value == "negative" ? "a" : "a_log";
}

Expression log_of_decay(const Field<std::string>& decay_rates, const std::string& steps,
                        const std::vector<std::string>& names) {
  const std::string part = part_of_rates(decay_rates);
  std::vector<std::string> all = names;
  all.push_back(part);
  return known_expression((part == "a" ? "a * " : "-exp(a_log) * ") + steps, all);
}

}  // namespace monomorph::generator
