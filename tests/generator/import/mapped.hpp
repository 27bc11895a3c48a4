// What a family makes of a config.json, for tests of the families' language.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "generator/import/steps.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::tests {

/// The spec's lines that a family of this text gives, or the diagnostics. `more`: what it may include beside the files
/// of families/, by name.
inline std::string mapped(const std::string& family_text, const nlohmann::ordered_json& config,
                          const std::map<std::string, std::string>& more = {}) {
  using namespace generator;
  const TemporaryDirectory directory;
  Diagnostics diagnostics;
  FamilyFiles files = family_files();
  for (const auto& [name, text] : more) files[name] = text;
  files["tiny.toml"] = family_text;
  const std::optional<Family> family = read_family("tiny", files, diagnostics);
  const std::optional<JsonFile> file = read_json_file(directory.write("config.json", config.dump()), diagnostics);
  REQUIRE_MESSAGE((family && file), render(diagnostics));
  Config reader(*file, diagnostics);
  reader.resolve(*family);
  SpecLines lines;
  map_config(reader, *family, lines);
  reader.account_for_rest(*family, {});
  if (diagnostics.has_errors()) return render(diagnostics);
  const std::string text = write_spec("tiny", lines, file->source).text;
  return text.substr(text.find('\n') + 1);
}

}  // namespace monomorph::tests
