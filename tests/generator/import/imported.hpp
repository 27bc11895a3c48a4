// What import makes of a config.json, for the tests of import.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "generator/import/import.hpp"
#include "generator/spec/spec.hpp"
#include "tests/generator/spec/sections.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::tests {

struct Imported {
  std::optional<std::string> text;
  std::optional<generator::Spec> spec;  ///< what read_spec makes of the text
  generator::Diagnostics diagnostics;   ///< of both

  /// The diagnostics of a rule, in order.
  std::vector<generator::Diagnostic> of(const std::string& rule) const;
  bool complains(const std::string& rule, const std::string& word) const;
};

Imported import_directory(const std::string& directory, const std::vector<std::string>& ignore = {});
Imported import_text(const std::string& config, const std::vector<std::string>& ignore = {});

/// The value at a path of keys with dots between them; made, with the objects that it is in, where it is absent.
nlohmann::ordered_json& at_path(nlohmann::ordered_json& config, std::string path);

/// A small Llama's config.json; `changes` are merged into it, and a null there is a null in it.
nlohmann::ordered_json llama_config(const nlohmann::ordered_json& changes = nlohmann::ordered_json::object());

/// The same of another class and type.
nlohmann::ordered_json config_of(const std::string& architecture, const std::string& type,
                                 const nlohmann::ordered_json& changes = nlohmann::ordered_json::object());

nlohmann::ordered_json without(const std::string& key, nlohmann::ordered_json config);

/// A small config.json that runs, of every family, by the family's name: small_configs.json.
const std::map<std::string, nlohmann::ordered_json>& small_configs();

}  // namespace monomorph::tests
