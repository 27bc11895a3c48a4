#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "generator/import/architectures.hpp"
#include "generator/import/checkpoint_dtypes.hpp"
#include "generator/import/import.hpp"
#include "generator/import/write_spec.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

constexpr Architecture architectures[] = {
    {"LlamaForCausalLM", "llama", family_llama}, {"MistralForCausalLM", "mistral", family_mistral},
    {"Qwen2ForCausalLM", "qwen2", family_qwen2}, {"Qwen3ForCausalLM", "qwen3", family_qwen3},
    {"GPT2LMHeadModel", "gpt2", family_gpt2},
};

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

/// By `architectures`; where it is absent, by `model_type`, as the library's own automatic class does.
const Architecture* find_architecture(ConfigReader& config) {
  const std::string type = config.text("model_type", "").value;
  std::string name;
  if (config.has("architectures")) {
    const nlohmann::ordered_json& names = *config.find("architectures");
    if (!names.is_array() || names.size() != 1 || !names[0].is_string()) {
      config.wrong_type("architectures", "a list of one name");
      return nullptr;
    }
    name = names[0].get<std::string>();
    if (name == "LLaMAForCausalLM") name = "LlamaForCausalLM";  // as the first conversions spelt it
  } else if (type.empty()) {
    config.refuse("import.architecture", "architectures",
                  fmt::format("config.json has neither 'architectures' nor 'model_type'; it must name one of {}",
                              joined(supported_architectures())));
    return nullptr;
  }
  for (const Architecture& row : architectures) {
    if (name.empty() ? type != row.model_type : name != row.name) continue;
    if (!type.empty() && type != row.model_type) {
      config.refuse("import.architecture", "model_type",
                    fmt::format("'model_type' is '{}', but {} has model_type '{}'; make them agree", type, row.name,
                                row.model_type));
      return nullptr;
    }
    return &row;
  }
  config.refuse(
      "import.architecture", name.empty() ? "model_type" : "architectures",
      fmt::format("'{}' does not run; what runs is {}", name.empty() ? type : name, joined(supported_architectures())));
  return nullptr;
}

/// The directory's own name, in characters that a file can have everywhere.
std::string model_name(const std::string& directory) {
  std::error_code error;
  fs::path path = fs::canonical(directory, error);
  if (error) path = directory;
  std::string name = path.filename().string();
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; }, '-');
  if (name.empty() || name == ".") return "model";
  if (std::isalnum(static_cast<unsigned char>(name.front())) == 0) name.insert(0, "model");
  if (is_reserved_model_name(name)) name += "-model";
  return name.substr(0, 100);
}

void check_ignored(const JsonFile& file, const std::vector<std::string>& ignore, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const auto& [path, span] : file.spans) known.push_back(path);
  for (const std::string& key : ignore) {
    if (file.spans.contains(key)) continue;
    const std::string near = nearest(key, known);
    diagnostics.error("import.ignore", file.span(""),
                      fmt::format("--ignore {}: config.json has no such key{}", key,
                                  near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
}

/// What was found, in the order of the file.
void append_in_order(Diagnostics found, Diagnostics& diagnostics) {
  std::stable_sort(found.all().begin(), found.all().end(), [](const Diagnostic& a, const Diagnostic& b) {
    const std::string& a_name = a.span.source ? a.span.source->name : a.message;
    const std::string& b_name = b.span.source ? b.span.source->name : b.message;
    if (a_name != b_name) return a_name < b_name;
    return a.span.line < b.span.line;
  });
  diagnostics.append(found);
}

}  // namespace

std::vector<std::string> supported_architectures() {
  std::vector<std::string> names;
  for (const Architecture& row : architectures) names.emplace_back(row.name);
  return names;
}

bool is_huggingface_directory(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(fs::path(path) / "config.json", error);
}

std::optional<ImportedSpec> import_with_places(const std::string& directory,
                                               const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    throw EnvironmentError(
        fmt::format("{}: no such directory; import takes a directory with a config.json", directory));
  }
  if (!is_huggingface_directory(directory)) {
    throw EnvironmentError(
        fmt::format("{0}: it has no config.json; import takes a model's directory as the hub has "
                    "it (config.json, and its .safetensors files beside it)",
                    directory));
  }
  Diagnostics found;
  const std::optional<JsonFile> file = read_json_file((fs::path(directory) / "config.json").string(), found);
  std::optional<ImportedSpec> spec;
  if (file) {
    ConfigReader config(*file, file->value, "", found);
    if (const Architecture* architecture = find_architecture(config)) {
      ModelDescription model;
      model.name = model_name(directory);
      model.architecture = architecture->name;
      if (config.has("transformers_version")) {
        model.transformers_version = config.text("transformers_version", "").value;
      }
      const ImportContext context{*architecture, directory, ignored_keys, found};
      (architecture->family == family_gpt2 ? read_gpt2 : read_llama)(config, context, model);
      read_dtypes(config, directory, model, found);
      for (std::string& key : config.account_for_rest(architecture->family, architecture->name, ignored_keys)) {
        model.ignored_keys.push_back(std::move(key));
      }
      check_ignored(*file, ignored_keys, found);
      if (!found.has_errors()) spec = write_spec(model, file->source);
    }
  }
  append_in_order(std::move(found), diagnostics);
  return spec;
}

std::optional<std::string> import_huggingface(const std::string& directory,
                                              const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics) {
  std::optional<ImportedSpec> spec = import_with_places(directory, ignored_keys, diagnostics);
  return spec ? std::optional(std::move(spec->text)) : std::nullopt;
}

void place_in_config(Diagnostics& diagnostics, const Source* spec, const ImportPlaces& places) {
  const auto move = [&](Span& span) {
    if (span.source.get() != spec) return;
    const auto line = places.lines.find(span.line);
    span = line != places.lines.end() ? line->second : Span{places.config, 0, 0, 1};
  };
  for (Diagnostic& diagnostic : diagnostics.all()) {
    move(diagnostic.span);
    for (Note& note : diagnostic.notes) move(note.span);
  }
}

}  // namespace monomorph::generator
