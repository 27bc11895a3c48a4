// The channel mixing of RWKV (Peng et al. 2023): an MLP whose inputs are mixed with those of the token before, and a
// gate of what it gives.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct ChannelMixSection {
  Field<std::string> gate;                ///< none | element
  Field<std::string> token_shift;         ///< token | before: what the numbers that mix are shares of
  Field<std::int64_t> intermediate_size;  ///< elements between both matrices
  Field<std::string> activation;          ///< of what up gives
  Field<std::string> gate_activation;     ///< of the gate
  Field<Biases> bias;                     ///< of up, gate, down
};

BlockType channel_mix_block();

}  // namespace monomorph::generator
