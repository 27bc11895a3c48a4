#include <fmt/format.h>

#include "generator/import/architectures.hpp"
#include "generator/import/rotary.hpp"
#include "generator/import/sliding_window.hpp"
#include "generator/import/stop_tokens.hpp"

namespace monomorph::generator {
namespace {

/// What transformers takes for keys that config.json does not have. 0 and -1: derived, or none.
struct Defaults {
  Family family;
  std::int64_t vocab_size, hidden_size, intermediate_size, num_hidden_layers, num_attention_heads;
  std::int64_t num_key_value_heads;  ///< 0: num_attention_heads
  std::int64_t head_dim;             ///< 0: hidden_size / num_attention_heads
  std::int64_t max_position_embeddings;
  std::int64_t bos_token_id, eos_token_id;
};

// rms_norm_eps 1e-6, rope_theta 10000 and an untied head are common to all; so are these over the library's versions,
// except that eos and bos of Qwen were those of the base class (none) all along.
constexpr Defaults defaults_table[] = {
    {family_llama, 32000, 4096, 11008, 32, 32, 0, 0, 2048, 1, 2},
    {family_mistral, 32000, 4096, 14336, 32, 32, 8, 0, 131072, 1, 2},
    {family_qwen2, 151936, 4096, 22016, 32, 32, 32, 0, 32768, -1, -1},
    {family_qwen3, 151936, 4096, 22016, 32, 32, 32, 128, 32768, -1, -1},
};

const Defaults& defaults_of(Family family) {
  for (const Defaults& row : defaults_table) {
    if (row.family == family) return row;
  }
  throw InternalError("import.defaults: no row for this family of architectures");
}

void read_heads(ConfigReader& config, const Defaults& defaults, ModelDescription& model) {
  model.num_attention_heads = config.integer("num_attention_heads", defaults.num_attention_heads);
  const nlohmann::ordered_json* kv_heads = config.find("num_key_value_heads");
  if ((kv_heads == nullptr && defaults.num_key_value_heads == 0) || (kv_heads != nullptr && kv_heads->is_null())) {
    model.num_key_value_heads = {model.num_attention_heads.value, "as many as num_attention_heads",
                                 model.num_attention_heads.place};
  } else {
    model.num_key_value_heads = config.integer("num_key_value_heads", defaults.num_key_value_heads);
  }

  const nlohmann::ordered_json* head_dim = config.find("head_dim");
  if (defaults.head_dim != 0 || (head_dim != nullptr && !head_dim->is_null())) {
    model.head_dim = config.integer("head_dim", defaults.head_dim);
    return;
  }
  const std::int64_t heads = model.num_attention_heads.value;
  if (model.hidden_size.value % heads != 0) {
    config.refuse("import.head_dim", "num_attention_heads",
                  fmt::format("hidden_size = {} is no multiple of num_attention_heads = {}, and head_dim is not given; "
                              "one of the three is wrong",
                              model.hidden_size.value, heads));
  }
  model.head_dim = {model.hidden_size.value / heads, "hidden_size / num_attention_heads",
                    model.num_attention_heads.place};
}

void read_activation(ConfigReader& config, ModelDescription& model) {
  model.activation = config.text("hidden_act", "silu");
  if (model.activation.value == "swish") model.activation = {"silu", "'swish' in config.json, the same function"};
  if (model.activation.value != "silu") {
    config.refuse("import.unsupported_value", "hidden_act",
                  fmt::format("'hidden_act' is '{}'; only 'silu' runs in this architecture", model.activation.value));
  }
}

std::vector<std::string> attention_biases(ConfigReader& config, Family family) {
  if (family == family_qwen2) return {"q", "k", "v"};
  if (family == family_mistral) return {};
  if (config.boolean("attention_bias", false).value) return {"q", "k", "v", "o"};
  return {};
}

}  // namespace

void read_llama(ConfigReader& config, const ImportContext& context, ModelDescription& model) {
  const Family family = context.architecture.family;
  const Defaults& defaults = defaults_of(family);

  model.vocab_size = config.integer("vocab_size", defaults.vocab_size);
  model.hidden_size = config.integer("hidden_size", defaults.hidden_size);
  model.num_hidden_layers = config.integer("num_hidden_layers", defaults.num_hidden_layers);
  model.max_position_embeddings = config.integer("max_position_embeddings", defaults.max_position_embeddings);

  model.norm_type = "rms_norm";
  model.norm_eps = config.number("rms_norm_eps", 1e-6);

  read_heads(config, defaults, model);
  model.attention_bias = attention_biases(config, family);
  model.qk_norm = family == family_qwen3;
  check_sliding_window(config, family, model.num_hidden_layers.value, model.max_position_embeddings.value);

  model.position_type = "rope";
  model.rope_theta = read_rotary(config, family, context.architecture.name, context.ignore, model.ignored_keys);

  model.mlp_type = "gated";
  model.intermediate_size = config.integer("intermediate_size", defaults.intermediate_size);
  read_activation(config, model);
  model.mlp_bias = family == family_llama && config.boolean("mlp_bias", false).value;

  model.tie_word_embeddings = config.boolean("tie_word_embeddings", false);
  model.names = "llama";
  read_stop_tokens(config, context.directory, defaults.bos_token_id, defaults.eos_token_id, model, context.diagnostics);
}

}  // namespace monomorph::generator
