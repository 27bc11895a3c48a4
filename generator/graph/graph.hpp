// The graph: the forward pass as typed operations, built once. Prefill and decode are two plans of this one graph, so a
// step cannot exist in the one and be missing in the other.
//
// The residual stream is the value `hidden_states`, updated in place by Add (and by a norm after the addition); every
// other value is written once and read later in the same section.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "generator/contract/contract.hpp"

namespace monomorph::generator {

/// tokens x axis, f32.
struct Value {
  std::string name;
  Axis axis;
  bool operator==(const Value& other) const { return name == other.name; }
};

/// A norm's weights by role; bias empty where it has none.
struct NormWeights {
  std::string weight, bias;
};

/// out = table[token] (+ positions[position])
struct EmbedOp {
  std::string table, positions;  ///< roles; positions empty where they are not learned
  Value out;
};
/// out = norm(in) over the axis
struct NormOp {
  NormContract norm;
  NormWeights weights;
  Value in, out;
};
/// out = weight x in (+ bias)
struct LinearOp {
  std::string weight, bias;  ///< roles; bias may be empty
  Value in, out;
};
/// queries, keys, values = in, cut along its axis
struct SplitOp {
  Value in, queries, keys, values;
};
/// out = rms_norm(in) over each head
struct HeadNormOp {
  std::string weight;
  double eps;
  Value in, out;
};
/// out = in, each head rotated by its position (half layout: dimension j with j + rotary_dim / 2)
struct RotaryOp {
  std::int64_t rotary_dim;
  Value in, out;
};
/// cache[position] = in
struct CacheWriteOp {
  std::string cache;  ///< keys | values
  Value in;
};
/// out = softmax(scale * queries x keys, causal) x values, over the cache
struct AttentionOp {
  Value queries, out;
  double scale;
};
/// out = expression of x, or of gate and up
struct ActivationOp {
  Expression expression;
  std::vector<Value> in;  ///< {x} or {gate, up}
  Value out;
};
/// residual += in
struct AddOp {
  Value in, residual;
};

using Op = std::variant<EmbedOp, NormOp, LinearOp, SplitOp, HeadNormOp, RotaryOp, CacheWriteOp, AttentionOp,
                        ActivationOp, AddOp>;

struct Graph {
  std::vector<Op> prologue;             ///< token ids -> hidden_states
  std::vector<std::vector<Op>> layers;  ///< for each kind of the contract: hidden_states -> hidden_states
  std::vector<Op> epilogue;             ///< hidden_states -> logits
};

/// Builds the forward pass of an accepted contract.
Graph build_graph(const Contract& contract);

/// The name an axis of this layer kind has: prefixed by the kind where the model has several.
std::string layer_axis_name(const Contract& contract, const LayerContract& kind, const std::string& axis);

std::string dump_graph(const Graph& graph, const Contract& contract);

}  // namespace monomorph::generator
