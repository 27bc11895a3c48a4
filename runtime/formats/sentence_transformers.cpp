#include "runtime/formats/sentence_transformers.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>

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

Json facts_of(const Json& modules, const fs::path& directory) {
  const fs::path list = directory / "modules.json";
  if (!modules.is_array()) reject(list, "a list of modules belongs here");
  std::string pooling, others;
  bool normalize = false, include_prompt = true;
  std::int64_t dense = 0;
  for (const Json& module : modules) {
    const Json* const type = module.is_object() ? module.find("type") : nullptr;
    const Json* const place = module.is_object() ? module.find("path") : nullptr;
    if (type == nullptr || !type->is_string() || place == nullptr || !place->is_string()) {
      reject(list, "a module has no 'type' or no 'path'");
    }
    const std::string name = last_name(type->string());
    if (name == "Pooling") {
      const fs::path file = directory / place->string() / "config.json";
      const std::optional<Json> config = read_json(file);
      if (!config || !config->is_object()) reject(file, "an object that says how to pool belongs here");
      pooling += (pooling.empty() ? "" : ", then ") + pooling_of(*config, file);
      include_prompt = flag(*config, "include_prompt", true, file);
    } else if (name == "Normalize") {
      normalize = true;
    } else if (name == "Dense") {
      ++dense;
    } else if (name != "Transformer") {
      others += (others.empty() ? "" : ", ") + name;
    }
  }
  Json facts = Json::object({{"pooling", pooling},
                             {"normalize", normalize},
                             {"dense", dense},
                             {"others", others},
                             {"include_prompt", include_prompt}});
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
  const std::optional<Json> modules = read_json(directory / "modules.json");
  const std::size_t end = config.rfind('}');
  if (!modules || end == std::string::npos) return config;
  const std::size_t last = config.find_last_not_of(" \t\r\n", end - 1);
  const bool empty = last == std::string::npos || config[last] == '{';
  config.insert(
      end, fmt::format("{}\"sentence_transformers\": {}", empty ? "" : ", ", facts_of(*modules, directory).dump()));
  return config;
}

}  // namespace monomorph
