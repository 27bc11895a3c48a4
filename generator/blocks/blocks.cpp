// Which sub-blocks there are.
#include "generator/blocks/attention.hpp"
#include "generator/blocks/latent_attention.hpp"
#include "generator/blocks/mlp.hpp"
#include "generator/blocks/moe.hpp"
#include "generator/blocks/short_conv.hpp"

namespace monomorph::generator {

const std::vector<BlockType>& block_types() {
  static const std::vector<BlockType> types = {
      attention_block(),  // in the order in which they are documented
      latent_attention_block(),
      mlp_block(),
      moe_block(),
      short_conv_block(),
  };
  return types;
}

}  // namespace monomorph::generator
