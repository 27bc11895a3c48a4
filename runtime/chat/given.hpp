// What a call gives for the parameters of what it calls.
#pragma once

#include "runtime/chat/value.hpp"

namespace monomorph::chat {

/// By the parameters' places; nullopt where nothing is given.
using Given = std::vector<std::optional<Value>>;

/// The values for the parameters `names`, by position and by name; those that are not given are nullopt. `what` is
/// called, for errors: more arguments than parameters, or a name that none has.
Given arguments_for(std::string_view what, const Arguments& arguments, const std::vector<std::string_view>& names);

/// Of an argument that may be left out, or be None.
inline bool is_given(const std::optional<Value>& value) { return value && !value->none(); }
inline bool flag(const std::optional<Value>& value) { return value && truth(*value); }
/// An integer, or an error.
std::int64_t whole(const Value& value);

}  // namespace monomorph::chat
