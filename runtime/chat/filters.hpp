// Jinja's filters, tests and global functions, in the environment of transformers: tojson is json.dumps.
#pragma once

#include "runtime/chat/value.hpp"

namespace monomorph::chat {

/// `arguments` begin with the value that is filtered.
Value filter(std::string_view name, const Arguments& arguments);
bool knows_filter(std::string_view name);

/// `arguments` begin with the value that is tested.
bool test(std::string_view name, const Arguments& arguments);
bool knows_test(std::string_view name);

/// raise_exception, strftime_now, namespace, range, dict.
Value call_function(std::string_view name, const Scope& scope, const Arguments& arguments);
bool knows_function(std::string_view name);

}  // namespace monomorph::chat
