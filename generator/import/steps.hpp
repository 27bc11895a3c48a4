// The steps of import: each adds the lines of some sections of the spec, and write_spec writes them all.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "generator/import/config.hpp"
#include "generator/import/import.hpp"
#include "runtime/formats/gguf.hpp"

namespace monomorph::generator {

/// A line of the spec.
struct SpecLine {
  std::string section;
  std::string key;        ///< "": the line is its comment alone, or the section's header
  std::string value;      ///< as TOML
  std::string note = {};  ///< the comment behind it
  Span place = {};        ///< of the key of config.json that it comes from
};
using SpecLines = std::vector<SpecLine>;

/// A name for a model in characters that a file can have everywhere.
std::string as_model_name(std::string name);

/// The lines that the family's own expressions give, from [model] to [lm_head], and what the fields are worth, by
/// "section.key". `config` is resolved for the family; what does not run is refused in it.
std::map<std::string, Datum> map_config(Config& config, const Family& family, SpecLines& lines);

/// A value of a line's type, which is not null, as the spec writes it.
std::string text_of(const FamilyLine& line, const Datum& value);

/// What tensors of one kind are called: "model.layers.3.mlp.up_proj.weight" -> "model.layers.{i}.mlp.up_proj"
std::string tensor_pattern(std::string_view name);
/// The lines a tensor may belong to: several where kinds of layer call parts alike, none where it is no part (which is
/// the audit's business).
std::vector<std::string> parts_of_tensor(const CheckpointSection& names, const std::string& tensor);

/// The lines of [checkpoint]: the names of the tensors and the types that the header of the directory's safetensors
/// says; headers only are read. Without weights the type is config.json's dtype, and the spec says so. `names`: the
/// family's, as this config has them. `tied`: the head is the embedding's matrix. What the family tells by tensors
/// (families/README.md, [absent] and [present]) is said or taken out of the lines. Throws EnvironmentError where the
/// weights cannot be read.
void read_checkpoint(Config& config, const std::string& directory, const Family& family, CheckpointSection names,
                     bool tied, SpecLines& lines, Diagnostics& diagnostics);

/// The names that this config has other than the family.
void add_other_names(const CheckpointSection& names, const CheckpointSection& of_family, SpecLines& lines);

/// The lines of [tokenizer]: the ids of config.json, or generation_config.json's where
/// that path is a file and has some. Ids that are no
/// entry of the vocabulary are left out. Everything else in generation_config.json is about how tokens are drawn, which
/// is chosen when the engine runs.
void read_stop_tokens(Config& config, const std::string& path, const Family& family, double vocab_size,
                      SpecLines& lines, Diagnostics& diagnostics);

/// Takes out sections that no kind of layer uses, and norms that nothing shares: what a family says of all its models,
/// some have no layers of.
void leave_out_unused(SpecLines& lines);

/// The text: section by section, with a comment where a value did not come from config.json. Equal lines give equal
/// bytes. `config`: the config.json that the lines come from.
ImportedSpec write_spec(const std::string& heading, const SpecLines& lines, std::shared_ptr<const Source> config);

/// The lines of [chat]: the template of chat_template.jinja or tokenizer_config.json, and the special tokens that it is
/// rendered with; none where there is no template. Of several templates, those that are called default and tool_use.
void read_chat_template(const std::string& directory, SpecLines& lines, Diagnostics& diagnostics);
/// The same of a GGUF file's metadata.
void read_gguf_chat_template(const GgufFile& file, const std::filesystem::path& path, SpecLines& lines,
                             Diagnostics& diagnostics);

/// What a spec is made of beside what the family says.
struct ImportedModel {
  std::string name;
  std::string origin;             ///< "config.json of transformers 5.0"
  std::string generation_config;  ///< a path; nothing may stand there
  std::function<void(const CheckpointSection& names, bool tied, SpecLines& lines)> add_checkpoint;
  std::function<void(SpecLines& lines)> add_chat;
};

/// The lines of a config that `family` reads, all its keys accounted for.
SpecLines lines_of(const Family& family, Config& config, const ImportedModel& model,
                   const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics);
/// The spec that they make.
ImportedSpec import_as(const Family& family, Config& config, const ImportedModel& model,
                       const std::vector<std::string>& ignored_keys, Diagnostics& diagnostics);

/// Keys to ignore that the file does not have are errors.
void check_ignored(const JsonFile& file, const Config& config, const std::vector<std::string>& ignored_keys,
                   Diagnostics& diagnostics);

}  // namespace monomorph::generator
