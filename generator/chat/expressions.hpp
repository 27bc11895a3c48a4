// Expressions of a chat template as C++ expressions over the runtime's values (runtime/chat/emitted.hpp).
#pragma once

#include <string>

#include "generator/chat/chat.hpp"
#include "generator/chat/frames.hpp"
#include "generator/chat/names.hpp"

namespace monomorph::generator::chat {

class Expressions {
 public:
  explicit Expressions(const Names& names) : names_(names) {}

  /// A chat::Value.
  std::string value(const Node& node, const Frame& frame);
  /// A bool: whether it is true.
  std::string condition(const Node& node, const Frame& frame);
  /// A filter, or a chain of them, over what is given as C++ where the chain begins.
  std::string filtered(const Node& filter, const std::string& subject, const Frame& frame);
  /// The call of a macro with a block as its caller, named in C++.
  std::string macro_call(const Node& call, const std::string& caller, const Frame& frame);

  /// A variable, by the frame that has it.
  static std::string variable(int frame, const std::string& name);
  /// A macro, or the caller of one, by the frame that has it.
  static std::string macro(int frame, const std::string& name);

 private:
  std::string name(const Node& node, const Frame& frame);
  /// Whether a name is a macro here, or the caller of one.
  bool is_callable(const Node& node, const Frame& frame) const;
  std::string callable(const Node& node, const Frame& frame) const;
  std::string call(const Node& node, const Frame& frame);
  std::string filter(const Node& node, const Frame& frame);
  std::string tested(const Node& node, const Frame& frame);
  std::string comparison(const Node& node, const Frame& frame);
  std::string item(const Node& node, const Frame& frame);
  std::string list(const Node& nodes, const Frame& frame);
  /// `first`, then the arguments of a call, a filter or a test.
  std::string arguments(const Node& node, const std::string& first, const Frame& frame);

  const Names& names_;
  int depth_ = 0;
};

}  // namespace monomorph::generator::chat
