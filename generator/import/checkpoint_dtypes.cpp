#include "generator/import/checkpoint_dtypes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "generator/spec/checkpoint_names.hpp"
#include "runtime/engine.hpp"
#include "runtime/formats/safetensors.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

struct WeightFiles {
  bool safetensors = false;
  std::string other;  ///< the first of another format
};

WeightFiles find_weights(const std::string& directory) {
  WeightFiles files;
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (name.ends_with(".safetensors") || name.ends_with(".safetensors.index.json")) files.safetensors = true;
    const bool pickled = (name.starts_with("pytorch_model") && name.ends_with(".bin")) || name.ends_with(".pth") ||
                         name.ends_with(".pt") || name.ends_with(".gguf") || name == "tf_model.h5" ||
                         name == "flax_model.msgpack";
    if (pickled && files.other.empty()) files.other = name;
  }
  return files;
}

/// The spec's word, or "".
std::string spec_dtype(std::string_view name) {
  if (name == "F32" || name == "float32") return "f32";
  if (name == "F16" || name == "float16") return "f16";
  if (name == "BF16" || name == "bfloat16") return "bf16";
  return "";
}

/// "model.layers.3.mlp.up_proj.weight" -> "model.layers.{i}.mlp.up_proj"
std::string as_pattern(std::string_view name) {
  for (const std::string_view suffix : {".weight", ".bias"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  std::string pattern;
  while (!name.empty()) {
    const std::string_view word = name.substr(0, name.find('.'));
    const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
    if (!pattern.empty()) pattern += '.';
    pattern += number ? std::string("{i}") : std::string(word);
    name.remove_prefix(std::min(name.size(), word.size() + 1));
  }
  return pattern;
}

/// The part a tensor belongs to, or "" (what is no part is the audit's business).
std::string part_of(const NameTable& table, const std::string& tensor) {
  const std::string pattern = as_pattern(tensor);
  std::vector<std::string> prefixes = table.prefix;
  prefixes.emplace_back("");  // a head may stand without the prefix that its model has
  for (const std::string& prefix : prefixes) {
    for (const NamedTensor& row : table.tensors) {
      if (pattern == prefix + row.name) return row.part;
    }
  }
  return "";
}

struct PartType {
  std::string dtype;
  std::string tensor;  ///< the first that has it
};

/// One line for the norms where all of them differ alike, else one a part.
std::vector<DtypeException> exceptions(const std::map<std::string, PartType>& parts, const std::string& dtype) {
  std::vector<DtypeException> lines;
  std::string norm_dtype;
  bool norms_alike = true;
  for (const auto& [part, type] : parts) {
    const bool norm = part.ends_with("norm");
    if (norm && !norm_dtype.empty() && type.dtype != norm_dtype) norms_alike = false;
    if (norm) norm_dtype = type.dtype;
  }
  const bool one_line = norms_alike && !norm_dtype.empty() && norm_dtype != dtype;
  if (one_line) lines.push_back({"*norm", norm_dtype});
  for (const auto& [part, type] : parts) {
    if (type.dtype == dtype || (one_line && part.ends_with("norm"))) continue;
    lines.push_back({part, type.dtype});
  }
  return lines;
}

void read_header(const Checkpoint& checkpoint, const NameTable& table, ModelDescription& model,
                 Diagnostics& diagnostics) {
  std::map<std::string, PartType> parts;
  std::map<std::string, std::size_t> bytes;
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const std::string part = part_of(table, tensor.name);
    if (part.empty()) continue;
    Span file;
    file.source = std::make_shared<const Source>(Source{checkpoint.files()[tensor.file].string(), ""});
    const std::string dtype = spec_dtype(tensor.dtype);
    if (dtype.empty()) {
      diagnostics.error("import.dtype", file,
                        fmt::format("{} is {}; F32, F16 and BF16 run: convert the checkpoint to one of them",
                                    tensor.name, tensor.dtype));
      return;  // the rest is likely the same
    }
    bytes[dtype] += tensor.data.size();
    const auto [place, inserted] = parts.emplace(part, PartType{dtype, tensor.name});
    if (!inserted && place->second.dtype != dtype) {
      diagnostics.error("import.dtype", file,
                        fmt::format("{} is {}, but {} is {}: one part ({}) has one type over all layers; convert one "
                                    "of them",
                                    tensor.name, dtype, place->second.tensor, place->second.dtype, part));
      return;
    }
  }
  if (bytes.empty()) {
    Span file;
    file.source = std::make_shared<const Source>(Source{checkpoint.files().front().string(), ""});
    diagnostics.error(
        "import.checkpoint", file,
        fmt::format("no tensor of a {} stands in the checkpoint; is it another model's?", model.architecture));
    return;
  }
  const auto most =
      std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (!model.dtype.value.empty() && model.dtype.value != most->first) {
    model.dtype.comment = fmt::format("as the file holds it; config.json says {}", model.dtype.value);
  } else {
    model.dtype.comment.clear();
  }
  model.dtype.value = most->first;
  model.dtypes = exceptions(parts, most->first);
}

/// An untied head stands beside the model that has the prefix, not within it. `checkpoint`: nullptr where there is
/// none, which is then taken to be as transformers writes it.
void find_body_prefix(const Checkpoint* checkpoint, const NameTable& table, ModelDescription& model) {
  if (model.tie_word_embeddings.value) return;
  for (const std::string& prefix : table.prefix) {
    const std::string embedding = prefix + table.tensors.front().name + ".weight";
    if (!prefix.empty() && (checkpoint == nullptr || checkpoint->find(embedding) != nullptr)) {
      model.body_prefix = prefix;
    }
  }
}

}  // namespace

void read_dtypes(ConfigReader& config, const std::string& directory, ModelDescription& model,
                 Diagnostics& diagnostics) {
  std::string said;
  std::string key;
  for (const char* name : {"torch_dtype", "dtype"}) {  // the newer spelling decides
    if (!config.has(name)) continue;
    key = name;
    said = config.text(name, "").value;
  }
  if (said.starts_with("torch.")) said = said.substr(6);

  const WeightFiles files = find_weights(directory);
  const NameTable* table = find_name_table(model.names);
  if (table == nullptr) throw InternalError(fmt::format("import.names: no table of tensor names '{}'", model.names));
  model.dtype.value = spec_dtype(said);
  if (files.safetensors) {
    try {
      const Checkpoint checkpoint = Checkpoint::open(directory);
      read_header(checkpoint, *table, model, diagnostics);
      find_body_prefix(&checkpoint, *table, model);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::rejected) throw EnvironmentError(error.what());
      diagnostics.error("import.checkpoint", Span{}, error.what());
    }
    return;
  }
  if (!files.other.empty()) {
    Span span;
    span.source = std::make_shared<const Source>(Source{(fs::path(directory) / files.other).string(), ""});
    diagnostics.error("import.checkpoint", span,
                      "weights are read from .safetensors files only; convert them, for example with transformers: "
                      "AutoModelForCausalLM.from_pretrained(DIR).save_pretrained(DIR)");
    return;
  }
  find_body_prefix(nullptr, *table, model);
  if (key.empty()) {
    model.dtype = {"f32", "transformers' default; there are no weights and config.json does not say"};
  } else if (model.dtype.value.empty()) {
    config.refuse("import.dtype", key, fmt::format("'{}' is '{}'; float32, float16 and bfloat16 run", key, said));
  } else {
    model.dtype.comment = fmt::format("{} of config.json; there are no weights beside it to ask", key);
  }
}

}  // namespace monomorph::generator
