// A TOML document as a tree in which every key and value knows its place, and the two operations the spec language has
// on it: an override from the command line, and a layer kind laid over its base.
//
// Takes text, gives a TomlValue; knows nothing of sections and keys. Entries keep the order in which they were written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

struct TomlEntry;

struct TomlValue {
  enum class Form { table, array, string, integer, number, boolean, date };
  Form form = Form::table;
  Span span;
  bool is_inline = false;          ///< a table written { ... }: it replaces another as a whole
  std::vector<TomlEntry> entries;  ///< of a table
  std::vector<TomlValue> items;    ///< of an array
  std::string string;
  std::int64_t integer = 0;
  double number = 0;  ///< of an integer too
  bool boolean = false;

  const TomlEntry* find(const std::string& key) const;
  TomlEntry* find(const std::string& key);
};

struct TomlEntry {
  std::string key;
  Span key_span;
  TomlValue value;
};

/// "a string", "an integer" ...: how messages name what was found.
std::string describe(const TomlValue& value);

/// Where a source ends: the place of what should stand in it and does not.
Span end_of(const std::shared_ptr<const Source>& source);

/// The document's root table; a syntax error or a duplicate key is a diagnostic (spec.syntax) at its place.
std::optional<TomlValue> parse_document(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics);

/// Puts `value` at `path` ("section.key"), making tables as needed. What does not parse as TOML is taken as a string.
/// The value's place is in a source called "--set section.key". Without a value the key is taken out.
void apply_override(TomlValue& root, const std::string& path, const std::optional<std::string>& value,
                    Diagnostics& diagnostics);

/// `over` laid on `base`, key by key; anything but two tables written as sections is replaced.
TomlValue overlay(const TomlValue& base, const TomlValue& over);

/// A TOML basic string; a bare key where the text is one, else a quoted key.
std::string write_string(const std::string& text);
std::string write_key(const std::string& text);

}  // namespace monomorph::generator
