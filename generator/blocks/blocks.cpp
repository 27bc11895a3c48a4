// Which sub-blocks there are.
#include "generator/blocks/attention.hpp"
#include "generator/blocks/channel_mix.hpp"
#include "generator/blocks/delta_net.hpp"
#include "generator/blocks/latent_attention.hpp"
#include "generator/blocks/mamba.hpp"
#include "generator/blocks/mamba2.hpp"
#include "generator/blocks/mlp.hpp"
#include "generator/blocks/moe.hpp"
#include "generator/blocks/projection.hpp"
#include "generator/blocks/retention.hpp"
#include "generator/blocks/rg_lru.hpp"
#include "generator/blocks/rwkv.hpp"
#include "generator/blocks/rwkv7.hpp"
#include "generator/blocks/short_conv.hpp"

namespace monomorph::generator {

const std::vector<BlockType>& block_types() {
  static const std::vector<BlockType> types = {
      // Of tokens that see each other.
      attention_block(),
      latent_attention_block(),
      // Of each token alone.
      mlp_block(),
      projection_block(),
      moe_block(),
      // Of the last few tokens.
      short_conv_block(),
      channel_mix_block(),
      // Of a state of fixed size, which all tokens up to their own have made.
      mamba_block(),
      mamba2_block(),
      delta_net_block(),
      retention_block(),
      rg_lru_block(),
      rwkv_block(),
      rwkv7_block(),
  };
  return types;
}

}  // namespace monomorph::generator
