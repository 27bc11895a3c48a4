#include "tests/support/random_names.hpp"

#include "generator/blocks/moe.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/checkpoint_section.hpp"

namespace monomorph::test {

using namespace generator;

namespace {

/// One of the ways in which a checkpoint keeps experts: each in tensors of its own or all in one, lying so or
/// transposed, gate and up apart, one after the other or row by row.
void name_experts(const Block& block, std::size_t stack, std::size_t way, std::map<std::string, TensorName>& tensors) {
  const std::string prefix = section_prefix(stack) + ("layers.{i}." + block.instance + ".");
  const bool counted = way % 2 == 1, transposed = way / 2 % 2 == 1;
  const std::size_t together = way / 4 % 3;
  const auto name = [&](const std::string& word) -> TensorName& {
    TensorName& tensor = tensors[prefix + word];
    tensor.name = prefix + word + (counted ? ".{j}" : "");
    tensor.transposed = transposed;
    return tensor;
  };
  for (const char* word : {"gate", "up", "down"}) name(word);
  const auto& moe = section_of<MoeSection>(block);
  if (together == 0 || !moe.gated() || moe.bias.value.has("gate") != moe.bias.value.has("up")) return;
  tensors.erase(prefix + "gate");
  tensors.erase(prefix + "up");
  TensorName& both = name("gate_up");
  both.fused = {"gate", "up"};
  both.interleaved = together == 2 ? "row" : counted ? "" : "expert";
}

/// One of the ways in which a checkpoint keeps what latents become: both of a head in turn, or each in a tensor of its
/// own, of which the keys' may lie either way; queries likewise.
void name_latents(const Block& block, std::size_t way, std::map<std::string, TensorName>& tensors) {
  const std::string prefix = "layers.{i}." + block.instance + ".";
  const auto join = [&](const std::string& word, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) tensors.erase(prefix + part);
    TensorName& tensor = tensors[prefix + word];
    tensor.name = prefix + word;
    tensor.fused = parts;
    tensor.interleaved = "head";
  };
  if (way % 3 == 0) {
    join("kv_up", way % 2 == 0 ? std::vector<std::string>{"k_up", "v_up"} : std::vector<std::string>{"v_up", "k_up"});
  } else {
    tensors[prefix + "k_up"].transposed = way % 3 == 1;
  }
  if (way % 2 == 0) join("q_up", {"q_nope", "q_rope"});
}

}  // namespace

void name_tensors(Spec& spec, std::size_t way) {
  const auto name = [&](const std::string& part) {
    TensorName& tensor = spec.checkpoint->tensors[part];
    tensor.name = part;
  };
  for (const std::string& part : part_names()) {
    name(part);
    if (spec.encoder) name(section_prefix(encoder_stack) + part);
  }
  for (const LayerKind& kind : spec.kinds) {
    for (const Block* block : kind.blocks()) {
      std::vector<std::string> words = block->type->parts;
      words.insert(words.end(), {"input_norm", "output_norm", "residual_norm"});
      for (const std::string& word : words) {
        name(section_prefix(kind.stack) + ("layers.{i}." + block->instance + "." + word));
      }
      if (block->type->name == "moe") name_experts(*block, kind.stack, way, spec.checkpoint->tensors);
      if (block->type->name == "latent_attention") name_latents(*block, way, spec.checkpoint->tensors);
    }
  }
}

}  // namespace monomorph::test
