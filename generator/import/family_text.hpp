// What the readers of a family's file share: mistakes at their places, strings and expressions, and what is accounted
// for.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "generator/diagnostics.hpp"
#include "generator/expression/expression.hpp"
#include "generator/spec/document.hpp"

namespace monomorph::generator {

class FamilyText {
 public:
  explicit FamilyText(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  Diagnostics& diagnostics() { return diagnostics_; }
  void error(const char* rule, const Span& span, const std::string& message) {
    diagnostics_.error(rule, span, message);
  }

  std::string string(const TomlValue& value);
  /// A string of a table.
  std::string member(const TomlValue& table, const std::string& key);
  /// An expression over keys of config.json, which are used by that; empty where it is none.
  Expression expression(const std::string& text, const Span& span, Type wanted, const ExpressionNames& names);
  bool is_used(const std::string& key) const { return used_.contains(key); }

  /// Every key of config.json stands once in a family, and every field of the spec, which may be called alike.
  void claim(const std::string& key, const Span& span, bool is_field = false);

 private:
  Diagnostics& diagnostics_;
  std::set<std::pair<bool, std::string>> claimed_;  ///< fields of the spec, and keys
  std::set<std::string> used_;
};

}  // namespace monomorph::generator
