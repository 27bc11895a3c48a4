#include <fmt/format.h>

#include "generator/import/architectures.hpp"
#include "generator/import/stop_tokens.hpp"

namespace monomorph::generator {
namespace {

/// GPT-2's own name of a size, or the common one that transformers takes for it as well.
Imported<std::int64_t> read_size(ConfigReader& config, const char* own, const char* common, std::int64_t fallback) {
  if (config.find(common) == nullptr) return config.integer(own, fallback);
  Imported<std::int64_t> value = config.integer(common, fallback);
  if (config.find(own) == nullptr) return value;
  const Imported<std::int64_t> own_value = config.integer(own, fallback);
  if (own_value.value != value.value) {
    config.refuse("import.disagreement", common,
                  fmt::format("'{}' is {}, but '{}', another name of it, is {}; make them agree", common, value.value,
                              own, own_value.value));
  }
  return own_value;
}

void read_activation(ConfigReader& config, ModelDescription& model) {
  model.activation = config.text("activation_function", "gelu_new");
  const std::string& name = model.activation.value;
  if (name != "gelu_new" && name != "gelu_pytorch_tanh") {
    config.refuse("import.unsupported_value", "activation_function",
                  fmt::format("'activation_function' is '{}'; only 'gelu_new' and 'gelu_pytorch_tanh' run in this "
                              "architecture",
                              name));
  }
}

}  // namespace

void read_gpt2(ConfigReader& config, const ImportContext& context, ModelDescription& model) {
  model.vocab_size = config.integer("vocab_size", 50257);
  model.hidden_size = read_size(config, "n_embd", "hidden_size", 768);
  model.num_hidden_layers = read_size(config, "n_layer", "num_hidden_layers", 12);
  model.max_position_embeddings = read_size(config, "n_positions", "max_position_embeddings", 1024);

  model.norm_type = "layer_norm";
  model.norm_eps = config.number("layer_norm_epsilon", 1e-5);

  model.num_attention_heads = read_size(config, "n_head", "num_attention_heads", 12);
  if (model.hidden_size.value % model.num_attention_heads.value != 0) {
    config.refuse("import.head_dim", "n_head",
                  fmt::format("n_embd = {} is no multiple of n_head = {}; one of them is wrong",
                              model.hidden_size.value, model.num_attention_heads.value));
  }
  model.attention_bias = {"q", "k", "v", "o"};
  if (!config.boolean("scale_attn_weights", true).value) model.attention_scale = {"1", "scale_attn_weights is false"};

  model.position_type = "learned";

  model.mlp_type = "plain";
  model.intermediate_size = {4 * model.hidden_size.value, "", model.hidden_size.place};
  if (config.has("n_inner")) model.intermediate_size = config.integer("n_inner", 0);
  read_activation(config, model);
  model.mlp_bias = true;

  model.tie_word_embeddings = config.boolean("tie_word_embeddings", true);
  if (config.find("tie_word_embeddings") == nullptr) model.tie_word_embeddings.comment = "";
  model.names = "gpt2";
  constexpr std::int64_t end_of_text = 50256;
  read_stop_tokens(config, context.directory, end_of_text, end_of_text, model, context.diagnostics);
}

}  // namespace monomorph::generator
