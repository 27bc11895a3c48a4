// Chat templates as emit_cases.cpp emits them.
#pragma once

#include <string>
#include <vector>

#include "runtime/chat/value.hpp"

namespace monomorph::generator {

struct ChatCase {
  const char* name;
  std::string (*render)(const monomorph::chat::Scope& scope);  ///< null: refused
  int line;                                                    ///< of the refusal
  const char* why;
};

const std::vector<ChatCase>& chat_cases();

}  // namespace monomorph::generator
