// Python's numbers: int(), float(), round() and abs() of a filter's arguments, the first its subject.
#pragma once

#include "runtime/chat/given.hpp"

namespace monomorph::chat {

/// (value, default): the default, or 0.0, for what is no number and no text of one.
Value as_float(const Given& given);
/// (value, default, base): the default, or 0, likewise; a fraction is cut off.
Value as_int(const Given& given);
/// (value, digits, method): "common" rounds as Python does, "ceil" and "floor" up and down.
Value round(const Given& given);
Value absolute(const Value& value);

}  // namespace monomorph::chat
