// The two models whose emission is tested, and what the pipeline emits for them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "generator/pipeline.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::tests {

struct EmissionModel {
  std::string name;
  std::string spec;                  ///< below the source folder
  std::vector<std::string> kernels;  ///< those kept as goldens
  bool chats = false;                ///< it has a chat template
};

inline const std::vector<EmissionModel>& emission_models() {
  static const std::vector<EmissionModel> models = {
      {"kjv", "models/kjv.toml", {"attention_prefill", "qkv_proj_norm_decode_f16"}},
      {"odd", "tests/emission/odd.toml", {"turned_gate_up_proj_norm_decode_bf16", "turned_heads"}, true}};
  return models;
}

inline std::string spec_path(const EmissionModel& model) { return MONOMORPH_SOURCE_DIR "/" + model.spec; }

/// Every file below `directory`, by its path there.
inline std::map<std::string, std::string> files_in(const std::filesystem::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    files[std::filesystem::relative(entry.path(), directory).generic_string()] = read_file(entry.path());
  }
  return files;
}

}  // namespace monomorph::tests
