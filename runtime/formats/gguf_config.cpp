#include "runtime/formats/gguf_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <set>

#include "runtime/error.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph {
namespace {

/// A float as its shortest text in its own precision: 1e-05, not 9.999999747378752e-06. JSON has finite numbers alone.
Json number(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const auto narrow = static_cast<float>(value);
  return static_cast<double>(narrow) == value ? Json::parse(fmt::format("{:e}", narrow)) : Json(value);
}

Json as_json(const GgufValue& value) {
  constexpr std::uint64_t longest = 4096;  // layers; what is longer says nothing of a model
  if (const auto* real = std::get_if<double>(&value)) return number(*real);
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  if (const auto* array = std::get_if<GgufArray>(&value)) {
    if (array->count() > longest) return fmt::format("a list of {}", array->count());
    const bool is_flags = array->type() == GgufType::boolean;
    Json list = Json::array();
    for (const GgufValue& each : array->values()) {
      list.push_back(is_flags ? Json(std::get<bool>(each) ? 1 : 0) : as_json(each));
    }
    const bool is_one =
        !is_flags && std::ranges::all_of(list, [&](const Json& each) { return each.is_number() && each == list[0]; });
    return is_one && !list.empty() ? list[0] : list;
  }
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(held)>>) return held;
        return nullptr;
      },
      value);
}

/// Sets what stands at "rope.freq_base".
void set(Json& config, const std::string& path, Json value) {
  constexpr std::int64_t deepest = 16;
  Json* place = &config;
  if (std::ranges::count(path, '.') > deepest) {
    throw Error(ErrorKind::rejected, fmt::format("the name '{}' has more than {} dots", path.substr(0, 60), deepest));
  }
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (place->is_null()) *place = Json::object();
    const std::string word = path.substr(begin, end - begin);
    const bool is_last = end == path.size();
    if (!place->is_object() || (is_last && place->contains(word))) {
      throw Error(ErrorKind::rejected,
                  fmt::format("the metadata say '{}' and a key within it or before it: one of them is wrong", path));
    }
    place = &(*place)[word];
    begin = end + 1;
  }
  *place = std::move(value);
}

/// A tensor's name without its layer's number, "blk.attn_q.weight" or "enc.blk.attn_q.weight", and that; -1: of no
/// layer.
struct PlaceOfTensor {
  std::string stack, name;
  std::int64_t layer = -1;
};
PlaceOfTensor place_of(const std::string& name) {
  for (const std::string stack : {"blk.", "enc.blk.", "dec.blk."}) {
    if (!name.starts_with(stack)) continue;
    PlaceOfTensor place{stack, "", 0};
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + stack.size(), end, place.layer);
    if (error != std::errc{} || place.layer < 0 || stop == end || *stop != '.') break;
    place.name = stack + std::string(stop + 1, end);
    return place;
  }
  return {"", name, -1};
}

/// Sets the rows of each tensor, and the layers of those that not all layers of their stack have.
void set_tensors(const Checkpoint& checkpoint, Json& config) {
  std::map<std::string, std::set<std::int64_t>> layers_of_stack;
  std::map<std::pair<std::string, std::string>, std::set<std::int64_t>> layers_of_name;
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const auto [stack, name, layer] = place_of(tensor.name);
    if (layer <= 0) set(config, "tensors." + name, tensor.shape.empty() ? 0 : tensor.shape.front());
    if (layer < 0) continue;
    layers_of_stack[stack].insert(layer);
    layers_of_name[{stack, name}].insert(layer);
  }
  for (const auto& [place, layers] : layers_of_name) {
    if (layers.size() == layers_of_stack[place.first].size()) continue;
    Json list = Json::array();
    for (const std::int64_t layer : layers) list.push_back(layer);
    set(config, "layers_of." + place.second, std::move(list));
  }
}

