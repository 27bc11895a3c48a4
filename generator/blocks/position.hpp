// Positions: how a sub-block that reads [position] is told where a token stands.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

enum class RotaryLayout;

struct PositionSection {
  /// rope | alibi | relative_buckets | relative | learned | sinusoidal | none
  Field<std::string> type;
  Field<double> rope_theta;
  Field<std::int64_t> rotary_dim;  ///< default: head_dim
  Field<std::string> layout;       ///< half | interleaved
  Field<bool> ends_at_theta;       ///< sinusoidal's
  Field<std::int64_t> offset;      ///< learned's and sinusoidal's
  Field<std::string> direction;    ///< forward | reversed
  Field<std::string> scaling;      ///< of the frequencies: none | linear | llama3 | yarn | dynamic | longrope
  Field<double> factor;
  Field<std::int64_t> original_max_position_embeddings;  ///< default: max_position_embeddings
  Field<double> low_freq_factor, high_freq_factor;       ///< llama3's
  Field<double> beta_fast, beta_slow;                    ///< yarn's, as what follows
  Field<bool> truncate;
  Field<std::vector<double>> short_factor, long_factor;  ///< longrope's, one for each frequency
  Field<double> attention_factor;                        ///< yarn's and longrope's; default: default_attention_factor
  Field<double> alibi_bias_max;                          ///< alibi's
  Field<std::int64_t> num_buckets;                       ///< of distances: relative_buckets'
  Field<std::int64_t> max_distance;                      ///< relative_buckets' and relative's
  Field<std::int64_t> max_distance_ahead;                ///< relative's; default: max_distance
};

/// Defaults that follow from other values, for heads of `head_dim` elements.
void complete_position(PositionSection& position, std::int64_t head_dim, const ModelSection& model);
/// The rules on the kind's [position], whose heads have `head_dim` elements, which the sub-block says as `key`.
void check_position(const BlockContext& context, const Field<std::int64_t>& num_heads,
                    const Field<std::int64_t>& head_dim, const std::string& key, Diagnostics& diagnostics);
/// The rule "<section>.position" of a sub-block that is told positions by rotation alone: distances and slopes are told
/// to attention whose heads have keys of their own.
void check_rotated(const BlockContext& context, const std::string& section, Diagnostics& diagnostics);
/// The rule on rope_theta.
void check_base(const PositionSection& position, Diagnostics& diagnostics);
RotaryLayout layout_of(const PositionSection& position);
/// The table of angles, where positions are told by rotation.
void declare_position(const BlockContext& context, Declarations& declare);
/// ALiBi's slope of each head (Press et al. 2022); none where positions are told otherwise.
std::vector<float> position_slopes(const BlockContext& context, std::int64_t num_heads);
/// Rows of heads, turned by their positions where those are told so.
Id<Value> build_turned(const BlockContext& context, Builder& build, Id<Value> in, const std::string& role);

}  // namespace monomorph::generator
