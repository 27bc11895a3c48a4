#include "generator/spec/checkpoint_names.hpp"

#include "runtime/dtype.hpp"

namespace monomorph::generator {
namespace {

// Llama, Mistral, Qwen2 and Qwen3 differ only in which of these they have.
const NameTable llama = {
    "llama",
    {""},
    {
        {"embedding.tokens", "model.embed_tokens", false, {}},
        {"layers.{i}.attention.input_norm", "model.layers.{i}.input_layernorm", false, {}},
        {"layers.{i}.attention.q", "model.layers.{i}.self_attn.q_proj", false, {}},
        {"layers.{i}.attention.k", "model.layers.{i}.self_attn.k_proj", false, {}},
        {"layers.{i}.attention.v", "model.layers.{i}.self_attn.v_proj", false, {}},
        {"layers.{i}.attention.q_norm", "model.layers.{i}.self_attn.q_norm", false, {}},
        {"layers.{i}.attention.k_norm", "model.layers.{i}.self_attn.k_norm", false, {}},
        {"layers.{i}.attention.o", "model.layers.{i}.self_attn.o_proj", false, {}},
        {"layers.{i}.mlp.input_norm", "model.layers.{i}.post_attention_layernorm", false, {}},
        {"layers.{i}.mlp.gate", "model.layers.{i}.mlp.gate_proj", false, {}},
        {"layers.{i}.mlp.up", "model.layers.{i}.mlp.up_proj", false, {}},
        {"layers.{i}.mlp.down", "model.layers.{i}.mlp.down_proj", false, {}},
        {"final_norm", "model.norm", false, {}},
        {"lm_head", "lm_head", false, {}},
    },
    {
        {"model.layers.{i}.self_attn.rotary_emb.inv_freq",
         "rotary frequencies kept as a buffer; they follow from rope_theta"},
    },
};

// Conv1D keeps its matrices as [inputs, outputs].
const NameTable gpt2 = {
    "gpt2",
    {"", "transformer."},
    {
        {"embedding.tokens", "wte", false, {}},
        {"embedding.positions", "wpe", false, {}},
        {"layers.{i}.attention.input_norm", "h.{i}.ln_1", false, {}},
        {"layers.{i}.attention.qkv", "h.{i}.attn.c_attn", true, {"q", "k", "v"}},
        {"layers.{i}.attention.o", "h.{i}.attn.c_proj", true, {}},
        {"layers.{i}.mlp.input_norm", "h.{i}.ln_2", false, {}},
        {"layers.{i}.mlp.up", "h.{i}.mlp.c_fc", true, {}},
        {"layers.{i}.mlp.down", "h.{i}.mlp.c_proj", true, {}},
        {"final_norm", "ln_f", false, {}},
        {"lm_head", "lm_head", false, {}},
    },
    {
        {"h.{i}.attn.bias", "the causal mask, kept as a buffer"},
        {"h.{i}.attn.masked_bias", "the value of masked scores, kept as a buffer"},
    },
};

}  // namespace

const NameTable* find_name_table(const std::string& name) {
  for (const NameTable* table : {&llama, &gpt2}) {
    if (table->name == name) return table;
  }
  return nullptr;
}

const std::vector<Interleaving>& interleavings() {
  static const std::vector<Interleaving> table = {
      {"head", "of each head, its rows of the parts in turn", [](const PartRows& part) { return part.heads; }},
      {"kv_group", "of each key head, its rows with those of all query heads that it serves",
       [](const PartRows& part) { return part.kv_heads; }},
      {"halves",
       "of each head of one part, the rows of its first and of its second half, as GGUF files of Llama have q and k",
       [](const PartRows& part) { return part.heads; }, true},
  };
  return table;
}

const Interleaving* find_interleaving(const std::string& name) {
  for (const Interleaving& one : interleavings()) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

std::vector<std::string> interleaving_names() {
  std::vector<std::string> names;
  for (const Interleaving& one : interleavings()) names.push_back(one.name);
  return names;
}

std::vector<std::string> parts_of_line(const std::string& line, const std::vector<std::string>& fused) {
  if (fused.empty()) return {line};
  std::vector<std::string> parts;
  for (const std::string& word : fused) parts.push_back(line.substr(0, line.rfind('.') + 1) + word);
  return parts;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DtypeRow& row : dtype_rows) names.emplace_back(row.name);
  return names;
}

}  // namespace monomorph::generator
