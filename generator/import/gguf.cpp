// From a GGUF file to the text of a spec: the metadata as runtime/formats/gguf_config.hpp has them, read by a family of
// families/gguf/; the types of tensors as the file's header has them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "generator/contract/expected_tensors.hpp"
#include "generator/contract/parts.hpp"
#include "generator/import/import.hpp"
#include "generator/import/nearest_family.hpp"
#include "generator/import/steps.hpp"
#include "generator/spec/values.hpp"
#include "runtime/error.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/formats/gguf_config.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

/// Of several families of one architecture, the first of those that name most of the tensors.
const Family* find_family(Config& config, const Json& json, const Checkpoint& checkpoint) {
  const auto name = (*config.find("architectures"))[0].string();
  std::set<std::string> known;
  std::vector<std::string> tensors;
  for (const CheckpointTensor& tensor : checkpoint.tensors()) tensors.push_back(tensor.name);
  const Family* found = nullptr;
  std::ptrdiff_t most = -1;
  for (const auto& [file, family] : gguf_families()) {
    known.insert(family.architectures.front());
    if (name != family.architectures.front()) continue;
    const std::ptrdiff_t named = std::ranges::count_if(
        tensors, [&](const std::string& tensor) { return !parts_of_tensor(family.checkpoint, tensor).empty(); });
    if (named > most) found = &family;
    most = std::max(most, named);
  }
  if (found != nullptr) return found;
  Diagnostic& refusal =
      config.refuse("import.architecture", "architectures",
                    name.empty() ? "its metadata have no general.architecture"
                                 : fmt::format("it holds a model of the architecture '{}'; of GGUF files, {} run", name,
                                               fmt::join(known, ", ")));
  add_remedies(refusal, json, tensors, gguf_families(), name);
  return nullptr;
}

/// The lines of [checkpoint]: the names of the tensors, and their types by part and by layer.
class TensorLines {
 public:
  /// `names`: the family's, as this file has them.
  TensorLines(const Checkpoint& checkpoint, const Family& family, const CheckpointSection& names,
              Diagnostics& diagnostics)
      : checkpoint_(checkpoint), family_(family), names_(names), diagnostics_(diagnostics) {
    span_.source = std::make_shared<const Source>(Source{checkpoint.files().front().string(), ""});
  }

  void add(SpecLines& lines) {
    std::map<std::string, std::map<std::string, std::vector<std::int64_t>>> types;  // by part, by type: layers
    std::map<std::string, std::size_t> bytes;
    for (const CheckpointTensor& tensor : checkpoint_.tensors()) {
      const std::vector<std::string> parts = parts_of_tensor(names_, tensor.name);
      if (parts.empty()) continue;  // the audit's to say
      const std::string dtype = dtype_of(tensor);
      if (dtype.empty()) continue;
      for (const std::string& part : parts) {
        const bool of_bias = tensor.name.ends_with(".bias") && !names_.tensors.at(part).exact;
        types[of_bias ? part + ".bias" : part][dtype].push_back(split_layer(tensor.name).layer);
      }
      bytes[dtype] += tensor.bytes();
    }
    if (bytes.empty()) return refuse("import.checkpoint", "no tensor of such a model stands in it");
    const std::string most = std::ranges::max_element(bytes, {}, [](const auto& each) { return each.second; })->first;
    lines.push_back({"checkpoint", "names", write_string(family_.name)});
    lines.push_back({"checkpoint", "dtype", write_string(most), "that of most bytes"});
    add_other_names(names_, family_.checkpoint, lines);
    add_types(types, most, lines);
  }

 private:
  void add_types(const std::map<std::string, std::map<std::string, std::vector<std::int64_t>>>& types,
                 const std::string& most, SpecLines& lines) {
    const auto add = [&](const std::string& pattern, const std::string& dtype) {
      lines.push_back({"checkpoint.dtypes", write_string(pattern), write_string(dtype)});
    };
    // A weight's line holds for its bias too, unless a later one says otherwise.
    for (const bool biases : {false, true}) {
      for (const auto& [part, by_type] : types) {
        if (part.ends_with(".bias") != biases) continue;
        for (const auto& [dtype, layers] : by_type) {
          if (by_type.size() == 1) {
            if (dtype != most || biases) add(part, dtype);
          } else if (dtype != most || biases) {
            add(part.substr(0, part.find('{') + 1) + layer_ranges(layers) + part.substr(part.find('}')), dtype);
          }
        }
      }
    }
  }

  std::string dtype_of(const CheckpointTensor& tensor) {
    for (const DtypeRow& row : dtype_rows) {
      if (tensor.dtype == row.header) return row.name;
    }
    if (!unknown_.insert(tensor.dtype).second) return "";
    std::vector<std::string> known;
    for (const DtypeRow& row : dtype_rows) known.push_back(row.header);
    refuse("import.dtype", fmt::format("{} is {}, which does not run; what runs is {}: quantize the model anew",
                                       tensor.name, tensor.dtype, fmt::join(known, ", ")));
    return "";
  }

  void refuse(const std::string& rule, const std::string& message) { diagnostics_.error(rule, span_, message); }

  const Checkpoint& checkpoint_;
  const Family& family_;
  const CheckpointSection& names_;
  Diagnostics& diagnostics_;
  Span span_;
  std::set<std::string> unknown_;
};

}  // namespace

bool is_gguf_model(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return fs::path(path).extension() == ".gguf";
  if (!fs::is_directory(path, error) || is_huggingface_directory(path)) return false;
  return std::ranges::any_of(fs::directory_iterator(path, error),
                             [](const fs::directory_entry& entry) { return entry.path().extension() == ".gguf"; });
}

std::optional<ImportedSpec> import_gguf(const std::string& path, const std::vector<std::string>& ignored_keys,
                                        Diagnostics& diagnostics) {
  try {
    const Checkpoint checkpoint = Checkpoint::open(path);
    const std::string file = checkpoint.files().front().string();
    if (checkpoint.gguf() == nullptr) throw Error(ErrorKind::rejected, file + ": is no GGUF file");
    const auto source = std::make_shared<const Source>(Source{file + " (header)", gguf_config(checkpoint)});
    const std::optional<JsonFile> json_file = parse_json_file(source, diagnostics);
    if (!json_file) return std::nullopt;
    Config config(*json_file, diagnostics);
    const Family* family = find_family(config, json_file->value, checkpoint);
    if (family == nullptr) return std::nullopt;
    if (checkpoint.find("token_embd.weight") == nullptr) {
      config.refuse("import.checkpoint", "",
                    "it holds no token_embd.weight: these are not the weights of a language model");
      return std::nullopt;
    }
    const fs::path& first = checkpoint.files().front();
    const ImportedModel model = {
        as_model_name(first.stem().string()), first.filename().string(), "",
        [&](const CheckpointSection& names, bool, SpecLines& lines) {
          TensorLines(checkpoint, *family, names, diagnostics).add(lines);
        },
        [&](SpecLines& lines) { read_gguf_chat_template(*checkpoint.gguf(), first, lines, diagnostics); }};
    ImportedSpec spec = import_as(*family, config, model, ignored_keys, diagnostics);
    check_ignored(*json_file, config, ignored_keys, diagnostics);
    return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(spec));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::rejected) throw EnvironmentError(error.what());
    diagnostics.error("import.checkpoint", Span{}, error.what());
    return std::nullopt;
  }
}

}  // namespace monomorph::generator
