// import: from a Hugging Face directory or a GGUF file to the text of a spec.
//
// Takes a directory with config.json, and with generation_config.json and safetensors weights where there are any.
// Gives a spec as a person would write it, which read_spec reads. Every key of config.json is mapped, ignored for a
// reason that stands in families/, checked to have the only value that runs, or an error at its line; all of them in
// one run. Nothing is written and nothing but headers is read of the weights.
//
// Stop tokens: generation_config.json's eos_token_id where it has one, else config.json's, else the architecture's
// default; so does transformers' `generate`. Ids outside the vocabulary can never be drawn and are left out.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// Whether `path` is a directory with a config.json, and so something to import.
bool is_huggingface_directory(const std::string& path);

/// Whether `path` is a GGUF file, or a directory without config.json that holds the weights of one such model.
bool is_gguf_model(const std::string& path);

/// Where the values of a derived spec come from.
struct ImportPlaces {
  std::shared_ptr<const Source> config;  ///< config.json
  std::map<int, Span> lines;  ///< of the spec's text: the key of config.json that a line's value was read from
};

struct ImportedSpec {
  std::string text;
  ImportPlaces places;
};

/// The spec; nullopt when diagnostics has errors. `ignored_keys` are keys of config.json to accept unread
/// ("key", or "rope_scaling.key" inside an object); the spec records them. Throws EnvironmentError where a file that
/// must be there cannot be read.
std::optional<ImportedSpec> import_huggingface(const std::string& directory,
                                               const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics);

/// The same from the text of a config.json. `directory` is where the other files are looked for, all of which may be
/// absent.
std::optional<ImportedSpec> import_config(std::shared_ptr<const Source> config, const std::string& directory,
                                          const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics);

/// The same from a GGUF file alone: what its metadata say, as the family's config.json would say it, and the types of
/// its tensors, by part and by layer. `ignored_keys` are keys of the metadata.
std::optional<ImportedSpec> import_gguf(const std::string& path, const std::vector<std::string>& ignored_keys,
                                        Diagnostics& diagnostics);

/// What is said of a derived spec, `spec`, in a file that exists: at the keys of config.json, or of config.json as a
/// whole.
void place_in_config(Diagnostics& diagnostics, const Source* spec, const ImportPlaces& places);

}  // namespace monomorph::generator
