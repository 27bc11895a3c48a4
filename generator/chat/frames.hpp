// Where the variables of a chat template live. A frame is the root, a loop's body, a macro, a block with variables of
// its own; a name in it is its own, an outer frame's, or what the template is rendered with. Which of these follows
// Jinja2's own rules (jinja2/idtracking.py), since templates depend on them: a `set` within a loop is forgotten with
// the turn, one within an `if` is not.
#pragma once

#include <map>
#include <set>
#include <string>

#include "runtime/formats/json.hpp"

namespace monomorph::generator::chat {

/// A node of Jinja2's tree: its fields by name, "kind" its class, "line" its line.
using Node = Json;

bool is(const Node& node, const char* name);

/// Whether `name` is read somewhere within.
bool reads(const Node& node, const std::string& name);

/// Throws ChatRefusal at the node's line.
[[noreturn]] void refuse(const Node& node, const std::string& why);

/// What a name holds when its frame begins.
struct Binding {
  enum class Kind {
    parameter,  ///< what the construct gives it: a loop's target, a macro's argument
    resolved,   ///< what the template is rendered with
    outer,      ///< the value of `frame`'s variable
    undefined,
  };
  Kind kind = Kind::undefined;
  int frame = 0;
};

class Frame {
 public:
  Frame(const Frame* parent, int number) : parent_(parent), number_(number) {}

  /// Takes in what a node that has this frame reads and writes in it. Of a loop, `branch` is its "body", "else_" or
  /// "test".
  void analyze(const Node& node, const std::string& branch = "body");
  void declare_parameter(const std::string& name);

  int number() const { return number_; }
  const Frame* parent() const { return parent_; }
  /// The frame's own names.
  const std::map<std::string, Binding>& bindings() const { return bindings_; }
  /// The number of the frame whose variable the name is here; -1 where none has it.
  int owner(const std::string& name) const;
  /// Whether it is one that the owner's construct gives.
  bool is_parameter(const std::string& name) const;

 private:
  void visit(const Node& node);
  void visit_children(const Node& node);
  void visit_if(const Node& node);
  void read(const std::string& name);
  void write(const std::string& name);

  const Frame* parent_;
  int number_;
  std::map<std::string, Binding> bindings_;
  std::set<std::string> written_;
};

}  // namespace monomorph::generator::chat
