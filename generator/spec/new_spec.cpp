#include "generator/spec/new_spec.hpp"

#include <fmt/format.h>

#include "generator/spec/document.hpp"

namespace monomorph::generator {

std::string new_spec(const std::string& name) {
  static const char* const text =
      R"toml(# {0}: a decoder of the Llama kind. Change what differs; `monomorph check` says what does not fit, and
# `monomorph check --explain` writes out every default. models/README.md has the reference of every key.
[model]
name = {1}                  # names the executable
vocab_size = 32000
hidden_size = 768               # width of the residual stream
num_hidden_layers = 12
max_position_embeddings = 2048  # longest sequence the model is trained for

[norm]
type = "rms_norm"               # or "layer_norm"
eps = 1e-5

[attention]
num_attention_heads = 12
num_key_value_heads = 4         # fewer than num_attention_heads: grouped-query attention; 1: multi-query
head_dim = 64                   # default: hidden_size / num_attention_heads
# bias = ["q", "k", "v"]        # projections with a bias; true: all of q, k, v, o
# qk_norm = "head"              # normalise queries and keys over each head

[position]
type = "rope"                   # or "learned", "none"
rope_theta = 10000.0
# rotary_dim = 32               # rotate only the first elements of each head

[mlp]
type = "gated"                  # down(activation(gate) * up); "plain": down(activation(up))
intermediate_size = 2048        # 8 / 3 of hidden_size is usual where gated, 4 times where plain
activation = "silu"             # a name, or an expression of x: "x * sigmoid(1.702 * x)"

# Layers that are not all alike: name the kinds in order, then say what differs for each.
# [layers]
# pattern = ["rotary", "rotary", "rotary", "plain"]
# [layers.rotary]
# [layers.plain]
# position.type = "none"

[lm_head]
tie_word_embeddings = false     # true: the head is the embedding's matrix

[checkpoint]
names = "llama"                 # where tensors stand in the checkpoint; [checkpoint.tensors] overrides single lines
dtype = "f16"                   # f32, f16 or bf16
)toml";
  return fmt::format(fmt::runtime(text), name, write_string(name)) + engine_to_uncomment();
}

std::string engine_to_uncomment() {
  return R"toml(
# [engine]
# max_sequence_length = 2048    # room of the KV cache; default 4096, and at most max_position_embeddings
# kv_cache = "f16"              # "f32", "f16", "bf16", "q8_0", or { keys = "q8_0", values = "f16" }
# weights = "q8_0"              # converts wider matrices at load: "f16", "bf16", "q8_0", "q4_0"
# prefill_chunk = 128           # tokens of a prompt that run at once
# devices = ["cpu"]             # what the engine is built for; default ["vulkan", "cpu"]
)toml";
}

}  // namespace monomorph::generator
