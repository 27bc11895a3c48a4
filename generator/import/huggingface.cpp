#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "generator/import/import.hpp"
#include "generator/import/nearest_family.hpp"
#include "generator/import/steps.hpp"
#include "generator/spec/spec.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/sentence_transformers.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

/// By `architectures`; where it is absent, by `model_type`, as the library's own automatic class does.
const Family* find_family(Config& config, const Json& json, const std::string& directory) {
  const std::string type = config.text("model_type");
  const Json* names = config.find("architectures");
  std::string name;
  if (names != nullptr && !names->is_null()) {
    if (!names->is_array() || names->size() != 1 || !(*names)[0].is_string()) {
      config.wrong_type("architectures", "a list of one name");
      return nullptr;
    }
    name = loaded_class(json);
  }
  const auto refuse = [&](const std::string& path, const std::string& message) {
    add_remedies(config.refuse("import.architecture", path, message), json, safetensors_names(directory), families(),
                 type);
  };
  if (name.empty() && type.empty()) {
    refuse("architectures", "config.json has neither 'architectures' nor 'model_type', which say what model it is");
    return nullptr;
  }
  for (const auto& [file, family] : families()) {
    const std::vector<std::string>& own = family.architectures;
    if (name.empty() ? type != family.model_type : std::find(own.begin(), own.end(), name) == own.end()) continue;
    if (type.empty() || type == family.model_type) return &family;
    config.refuse("import.architecture", "model_type",
                  fmt::format("'model_type' is '{}', but {} has model_type '{}'; make them agree", type, own.front(),
                              family.model_type));
    return nullptr;
  }
  refuse(name.empty() ? "model_type" : "architectures",
         fmt::format("'{}' does not run: no family reads it", name.empty() ? type : name));
  return nullptr;
}

/// The directory's own name.
std::string model_name(const std::string& directory) {
  std::error_code error;
  fs::path path = fs::canonical(directory, error);
  if (error) path = directory;
  return as_model_name(path.filename().string());
}

}  // namespace

std::string as_model_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; }, '-');
  if (name.empty() || name == ".") return "model";
  if (std::isalnum(static_cast<unsigned char>(name.front())) == 0) name.insert(0, "model");
  if (is_reserved_model_name(name)) name += "-model";
  return name.substr(0, 100);
}

namespace {

/// What the tensors are called where a config.json gives these fields.
CheckpointSection names_of(const Family& family, const std::map<std::string, Datum>& fields) {
  CheckpointSection names = family.checkpoint;
  for (const FamilyLine& line : family.lines) {
    if (line.section != tensors_section) continue;
    const auto* name = std::get_if<std::string>(&fields.at(line.field()).is);
    if (name == nullptr) continue;
    if (name->empty()) {
      names.tensors.erase(line.key);
    } else {
      names.tensors.at(line.key).name = *name;
    }
  }
  return names;
}

}  // namespace

SpecLines lines_of(const Family& family, Config& config, const ImportedModel& model,
                   const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics) {
  config.resolve(family);
  SpecLines lines = {{"model", "name", write_string(model.name)}};
  const std::map<std::string, Datum> fields = map_config(config, family, lines);
  const auto number = [&](const std::string& field) {
    const auto found = fields.find(field);
    return found == fields.end() || found->second.is_null() ? 0 : std::get<double>(found->second.is);
  };
  model.add_checkpoint(names_of(family, fields), number("lm_head.tie_word_embeddings") != 0, lines);
  read_stop_tokens(config, model.generation_config, family, number("model.vocab_size"), lines, diagnostics);
  model.add_chat(lines);
  for (const std::string& key : config.account_for_rest(family, ignored_keys)) {
    lines.push_back({"import.ignored", write_string(key), "\"named by --ignore\""});
  }
  leave_out_unused(lines);
  return lines;
}

ImportedSpec import_as(const Family& family, Config& config, const ImportedModel& model,
                       const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics) {
  const SpecLines lines = lines_of(family, config, model, ignored_keys, diagnostics);
  return write_spec(fmt::format("{}: a {}, imported from {}.", model.name, family.architectures.front(), model.origin),
                    lines, config.source());
}

void check_ignored(const JsonFile& file, const Config& config, const std::vector<std::string>& ignored_keys,
                   Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const auto& [path, span] : file.spans) known.push_back(path);
  for (const std::string& key : ignored_keys) {
    if (file.spans.contains(key)) continue;
    const std::string near = nearest(key, known);
    diagnostics.error("import.ignore", file.span(""),
                      fmt::format("--ignore {}: {} has no such key{}", key, config.called(),
                                  near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
}

namespace {

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

bool is_huggingface_directory(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(fs::path(path) / "config.json", error);
}

std::optional<ImportedSpec> import_huggingface(const std::string& directory,
                                               const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    throw EnvironmentError(
        fmt::format("{}: no such directory; import takes a directory with a config.json", directory));
  }
  refuse_adapter(directory);
  if (!is_huggingface_directory(directory)) {
    throw EnvironmentError(
        fmt::format("{0}: it has no config.json; import takes a model's directory as the hub has "
                    "it (config.json, and its .safetensors files beside it)",
                    directory));
  }
  Source source = *read_source((fs::path(directory) / "config.json").string());
  source.text = with_sentence_transformers(std::move(source.text), directory);
  return import_config(std::make_shared<const Source>(std::move(source)), directory, ignored_keys, diagnostics);
}

std::optional<ImportedSpec> import_config(std::shared_ptr<const Source> text, const std::string& directory,
                                          const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics) {
  Diagnostics found;
  const std::optional<JsonFile> file = parse_json_file(std::move(text), found);
  std::optional<ImportedSpec> spec;
  if (file) {
    Config config(*file, found);
    if (const Family* family = find_family(config, file->value, directory)) {
      ImportedModel model = {model_name(directory), "config.json",
                             (fs::path(directory) / "generation_config.json").string(),
                             [&](const CheckpointSection& names, bool tied, SpecLines& lines) {
                               read_checkpoint(config, directory, *family, names, tied, lines, found);
                             },
                             [&](SpecLines& lines) { read_chat_template(directory, lines, found); }};
      if (const std::string version = config.text("transformers_version"); !version.empty()) {
        model.origin += " of transformers " + version;
      }
      spec = import_as(*family, config, model, ignored_keys, found);
      check_ignored(*file, config, ignored_keys, found);
      if (found.has_errors()) spec.reset();
    }
  }
  append_in_order(std::move(found), diagnostics);
  return spec;
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
