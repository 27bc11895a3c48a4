// Reads one section by its rows of the field table: unknown keys, keys that the section's type does not have, missing
// keys and defaults are all decided by the table.
#pragma once

#include <string>

#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"

namespace monomorph::generator {

/// The string at this key of the table, or "".
std::string word_at(const TomlValue& table, const std::string& key);
/// The value of the table's `type`, or "".
std::string type_of(const TomlValue& table);

/// "; did you mean x?", or "" without a suggestion.
std::string did_you_mean(const std::string& suggestion);

/// Fills `fields` from `table` (null: the section is not there). Where the section is not `in_effect`, nothing is
/// missing. A missing key has the place of the table; a missing section, that of the end of `place`'s source.
void read_section(const TomlValue* table, const std::string& name, const Span& place, bool in_effect,
                  const BoundFields& fields, Diagnostics& diagnostics);

}  // namespace monomorph::generator
