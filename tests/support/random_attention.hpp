// Attention of random graphs: with and without a cache, windows, masks, scores, sinks, distances, scales of layers, two
// terms, and values of their own width; and differences of two.
#pragma once

#include <string>

#include "tests/support/random_writer.hpp"

namespace monomorph::test {

class RandomAttention : protected RandomWriter {
 protected:
  using RandomWriter::RandomWriter;

  /// Draws the axes of a layer's heads.
  void begin_heads();
  /// An attention of values that the layer has; none where there are no queries or keys.
  void attend(Builder& build);

  /// What two values of one axis differ by, as differential attention has it.
  void differ(Builder& build, std::size_t from);

  AxisId heads_, q_, kv_;

 private:
  /// Scores as they are, capped or sloped; every key, some of them, or of either those of a window.
  Attention how();
  /// A ring's, where it is shorter than the sequence.
  AxisId entries_of(const Window& kept);
  RotaryContract rotary(std::int64_t rotary_dim);
  /// One of each layer, which no checkpoint has.
  ValueId number(Builder& build, const std::string& name);
  /// Rows of what distances give, more than are read at times; and how distances find theirs.
  ValueId distances(Builder& build, const std::string& name, bool of_heads, Distances& how);

  AxisId kv_heads_, head_, values_, attended_, second_q_, second_k_;
  AnglesId angles_;
};

}  // namespace monomorph::test
