// The readers of config.json, one a family of architectures.
#pragma once

#include <string>
#include <vector>

#include "generator/import/config_reader.hpp"

namespace monomorph::generator {

struct Architecture {
  const char* name;        ///< in config.json's `architectures`
  const char* model_type;  ///< in config.json's `model_type`
  Family family;
};

/// What a reader needs beside config.json itself.
struct ImportContext {
  const Architecture& architecture;
  const std::string& directory;
  const std::vector<std::string>& ignore;
  Diagnostics& diagnostics;
};

/// LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM.
void read_llama(ConfigReader& config, const ImportContext& context, ModelDescription& model);
/// GPT2LMHeadModel.
void read_gpt2(ConfigReader& config, const ImportContext& context, ModelDescription& model);

}  // namespace monomorph::generator
