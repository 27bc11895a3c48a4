// What an emitted engine hands to the runtime: constant tables, and the functions of its forward pass. The runtime
// knows nothing else about the model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/tensor.hpp"

namespace monomorph {

// ---------------------------------------------------------------------------------------------------------- kernels

enum class Access : std::uint32_t { read, write, read_write };

/// A storage buffer of a kernel (set 0, binding = its index). A binding that `splits` is a weight whose rows are the
/// dispatch's rows: where the tensor lies in several slices, the dispatch is made once for each slice, with that slice
/// alone bound and `first_row` counting from the tensor's first row. So a kernel reads row `first_row + r` of such a
/// binding at `r`, and of every other binding at `first_row + r`. The same holds where a grid would be too large for
/// one dispatch.
struct Binding {
  const char* name;
  Access access;
  bool splits;
};

/// How a kernel divides its work; what the runtime needs to choose workgroup sizes and tiles (device facts).
enum class KernelKind : std::uint32_t {
  embed,      ///< one workgroup a token; rows are the vocabulary's (a split gathers the tokens that fall in it)
  norm,       ///< one workgroup a token
  matvec,     ///< rows of a matrix times one vector
  matmul,     ///< rows of a matrix times many vectors
  heads,      ///< one workgroup a head (row) and token: QK-norm, rotary embedding, cache write
  attention,  ///< one workgroup a KV head (row) and tile of query rows
  sample,     ///< one workgroup
};

/// What a dispatch reads and computes, for figures of speed; activations are not counted.
struct KernelCost {
  std::int64_t bytes_per_row;    ///< of weights, once a dispatch
  std::int64_t bytes_per_token;  ///< of a table of embeddings
  std::int64_t bytes_per_key;    ///< of the cache, for each row (a key and value head) and each key it holds
  std::int64_t flops_per_row;    ///< for each row and token
  std::int64_t flops_per_key;    ///< for each row, token and key that the token sees
};

/// Every kernel has the specialization constants 0 (workgroup size, x), 1 (subgroup size), 2 (rows per workgroup or,
/// for a matvec, rows per subgroup), 3 (tokens per workgroup) and 4 (a CPU driver: loads are slow, barriers slower),
/// reads what it needs of them, and has the push constants { uint first_row; uint row_count; }.
struct Kernel {
  const char* name;
  KernelKind kind;
  std::span<const std::byte> spirv;
  std::span<const Binding> bindings;
  KernelCost cost;
  std::int64_t max_tile_tokens;  ///< per workgroup at most: dispatches have no more, or shared memory holds no more
};

/// An argument of a dispatch: a place in an arena, or a weight.
struct Argument {
  BufferView view{};
  std::int32_t tensor = -1;  ///< >= 0: this weight

  template <class Element, class... Axes>
  Argument(const Tensor<Element, Axes...>& value) : view(value.view) {}
  template <class Role, class Element, class... Axes>
  Argument(const Cache<Role, Element, Axes...>& value) : view(value.view) {}
  template <class Role, class Element, class... Axes>
  Argument(const Weight<Role, Element, Axes...>& value) : tensor(value.tensor) {}
};

struct Dispatch {
  std::int32_t kernel;  ///< index into Program::kernels
  std::vector<Argument> arguments;
  std::int64_t rows;
  std::int64_t tokens;
};

/// Collects what the emitted forward pass says; the runtime turns it into command buffers.
class Recorder {
 public:
  void dispatch(std::int32_t kernel, std::initializer_list<Argument> arguments, std::int64_t rows,
                std::int64_t tokens) {
    dispatches.push_back({kernel, arguments, rows, tokens});
  }
  /// Marks the end of a layer, for `verify` and for figures per layer.
  void end_of_layer(std::int64_t layer, const BufferView& hidden_states) {
    layer_ends.push_back({layer, static_cast<std::int64_t>(dispatches.size()), hidden_states});
  }

