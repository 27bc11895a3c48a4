#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "generator/contract/parts.hpp"
#include "generator/import/steps.hpp"
#include "generator/spec/values.hpp"
#include "runtime/error.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/formats/pytorch.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

std::string_view without_suffix(std::string_view name) {
  for (const std::string_view suffix : {".weight", ".bias"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

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
    const bool other =
        is_pytorch_name(name) || name.ends_with(".gguf") || name == "tf_model.h5" || name == "flax_model.msgpack";
    if (other && files.other.empty()) files.other = name;
  }
  return files;
}

/// Of weights beside a config.json that are neither safetensors nor PyTorch's.
std::string remedy_of(const std::string& file) {
  if (file.ends_with(".gguf")) return "a GGUF file is read by its own name: name the file, not the folder";
  return "weights are read from safetensors and GGUF files; convert them, for example with transformers: "
         "AutoModelForCausalLM.from_pretrained(DIR, from_tf=True or from_flax=True).save_pretrained(DIR)";
}

/// The spec's word, or "".
std::string spec_dtype(std::string_view name) {
  if (name == "MXFP4") return "mxfp4";
  if (name == "F32" || name == "float32") return "f32";
  if (name == "F16" || name == "float16") return "f16";
  if (name == "BF16" || name == "bfloat16") return "bf16";
  return "";
}

}  // namespace

std::string tensor_pattern(std::string_view name) {
  name = without_suffix(name);
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

std::vector<std::string> parts_of_tensor(const CheckpointSection& names, const std::string& tensor) {
  const std::string_view name = without_suffix(tensor);
  std::vector<std::string> parts;
  for (const std::string& prefix : names.prefix.value) {
    for (const auto& [part, own] : names.tensors) {
      if (is_named(own.exact ? tensor : name, prefixed(prefix, with_any_number(own.name)))) parts.push_back(part);
    }
  }
  return parts;
}

namespace {

struct PartType {
  std::string dtype;
  std::string tensor;  ///< the first that has it
};

struct Types {
  std::string dtype;  ///< of most bytes; "": not known
  std::map<std::string, PartType> parts;
};

/// One line for the norms where all of them differ alike, else one a part.
void add_exceptions(const Types& types, SpecLines& lines) {
  const auto add = [&](const std::string& parts, const std::string& dtype) {
    lines.push_back({"checkpoint.dtypes", write_string(parts), write_string(dtype)});
  };
  std::set<std::string> of_norms;
  for (const auto& [part, type] : types.parts) {
    if (part.ends_with("norm")) of_norms.insert(type.dtype);
  }
  const bool one_line = of_norms.size() == 1 && *of_norms.begin() != types.dtype;
  if (one_line) add("*norm", *of_norms.begin());
  for (const auto& [part, type] : types.parts) {
    // A weight's line holds for its bias too, unless a later one says otherwise.
    const auto weight = types.parts.find(without_bias(part));
    const bool differs =
        type.dtype != types.dtype || (weight != types.parts.end() && weight->second.dtype != type.dtype);
    if (differs && !(one_line && part.ends_with("norm"))) add(part, type.dtype);
  }
}

Types read_header(const Checkpoint& checkpoint, const CheckpointSection& names, const std::string& architecture,
                  Diagnostics& diagnostics) {
  Types types;
  std::map<std::string, std::size_t> bytes;
  const auto file = [&](std::size_t index) {
    return Span{std::make_shared<const Source>(Source{checkpoint.files()[index].string(), ""})};
  };
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const std::vector<std::string> parts = parts_of_tensor(names, tensor.name);
    if (parts.empty()) continue;
    const std::string dtype = spec_dtype(tensor.dtype);
    if (dtype.empty()) {
      diagnostics.error("import.dtype", file(tensor.file),
                        fmt::format("{} is {}; F32, F16, BF16 and MXFP4 run: convert the checkpoint to one of them",
                                    tensor.name, tensor.dtype));
      return types;  // the rest is likely the same
    }
    bytes[dtype] += tensor.bytes();
    for (const std::string& part : parts) {
      const auto [place, inserted] = types.parts.emplace(part, PartType{dtype, tensor.name});
      if (inserted || place->second.dtype == dtype) continue;
      diagnostics.error("import.dtype", file(tensor.file),
                        fmt::format("{} is {}, but {} is {}: one part ({}) has one type over all layers; convert one "
                                    "of them",
                                    tensor.name, dtype, place->second.tensor, place->second.dtype, part));
      return types;
    }
  }
  if (bytes.empty()) {
    diagnostics.error("import.checkpoint", file(0),
                      fmt::format("no tensor of a {} stands in the checkpoint; is it another model's?", architecture));
    return types;
  }
  types.dtype = std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) {
                  return a.second < b.second;
                })->first;
  return types;
}

/// An untied head stands beside the model that has a prefix, not within it: the prefix of every tensor but the head,
/// or "", as where a model has no head. `checkpoint`: nullptr where there is none, which is then taken to be as
/// transformers writes it.
std::string head_outside(const Checkpoint* checkpoint, const CheckpointSection& names, bool tied) {
  const auto embedding = names.tensors.find("embedding.tokens");
  std::string result;
  if (tied || !names.tensors.contains("lm_head") || embedding == names.tensors.end()) return result;
  for (const std::string& prefix : names.prefix.value) {
    const bool stands =
        checkpoint == nullptr || checkpoint->find(prefix + embedding->second.name + ".weight") != nullptr;
    if (stands) result = prefix;
  }
  return result;
}

