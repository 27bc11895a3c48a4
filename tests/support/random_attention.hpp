// Attention of random graphs: with and without a cache, to a source, windows, masks, scores, sinks, distances, scales
// of layers, two terms, and values of their own width; differences of two; convolutions and recurrences, which
// have states too.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/random_writer.hpp"

namespace monomorph::test {

class RandomAttention : protected RandomWriter {
 protected:
  using RandomWriter::RandomWriter;

  /// Draws the axes of a layer's heads.
  void begin_heads();
  /// An attention of values that the layer has; none where there are no queries or keys.
  void attend(Builder& build);

  /// In a function of sources: keys and values for an attention of the layer, of a value of the source's tokens.
  void keep_source(Builder& build, std::size_t from);
  /// In the layer: attention to what one of these has kept.
  void attend_to_source(Builder& build, std::size_t which);

  /// What the last positions had of a value, convolved; none is kept of a source's tokens.
  void convolve(Builder& build);
  /// What the token before had of a value; and a mean of what all had.
  void look_back(Builder& build, std::size_t from);
  void weigh(Builder& build);
  /// What matrices of heads give that every token changes; none is kept of a source's tokens.
  void recur(Builder& build);
  /// What two values of one axis differ by, as differential attention has it.
  void differ(Builder& build, std::size_t from);

  AxisId heads_, q_, kv_;
  /// What the layer keeps of a source.
  struct KeptOfSource {
    std::string name;  ///< of its states: "<name>_keys", "<name>_values", "<name>_second_keys"
    bool second, values_are_keys;
  };
  std::vector<KeptOfSource> kept_;
  std::map<std::string, ValueId> source_states_;  ///< that the layer has taken
  bool of_source_ = false;                        ///< its rows are a source's tokens, of which nothing is kept

 private:
  /// Scores as they are, capped or sloped; every key, some of them, or of either those of a window.
  Attention how();
  /// A ring's, where it is shorter than the sequence.
  AxisId entries_of(const Window& kept);
  RotaryContract rotary(std::int64_t rotary_dim);
  /// Queries or keys, some of which are normed, and some turned.
  std::size_t prepared(Builder& build, std::size_t from);
  /// The attention, with operands that some have beside these.
  void attended(Builder& build, const std::string& name, Attention how, AttentionOperands operands);
  /// One of each layer, which no checkpoint has.
  ValueId number(Builder& build, const std::string& name);
  /// Rows of what distances give, more than are read at times; and how distances find theirs.
  ValueId distances(Builder& build, const std::string& name, bool of_heads, Distances& how);

  AxisId kv_heads_, head_, values_, attended_, second_q_, second_k_;
  AnglesId angles_;
};

}  // namespace monomorph::test
