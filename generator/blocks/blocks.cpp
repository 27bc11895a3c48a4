// Which sub-blocks there are.
#include "generator/blocks/attention.hpp"
#include "generator/blocks/latent_attention.hpp"
#include "generator/blocks/mlp.hpp"
#include "generator/blocks/moe.hpp"

namespace monomorph::generator {

const std::vector<BlockType>& block_types() {
  static const std::vector<BlockType> types = {
      attention_block(),
      latent_attention_block(),
      mlp_block(),
      moe_block(),
  };
  return types;
}

}  // namespace monomorph::generator
