#include "tests/generator/import/imported.hpp"

#include <algorithm>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace monomorph::tests {

using nlohmann::ordered_json;

std::vector<generator::Diagnostic> Imported::of(const std::string& rule) const {
  std::vector<generator::Diagnostic> result;
  for (const generator::Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.rule == rule) result.push_back(diagnostic);
  }
  return result;
}

bool Imported::complains(const std::string& rule, const std::string& word) const {
  const std::vector<generator::Diagnostic> complaints = of(rule);
  return std::any_of(complaints.begin(), complaints.end(), [&](const generator::Diagnostic& diagnostic) {
    return diagnostic.message.find(word) != std::string::npos;
  });
}

Imported import_directory(const std::string& directory, const std::vector<std::string>& ignore) {
  Imported result;
  if (const auto imported = generator::import_huggingface(directory, ignore, result.diagnostics)) {
    result.text = imported->text;
    const auto source = std::make_shared<const generator::Source>(generator::Source{"imported.toml", *result.text});
    result.spec = generator::read_spec(source, {}, result.diagnostics);
  }
  return result;
}

Imported import_text(const std::string& config, const std::vector<std::string>& ignore) {
  const TemporaryDirectory directory;
  directory.write("config.json", config);
  return import_directory(directory.path().string(), ignore);
}

ordered_json& at_path(ordered_json& config, std::string path) {
  std::replace(path.begin(), path.end(), '.', '/');
  return config[ordered_json::json_pointer("/" + path)];
}

ordered_json llama_config(const ordered_json& changes) {
  ordered_json config = {{"architectures", {"LlamaForCausalLM"}},
                         {"model_type", "llama"},
                         {"vocab_size", 300},
                         {"hidden_size", 48},
                         {"intermediate_size", 100},
                         {"num_hidden_layers", 2},
                         {"num_attention_heads", 6},
                         {"num_key_value_heads", 2},
                         {"max_position_embeddings", 128},
                         {"rms_norm_eps", 1e-5},
                         {"torch_dtype", "float16"}};
  for (const auto& [key, value] : changes.items()) config[key] = value;
  return config;
}

ordered_json config_of(const std::string& architecture, const std::string& type, const ordered_json& changes) {
  ordered_json config = llama_config(changes);
  config["architectures"] = {architecture};
  config["model_type"] = type;
  return config;
}

ordered_json without(const std::string& key, ordered_json config) {
  config.erase(key);
  return config;
}

const std::map<std::string, ordered_json>& small_configs() {
  static const auto configs =
      ordered_json::parse(std::ifstream(MONOMORPH_SOURCE_DIR "/tests/generator/import/small_configs.json"))
          .get<std::map<std::string, ordered_json>>();
  return configs;
}

}  // namespace monomorph::tests
