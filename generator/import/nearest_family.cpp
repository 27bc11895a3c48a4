#include "generator/import/nearest_family.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "generator/contract/parts.hpp"
#include "generator/import/steps.hpp"
#include "runtime/error.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/safetensors_header.hpp"

namespace monomorph::generator {
namespace {

/// A family beside a config.
struct Comparison {
  const Family* family = nullptr;
  std::string object;                  ///< of the config, in which the keys stand; "": at the top
  std::vector<std::string> read;       ///< keys of the config that the family's expressions read
  std::vector<std::string> unknown;    ///< "'key' = value": those that it does not know
  std::vector<std::string> missing;    ///< "'key' (default 8)": what it reads beside them
  std::size_t required = 0;            ///< how many of these have no default
  std::size_t usual = 0, unusual = 0;  ///< words, as that of an activation, that are the family's default or not
  std::size_t absent = 0;              ///< keys that the family reads and the config lacks, nulls among them
  std::vector<std::string> unnamed;    ///< kinds of tensors that the family has no name for
  std::size_t named = 0;               ///< and those that it has one for
  double fit = 0;                      ///< shares of keys and of tensors, each up to 1
  double near = 0;                     ///< that, and what decides between families that fit alike
};

/// The part of a path that is a key at the top.
std::string top_of(const std::string& path) { return path.substr(0, path.find('.')); }

std::string written(const Datum& value, Type type) {
  if (type == Type::boolean) return std::get<double>(value.is) != 0 ? "true" : "false";
  return shown(value);
}

/// What two names have in common from their beginning, 0 to 1: members of one line of models are called alike.
double likeness(const std::string& a, const std::string& b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<double>(end - a.begin()) / static_cast<double>(std::max<std::size_t>({a.size(), b.size(), 1}));
}

double share(std::size_t part, double others) {
  return part == 0 ? 0 : static_cast<double>(part) / (static_cast<double>(part) + others);
}

void compare_keys(const Json& config, Comparison& result) {
  const Family& family = *result.family;
  std::set<std::string> known;
  for (const auto& [name, key] : family.keys) {
    for (const std::string& path : key.paths) known.insert(top_of(path));
    const bool said = std::ranges::any_of(key.paths, [&](const auto& path) { return config.contains(top_of(path)); });
    if (const Json* word = config.find(name); word != nullptr && word->is_string() && key.fallback) {
      ++(key.fallback->is == Datum{word->string()}.is ? result.usual : result.unusual);
    }
    const bool inside = name != top_of(name);  // an object, which may be absent where nothing in it has to be said
    if (said || (inside && key.fallback)) continue;
    ++result.absent;
    if (key.fallback && key.fallback->is_null()) continue;
    result.required += key.fallback ? 0 : 1;
    result.missing.push_back(key.fallback
                                 ? fmt::format("'{}' (default {})", name, written(*key.fallback, key.form->type))
                                 : fmt::format("'{}' (no default)", name));
  }
  static const std::set<std::string> own = {"architectures", "model_type",   "transformers_version", "torch_dtype",
                                            "dtype",         "bos_token_id", "eos_token_id"};
  for (const auto& [key, value] : config.members()) {
    const auto is_key = [&, &name = key](const auto& line) { return matches(line.first, name); };
    if (known.contains(key)) {
      result.read.push_back(key);
    } else if (!own.contains(key) && std::ranges::none_of(family.ignored, is_key) &&
               std::ranges::none_of(family.only, is_key)) {
      result.unknown.push_back(fmt::format("'{}' = {}", key, shown(value)));
    }
  }
}

void compare_tensors(const std::vector<std::string>& tensors, Comparison& result) {
  std::set<std::string> seen;
  for (const std::string& tensor : tensors) {
    if (!seen.insert(tensor_pattern(tensor)).second) continue;
    if (parts_of_tensor(result.family->checkpoint, tensor).empty()) {
      result.unnamed.push_back(tensor_pattern(tensor));
    } else {
      ++result.named;
    }
  }
}

Comparison compare(const Family& family, const Json& config, const std::string& object, const std::string& type,
                   const std::vector<std::string>& tensors) {
  Comparison result;
  result.family = &family;
  result.object = object;
  compare_keys(config, result);
  compare_tensors(tensors, result);
  const double alike = likeness(type, family.model_type.empty() ? family.architectures.front() : family.model_type) +
                       share(result.usual, static_cast<double>(result.unusual)) -
                       0.01 * static_cast<double>(result.absent);
  // What is not said is often the default, and a required key never.
  const double missing =
      0.75 * static_cast<double>(result.required) + 0.25 * static_cast<double>(result.missing.size());
  result.fit = share(result.read.size(), static_cast<double>(result.unknown.size()) + missing) +
               share(result.named, static_cast<double>(result.unnamed.size()));
  result.near = result.fit + 0.1 * alike;
  return result;
}

/// The first few, and how many there are beside them.
std::string some_of(const std::vector<std::string>& all) {
  constexpr std::size_t most = 6;
  const std::vector<std::string> first(all.begin(),
                                       all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most)));
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  return all.size() > most ? text + fmt::format(" and {} more", all.size() - most) : text;
}

