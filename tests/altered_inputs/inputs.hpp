// What is altered: the configs of golden cases, their specs and those of models/.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace monomorph::tests {

/// A config.json or a spec, as an object.
struct Input {
  std::string name;
  std::filesystem::path file;     ///< the config.json, or the spec
  std::filesystem::path weights;  ///< the folder with weights and config.json; of some models there is one, or none
  nlohmann::ordered_json object;

  bool is_config() const { return file.extension() == ".json"; }
};

/// The configs, then the specs, each by name: of a case without the type of its weights, which nothing here reads.
std::vector<Input> all_inputs();

/// What other inputs of the same kind have at a path, each value once, after the words that the field may be.
std::vector<nlohmann::ordered_json> others_at(const std::vector<Input>& inputs, const Input& input,
                                              const std::vector<std::string>& path);

/// A value as TOML, which has no null.
std::string toml_of(const nlohmann::ordered_json& value);

}  // namespace monomorph::tests
