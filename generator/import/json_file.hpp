// A JSON file whose keys know where they stand.
//
// Takes its text or its path. Gives the parsed value and the place of every key. A syntax error, a key that is given
// twice (of which parsers keep one, each another), or a value that is not an object is a diagnostic.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "generator/diagnostics.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph::generator {

struct JsonFile {
  std::shared_ptr<const Source> source;
  Json value;                         ///< an object
  std::map<std::string, Span> spans;  ///< of keys, by path: "rope_scaling.factor"

  /// The key's place, or the file's.
  Span span(const std::string& path) const;
};

std::optional<JsonFile> parse_json_file(std::shared_ptr<const Source> source, Diagnostics& diagnostics);
/// Throws EnvironmentError when the file cannot be read.
std::optional<JsonFile> read_json_file(const std::string& path, Diagnostics& diagnostics);

}  // namespace monomorph::generator