/// The family of the hub that a family of GGUF files is: "gguf/gptneox" is gpt_neox.
std::string hub_name(const Family& family) {
  if (!family.gguf) return family.name;
  for (const auto& [name, other] : families()) {
    std::string plain = name;
    std::erase(plain, '_');
    if (plain == family.architectures.front()) return name;
  }
  return "FAMILY";
}

}  // namespace

std::vector<std::string> safetensors_names(const std::string& directory) {
  std::vector<std::string> names;
  try {
    const std::filesystem::path index = std::filesystem::path(directory) / "model.safetensors.index.json";
    std::error_code error;
    if (std::filesystem::exists(index, error)) {
      const auto text = read_source(index.string());
      for (const auto& [tensor, shard] : read_safetensors_index(text->text, index.string())) names.push_back(tensor);
    } else {
      const Checkpoint checkpoint = Checkpoint::open(std::filesystem::path(directory) / "model.safetensors");
      for (const CheckpointTensor& tensor : checkpoint.tensors()) names.push_back(tensor.name);
    }
  } catch (const std::exception&) {
    return {};  // the config alone is compared: what is wrong with weights is told of models that run
  }
  return names;
}

void add_remedies(Diagnostic& refusal, const Json& config, const std::vector<std::string>& tensors,
                  const std::map<std::string, Family>& families, const std::string& type) {
  Comparison best;
  const auto consider = [&](const Json& object, const std::string& path, const std::string& called) {
    for (const auto& [name, family] : families) {
      Comparison other = compare(family, object, path, called, tensors);
      if (best.family == nullptr || other.near > best.near) best = std::move(other);
    }
  };
  consider(config, "", type);
  for (const auto& [key, value] : config.members()) {
    constexpr std::size_t fewest = 5;  // of a decoder's config
    if (!value.is_object() || value.size() < fewest) continue;
    const Json* called = value.find("model_type");
    consider(value, key, called != nullptr && called->is_string() ? called->string() : "");
  }
  const auto note = [&](const std::string& text) { refusal.notes.push_back({text, {}}); };
  constexpr double least = 0.4;  // below it families share sizes alone
  std::string like = "FAMILY", included;
  if (best.fit >= least) {
    const Family& family = *best.family;
    like = hub_name(family);
    std::string beside;
    if (!tensors.empty()) {
      beside = fmt::format(" and names {} of {} kinds of its tensors", best.named, best.named + best.unnamed.size());
    }
    if (!best.object.empty()) {
      included = fmt::format(" with include = [{{ file = \"{}\", under = \"{}\" }}]", family.name, best.object);
    }
    note(fmt::format("{} is nearest to {} ({}), which reads {} of the {} keys that may change what it computes{}",
                     best.object.empty() ? "it" : "'" + best.object + "' in it", like, family.architectures.front(),
                     best.read.size(), best.read.size() + best.unknown.size(), beside));
    if (!best.unknown.empty()) note(fmt::format("{} does not know {}", like, some_of(best.unknown)));
    if (!best.missing.empty()) note(fmt::format("{} reads what is not said: {}", like, some_of(best.missing)));
    if (!best.unnamed.empty()) note(fmt::format("{} has no tensors {}", like, some_of(best.unnamed)));
    if (best.unknown.empty() && best.unnamed.empty() && best.required == 0 && included.empty() && !family.gguf) {
      note(fmt::format("if it computes what {0} does, say so: \"architectures\": [\"{0}\"], \"model_type\": \"{1}\"",
                       family.architectures.front(), family.model_type));
    }
  }
  const bool has_name = !type.empty() && !families.contains(type);
  note(fmt::format(
      "a model whose parts run needs no family: `monomorph new NAME --like {}` writes a spec to start from", like));
  note(
      fmt::format("a family file, generator/families/{}{}.toml{}, imports every such model: docs/extending.md has an "
                  "example, and docs/architectures.md tells what runs and what others wait for",
                  families.begin()->second.gguf ? "gguf/" : "", has_name ? as_model_name(type) : "NAME", included));
}

}  // namespace monomorph::generator
