// One value of the spec: from the TOML tree into its place, and from its place to TOML text. What forms a value may
// have is decided here, by the type it is stored in; what values are sensible is the contract's business.
#pragma once

#include <string>
#include <vector>

#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"

namespace monomorph::generator {

/// Stores `value`; a wrong form (spec.type) or a word that is no choice (spec.choice) is a diagnostic and leaves the
/// slot as it was, with the value's place. `path` is "section.key".
void read_value(const TomlValue& value, const Slot& slot, const FieldDescription& field, const std::string& path,
                Diagnostics& diagnostics);

/// Stores a literal default of the field table, with `span` as its place.
void store_fallback(const FieldDescription& field, const Slot& slot, const Span& span);

/// The value as TOML, on one line, that reads back equal. Tables of the checkpoint: only what the spec itself gave.
std::string write_value(const Slot& slot);

/// The lines of a value that is a table, to stand under a header of their own; none for other values.
std::vector<std::string> write_table(const Slot& slot);

/// Whether there is nothing to write: a computed default that stands for absence.
bool is_absent(const Slot& slot);

}  // namespace monomorph::generator