/// By what llama3's scaling divides the frequency of pair `i` of `pairs`. Formula: transformers,
/// modeling_rope_utils.py, _compute_llama3_parameters.
double llama3_divisor(std::size_t i, std::size_t pairs, double theta, double factor, double low, double high,
                      double length) {
  const double wavelength = 2 * std::numbers::pi * std::pow(theta, static_cast<double>(i) / static_cast<double>(pairs));
  if (wavelength < length / high) return 1;
  if (wavelength > length / low) return factor;
  const double smooth = (length / wavelength - low) / (high - low);
  return 1 / ((1 - smooth) / factor + smooth);
}

/// The divisors of frequencies say no numbers but themselves. Files are written with llama3's usual ones.
Json scaling_of(const CheckpointTensor& tensor, const Json& theta) {
  constexpr double low = 1, high = 4, close = 1e-5;
  std::vector<float> divisors(tensor.dtype == "F32" ? tensor.data.size() / sizeof(float) : 0);
  if (!divisors.empty()) std::memcpy(divisors.data(), tensor.data.data(), divisors.size() * sizeof(float));
  const double factor = divisors.empty() ? 0 : std::ranges::max(divisors);
  for (std::int64_t length = 1024; theta.is_number() && factor >= 1 && length <= 1 << 20; length *= 2) {
    bool agree = true;
    for (std::size_t i = 0; i < divisors.size() && agree; ++i) {
      const double divisor =
          llama3_divisor(i, divisors.size(), theta.real(), factor, low, high, static_cast<double>(length));
      agree = std::abs(divisors[i] - divisor) <= close * divisor;
    }
    if (!agree) continue;
    return Json::object({{"type", "llama3"},
                         {"factor", number(factor)},
                         {"low_freq_factor", low},
                         {"high_freq_factor", high},
                         {"original_context_length", length}});
  }
  return Json::object({{"type", "unknown"}});
}

}  // namespace

std::string gguf_config(const Checkpoint& checkpoint) {
  const GgufFile& file = *checkpoint.gguf();
  Json config = Json::object();
  const auto text_of = [&](std::string_view key) -> std::string {
    const GgufValue* value = file.find(key);
    const auto* text = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
    return text == nullptr ? "" : std::string(*text);
  };
  const std::string architecture = text_of("general.architecture");
  config["architectures"] = Json::array({architecture});
  constexpr std::string_view elsewhere[] = {"general.", "tokenizer.", "quantize.", "split."};
  for (const auto& [key, value] : file.metadata) {
    if (std::ranges::any_of(elsewhere, [&](std::string_view prefix) { return key.starts_with(prefix); })) continue;
    const bool own = key.starts_with(architecture + ".");
    set(config, std::string(own ? key.substr(architecture.size() + 1) : key), as_json(value));
  }
  for (const auto& [name, key] : {std::pair("type", "general.type"),
                                  {"quantization_version", "general.quantization_version"},
                                  {"bos_token_id", "tokenizer.ggml.bos_token_id"},
                                  {"eos_token_id", "tokenizer.ggml.eos_token_id"}}) {
    if (const GgufValue* value = file.find(key)) set(config, name, as_json(*value));
  }
  // What ends a turn or a message ends an answer as well.
  for (const char* const key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    const GgufValue* const value = file.find(key);
    if (value == nullptr || !config.contains("eos_token_id")) continue;
    Json& stops = config["eos_token_id"];
    if (!stops.is_array()) stops = Json::array({stops});
    stops.push_back(as_json(*value));
  }
  set_tensors(checkpoint, config);
  if (const CheckpointTensor* divisors = checkpoint.find("rope_freqs.weight")) {
    const Json* const rope = config.find("rope");
    const Json* const theta = rope == nullptr ? nullptr : rope->find("freq_base");
    set(config, "rope_freqs", scaling_of(*divisors, theta == nullptr ? Json(10000.0) : *theta));
  }
  return config.dump_repaired(2) + "\n";
}

}  // namespace monomorph
