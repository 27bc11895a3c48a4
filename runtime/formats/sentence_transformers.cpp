#include "runtime/formats/sentence_transformers.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph {
namespace {

namespace fs = std::filesystem;

/// Nothing where there is no such file.
std::optional<Json> read_json(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error(ErrorKind::environment, path.string() + ": this file cannot be read");
  std::optional<Json> json = Json::try_parse(text);
  if (!json) throw Error(ErrorKind::rejected, path.string() + ": this is no JSON");
  return json;
}

[[noreturn]] void reject(const fs::path& path, const std::string& what) {
  throw Error(ErrorKind::rejected, fmt::format("{}: {}", path.string(), what));
}

bool flag(const Json& object, std::string_view key, bool otherwise, const fs::path& path) {
  const Json* const value = object.find(key);
  if (value == nullptr || value->is_null()) return otherwise;
  if (!value->is_boolean()) reject(path, fmt::format("'{}' is neither true nor false", key));
  return value->boolean();
}

/// The modes that a pooling's config asks for, in this house's words where it has one.
std::string pooling_of(const Json& config, const fs::path& path) {
  if (const Json* const mode = config.find("pooling_mode"); mode != nullptr && mode->is_string()) {
    return mode->string() == "lasttoken" ? "last" : mode->string();
  }
  constexpr std::pair<const char*, const char*> modes[] = {{"pooling_mode_cls_token", "cls"},
                                                           {"pooling_mode_mean_tokens", "mean"},
                                                           {"pooling_mode_lasttoken", "last"},
                                                           {"pooling_mode_max_tokens", "max"},
                                                           {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len"},
                                                           {"pooling_mode_weightedmean_tokens", "weightedmean"}};
  std::string words;
  for (const auto& [key, word] : modes) {
    if (flag(config, key, false, path)) words += (words.empty() ? "" : " + ") + std::string(word);
  }
  return words;
}

/// "sentence_transformers.models.Pooling" -> "Pooling".
std::string last_name(const std::string& type) { return type.substr(type.rfind('.') + 1); }

struct Module {
  std::string type;  ///< its last name
  fs::path directory;
};

/// Of modules.json, in order; nothing where there is no such file.
std::optional<std::vector<Module>> read_modules(const fs::path& directory) {
  const fs::path list = directory / "modules.json";
  const std::optional<Json> said = read_json(list);
  if (!said) return std::nullopt;
  if (!said->is_array()) reject(list, "a list of modules belongs here");
  std::vector<Module> modules;
  for (const Json& module : *said) {
    const Json* const type = module.is_object() ? module.find("type") : nullptr;
    const Json* const place = module.is_object() ? module.find("path") : nullptr;
    if (type == nullptr || !type->is_string() || place == nullptr || !place->is_string()) {
      reject(list, "a module has no 'type' or no 'path'");
    }
    modules.push_back({last_name(type->string()), directory / place->string()});
  }
  return modules;
}

/// The object that a module's config.json is.
Json config_of(const Module& module, const char* what) {
  const fs::path file = module.directory / "config.json";
  std::optional<Json> config = read_json(file);
  if (!config || !config->is_object()) reject(file, fmt::format("an object that says {} belongs here", what));
  return std::move(*config);
}

/// "torch.nn.modules.activation.Tanh" -> "tanh".
Json activation_of(const std::string& type) {
  constexpr std::pair<const char*, const char*> words[] = {
      {"GELU", "gelu"}, {"ReLU", "relu"}, {"SiLU", "silu"}, {"Sigmoid", "sigmoid"}, {"Tanh", "tanh"}};
  const std::string name = last_name(type);
  if (!type.starts_with("torch.nn.")) return type;
  if (name == "Identity") return {};
  for (const auto& [own, word] : words) {
    if (name == own) return word;
  }
  return type;
}

/// What a dense layer's config.json says, in the keys of with_sentence_transformers.
Json dense_of(const Module& module) {
  const Json config = config_of(module, "how wide a dense layer is");
  const fs::path file = module.directory / "config.json";
  for (const auto& [key, value] : config.members()) {
    const bool is_input = key == "module_input_name" || key == "module_output_name";
    if (is_input && (value.is_null() || value == "sentence_embedding")) continue;
    if (is_input)
      reject(file, fmt::format("'{}' is {}; a dense layer runs of texts' vectors alone", key, value.dump()));
    if (key != "in_features" && key != "out_features" && key != "bias" && key != "activation_function") {
      reject(file, fmt::format("'{}' is no key of a dense layer that runs", key));
    }
  }
  const auto size = [&](const char* key) {
    const Json* const value = config.find(key);
    const bool fits = value != nullptr && value->is_integer() && value->integer() > 0;
    if (!fits) reject(file, fmt::format("'{}' has to be a positive whole number", key));
    return *value;
  };
  const Json* const activation = config.find("activation_function");
  if (activation != nullptr && !activation->is_string()) reject(file, "'activation_function' is no name of a class");
  return Json::object({{"in_features", size("in_features")},
                       {"out_features", size("out_features")},
                       {"bias", flag(config, "bias", true, file)},
                       {"activation", activation != nullptr ? activation_of(activation->string()) : Json("tanh")}});
}

Json facts_of(const std::vector<Module>& modules, const fs::path& directory) {
  std::string pooling, others;
  bool normalize = false, include_prompt = true;
  std::vector<Json> dense;
  const auto add_other = [&](const std::string& what) { others += (others.empty() ? "" : ", ") + what; };
  for (const Module& module : modules) {
    const std::string& name = module.type;
    if (name == "Pooling") {
      if (normalize || !dense.empty()) add_other("Pooling behind others");
      const Json config = config_of(module, "how to pool");
      const fs::path file = module.directory / "config.json";
      pooling += (pooling.empty() ? "" : ", then ") + pooling_of(config, file);
      include_prompt = flag(config, "include_prompt", true, file);
    } else if (name == "Normalize") {
      normalize = true;
    } else if (name == "Dense") {
      if (pooling.empty()) add_other("Dense before Pooling");
      if (normalize) add_other("Dense behind Normalize");
      dense.push_back(dense_of(module));
    } else if (name != "Transformer") {
      add_other(name);
    }
  }
  Json facts = Json::object({{"pooling", pooling},
                             {"normalize", normalize},
                             {"dense", dense.size()},
                             {"others", others},
                             {"include_prompt", include_prompt}});
  if (!dense.empty()) facts["first_dense"] = dense[0];
  if (dense.size() > 1) facts["second_dense"] = dense[1];
  const auto object_in = [&](const fs::path& path) {
    const std::optional<Json> said = read_json(path);
    if (said && !said->is_object()) reject(path, "an object belongs here");
    return said;
  };
  const auto value_of = [](const std::optional<Json>& object, const char* key) {
    const Json* const value = object ? object->find(key) : nullptr;
    return value != nullptr ? *value : Json();
  };
  const fs::path settings = directory / "sentence_bert_config.json";
  const std::optional<Json> said = object_in(settings);
  facts["max_seq_length"] = value_of(said, "max_seq_length");
  facts["default_prompt_name"] =
      value_of(object_in(directory / "config_sentence_transformers.json"), "default_prompt_name");
  facts["do_lower_case"] = said && flag(*said, "do_lower_case", false, settings);
  return facts;
}

}  // namespace

std::string with_sentence_transformers(std::string config, const fs::path& directory) {
  const std::optional<std::vector<Module>> modules = read_modules(directory);
  const std::size_t end = config.rfind('}');
  if (!modules || end == std::string::npos) return config;
  const std::size_t last = config.find_last_not_of(" \t\r\n", end - 1);
  const bool empty = last == std::string::npos || config[last] == '{';
  config.insert(
      end, fmt::format("{}\"sentence_transformers\": {}", empty ? "" : ", ", facts_of(*modules, directory).dump()));
  return config;
}

bool is_of_dense_module(std::string_view name) {
  return name.starts_with("first_dense.") || name.starts_with("second_dense.");
}

std::vector<DenseModule> dense_modules(const fs::path& directory) {
  std::vector<DenseModule> found;
  for (const Module& module : read_modules(directory).value_or(std::vector<Module>())) {
    if (module.type != "Dense") continue;
    const std::size_t number = found.size() + 1;
    const std::string name = number == 1   ? "first_dense"
                             : number == 2 ? "second_dense"
                                           : fmt::format("dense_{}", number);
    found.push_back({name + ".", module.directory});
  }
  return found;
}

std::string loaded_class(const Json& config) {
  const Json* const names = config.find("architectures");
  if (names == nullptr || !names->is_array() || names->empty() || !(*names)[0].is_string()) return "";
  const std::string& name = (*names)[0].string();
  const Json* const modules = config.find("sentence_transformers");
  if (modules == nullptr || !modules->is_object() || !modules->contains("pooling")) return name;
  for (const std::string_view head : {"ForCausalLM", "ForMaskedLM", "ForPreTraining", "LMHeadModel"}) {
    if (name.ends_with(head)) return name.substr(0, name.size() - head.size()) + "Model";
  }
  return name;
}

}  // namespace monomorph
