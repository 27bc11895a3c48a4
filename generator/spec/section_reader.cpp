#include "generator/spec/section_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

/// " (rms_norm or layer_norm)", or "" where any value may be.
std::string choices_of(const FieldDescription& field) {
  return field.choices.empty() ? "" : " (" + one_of(field.choices) + ")";
}

/// Without keys that have no default a section may be missing.
void report_missing_section(const std::string& name, const std::vector<const FieldDescription*>& required,
                            const Span& place, Diagnostics& diagnostics) {
  if (required.empty()) return;
  const auto section = std::find_if(sections().begin(), sections().end(),
                                    [&](const SectionDescription& candidate) { return candidate.name == name; });
  std::string keys;
  for (const FieldDescription* field : required) keys += (keys.empty() ? "" : ", ") + field->key + choices_of(*field);
  diagnostics.error("spec.missing_section", end_of(place.source),
                    fmt::format("the section [{}] is missing:{} It needs {}", name,
                                section != sections().end() ? " " + section->meaning : "", keys));
}

/// The keys that unknown ones were probably meant to be: those are not missing as well.
std::set<std::string> refuse_unknown_keys(const TomlValue& values, const std::string& name, const BoundFields& fields,
                                          Diagnostics& diagnostics) {
  std::vector<std::string> keys;
  for (const BoundField& field : fields) keys.push_back(field.field->key);
  std::set<std::string> misspelt;
  for (const TomlEntry& entry : values.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    const std::string suggestion = nearest(entry.key, keys);
    misspelt.insert(suggestion);
    diagnostics.error("spec.unknown_key", entry.key_span,
                      fmt::format("[{}] has no key {}{}", name, entry.key,
                                  suggestion.empty() ? "; its keys are " + one_of(keys) : did_you_mean(suggestion)));
  }
  return misspelt;
}

/// What the section says at the key that decides which rows it has; "" where that is none of the values there are.
std::string selected(const TomlValue& values, const BoundFields& fields, const std::string& selector) {
  for (const auto& [row, slot] : fields) {
    if (row->key != selector) continue;
    const bool is_default = values.find(selector) == nullptr && row->fallback.kind == Fallback::Kind::literal;
    for (const std::string& choice : row->choices) {
      if (is_default ? row->fallback.text == write_string(choice) : word_at(values, selector) == choice) return choice;
    }
  }
  return "";
}

}  // namespace

std::string word_at(const TomlValue& table, const std::string& key) {
  const TomlEntry* entry = table.find(key);
  return entry != nullptr && entry->value.form == TomlValue::Form::string ? entry->value.string : "";
}

std::string type_of(const TomlValue& table) { return word_at(table, "type"); }

std::string did_you_mean(const std::string& suggestion) {
  return suggestion.empty() ? "" : fmt::format("; did you mean {}?", suggestion);
}

void read_section(const TomlValue* table, const std::string& name, const Span& place, bool in_effect,
                  const BoundFields& fields, Diagnostics& diagnostics) {
  static const TomlValue nothing;
  if (table != nullptr && table->form != TomlValue::Form::table) {
    diagnostics.error("spec.type", table->span,
                      fmt::format("{} is {}; a section, [{}], is required here", name, describe(*table), name));
    table = nullptr;
    in_effect = false;
  }
  const TomlValue& values = table != nullptr ? *table : nothing;
  const Span span = table != nullptr ? table->span : place;
  const std::set<std::string> misspelt = refuse_unknown_keys(values, name, fields, diagnostics);
  std::vector<const FieldDescription*> missing;
  for (const auto& [row, slot] : fields) {
    const std::string path = name + "." + row->key;
    // Rows are judged by the type only where it is one of the types there are.
    const std::string type = selected(values, fields, row->selector);
    const bool type_known = row->types.empty() || !type.empty();
    const bool applies = !type_known || row->applies_to(type);
    const bool has_default = row->fallback.kind == Fallback::Kind::literal;
    if (has_default && applies && type_known) {
      store_fallback(*row, slot, span);
    } else {
      std::visit(
          [&](auto* stored) {
            if constexpr (requires { stored->given; }) stored->span = span;
          },
          slot);
    }
    if (const TomlEntry* entry = values.find(row->key)) {
      if (!applies) {
        diagnostics.error("spec.unused_key", entry->key_span,
                          fmt::format("{} has no meaning where {}.{} is \"{}\"; it belongs to {}", path, name,
                                      row->selector, type, one_of(row->types)));
      } else {
        read_value(entry->value, slot, *row, path, diagnostics);
      }
    } else if (row->fallback.kind == Fallback::Kind::required && in_effect && applies && type_known &&
               !misspelt.count(row->key)) {
      missing.push_back(row);
    }
  }
  if (table == nullptr) return report_missing_section(name, missing, place, diagnostics);
  for (const FieldDescription* row : missing) {
    diagnostics.error("spec.missing_key", span,
                      fmt::format("{}.{} is missing: {}{}", name, row->key, row->meaning, choices_of(*row)));
  }
}

}  // namespace monomorph::generator
