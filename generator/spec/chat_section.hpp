// [chat]: how a conversation is written down for the model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/spec/field.hpp"

namespace monomorph::generator {

struct ChatSection {
  Field<std::string> text;                                          ///< Jinja, as transformers reads it; absent: ""
  std::vector<std::pair<std::string, std::string>> special_tokens;  ///< variables it is rendered with
};

}  // namespace monomorph::generator
