// From a GGUF file to the text of a spec. The metadata are written down as the family's config.json, by the tables of
// its [gguf] section, and imported as that; the types of tensors come from the file's header.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "generator/audit/expected_tensors.hpp"
#include "generator/contract/parts.hpp"
#include "generator/import/import.hpp"
#include "generator/import/steps.hpp"
#include "generator/spec/values.hpp"
#include "runtime/engine.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/checkpoint_names.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

/// A float as its shortest text in its own precision: 1e-05, not 9.999999747378752e-06.
json number_of(double value) {
  const auto narrow = static_cast<float>(value);
  return static_cast<double>(narrow) == value ? json::parse(fmt::format("{:e}", narrow)) : json(value);
}

json as_json(const GgufValue& value) {
  return std::visit(
      [](const auto& held) -> json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, double>)
          return number_of(held);
        else if constexpr (std::is_same_v<Held, std::string_view>)
          return std::string(held);
        else if constexpr (std::is_same_v<Held, GgufArray>) {
          json list = json::array();
          for (const GgufValue& each : held.values()) list.push_back(as_json(each));
          return list;
        } else {
          return held;
        }
      },
      value);
}

std::string shown(const GgufValue& value) {
  if (const auto* array = std::get_if<GgufArray>(&value)) return fmt::format("a list of {}", array->count());
  const std::string text = as_json(value).dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

class GgufImport {
 public:
  GgufImport(const Checkpoint& checkpoint, Diagnostics& diagnostics)
      : checkpoint_(checkpoint), file_(*checkpoint.gguf()), diagnostics_(diagnostics) {
    span_.source = std::make_shared<const Source>(Source{checkpoint.files().front().string(), ""});
  }

  const Family* find_family() {
    const GgufValue* value = find("general.architecture");
    const auto* name = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
    std::vector<std::string> known;
    for (const auto& [file, family] : families()) {
      if (family.gguf.architecture.empty()) continue;
      known.push_back(family.gguf.architecture);
      if (name != nullptr && *name == family.gguf.architecture) return &family;
    }
    refuse("import.architecture", name == nullptr
                                      ? "its metadata have no general.architecture"
                                      : fmt::format("it holds a model of the architecture '{}'; of GGUF files, {} run",
                                                    *name, fmt::join(known, ", ")));
    return nullptr;
  }

  /// What the family's config.json would say.
  std::string config_text(const Family& family) {
    prefix_ = family.gguf.architecture + ".";
    json config = json::object();
    config["architectures"] = {family.architectures.front()};
    for (const auto& [path, text] : family.gguf.keys) {
      const bool optional = text.ends_with('?');
      const std::string key = full(optional ? text.substr(0, text.size() - 1) : text);
      const GgufValue* value = find(key);
      if (value == nullptr) {
        if (!optional) refuse("import.missing_key", fmt::format("its metadata have no {}", key));
        continue;
      }
      set(config, path, of_all_layers(key, *value));
    }
    for (const auto& [path, tensor] : family.gguf.present) set(config, path, checkpoint_.find(tensor) != nullptr);
    for (const auto& [path, text] : family.gguf.constants) set(config, path, json::parse(text));
    set(config, "tie_word_embeddings", checkpoint_.find("output.weight") == nullptr);
    if (const CheckpointTensor* tokens = checkpoint_.find("token_embd.weight")) {
      set(config, "vocab_size", tokens->shape.empty() ? std::int64_t{0} : tokens->shape.front());
    } else {
      refuse("import.checkpoint", "it holds no token_embd.weight: these are not the weights of a language model");
    }
    for (const char* which : {"bos", "eos"}) {
      const GgufValue* id = find(fmt::format("tokenizer.ggml.{}_token_id", which));
      config[fmt::format("{}_token_id", which)] = id == nullptr ? json() : as_json(*id);
    }
    return config.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  }

  /// Every key of the metadata that was not read: ignored for a reason, of the one value that runs, named by `ignore`,
  /// or an error. Gives those that `ignore` accepted.
  std::vector<std::string> account_for_rest(const Family& family, Config& config,
                                            const std::vector<std::string>& ignore) {
    std::vector<std::string> accepted;
    for (const GgufEntry& entry : file_.metadata) {
      const std::string key(entry.key);
      if (read_.contains(key)) continue;
      const std::string own = key.starts_with(prefix_) ? key.substr(prefix_.size()) : key;
      if (const auto only = family.gguf.only.find(own); only != family.gguf.only.end()) {
        if (as_json(entry.value).dump() == only->second.runs) continue;
        refuse("import.unsupported_value", fmt::format("{} is {}, which asks for {}; only {} runs", key,
                                                       shown(entry.value), only->second.asks, only->second.runs));
        continue;
      }
      if (const auto same = family.gguf.same.find(own); same != family.gguf.same.end()) {
        const Datum wanted = value_of(same->second, [&](const std::string& name) { return config.value(name); });
        const json said = of_all_layers(key, entry.value);
        if (said.is_number() && said.get<double>() == std::get<double>(wanted.is)) continue;
        refuse("import.unsupported_value", fmt::format("{} is {}, and the rest of the file asks for {}", key,
                                                       shown(entry.value), generator::shown(wanted)));
        continue;
      }
      const bool ignored =
          std::ranges::any_of(family.gguf.ignored, [&](const auto& line) { return matches(line.first, own); });
      if (ignored) continue;
      if (std::ranges::find(ignore, key) != ignore.end()) {
        accepted.push_back(key);
        continue;
      }
      refuse("import.unknown_key",
             fmt::format("{} is no key that files of {} are known to have, and it is {}; what it changes would be lost "
                         "(if it changes nothing, --ignore {} accepts it and the spec says so)",
                         key, family.gguf.architecture, shown(entry.value), key));
    }
    for (const std::string& key : ignore) {
      if (file_.find(key) == nullptr) refuse("import.ignore", fmt::format("--ignore {}: it has no such key", key));
    }
    return accepted;
  }

  void add_checkpoint(const Family& family, bool tied, SpecLines& lines) {
    std::map<std::string, std::map<std::string, std::vector<std::int64_t>>> types;  // by part, by type: layers
    std::map<std::string, std::size_t> bytes;
    for (const CheckpointTensor& tensor : checkpoint_.tensors()) {
      const LayerName name = split_layer(tensor.name);
      std::string part = part_of(family.gguf.checkpoint, name.pattern);
      if (part.empty()) continue;  // the audit's to say
      const std::string dtype = dtype_of(tensor);
      if (dtype.empty()) continue;
      if (tensor.name.ends_with(".bias")) part += ".bias";
      types[part][dtype].push_back(name.layer);
      bytes[dtype] += tensor.data.size();
    }
    if (bytes.empty()) {
      return refuse("import.checkpoint", fmt::format("no tensor of a {} stands in it", family.architectures.front()));
    }
    const std::string most = std::ranges::max_element(bytes, {}, [](const auto& each) { return each.second; })->first;
    lines.push_back({"checkpoint", "dtype", write_string(most), "that of most bytes"});
    TensorNames names = family.gguf.checkpoint.tensors;
    if (tied) names.erase("lm_head");
    for (const auto& [part, name] : names) {
      TensorNames line = {{part, name}};
      const std::string text = write_table(&line).front();
      lines.push_back({"checkpoint.tensors", write_string(part), text.substr(write_key(part).size() + 3)});
    }
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
            add("layers.{" + ranges_of(layers) + part.substr(part.find('}')), dtype);
          }
        }
      }
    }
  }

  static std::string ranges_of(std::vector<std::int64_t> layers) {
    std::ranges::sort(layers);
    std::string text;
    for (std::size_t begin = 0, end = 0; begin < layers.size(); begin = end) {
      for (end = begin + 1; end < layers.size() && layers[end] == layers[end - 1] + 1;) ++end;
      text += fmt::format("{}{}", text.empty() ? "" : ",", layers[begin]);
      if (end - begin > 1) text += fmt::format("-{}", layers[end - 1]);
    }
    return text;
  }

  /// The line of the family's table that a tensor belongs to; "": none.
  static std::string part_of(const CheckpointSection& names, std::string pattern) {
    for (const std::string_view suffix : {".weight", ".bias"}) {
      if (pattern.ends_with(suffix)) pattern.resize(pattern.size() - suffix.size());
    }
    for (const auto& [part, name] : names.tensors) {
      if (pattern == name.name) return part;
    }
    return "";
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

  std::string full(const std::string& key) const {
    return key.starts_with("general.") || key.starts_with("tokenizer.") ? key : prefix_ + key;
  }
  const GgufValue* find(const std::string& key) {
    read_.insert(key);
    return file_.find(key);
  }
  /// A number that files give once for all layers, or for each.
  json of_all_layers(const std::string& key, const GgufValue& value) {
    const json whole = as_json(value);
    if (!whole.is_array()) return whole;
    if (whole.empty() || std::ranges::any_of(whole, [&](const json& each) { return each != whole[0]; })) {
      refuse("import.unsupported_value",
             fmt::format("{} differs from layer to layer, which does not run in this architecture", key));
      return json(1);
    }
    return whole[0];
  }
  static void set(json& config, const std::string& path, const json& value) {
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos) {
      config[path] = value;
    } else {
      config[path.substr(0, dot)][path.substr(dot + 1)] = value;
    }
  }
  void refuse(const std::string& rule, const std::string& message) { diagnostics_.error(rule, span_, message); }

  const Checkpoint& checkpoint_;
  const GgufFile& file_;
  Diagnostics& diagnostics_;
  Span span_;
  std::string prefix_;
  std::set<std::string> read_, unknown_;
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
    if (checkpoint.gguf() == nullptr) throw Error(ErrorKind::rejected, path + ": is no GGUF file");
    GgufImport import(checkpoint, diagnostics);
    const Family* family = import.find_family();
    if (family == nullptr) return std::nullopt;
    const std::string& file = checkpoint.files().front().string();
    const auto source = std::make_shared<const Source>(Source{file + " (metadata)", import.config_text(*family)});
    if (diagnostics.has_errors()) return std::nullopt;
    const std::optional<JsonFile> json_file = parse_json_file(source, diagnostics);
    if (!json_file) return std::nullopt;
    Config config(*json_file, diagnostics);
    config.find("architectures");
    config.resolve(*family);
    const std::string name = as_model_name(checkpoint.files().front().stem().string());
    SpecLines lines = {{"model", "name", write_string(name)}};
    const std::map<std::string, Datum> fields = map_config(config, *family, lines);
    const auto number = [&](const std::string& field) {
      const auto found = fields.find(field);
      return found == fields.end() || found->second.is_null() ? 0 : std::get<double>(found->second.is);
    };
    import.add_checkpoint(*family, number("lm_head.tie_word_embeddings") != 0, lines);
    read_stop_tokens(config, "", family->tokenizer, number("model.vocab_size"), lines, diagnostics);
    for (const std::string& key : import.account_for_rest(*family, config, ignored_keys)) {
      lines.push_back({"import.ignored", write_string(key), "\"named by --ignore\""});
    }
    config.account_for_rest(*family, {});
    if (diagnostics.has_errors()) return std::nullopt;
    return write_spec(fmt::format("{}: a {}, imported from {}.", name, family->architectures.front(),
                                  checkpoint.files().front().filename().string()),
                      lines, source);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::rejected) throw EnvironmentError(error.what());
    diagnostics.error("import.checkpoint", Span{}, error.what());
    return std::nullopt;
  }
}

}  // namespace monomorph::generator
