// What an emitted engine hands to the runtime: constant tables, and the functions of its forward pass. The runtime
// knows nothing else about the model.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/program/cpu_kernel.hpp"
#include "runtime/program/rotary.hpp"
#include "runtime/program/row_view.hpp"
#include "runtime/program/state.hpp"
#include "runtime/program/step.hpp"
#include "runtime/program/tensor.hpp"

namespace monomorph {

class Backend;  // runtime/engine/backend.hpp
/// The names of all that there are, as engine.devices and --device say them, in the order in which their devices are
/// listed: a number of a device is the one that Vulkan gives it.
inline constexpr std::array<std::string_view, 2> backend_names = {"vulkan", "cpu"};

namespace chat {
class Scope;
}

// ---------------------------------------------------------------------------------------------------------- kernels

enum class Access : std::uint32_t { read, write, read_write };

/// A storage buffer of a kernel (set 0, binding = its index). A binding that `splits` is a weight whose rows are the
/// dispatch's rows, or those of so many banks of it: where the tensor lies in several slices, the dispatch is made once
/// for each slice, with that slice alone bound and `first_row` counting from the tensor's first row. So a kernel reads
/// row `first_row + r` of such a binding at `r`, and of every other binding at `first_row + r`; where rows are those of
/// banks, it looks for its own among the bound ones. The same holds where a grid would be too large for one dispatch,
/// but of banks, whose rows are one grid.
struct Binding {
  const char* name;
  Access access;
  bool splits;
};

/// The binding of a kernel that chooses among banks: for each row of the pass `per_row` of them, as whole floats, rows
/// padded.
inline constexpr std::string_view choice_binding = "choice";

/// How a kernel divides its work; what the runtime needs to choose workgroup sizes and tiles (device facts).
enum class KernelKind : std::uint32_t {
  gather,       ///< one workgroup a row; rows are the table's (a split gathers what falls in it)
  norm,         ///< one workgroup a row
  map,          ///< one workgroup a row
  matvec,       ///< rows of a matrix times one vector
  matvec_few,   ///< rows of a matrix times a few vectors at once
  matmul,       ///< rows of a matrix times many vectors
  heads,        ///< one workgroup a head (row) and token: QK-norm, rotary embedding, states
  attention,    ///< one workgroup a KV head (row) and tile of query rows
  recurrence,   ///< one workgroup a head (row), tile of its columns and run
  sample_scan,  ///< one workgroup a part of the vocabulary (row) and draw
  sample,       ///< one workgroup a draw
};

/// What a dispatch reads and computes, for figures of speed; activations are not counted.
struct KernelCost {
  std::int64_t bytes_per_row;    ///< of weights, once a dispatch
  std::int64_t bytes_per_token;  ///< of a table of embeddings
  std::int64_t bytes_per_key;    ///< of the cache, for each row (a key and value head) and each key that a token sees
  std::int64_t flops_per_row;    ///< for each row and token
  std::int64_t flops_per_key;    ///< for each row, token and key that the token sees
  std::int64_t most_keys = 0;    ///< that a token sees; 0: every one up to its own
  /// Of positions, where a mask tells more than that: whether a query sees a key. Null: it does not.
  bool (*sees)(std::int64_t query, std::int64_t key) = nullptr;

