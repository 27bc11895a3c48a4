// A model small enough to be checked by hand, in the form the generator emits: embedding, two layers of a projection
// and a running sum over a state, a head and a greedy draw, three slots. Its kernels follow the runtime's rules and
// nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/program/program.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::test {

inline constexpr std::int64_t toy_vocab_size = 1000;
inline constexpr std::int64_t toy_hidden_size = 6;  // rows end inside 16 bytes
inline constexpr std::int64_t toy_layers = 2;
inline constexpr std::int64_t toy_max_sequence_length = 64;
inline constexpr std::int64_t toy_prefill_chunk = 12;
inline constexpr std::int64_t toy_decode_steps = 16;
inline constexpr std::int64_t toy_max_batch = 3;
inline constexpr std::int64_t toy_head_rows = 4;

enum class ToyKernel : std::int32_t {
  embed,
  project_prefill,
  project_decode,
  remember_prefill,
  remember_decode,
  head,
  sample,
  project_few,
};

/// The token that ends a generation is `eos_token`; none where it is negative. Lives as long as the process.
const Program& toy_program(std::int32_t eos_token = -1);

/// The same model with an answer to a source: what a layer has heard of it, the mean over its tokens of what they are
/// times their number, is added to what the layer gives. A layer hears the embeddings, the next one what the first
/// layer's projection makes of them.
const Program& toy_answers(std::int32_t eos_token = -1);
inline constexpr std::int64_t toy_max_source_length = 9;

/// The same model whose layers keep the sum so far, a recurrent state, and not what each token adds to it.
const Program& toy_recurrences();

/// What a phase of the toy does, where a layer's dispatches, once they are recorded, are changed by `at_end`.
std::function<void(Recorder&)> with_layers_changed(
    const std::function<void(Recorder&)>& toy, const std::function<void(Recorder&, const Recorder::LayerEnd&)>& at_end);

/// A kernel of the toy: the text after what all of them begin with, as SPIR-V.
std::vector<std::uint32_t> compile_toy_kernel(const std::string& text);

/// The same models in double.
class ToyReference {
 public:
  /// `source`: that is answered to; empty: none.
  explicit ToyReference(const HostWeights& weights, std::span<const std::int32_t> source = {});
  /// Appends a token; gives its hidden state.
  std::vector<double> hidden(std::int32_t token);
  std::vector<double> logits(std::span<const double> hidden) const;
  /// Appends a token; gives its logits.
  std::vector<double> append(std::int32_t token) { return logits(hidden(token)); }
  /// Hidden states of the last token after each layer.
  const std::vector<std::vector<double>>& layers() const { return layers_; }
  void reset();

 private:
  /// What a layer's projection makes of hidden states.
  std::vector<double> projected(std::int32_t layer, std::span<const double> hidden) const;
  std::vector<double> embedded(std::int32_t token) const;

  const HostWeights& weights_;
  std::vector<std::vector<double>> heard_;  ///< of the source, by layer; empty: there is none
  std::vector<std::vector<double>> sums_;   ///< of each layer's state
  std::vector<std::vector<double>> layers_;
};

std::int32_t likeliest(std::span<const double> logits);

}  // namespace monomorph::test
