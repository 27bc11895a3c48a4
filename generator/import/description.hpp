// What import learns of a model, before it is written as a spec: values, and where a value came from when config.json
// does not say it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

template <class T>
struct Imported {
  T value{};
  std::string comment;  ///< stands behind the value in the spec; "" for what config.json says itself
  Span place = {};      ///< of the key of config.json that it comes from
};

struct DtypeException {
  std::string parts;  ///< a part's name, as [checkpoint.dtypes] has it
  std::string dtype;
};

struct ModelDescription {
  std::string name;
  std::string architecture;          ///< "LlamaForCausalLM"
  std::string transformers_version;  ///< "" when config.json does not say

  Imported<std::int64_t> vocab_size, hidden_size, num_hidden_layers, max_position_embeddings;

  std::string norm_type;  ///< rms_norm | layer_norm
  Imported<double> norm_eps;

  Imported<std::int64_t> num_attention_heads, num_key_value_heads, head_dim;  ///< 0: the spec's default says it
  std::vector<std::string> attention_bias;                                    ///< of q, k, v, o
  bool qk_norm = false;
  Imported<std::string> attention_scale;  ///< "": 1 / sqrt(head_dim)

  std::string position_type;  ///< rope | learned
  Imported<double> rope_theta;

  std::string mlp_type;  ///< gated | plain
  Imported<std::int64_t> intermediate_size;
  Imported<std::string> activation;
  bool mlp_bias = false;

  Imported<bool> tie_word_embeddings;

  std::string names;  ///< the named table of tensor names
  /// Where not "": the prefix of every tensor but the head, so that the table has to be written out. (The spec's own
  /// prefix stands before the head as well.)
  std::string body_prefix;
  Imported<std::string> dtype;
  std::vector<DtypeException> dtypes;

  Imported<std::int64_t> bos_token_id;  ///< -1: none
  Imported<std::vector<std::int64_t>> eos_token_ids;

  std::vector<std::string> ignored_keys;
};

}  // namespace monomorph::generator
