// The files of generator/families/, which travel inside the generator, and how one is joined with what it includes.
//
// What the sections mean their readers know: name_tables.hpp reads [checkpoint] alone, for checkpoint.names, and
// import/family.hpp all of them. families/README.md tells the language.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/spec/document.hpp"

namespace monomorph::generator {

/// Texts by file name: "llama.toml".
using FamilyFiles = std::map<std::string, std::string_view>;

const FamilyFiles& family_files();

/// The files that say of which architectures they are, without ".toml": "llama", "gguf/llama". Others are included.
std::vector<std::string> family_names();

/// A file with what it includes.
struct JoinedFamily {
  TomlValue document;                ///< tables of one name are joined; what is included comes first
  std::vector<std::string> objects;  ///< of config.json, `under` which files are included, whose keys are moved there
};

/// NAME.toml, joined. A mistake is a diagnostic at its place in families/NAME.toml.
JoinedFamily join_family(const std::string& name, const FamilyFiles& files, Diagnostics& diagnostics);

/// A section in the spec's own language: of lines of one key the last one holds.
TomlValue spec_section(const JoinedFamily& family, const std::string& name);

}  // namespace monomorph::generator
