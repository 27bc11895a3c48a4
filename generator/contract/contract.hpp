// The contract: every dimension and every tensor of the model, each derived once and every rule checked. What is built
// from an accepted contract cannot fail for a reason of the spec's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "generator/diagnostics.hpp"
#include "generator/spec/expression.hpp"
#include "generator/spec/spec.hpp"
#include "runtime/program.hpp"

namespace monomorph::generator {

/// An axis: the identifier it has in emitted code, in the plan and in messages, and its size.
struct Axis {
  std::string name;  ///< hidden, vocab, positions, q, kv, qkv, heads, kv_heads, head, intermediate; "<kind>_q" where
                     ///< kinds differ
  std::int64_t size = 0;
};

enum class NormType { rms_norm, layer_norm };

struct NormContract {
  NormType type = NormType::rms_norm;
  double eps = 0;
  bool bias = false;
};

enum class PositionType { rope, learned, none };

/// What stands in a checkpoint for (some rows of) a weight.
struct CheckpointPart {
  std::string name;       ///< full name with {i}: "model.layers.{i}.self_attn.q_proj.weight"; without the prefix
  std::int64_t rows = 0;  ///< rows of the weight it fills (a vector: elements)
  std::int64_t source_row = 0;
  std::int64_t source_rows = 0;
  bool transposed = false;  ///< the checkpoint keeps [inputs, outputs]
};

/// A weight as the engine holds it. q, k and v are one matrix (rows q then k then v), as their biases are one vector.
struct WeightContract {
  std::string part;  ///< "embedding.tokens", "layers.{i}.attention.qkv", "layers.{i}.mlp.input_norm" ...
  std::string role;  ///< C++ role and member name: embed_tokens, qkv_proj, o_proj, gate_proj, input_layernorm, q_norm,
                     ///< qkv_bias ...
  std::vector<Axis> axes;    ///< [rows, columns], or [elements] for a vector
  Dtype dtype = Dtype::f32;  ///< in the checkpoint
  std::vector<CheckpointPart> sources;
  std::int64_t parameters() const;  ///< product of the axes
};

enum class SubBlockKind { attention, mlp };

struct SubBlockNormsContract {
  bool input = true, output = false, residual = false;
};

struct AttentionContract {
  std::int64_t num_attention_heads = 0, num_key_value_heads = 0, head_dim = 0;
  std::int64_t q_size = 0, kv_size = 0, kv_group_size = 0;  ///< heads * head_dim, kv_heads * head_dim, heads / kv_heads
  double attention_scale = 0;
  bool qk_norm = false;
  bool qkv_bias = false;  ///< any of q, k, v has a bias (the others are zero)
  bool o_bias = false;
  PositionType position = PositionType::none;
  double rope_theta = 0;
  std::int64_t rotary_dim = 0;  ///< 0 without rope
  std::vector<float>
      rotary_frequencies;  ///< f32, rotary_dim / 2: theta^(-2j / rotary_dim) as transformers forms it in f32
  SubBlockNormsContract norms;
};

struct MlpContract {
  bool gated = true;
  std::int64_t intermediate_size = 0;
  Expression activation;        ///< of x (plain), or the combination of gate and up (gated), names resolved
  std::string activation_name;  ///< as the spec has it
  bool gate_bias = false, up_bias = false, down_bias = false;
  SubBlockNormsContract norms;
};

/// A distinct kind of layer.
struct LayerContract {
  std::string name, identifier;
  std::vector<SubBlockKind> steps;
  NormContract norm;
  AttentionContract attention;  ///< meaningful where steps has it
  MlpContract mlp;
  std::vector<WeightContract> weights;  ///< in the order of the forward pass
  std::vector<std::int32_t> layers;     ///< the layers of this kind, ascending
};

struct IgnoredCheckpointTensor {
  std::string name;  ///< pattern with {i}
  std::string why;
};

struct Contract {
  std::string name, identifier, spec_hash;
  std::int64_t vocab_size = 0, hidden_size = 0, num_hidden_layers = 0, max_position_embeddings = 0;
  std::int64_t max_sequence_length = 0, prefill_chunk = 0;
  Dtype kv_cache = Dtype::f16;  ///< f16 or f32
  bool tie_word_embeddings = false;
  bool learned_positions = false;
  NormContract final_norm;
  std::vector<LayerContract> kinds;
  std::vector<std::size_t> layer_kinds;  ///< for each layer
  std::vector<WeightContract> prologue;  ///< embed_tokens first, embed_positions
  std::vector<WeightContract> epilogue;  ///< final_norm, lm_head (absent when tied)
  std::vector<std::string> checkpoint_prefixes;
  std::vector<IgnoredCheckpointTensor> ignored_tensors;
  std::int64_t bos_token_id = -1;
  std::vector<std::int64_t> eos_token_ids;

  // Totals, exact.
  std::int64_t total_parameters = 0;  ///< of the checkpoint, tied weights once
  std::int64_t embedding_parameters = 0, attention_parameters = 0, mlp_parameters = 0, norm_parameters = 0,
               lm_head_parameters = 0;      ///< sum to the total
  std::int64_t matrix_flops_per_token = 0;  ///< 2 x weights multiplied, the head included
  std::int64_t kv_elements_per_token = 0;   ///< keys and values of all layers

  /// The matrix that is the head too, where it is tied.
  const WeightContract& embed_tokens() const { return prologue.front(); }
};

/// Derives and judges. All violations are reported at once; a Contract is given only without errors, those that
/// `diagnostics` already holds (of a spec read leniently) included.
std::optional<Contract> check_contract(const Spec& spec, Diagnostics& diagnostics);

/// Stable text for --dump contract and for goldens.
std::string dump_contract(const Contract& contract);

}  // namespace monomorph::generator
