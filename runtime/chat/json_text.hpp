// JSON that a conversation comes with: messages, tools, variables.
#pragma once

#include <string>
#include <string_view>

#include "runtime/formats/json.hpp"

namespace monomorph {

/// Keys in their order. Throws Error(rejected) that begins with `name` where the text is no JSON, where lists and
/// objects lie more than 100 deep, and where it has a whole number of more than 64 bits, which would become another
/// one.
Json read_json(std::string_view text, const std::string& name);

}  // namespace monomorph
