// Axes: the one place where sizes have names. Weights, states, tables and activations have axes, never bare sizes.
//
// An axis is known by its word, its size and its factors: two kinds of layer with as many heads of the same size share
// the axis q, and two with other heads have an axis each, even where the products agree.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "generator/ids.hpp"

namespace monomorph::generator {

struct Axis;
using AxisId = Id<Axis>;

/// How many entries of an axis are in use while the engine runs.
enum class Live {
  all,        ///< all of them
  tokens,     ///< those of this pass, at most prefill_chunk
  rows,       ///< those whose logits are wanted
  positions,  ///< those that the slot has filled
};

struct Axis {
  std::string word;  ///< vocab, hidden, q, kv, heads, kv_heads, kv_group, head, intermediate ...
  std::int64_t size = 0;
  std::vector<AxisId>
      factors;  ///< outermost first: q = heads x head, heads = kv_heads x kv_group; size is their product
  Live live = Live::all;
  std::vector<std::string> users;  ///< identifiers of the layer kinds that have it; empty: the model has it
  std::string name;                ///< in emitted code, plan and messages: the word, or qualified by its users
};

/// The word of an axis of two rows side by side. Concat finds it by its size: a kind of layer has one for each.
inline constexpr const char* concatenated_axis = "concatenated";

class AxisTable : public Table<Axis> {
 public:
  /// The axis of this identity; made where there is none. `user` is the layer kind that has it, or "".
  AxisId intern(const Axis& axis, const std::string& user = "");
  /// Names every axis; to be called when all have been made.
  void name_all();
  /// The product of the sizes.
  std::int64_t elements(const std::vector<AxisId>& axes) const;
  /// "hidden x q"
  std::string shape(const std::vector<AxisId>& axes) const;
  /// Of an axis that is some runs of this one, each of neighbouring elements, those runs: heads of q for head, kv_heads
  /// of q for the axis kv_group x head. None where it is no such thing.
  AxisId outer_of(AxisId axis, AxisId run) const;
  /// The size of the inner one of two factors, with which a vector of `axis` may stand as a matrix; 0 where it has none
  /// or others.
  std::int64_t inner_of_two(AxisId axis) const;
  /// How long the rows of a matrix may be as which a vector of `axis` stands: as its inner factor, and where the outer
  /// one has two as well, as what is of the outermost. 0: there is no such matrix.
  std::array<std::int64_t, 2> inner_of_vector(AxisId axis) const;
  /// Neighbouring elements of `axis` to each of `part`: 1 where they are one axis, head's size for heads of q, or of
  /// heads x 1, all of them for an axis of one element; 0 where `part` does not say which element is whose.
  std::int64_t run_of(AxisId axis, AxisId part) const;
};

}  // namespace monomorph::generator
