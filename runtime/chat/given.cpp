#include "runtime/chat/given.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace monomorph::chat {

Given arguments_for(std::string_view what, const Arguments& arguments, const std::vector<std::string_view>& names) {
  Given values(names.size());
  if (arguments.positional.size() > names.size()) {
    fail(fmt::format("{} takes {} arguments, and is given {}", what, names.size(), arguments.positional.size()));
  }
  std::copy(arguments.positional.begin(), arguments.positional.end(), values.begin());
  for (const auto& [name, value] : arguments.named) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail(fmt::format("{} has no argument '{}'", what, name));
    std::optional<Value>& place = values[static_cast<std::size_t>(found - names.begin())];
    if (place) fail(fmt::format("{} is given its argument '{}' twice", what, name));
    place = value;
  }
  return values;
}

std::int64_t whole(const Value& value) {
  const std::optional<std::int64_t> number = value.integer();
  if (!number) fail("an integer is required, not " + type_name(value));
  return *number;
}

}  // namespace monomorph::chat
