// A small Llama and its checkpoint, for tests that spoil one thing of them.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "generator/audit/audit.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::tests {

inline generator::Contract contract_of(const std::string& spec_text) {
  generator::Diagnostics diagnostics;
  const auto source = std::make_shared<const generator::Source>(generator::Source{"small.toml", spec_text});
  const auto spec = generator::read_spec(source, {}, diagnostics);
  std::optional<generator::Contract> contract;
  if (spec) contract = generator::check_contract(*spec, diagnostics);
  REQUIRE_MESSAGE(contract, generator::render(diagnostics));
  return *contract;
}

inline std::string small_llama_text(bool tied) {
  return std::string(R"(
[model]
name = "small"
vocab_size = 10
hidden_size = 8
num_hidden_layers = 3
max_position_embeddings = 16
[norm]
type = "rms_norm"
eps = 1e-5
[attention]
num_attention_heads = 4
num_key_value_heads = 2
[position]
type = "rope"
[mlp]
type = "gated"
intermediate_size = 12
activation = "silu"
[lm_head]
tie_word_embeddings = )") +
         (tied ? "true" : "false") + "\n[checkpoint]\nnames = \"llama\"\ndtype = \"f32\"\n";
}

inline generator::Contract small_llama(bool tied) { return contract_of(small_llama_text(tied)); }

/// Everything small_llama(true) needs.
inline std::vector<TensorText> small_tensors() {
  std::vector<TensorText> tensors = {{"model.embed_tokens.weight", "F32", {10, 8}, "embedding"},
                                     {"model.norm.weight", "F32", {8}, ""}};
  for (const char* layer : {"0", "1", "2"}) {
    const std::string prefix = std::string("model.layers.") + layer + ".";
    tensors.push_back({prefix + "input_layernorm.weight", "F32", {8}, ""});
    tensors.push_back({prefix + "self_attn.q_proj.weight", "F32", {8, 8}, ""});
    tensors.push_back({prefix + "self_attn.k_proj.weight", "F32", {4, 8}, ""});
    tensors.push_back({prefix + "self_attn.v_proj.weight", "F32", {4, 8}, ""});
    tensors.push_back({prefix + "self_attn.o_proj.weight", "F32", {8, 8}, ""});
    tensors.push_back({prefix + "post_attention_layernorm.weight", "F32", {8}, ""});
    tensors.push_back({prefix + "mlp.gate_proj.weight", "F32", {12, 8}, ""});
    tensors.push_back({prefix + "mlp.up_proj.weight", "F32", {12, 8}, ""});
    tensors.push_back({prefix + "mlp.down_proj.weight", "F32", {8, 12}, ""});
  }
  return tensors;
}

inline TensorText& tensor(std::vector<TensorText>& tensors, const std::string& name) {
  const auto place = std::find_if(tensors.begin(), tensors.end(), [&](const TensorText& t) { return t.name == name; });
  REQUIRE(place != tensors.end());
  return *place;
}

inline void remove_tensor(std::vector<TensorText>& tensors, const std::string& name) {
  REQUIRE(std::erase_if(tensors, [&](const TensorText& t) { return t.name == name; }) == 1);
}

inline generator::Diagnostics audit(const generator::Contract& contract, const std::vector<TensorText>& tensors,
                                    bool scan_nan = false, const std::string& tokenizer = "") {
  const TemporaryDirectory directory;
  directory.write("model.safetensors", safetensors(tensors));
  if (!tokenizer.empty()) directory.write("tokenizer.json", tokenizer);
  return generator::audit_checkpoint(contract, directory.path().string(), scan_nan);
}

/// The one diagnostic there is; fails the case when there are more or fewer.
inline generator::Diagnostic only(const generator::Diagnostics& diagnostics) {
  REQUIRE_MESSAGE(diagnostics.all().size() == 1, generator::render(diagnostics));
  return diagnostics.all().front();
}

inline bool contains(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

}  // namespace monomorph::tests
