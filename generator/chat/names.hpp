// The names of a chat template, before any of it is compiled.
#pragma once

#include <set>
#include <string>

#include "generator/chat/frames.hpp"

namespace monomorph::generator::chat {

/// What the template's names are, wherever they stand.
struct Names {
  std::set<std::string> macros;
};

/// Of a whole template. Throws ChatRefusal at a name that is given to two kinds of things, or that Jinja gives a
/// meaning of its own.
Names survey_names(const Node& tree);

}  // namespace monomorph::generator::chat
