#include "runtime/chat/macro.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace monomorph::chat {

Value Macro::operator()(const Arguments& arguments, const Macro* caller) const {
  if (!body) fail(fmt::format("'{}' is undefined", name));
  const Deeper deeper;
  return body(arguments, caller);
}

MacroCall::MacroCall(std::string_view name, std::vector<std::string_view> parameters, const Arguments& arguments,
                     const Macro* caller, Takes takes)
    : parameters_(std::move(parameters)), values_(parameters_.size()) {
  const std::size_t count = std::min(arguments.positional.size(), parameters_.size());
  const auto rest = arguments.positional.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(arguments.positional.begin(), rest, values_.begin());
  positional_.assign(rest, arguments.positional.end());
  for (const auto& [key, value] : arguments.named) {
    const auto found = std::find(parameters_.begin() + static_cast<std::ptrdiff_t>(count), parameters_.end(), key);
    if (found != parameters_.end()) {
      values_[static_cast<std::size_t>(found - parameters_.begin())] = value;
    } else if (takes.named) {
      named_.set(key, value);
    } else {
      fail(fmt::format("macro '{}' takes no keyword argument '{}'", name, key));
    }
  }
  if (!positional_.empty() && !takes.positional) {
    fail(fmt::format("macro '{}' takes not more than {} argument(s)", name, parameters_.size()));
  }
  if (caller != nullptr && !takes.caller)
    fail(fmt::format("macro '{}' has no place for the body of a call block", name));
}

Value MacroCall::value(std::size_t parameter) const {
  return values_[parameter].value_or(Undefined{fmt::format("'{}' is undefined", parameters_[parameter])});
}

Macro caller_or_none(const Macro* caller) { return caller != nullptr ? *caller : Macro{"caller"}; }

}  // namespace monomorph::chat
