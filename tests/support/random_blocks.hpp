// Sub-blocks of random specs, key by key: attention of a text, of a source and of one that is read whole, latent
// attention, MLPs and experts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/spec_writer.hpp"

namespace monomorph::test {

class RandomBlocks : protected SpecWriter {
 protected:
  using SpecWriter::SpecWriter;

  /// What queries see: keys up to their own, all of the pass, or the slot's source.
  enum class Sees { text, pass, source };

  /// Whether the heads are those of differential attention.
  bool go_in_pairs() { return heads_ % 2 == 0 && chance(30); }
  /// What attentions of a kind, and second ones, may say as well.
  void attention_keys(bool pairs, Sees sees);
  void sub_block_norms();
  void unit_keys(std::vector<std::string> activations, const std::vector<std::string>& biases);
  void mlp_keys();
  void moe_keys();
  void latent_keys();
  void short_conv_keys();
  void mamba_keys();
  void mamba2_keys();
  void delta_net_keys();
  void retention_keys();
  void rg_lru_keys();
  void rwkv_keys();
  void rwkv7_keys();
  void channel_mix_keys();
  void projection_keys();
  /// In some models, a key of what reads the stream by itself.
  void perhaps_with_embedding();

  const std::vector<std::string> any_bias_ = {"true", "[\"up\"]", "[\"down\"]"};
  std::string type_;  ///< of positions
  std::int64_t heads_ = 1, hidden_ = 0;
  bool shares_output_norm_ = false;
  /// Where in its step the sub-block stands that is written.
  enum class Place { any, alone, first, middle, last };
  Place place_ = Place::any;
  bool of_encoder_ = false;  ///< what is written is the encoder's
};

}  // namespace monomorph::test