/// With `prefix` before each; no line where the list is empty.
void add_ignored_tensors(const std::vector<IgnoredTensor>& tensors, const std::string& prefix, SpecLines& lines) {
  std::vector<std::string> rows;
  for (const IgnoredTensor& tensor : tensors) {
    rows.push_back(
        fmt::format("{{ name = {}, why = {} }}", write_string(prefix + tensor.name), write_string(tensor.why)));
  }
  if (!rows.empty()) lines.push_back({"checkpoint", "ignore", fmt::format("[\n  {},\n]", fmt::join(rows, ",\n  "))});
}

void add_name(const std::string& part, const TensorName& name, SpecLines& lines) {
  TensorNames line = {{part, name}};
  const std::string text = write_table(&line).front();
  lines.push_back({"checkpoint.tensors", write_string(part), text.substr(write_key(part).size() + 3)});
}

/// Every name, with the prefix but for the head, which stands outside of it.
void add_names(const CheckpointSection& names, const std::string& outside, SpecLines& lines) {
  lines.push_back({"checkpoint", "prefix", "[\"\"]", fmt::format("the head stands outside \"{}\"", outside)});
  add_ignored_tensors(names.ignore, outside, lines);
  for (auto [part, name] : names.tensors) {
    if (part != "lm_head") name.name.insert(0, outside);
    add_name(part, name, lines);
  }
}

/// Says what the family tells by whether the checkpoint has tensors.
void tell_by_tensor(const Family& family, const Types& types, SpecLines& lines) {
  for (const ToldByTensor& told : family.told_by_tensor) {
    const auto part = types.parts.find(told.part);
    if ((part != types.parts.end()) != told.is_there) continue;
    const auto is_field = [&](const SpecLine& line) { return line.section + "." + line.key == told.field; };
    if (told.value.empty()) std::erase_if(lines, is_field);
    for (SpecLine& line : lines) {
      if (!is_field(line)) continue;
      line.value = text_of(*family.find_line(told.field), value_of(told.value, nullptr));
      line.note = told.is_there ? "the checkpoint has " + part->second.tensor : "the checkpoint has no " + told.part;
    }
  }
}

}  // namespace

void add_other_names(const CheckpointSection& names, const CheckpointSection& of_family, SpecLines& lines) {
  for (const auto& [part, name] : names.tensors) {
    const TensorName& own = of_family.tensors.at(part);
    if (name.name == own.name && name.transposed == own.transposed) continue;
    if (name.fused.empty() || name.transposed != own.transposed) {
      add_name(part, name, lines);
    } else {  // of several it is the name alone that is another
      lines.push_back({"checkpoint.tensors", write_string(part), write_string(name.name)});
    }
  }
}

void read_checkpoint(Config& config, const std::string& directory, const Family& family, CheckpointSection names,
                     bool tied, SpecLines& lines, Diagnostics& diagnostics) {
  std::string key, said;
  for (const char* name : {"torch_dtype", "dtype"}) {  // the newer spelling decides, and the top before an object
    const std::string text = config.text(name), path = config.own_path(name);
    if (!text.empty() && (said.empty() || path == name)) {
      key = path;
      said = text;
    }
  }
  const std::string dtype = spec_dtype(said.starts_with("torch.") ? said.substr(6) : said);
  const WeightFiles files = find_weights(directory);
  Types types;
  std::string outside, note;
  if (files.safetensors) {
    try {
      const Checkpoint checkpoint = Checkpoint::open(directory);
      types = read_header(checkpoint, names, family.architectures.front(), diagnostics);
      outside = head_outside(&checkpoint, names, tied);
      tell_by_tensor(family, types, lines);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::rejected) throw EnvironmentError(error.what());
      diagnostics.error("import.checkpoint", Span{}, error.what());
    }
    for (auto& [part, name] : names.tensors) {  // blocks are a row's, whichever way round wider types lie
      const auto type = types.parts.find(part);
      if (type != types.parts.end() && type->second.dtype == "mxfp4") name.transposed = false;
    }
    if (!dtype.empty() && dtype != types.dtype) note = "as the file holds it; config.json says " + dtype;
  } else if (!files.other.empty()) {
    const std::string path = (fs::path(directory) / files.other).string();
    diagnostics.error("import.checkpoint", Span{std::make_shared<const Source>(Source{path, ""})},
                      is_pytorch_name(files.other) ? std::string(pytorch_remedy) : remedy_of(files.other));
  } else {
    outside = head_outside(nullptr, names, tied);
    const std::string method = "quantization_config.quant_method";
    if (family.keys.contains(method) && !config.value(method).is_null()) {
      config.refuse("import.dtype", method,
                    fmt::format("'{}' says that weights are quantized, and there are none beside config.json, whose "
                                "header would tell which: import it with its weights",
                                method));
    }
    types.dtype = key.empty() ? "f32" : dtype;
    note = key.empty() ? "transformers' default; there are no weights and config.json does not say"
                       : key + " of config.json; there are no weights beside it to ask";
    if (types.dtype.empty()) {
      config.refuse("import.dtype", key, fmt::format("'{}' is '{}'; float32, float16 and bfloat16 run", key, said));
    }
  }
  if (outside.empty()) lines.push_back({"checkpoint", "names", write_string(family.name)});
  lines.push_back({"checkpoint", "dtype", write_string(types.dtype), note});
  outside.empty() ? add_other_names(names, family.checkpoint, lines) : add_names(names, outside, lines);
  add_exceptions(types, lines);
}

}  // namespace monomorph::generator
