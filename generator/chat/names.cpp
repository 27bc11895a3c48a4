#include "generator/chat/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runtime/chat/filters.hpp"

namespace monomorph::generator::chat {
namespace {

namespace known = monomorph::chat;

class NameSurvey {
 public:
  static Names of(const Node& tree) {
    NameSurvey survey;
    survey.find_macros(tree);
    survey.check(tree);
    return survey.names_;
  }

 private:
  void find_macros(const Node& node) {
    if (!node.is_structured()) return;
    if (is(node, "Macro")) names_.macros.insert(node.at("name").string());
    for (const Node& part : node) find_macros(part);
  }

  void check(const Node& node) {
    if (!node.is_structured()) return;
    for (const char* const field : {"target", "targets", "args"}) {
      if (node.is_object() && node.contains(field)) check_targets(node, node.at(field));
    }
    if (is(node, "Macro")) judge(node, node.at("name").string());
    if (is(node, "Name") && node.at("ctx") != "load") {
      const auto name = node.at("name").string();
      judge(node, name);
      if (names_.macros.contains(name)) refuse(node, fmt::format("'{}' is a macro and a variable", name));
    }
    for (const Node& part : node) check(part);
  }

  /// What a construct gives its values to has names of its own.
  static void check_targets(const Node& node, const Node& targets) {
    std::vector<std::string> names;
    collect(targets, names);
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) refuse(node, "a name that is given two values");
  }

  static void collect(const Node& targets, std::vector<std::string>& names) {
    if (is(targets, "Name") && targets.at("ctx") != "load") names.push_back(targets.at("name").string());
    if (is(targets, "Tuple")) collect(targets.at("items"), names);
    if (!targets.is_array()) return;
    for (const Node& target : targets) collect(target, names);
  }

  static void judge(const Node& node, const std::string& name) {
    if (name == "loop" || name == "caller" || name == "varargs" || name == "kwargs" || name == "self" ||
        name == "super" || known::knows_function(name)) {
      refuse(node, fmt::format("'{}', which Jinja gives a meaning of its own, as a name of the template's", name));
    }
  }

  Names names_;
};

}  // namespace

Names survey_names(const Node& tree) { return NameSurvey::of(tree); }

}  // namespace monomorph::generator::chat