  /// Keys that any of the tokens at `position` and the `seq_len - 1` after it sees.
  constexpr std::int64_t keys_of_any(std::int64_t position, std::int64_t seq_len) const {
    const std::int64_t written = position + seq_len;
    if (sees == nullptr) return most_keys == 0 ? written : std::min(written, most_keys + seq_len - 1);
    std::int64_t keys = 0;
    for (std::int64_t key = 0; key < written; ++key) {
      bool seen = false;
      for (std::int64_t query = position; query < written && !seen; ++query) seen = sees(query, key);
      keys += seen ? 1 : 0;
    }
    return keys;
  }
  /// Keys that each of them sees, summed.
  constexpr std::int64_t keys_of_each(std::int64_t position, std::int64_t seq_len) const {
    if (sees == nullptr) {  // causal: on average half of the pass's own
      const std::int64_t all = 2 * position + seq_len + 1;
      return seq_len * (most_keys == 0 ? all : std::min(all, 2 * most_keys)) / 2;
    }
    std::int64_t keys = 0;
    for (std::int64_t query = position; query < position + seq_len; ++query) {
      for (std::int64_t key = 0; key < position + seq_len; ++key) keys += sees(query, key) ? 1 : 0;
    }
    return keys;
  }
  /// What a dispatch over tokens reads, of which some see so many keys: weights and cache once.
  constexpr std::int64_t bytes(std::int64_t rows, std::int64_t tokens, std::int64_t keys) const {
    return bytes_per_row * rows + bytes_per_token * tokens + bytes_per_key * rows * keys;
  }
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
  std::int64_t lanes = 1;  ///< of a recurrence: that share a column, which counts as a token, where a subgroup has as
                           ///< many
};

/// An argument of a dispatch: a place in an arena, or a weight.
struct Argument {
  BufferView view{};
  std::int32_t stored = -1;  ///< >= 0: this row of the table of stored weights

  template <class Role, class Element, class... Axes>
  Argument(const Tensor<Role, Element, Axes...>& value) : view(value.view) {}
  template <class Role, class Element, class... Axes>
  Argument(const State<Role, Element, Axes...>& value) : view(value.view) {}
  template <class Role, class Element, class... Axes>
  Argument(const Weight<Role, Element, Axes...>& value) : stored(value.stored) {}
};

/// What the second dimension of a grid counts; the recorder knows how many there are in a pass of n rows.
enum class Count : std::uint32_t {
  rows,     ///< rows of the pass
  queries,  ///< rows of the pass x the query rows that each has for a row of the dispatch, or x its entries
  banks,    ///< banks of a weight, whose workgroups find the entries of all rows of the pass that have theirs
  runs,     ///< runs of the pass x the columns that each has for a row of the dispatch
};

struct Dispatch {
  std::int32_t kernel;  ///< index into Program::kernels
  std::vector<Argument> arguments;
  std::int64_t rows;
  Count count = Count::rows;
  std::int64_t per_row = 1;  ///< query rows, or entries, of each row of the pass; or columns of each run
  /// Of a weight that splits, whose rows are these times `rows`. An entry is a row of the pass and a bank of its own:
  /// it is multiplied with that bank's rows alone.
  std::int64_t banks = 1;

