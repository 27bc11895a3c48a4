#include "generator/import/family_text.hpp"

#include <fmt/format.h>

#include "generator/spec/list_properties.hpp"

namespace monomorph::generator {

std::string FamilyText::string(const TomlValue& value) {
  if (value.form != TomlValue::Form::string) error("family.form", value.span, "a string is required here");
  return value.string;
}

std::string FamilyText::member(const TomlValue& table, const std::string& key) {
  const TomlEntry* entry = table.find(key);
  if (entry != nullptr) return string(entry->value);
  error("family.form", table.span, fmt::format("a table with {} is required here", key));
  return "";
}

Expression FamilyText::expression(const std::string& text, const Span& span, Type wanted,
                                  const ExpressionNames& names) {
  const auto parsed = parse_expression(text, span, names, wanted, diagnostics_, Vocabulary::values);
  if (!parsed) return {};
  for (const std::string& name : names_in(*parsed)) {
    used_.insert(without_property(name));
  }
  return *parsed;
}

void FamilyText::claim(const std::string& key, const Span& span, bool is_field) {
  if (!claimed_.emplace(is_field, key).second) {
    error("family.twice", span, fmt::format("'{}' is accounted for twice", key));
  }
}

}  // namespace monomorph::generator
