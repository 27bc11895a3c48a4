// Methods of Python's values that a template may call.
#pragma once

#include "runtime/chat/value.hpp"

namespace monomorph::chat {

/// object.name(...), of `arguments` that begin with the object; of a loop, what it has. Throws where the object has no
/// such method or it is not known here.
Value call_method(std::string_view name, const Arguments& arguments);

/// Whether Python's type has an attribute of this name, known here or not.
bool is_method(const Value& object, std::string_view name);

/// Whether it is a method that would change the object, which Jinja's sandbox keeps from templates as if it were not
/// there.
bool would_change(const Value& object, std::string_view name);

/// Whether that attribute is a value, and no method.
bool is_data(const Value& object, std::string_view name);

/// Whether some type has a method of this name that is known here.
bool knows_method(std::string_view name);

}  // namespace monomorph::chat