  /// Rows, query rows or entries in a pass of `n` rows.
  std::int64_t counted(std::int64_t n) const { return n * per_row; }
};

/// Collects what the emitted forward pass says; the runtime turns it into command buffers.
class Recorder {
 public:
  void dispatch(std::int32_t kernel, std::vector<Argument> arguments, std::int64_t rows, Count count = Count::rows,
                std::int64_t per_row = 1, std::int64_t banks = 1) {
    dispatches.push_back({kernel, std::move(arguments), rows, count, per_row, banks});
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

// ----------------------------------------------------------------------------------------------------------- phases

/// What part of a pass a phase is.
enum class Stage : std::uint32_t {
  encode,  ///< a source's token ids to what slots keep of it
  layers,  ///< token ids to hidden states, and states
  head,    ///< rows of hidden states to logits
  sample,  ///< logits to drawn tokens
};

/// How a phase multiplies its rows with matrices.
enum class Lowering : std::uint32_t {
  vector,  ///< a row at a time: each matrix is read once for each, a norm before it is its prologue
  few,     ///< some rows at once: each matrix is read once for all of them, each row is normed once
  tiles,   ///< many rows at once, in tiles of the matrix and of the rows; each row is normed once
};

/// Of the ways through a stage, that of the highest rank takes any number of rows and computes each as if it were
/// alone.
constexpr int rank(Lowering lowering) { return lowering == Lowering::few ? 2 : lowering == Lowering::tiles ? 1 : 0; }

/// A row of the table of phases: a way through a stage, for up to `max_rows` rows.
struct Phase {
  const char* name;
  Stage stage;
  Lowering lowering;
  std::int64_t max_rows;
  std::function<void(Recorder&)> record;
};

// ---------------------------------------------------------------------------------------------------------- weights

/// One checkpoint tensor, or some of its rows, as part of a weight. Parts follow each other.
struct WeightPart {
  const char* name;  ///< in the checkpoint, with holes for what tells layers apart, without the prefix
  RowView view;
};

/// A weight of the model, whatever tensors hold it: what the reference reads. A vector (norm weight, bias) is one row,
/// along which its parts follow each other.
struct WeightPattern {
  const char* name;  ///< "layers.{i}.attention.q"
  Dtype dtype;       ///< that the engine computes with
  std::int64_t rows;
  std::int64_t columns;
  std::span<const WeightPart> parts;
  bool vector = false;
  /// Of a vector over several axes, which may stand as a matrix: the lengths that its rows may have; 0: none.
  std::array<std::int64_t, 2> inner{};
  std::optional<Dtype> converted_from{};  ///< of a matrix: what the checkpoint has, where that is another
  /// Layer by layer of the group, the elements of a vector that the program says itself, and that has no parts.
  std::span<const float> values{};

  constexpr Dtype file_dtype() const { return converted_from.value_or(dtype); }
};

/// Rows of what the device stores: those of a weight, or zeros. In a vector, elements.
struct StoredPiece {
  std::int32_t weight;  ///< index into the group's weights; -1: zeros
  std::int64_t rows;
};

/// A matrix or vector as the device stores it: matrices of one group stacked by rows, or vectors one after another in
/// one row, in `format`, rows padded to 16 bytes.
struct StoredPattern {
  const char* name;  ///< "attention::qkv_proj"
  Dtype format;
  std::int64_t rows;
  std::int64_t columns;
  std::span<const StoredPiece> pieces;
};

/// Weights that occur once (`layers` empty) or once for every layer listed. Ids of weights count through the groups in
/// order; within a group layer by layer, within a layer in the order of `weights`. Ids of what is stored likewise.
struct WeightGroup {
  std::span<const WeightPattern> weights;
  std::span<const StoredPattern> stored;
  std::span<const std::int32_t> layers;
  /// Where layers have sets of weights in turn, of each layer: its number in its kind, and the first that has its set.
  std::span<const std::int32_t> numbers{};
  std::span<const std::int32_t> sets{};
};

// ---------------------------------------------------------------------------------------------------------- reference

/// Weights as the reference reads them: element (row, column) of a weight, as double.
class HostWeights;

/// The emitted reference: the same model in plain loops, accumulating in double. One slot after another; keys and
/// values are kept whole.
class Reference {
 public:
  virtual ~Reference() = default;
  /// Runs `tokens` of a slot at positions first_position...; what earlier positions left is kept from earlier calls,
  /// and what stands at first_position and after is forgotten. Angles that depend on the sequence's length are those of
  /// `length`. Gives the hidden states that the head reads, [tokens, hidden_size]; with
  /// `layers`, also each layer's output, [layers][tokens, hidden_size]. `types`: of each token; empty: all are 0.
  virtual std::vector<double> layers(std::int64_t slot, std::span<const std::int32_t> tokens,
                                     std::int64_t first_position, std::int64_t length,
                                     std::vector<std::vector<double>>* layers,
                                     std::span<const std::int32_t> types = {}) = 0;
  /// Reads a slot's source: its tokens through the encoder, and what each layer keeps of them, in place of what the
  /// slot had of another; with `layers`, also the output of each of the encoder's layers, [layers][tokens,
  /// encoder_hidden_size]. Throws Error(internal) where it is not overridden.
  virtual void encode(std::int64_t slot, std::span<const std::int32_t> tokens,
                      std::vector<std::vector<double>>* layers);
  /// What the head gives of rows of hidden states, those of a run, [tokens, hidden_size]: [rows, output_size].
  virtual std::vector<double> head(std::span<const double> hidden_states, std::span<const std::int64_t> rows) = 0;
  /// Slot `to` holds what `from` does, and nothing of what it had. Throws Error(internal) where it is not overridden.
  virtual void copy(std::int64_t from, std::int64_t to);
};

// ---------------------------------------------------------------------------------------------------------- program

/// Which hidden states a text's vector is made of.
enum class Pooling : std::uint32_t {
  none,  ///< there is no such vector: the head gives logits of each row
  mean,  ///< the mean of all tokens'
  cls,   ///< the first token's
  last,  ///< the last one's
};

struct Program {
  std::string_view name;
  std::string_view version;    ///< of the generator
  std::string_view spec_hash;  ///< of the spec this was generated from
  const char* cpp_name = "";   ///< what a program that embeds the engine calls its namespace, headers and CMake target
  std::int64_t vocab_size;
  std::int64_t hidden_size;
  std::int64_t output_size;         ///< of what the head gives for a row: vocab_size logits, or a text's vector
  Pooling pooling = Pooling::none;  ///< what a text's vector is made of; none: the model gives logits
  std::int64_t token_types = 0;     ///< that tokens may have; 0: the model knows of none
  std::int64_t num_hidden_layers;
  std::int64_t max_sequence_length;
  std::int64_t prefill_chunk;
  /// A text is one pass: rows depend on tokens after them, so that a sequence is appended whole, after a reset, and no
  /// token follows it.
  bool one_pass = false;
  /// Tokens of a source, and of all sources that are read at once; 0: the model reads none.
  std::int64_t max_source_length = 0;
  std::int64_t encoder_hidden_size = 0;   ///< of the stack that reads sources; 0: there is none
  std::int32_t decoder_start_token = -1;  ///< that an answer to a source begins after; -1: none is known
  std::int32_t mask_token = -1;  ///< that stands where a token is to be found (runtime/engine/denoise.hpp); -1: none
  std::int64_t max_batch;        ///< slots
  std::int64_t head_rows;        ///< rows whose logits one submission may give
  std::int64_t decode_steps;     ///< passes that a submission may have
  std::int64_t total_parameters;
  std::int64_t flops_per_token;  ///< of one decoded token, attention aside
  std::span<const std::uint32_t> eos_tokens;

  /// What it runs on, in the order of backend_names; one at least.
  std::span<const Backend* const> backends;
  std::span<const Kernel> kernels;
  std::span<const cpu::Function> cpu_kernels;  ///< by kernel, as a CPU runs them; empty without that backend
  std::vector<Phase> phases;
  std::span<const WeightGroup> weights;
  std::span<const char* const> checkpoint_prefixes;  ///< one stands before every name; tried in order; empty: ""
  std::span<const char* const> ignored_tensors;      ///< that may be left unread, with "{i}" or a last "*"
  const char* tied_embedding = "";  ///< in the checkpoint: the matrix that is the head too; "": the head has its own
  const char* config_facts = "";    ///< of a config.json beside the weights: runtime/formats/config_facts.hpp
  const char* expressions = "";     ///< that the spec writes out: "lm_head.logits, mlp.activation"; "": none
  /// The chat template, compiled: takes the variables it is rendered with (runtime/chat/chat.hpp). Null where the
  /// checkpoint has none, or has one that is not compiled, of which `chat_refusal` tells why.
  std::string (*chat_template)(const chat::Scope& variables) = nullptr;
  const char* chat_refusal = "";
  std::span<const StateTable> states;
  std::span<const RotaryAngles> rotary_angles;
  std::array<std::int64_t, arena_count> arena_bytes;  ///< by Arena

  BufferView step;           ///< StepBlock<max_batch, decode_steps, head_rows, pass_rows()>
  BufferView output;         ///< f32[head_rows][output_size], rows padded: logits, or texts' vectors
  BufferView hidden_states;  ///< f32[prefill_chunk][hidden_size], rows padded: what the head reads, after a pass

  std::unique_ptr<Reference> (*make_reference)(const HostWeights&);

  /// Rows of any pass at most.
  std::int64_t pass_rows() const { return std::max(prefill_chunk, max_source_length); }
  StepLayout step_layout() const { return {max_batch, decode_steps, head_rows, pass_rows()}; }
};

/// The phase of a stage with this lowering; null where it has none.
const Phase* phase_of(const Program& program, Stage stage, Lowering lowering);
/// That of the highest rank; null where the program has none of the stage.
const Phase* phase_of_any_rows(const Program& program, Stage stage);

}  // namespace monomorph