  struct LayerEnd {
    std::int64_t layer;
    std::int64_t dispatch_count;  ///< dispatches recorded before this point
    BufferView hidden_states;
  };
  std::vector<Dispatch> dispatches;
  std::vector<LayerEnd> layer_ends;
};

// ---------------------------------------------------------------------------------------------------------- weights

/// One checkpoint tensor, or some of its rows, as part of a weight. Rows are those of the weight (outputs); a
/// checkpoint that keeps the matrix as [inputs, outputs] is `transposed`. In a vector (TensorPattern::rows == 1)
/// `rows`, `source_row` and `source_rows` count elements. Parts follow each other; a part with an empty name, and what
/// no part fills, is zeros.
struct TensorPart {
  const char* name;          ///< in the checkpoint, with "{i}" for the layer, without the prefix
  std::int64_t rows;         ///< rows of the weight that this part fills
  std::int64_t source_row;   ///< first of those rows in the checkpoint's tensor (after transposing)
  std::int64_t source_rows;  ///< rows the checkpoint's tensor has (after transposing)
  bool transposed;
};

/// A weight of the model: `rows` x `columns`, rows padded to 16 bytes. A vector (norm weight, bias) is one row. Its
/// elements are `dtype` in the checkpoint and `stored` on the device (vectors are kept as f32).
struct TensorPattern {
  const char* name;  ///< "layers.{i}.attention.qkv"
  Dtype dtype;
  Dtype stored;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_granularity;  ///< a slice has a multiple of this many rows
  std::span<const TensorPart> parts;
};

/// Weights that occur once (`layers` empty) or once for every layer listed. Tensor ids count through the groups in
/// order; within a group layer by layer, within a layer in the order of `patterns`.
struct TensorGroup {
  std::span<const TensorPattern> patterns;
  std::span<const std::int32_t> layers;
};

/// Cosines and sines, computed at load: [positions][frequencies] pairs (cos, sin) of f32, from the angle formed as
/// f32 position times f32 frequency, rounded to f32, then taken in double.
struct RotaryTable {
  BufferView view;
  std::int64_t positions;
  std::span<const float> frequencies;
};

// ---------------------------------------------------------------------------------------------------------- sequence

inline constexpr std::size_t max_eos_tokens = 8;

/// What the host asks of the device-side state before a submission.
struct SequenceRequest {
  std::uint32_t position = 0;       ///< of the first token of this call
  std::uint32_t seq_len = 0;        ///< tokens in this call
  std::uint32_t logits_row = 0;     ///< the token of this call whose logits the head computes
  std::uint32_t stop_position = 0;  ///< `done` is set when this many positions are filled
  float inverse_temperature = 0;    ///< 0: greedy
  std::uint32_t top_k = 0;          ///< 0: all
  std::uint32_t top_p = 0;          ///< in 1 / 2^24; 0: all
  std::uint64_t seed = 0;
  std::array<std::uint32_t, max_eos_tokens> eos_tokens{};
  std::uint32_t eos_count = 0;
};

/// What the device says after a submission.
struct SequenceReport {
  std::uint32_t position;   ///< of the next token
  std::uint32_t done;       ///< 1: a stop token was drawn or stop_position reached
  std::uint32_t generated;  ///< tokens written to `generated` since the state was written
};

// ---------------------------------------------------------------------------------------------------------- reference

/// Weights as the reference reads them: element (row, column) of a tensor, as double.
class HostWeights;

/// The emitted CPU reference: the same model in plain loops, accumulating in double.
class Reference {
 public:
  virtual ~Reference() = default;
  /// Runs `tokens` at positions first_position...; keys and values of earlier positions are kept from earlier calls.
  /// Gives the logits of every token, [tokens, vocab_size]; with `hidden_states`, also each layer's output,
  /// [layers][tokens, hidden_size].
  virtual std::vector<double> forward(std::span<const std::int32_t> tokens, std::int64_t first_position,
                                      std::vector<std::vector<double>>* hidden_states) = 0;
};

// ---------------------------------------------------------------------------------------------------------- program

struct Program {
  std::string_view name;
  std::string_view version;    ///< of the generator
  std::string_view spec_hash;  ///< of the spec this was generated from
  std::int64_t vocab_size;
  std::int64_t hidden_size;
  std::int64_t num_hidden_layers;
  std::int64_t max_sequence_length;
  std::int64_t prefill_chunk;
  std::int64_t decode_steps;  ///< `generated` holds this many tokens: steps a submission may have
  std::int64_t total_parameters;
  std::int64_t flops_per_token;  ///< of one decoded token, attention aside
  std::int64_t cache_bytes_per_token;
  Dtype kv_cache = Dtype::f32;  ///< what keys and values are kept as (the reference keeps doubles)
  std::span<const std::uint32_t> eos_tokens;

  std::span<const Kernel> kernels;
  std::span<const TensorGroup> tensors;
  std::span<const char* const> checkpoint_prefixes;  ///< one stands before every name; tried in order; empty: ""
  std::span<const char* const> ignored_tensors;      ///< names in the checkpoint, with "{i}", that may be left unread
  const char* tied_embedding = "";  ///< in the checkpoint: the matrix that is the head too; "": the head has its own
  std::span<const RotaryTable> rotary_tables;
  std::array<std::int64_t, arena_count> arena_bytes;  ///< by Arena

  // Places in Arena::state that the host reads and writes.
  BufferView sequence_state;
  BufferView token_ids;  ///< u32[prefill_chunk]: the tokens of this call
  BufferView generated;  ///< u32[decode_steps]: what sampling drew
  BufferView logits;     ///< f32[vocab_size]

  void (*prefill)(Recorder&);  ///< embedding and layers for seq_len <= prefill_chunk tokens
  void (*decode)(Recorder&);   ///< the same for one token
  void (*head)(Recorder&);     ///< final norm and logits of token logits_row
  void (*sample)(Recorder&);   ///< draws the next token, advances the state
  /// The emitted twin of the device's state: these two know its layout.
  void (*write_state)(const SequenceRequest&, std::byte*);
  SequenceReport (*read_state)(const std::byte*);

  std::unique_ptr<Reference> (*make_reference)(const HostWeights&);
};

}  // namespace monomorph
