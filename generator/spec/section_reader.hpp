// Reads one section by its rows of the field table: unknown keys, keys that the section's type does not have, missing
// keys and defaults are all decided by the table.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {

/// The value of the table's `type`, or "".
inline std::string type_of(const TomlValue& table) {
  const TomlEntry* type = table.find("type");
  return type != nullptr && type->value.form == TomlValue::Form::string ? type->value.string : "";
}

inline std::string did_you_mean(const std::string& suggestion) {
  return suggestion.empty() ? "" : fmt::format("; did you mean {}?", suggestion);
}

/// " (rms_norm or layer_norm)", or "" where any value may be.
inline std::string choices_of(const FieldDescription& field) {
  return field.choices.empty() ? "" : " (" + one_of(field.choices) + ")";
}

/// Says that a section is missing whose keys `required` have no default; without such keys it may be.
void report_missing_section(const std::string& name, const std::vector<const FieldDescription*>& required,
                            const Span& file, Diagnostics& diagnostics);

/// `section` from `table` (null: the section is not there). Where the section is not `in_effect`, nothing is missing.
/// A missing key has the place of the table; a missing section, that of the end of `place`'s source.
template <class Section>
void read_section(const TomlValue* table, const std::string& name, const Span& place, bool in_effect, Section& section,
                  Diagnostics& diagnostics) {
  static const TomlValue nothing;
  if (table != nullptr && table->form != TomlValue::Form::table) {
    diagnostics.error("spec.type", table->span,
                      fmt::format("{} is {}; a section, [{}], is required here", name, describe(*table), name));
    table = nullptr;
    in_effect = false;
  }
  const TomlValue& values = table != nullptr ? *table : nothing;
  const Span span = table != nullptr ? table->span : place;
  const std::vector<FieldRow<Section>>& rows = fields<Section>();
  const std::string type = type_of(values);
  const FieldRow<Section>* type_row = nullptr;
  std::vector<std::string> keys;
  for (const FieldRow<Section>& row : rows) {
    keys.push_back(row.key);
    if (row.key == "type") type_row = &row;
  }
  // Rows are judged by the type only where it is one of the types there are.
  const bool type_known = type_row != nullptr && std::find(type_row->choices.begin(), type_row->choices.end(), type) !=
                                                     type_row->choices.end();

  std::set<std::string> misspelt;  // keys that an unknown key was probably meant to be: not missing as well
  for (const TomlEntry& entry : values.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    const std::string suggestion = nearest(entry.key, keys);
    misspelt.insert(suggestion);
    diagnostics.error("spec.unknown_key", entry.key_span,
                      fmt::format("[{}] has no key {}{}", name, entry.key,
                                  suggestion.empty() ? "; its keys are " + one_of(keys) : did_you_mean(suggestion)));
  }
  std::vector<const FieldDescription*> missing;
  for (const FieldRow<Section>& row : rows) {
    const Slot slot = row.slot(section);
    const std::string path = name + "." + row.key;
    const bool applies = !type_known || row.applies_to(type);
    const bool has_default = row.fallback.kind == Fallback::Kind::literal;
    if (has_default && (applies && (row.types.empty() || type_known))) {
      store_fallback(row, slot, span);
    } else {
      std::visit(
          [&](auto* stored) {
            if constexpr (requires { stored->given; }) stored->span = span;
          },
          slot);
    }
    if (const TomlEntry* entry = values.find(row.key)) {
      if (!applies) {
        diagnostics.error("spec.unused_key", entry->key_span,
                          fmt::format("{} has no meaning where {}.type is \"{}\"; it belongs to {}", path, name, type,
                                      one_of(row.types)));
      } else {
        read_value(entry->value, slot, row, path, diagnostics);
      }
    } else if (row.fallback.kind == Fallback::Kind::required && in_effect && applies && !misspelt.count(row.key)) {
      missing.push_back(&row);
    }
  }
  if (table == nullptr) return report_missing_section(name, missing, place, diagnostics);
  for (const FieldDescription* row : missing) {
    diagnostics.error("spec.missing_key", span,
                      fmt::format("{}.{} is missing: {}{}", name, row->key, row->meaning, choices_of(*row)));
  }
}

}  // namespace monomorph::generator
