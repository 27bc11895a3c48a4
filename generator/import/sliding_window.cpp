#include "generator/import/sliding_window.hpp"

#include <fmt/format.h>

namespace monomorph::generator {
namespace {

constexpr std::int64_t default_window = 4096;  // of Mistral, Qwen2 and Qwen3 alike
constexpr std::int64_t default_max_window_layers = 28;

/// Layers that layer_types (where it is given) says have a window; refuses types of other kinds.
bool layer_types_have_window(ConfigReader& config, std::int64_t num_hidden_layers) {
  const nlohmann::ordered_json* types = config.find("layer_types");
  if (types == nullptr || types->is_null()) return false;
  if (!types->is_array()) {
    config.wrong_type("layer_types", "a list with one type a layer, or null");
    return false;
  }
  if (static_cast<std::int64_t>(types->size()) != num_hidden_layers) {
    config.refuse("import.layer_types", "layer_types",
                  fmt::format("'layer_types' has {} entries for num_hidden_layers = {}; one a layer is needed",
                              types->size(), num_hidden_layers));
  }
  bool window = false;
  for (const auto& type : *types) {
    const std::string name = type.is_string() ? type.get<std::string>() : "";
    if (name == "sliding_attention") {
      window = true;
    } else if (name != "full_attention") {
      config.refuse("import.layer_types", "layer_types",
                    fmt::format("'layer_types' has {}; only \"full_attention\" runs", type.dump()));
      return false;
    }
  }
  return window;
}

}  // namespace

void check_sliding_window(ConfigReader& config, Family family, std::int64_t num_hidden_layers,
                          std::int64_t max_position_embeddings) {
  if (family == family_llama) return;  // has none: keys about windows are unknown keys there

  const nlohmann::ordered_json* given = config.find("sliding_window");
  const bool typed = config.has("layer_types");
  const bool typed_window = layer_types_have_window(config, num_hidden_layers);

  // Qwen declares a window that is switched off; layers from max_window_layers on would have it.
  bool in_use = true;
  if (family != family_mistral) {
    in_use = config.boolean("use_sliding_window", false).value;
    const std::int64_t first = config.find("max_window_layers") != nullptr && config.value()["max_window_layers"] == 0
                                   ? 0
                                   : config.integer("max_window_layers", default_max_window_layers).value;
    in_use = in_use && (typed ? typed_window : first < num_hidden_layers);
    if (typed_window && !in_use) {
      config.refuse("import.sliding_window", "layer_types",
                    "'layer_types' has \"sliding_attention\" while use_sliding_window is false: which of them holds "
                    "is not clear; only \"full_attention\" runs");
      return;
    }
  }

  if (given != nullptr && given->is_null()) return;
  const Imported<std::int64_t> window = config.integer("sliding_window", default_window);
  if (!in_use || window.value >= max_position_embeddings) return;
  config.refuse(
      "import.sliding_window", "sliding_window",
      fmt::format("'sliding_window' is {}{}: a query would see {} positions of up to {} (max_position_embeddings), "
                  "and windows do not run; null, or a window of at least max_position_embeddings, changes nothing",
                  window.value, given == nullptr ? " by default" : "", window.value, max_position_embeddings));
}

}  // namespace monomorph::generator
