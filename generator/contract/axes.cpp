#include "generator/contract/axes.hpp"

#include <algorithm>

#include "generator/contract/names.hpp"
#include "generator/diagnostics.hpp"

namespace monomorph::generator {

AxisId AxisTable::intern(const Axis& axis, const std::string& user) {
  if (!axis.factors.empty() && elements(axis.factors) != axis.size) {
    throw InternalError("axes: " + axis.word + " is not the product of its factors");
  }
  const auto same = [&](const Axis& other) {
    return other.word == axis.word && other.size == axis.size && other.factors == axis.factors &&
           other.live == axis.live;
  };
  const auto found = std::find_if(begin(), end(), same);
  const AxisId id = found != end() ? AxisId{static_cast<std::uint32_t>(found - begin())} : add(axis);
  std::vector<std::string>& users = (*this)[id].users;
  if (!user.empty() && std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
  return id;
}

void AxisTable::name_all() {
  std::vector<NamedUse> uses;
  for (const Axis& axis : *this) uses.push_back({axis.word, axis.users});
  const std::vector<std::string> names = qualified_names(uses);
  for (std::size_t i = 0; i < names.size(); ++i) begin()[static_cast<std::ptrdiff_t>(i)].name = names[i];
}

std::int64_t AxisTable::elements(const std::vector<AxisId>& axes) const {
  std::int64_t product = 1;
  for (const AxisId axis : axes) product *= (*this)[axis].size;
  return product;
}

std::string AxisTable::shape(const std::vector<AxisId>& axes) const {
  std::string text;
  for (const AxisId axis : axes) text += (text.empty() ? "" : " x ") + (*this)[axis].name;
  return text;
}

AxisId AxisTable::outer_of(AxisId axis, AxisId run) const {
  const std::vector<AxisId>&factors = (*this)[axis].factors, &inner = (*this)[run].factors;
  if (factors.size() != 2) return {};
  if (factors[1] == run) return factors[0];
  return inner.size() == 2 && inner[1] == factors[1] ? outer_of(factors[0], inner[0]) : AxisId{};
}

std::int64_t AxisTable::inner_of_two(AxisId axis) const {
  const std::vector<AxisId>& factors = (*this)[axis].factors;
  return factors.size() == 2 ? (*this)[factors[1]].size : 0;
}

std::array<std::int64_t, 2> AxisTable::inner_of_vector(AxisId axis) const {
  const std::int64_t inner = inner_of_two(axis);
  return {inner, inner == 0 ? 0 : inner_of_two((*this)[axis].factors[0]) * inner};
}

std::int64_t AxisTable::run_of(AxisId axis, AxisId part) const {
  if (axis == part) return 1;
  const Axis& whole = (*this)[axis];
  if ((*this)[part].size == 1) return whole.size;
  // One row of a bank for each head is a number for each.
  const std::vector<AxisId>& of = (*this)[part].factors;
  if (of.size() == 2 && (*this)[of[1]].size == 1) return run_of(axis, of[0]);
  if (whole.factors.empty()) return 0;
  return run_of(whole.factors[0], part) * (whole.size / (*this)[whole.factors[0]].size);
}

}  // namespace monomorph::generator
