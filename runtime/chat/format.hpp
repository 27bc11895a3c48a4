// Python's two languages for putting values into a text.
#pragma once

#include "runtime/chat/value.hpp"

namespace monomorph::chat {

/// text % values: a tuple's elements, a dict's by name, or one value.
std::string percent_formatted(std::string_view text, const Value& values);
/// text.format(...): fields by position or name, their attributes and items, and !r and !s. What stands after a colon
/// is an error, but for nothing.
std::string brace_formatted(std::string_view text, const Arguments& arguments);

}  // namespace monomorph::chat
