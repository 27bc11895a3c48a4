// The contract: every dimension and every tensor of the model, each derived once and every rule checked. What is built
// from an accepted contract cannot fail for a reason of the spec's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/contract/axes.hpp"
#include "generator/contract/rotary.hpp"
#include "generator/diagnostics.hpp"
#include "generator/expression/expression.hpp"
#include "generator/spec/spec.hpp"
#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/formats/conversion.hpp"
#include "runtime/program/program.hpp"

namespace monomorph::generator {

enum class NormType { rms_norm, layer_norm, scale_norm };

struct NormContract {
  NormType type = NormType::rms_norm;
  double eps = 0;
  bool bias = false;
  bool weight = true;        ///< of scale_norm a single number
  double weight_offset = 0;  ///< added to the weights
};

/// As messages, dumps and kernels call it.
const char* name_of(NormType type);

/// What stands in a checkpoint for (some rows of) a weight.
struct CheckpointPart {
  std::string name;  ///< full name with {i}: "model.layers.{i}.self_attn.q_proj.weight"; without the prefix
  RowView view;      ///< a vector: elements
  /// Of a weight that stands in several tensors, the name with {j} where this one has its number; else empty.
  std::string numbered{};
  /// Of a weight whose matrices checkpoints have the other way round: `transposed` says the opposite of what a line
  /// says.
  bool turned = false;

  /// What all tensors of the weight are called.
  const std::string& pattern() const { return numbered.empty() ? name : numbered; }
};

/// What a weight, a state or a table belongs to: the model, or a kind of layer (its index in Contract::kinds), which is
/// of one stack.
struct Scope {
  static constexpr std::size_t model = static_cast<std::size_t>(-1);
  std::size_t kind = model;
  bool operator==(const Scope&) const = default;
};

/// Operations for each pair of a token and a position that it sees.
struct PairWork {
  std::int64_t flops = 0;
  Window window;  ///< what tokens see
};

/// A weight of the model, whatever tensors of the checkpoint hold it: q, k and v are three. Or a number of each layer
/// that the spec says and no checkpoint has.
struct WeightContract {
  std::string part;  ///< "embedding.tokens", "layers.{i}.attention.q", "layers.{i}.mlp.input_norm" ...
  std::string role;  ///< in emitted C++: "embedding::tokens", "attention::q_proj", "mlp::input_norm_bias" ...
  Scope scope;
  std::vector<AxisId> axes;               ///< [rows, columns], or [elements] for a vector
  Dtype dtype = Dtype::f32;               ///< that the engine computes with
  std::vector<CheckpointPart> sources;    ///< one, or as many as its rows have groups (heads): they follow each other
  std::string component;                  ///< that its parameters are counted to
  std::optional<Dtype> converted_from{};  ///< what the checkpoint has, where engine.weights makes that narrower, or
                                          ///< where blocks that are turned as they are read are decoded
  std::vector<float> values{};            ///< that the spec says, layer by layer of the kind; then no sources
  std::int64_t chosen_rows = 0;  ///< of rows that are those of banks: as many as a token is multiplied with; 0: all
  bool of_source = false;        ///< it is multiplied with tokens of sources
  bool shared = false;           ///< tensors that several layers read: one of all, or one of each set of weights

  Dtype file_dtype() const { return converted_from.value_or(dtype); }
  bool in_checkpoint() const { return values.empty(); }
};
using WeightId = Id<WeightContract>;

/// What cached keys and values are kept as: f32, f16, bf16 or q8_0. Of latents, which are both, the keys' type counts.
struct CacheDtypes {
  Dtype keys = Dtype::f16, values = Dtype::f16;
  bool operator==(const CacheDtypes&) const = default;
};

/// What a slot remembers of one role, in each layer of a kind.
struct StateContract {
  std::string role;  ///< "attention::keys"
  Scope scope;
  /// slots x kv_heads x positions x head; window or source in place of positions; of a recurrence, slots x one x copies
  /// x (heads x (value x key))
  std::vector<AxisId> axes;
  Dtype element = Dtype::f16;
  StateKind kind = StateKind::growing;
  Window window = {};  ///< of a ring, the keys that a query sees

  bool growing() const { return kind == StateKind::growing; }
  bool ring() const { return kind == StateKind::ring; }
  bool source() const { return kind == StateKind::source; }
  bool recurrent() const { return kind == StateKind::recurrent; }
};
using StateId = Id<StateContract>;

/// Cosines and sines of the rotary embedding, of each token of a pass; kinds of layer whose frequencies are equal share
/// them.
struct AnglesContract {
  std::string role;  ///< "rotary_angles", or qualified by the kinds that use them
  AxisId axis;       ///< "angles": a cosine and a sine for each frequency
  RotaryContract rotary;
  std::vector<std::string> users;  ///< identifiers of layer kinds
};
using AnglesId = Id<AnglesContract>;

/// A distinct kind of layer.
struct LayerContract {
  LayerKind kind;                    ///< as the spec has it, all rules checked
  std::vector<std::int32_t> layers;  ///< the layers of this kind, ascending
  /// Where they have sets of weights in turn, of each layer: its number among those of the kind's name, and the first
  /// of those that has the same set.
  std::vector<std::int32_t> numbers, sets;

  /// What stands in names for the layer that is the so-manieth here.
  LayerPlace place(std::size_t turn) const {
    return {layers[turn], numbers.empty() ? -1 : numbers[turn], sets.empty() ? -1 : sets[turn]};
  }
};

/// Parameters of the checkpoint that belong to one component, tied weights once.
struct ComponentContract {
  std::string name;  ///< "embedding", a type of sub-block, "norm", "lm_head"
  std::int64_t parameters = 0;
};

/// A chain of layers with what stands before them: the model's own, whose hidden states the head reads, or the
/// encoder's, which reads a source.
struct StackContract {
  ModelSection model;
  Held<EmbeddingSection> embedding;
  Held<PositionSection> position;  ///< of the embedding, where that adds positions
  NormChoice final_norm{};         ///< of the encoder; the model's own is the head's
  std::int64_t hidden_size = 0, num_hidden_layers = 0;
  std::int64_t repeat = 1;               ///< of the layers: weights are a layer's, states a layer's in each time
  std::vector<std::size_t> layer_kinds;  ///< for each layer
  std::int64_t rows = 0;                 ///< of a pass at most
};

struct IgnoredCheckpointTensor {
  std::string name;  ///< pattern with {i}, and perhaps * at its end
  std::string why;
};

/// Rows whose logits one submission gives where nothing asks for more: what drawing and goldens need.
inline constexpr std::int64_t usual_head_rows = 8;

struct Contract {
  std::string name;
  /// model_<name>: the namespace, folder and target of what is emitted. The prefix keeps every name apart from words of
  /// C++ and CMake and from whatever libraries declare.
  std::string identifier;
  std::string spec_hash;
  std::vector<StackContract> stacks = std::vector<StackContract>(1);  ///< own_stack, encoder_stack
  Held<LmHeadSection> lm_head;
  Held<PoolingSection> pooling;  ///< in place of lm_head, where the model pools
  std::int64_t vocab_size = 0;
  std::int64_t max_sequence_length = 0, prefill_chunk = 0;
  std::int64_t token_types = 0;        ///< that tokens may have; 0: the model knows of none
  bool one_pass = false;               ///< a text is one pass: rows depend on tokens after them
  std::int64_t max_source_length = 0;  ///< tokens of a source; 0: there is no encoder
  std::int64_t decoder_start_token_id = -1;
  std::int64_t mask_token_id = -1;
  std::int64_t head_rows = 1;  ///< rows whose logits one submission may give
  std::int64_t max_batch = 1;  ///< slots: sequences that the engine remembers at once
  bool fusion = true;          ///< kernels compute several operations where they can
  CacheDtypes kv_cache;        ///< of keys and of values
  /// That the engine is built for, of backend_names.
  std::vector<std::string> devices{backend_names.begin(), backend_names.end()};
  bool tie_word_embeddings = false;
  std::vector<LayerContract> kinds;  ///< of all stacks
  AxisTable axes;
  Table<WeightContract>
      weights;  ///< embeddings, then kind by kind in the order of the forward pass, then norm and head
  Table<StateContract> states;
  Table<AnglesContract> angles;
  std::vector<std::string> checkpoint_prefixes;
  std::vector<IgnoredCheckpointTensor> ignored_tensors;
  std::int64_t bos_token_id = -1;
  std::vector<std::int64_t> eos_token_ids;

  // Totals, exact.
  std::int64_t total_parameters = 0;   ///< of the checkpoint, tied weights and what layers share once
  std::int64_t shared_parameters = 0;  ///< of these, what layers share
  std::int64_t active_parameters =
      0;  ///< of those, what a token is computed with: all but experts that it does not have
  std::vector<ComponentContract> components;  ///< sum to the total
  std::int64_t head_flops = 0;                ///< 2 x weights multiplied for a row whose logits are wanted
  /// The same of a token, the head included; what is computed of a source's tokens is not in it.
  std::int64_t matrix_flops_per_token = 0;
  std::vector<PairWork> pair_work;         ///< of all layers that see positions, a row for each window
  std::int64_t kv_elements_per_token = 0;  ///< keys and values that grow, of all layers

  bool runs_on(std::string_view device) const { return std::ranges::find(devices, device) != devices.end(); }
  StackContract& own() { return stacks[own_stack]; }
  const StackContract& own() const { return stacks[own_stack]; }
  /// The encoder; null: there is none.
  const StackContract* encoder() const { return stacks.size() > encoder_stack ? &stacks[encoder_stack] : nullptr; }
  /// The stack of a kind of layer.
  const StackContract& stack_of(std::size_t kind) const { return stacks[kinds[kind].kind.stack]; }
  /// Rows of any pass at most.
  std::int64_t pass_rows() const { return std::max(prefill_chunk, max_source_length); }
  /// The weight of this role; none where the scope has none. Biases are roles of their own.
  WeightId find_weight(Scope scope, const std::string& role) const;
  StateId find_state(Scope scope, const std::string& role) const;
  /// The angles of this rotary embedding.
  AnglesId find_angles(const RotaryContract& rotary) const;
  /// Those of a kind, or of the model, in order.
  std::vector<WeightId> weights_of(Scope scope) const;
  /// The table of token embeddings, which is the head too where that is tied.
  const WeightContract& token_embedding() const { return weights[find_weight({}, "embedding::tokens")]; }
  /// How often what has this scope occurs: once, or in each layer of the kind.
  std::int64_t copies(Scope scope) const;
  /// How many of it there are: as many as layers, or what these share, once.
  std::int64_t tensors(const WeightContract& weight) const;
  /// How often it runs for one token, and has states: each layer as often as the layers are repeated.
  std::int64_t runs(Scope scope) const {
    return copies(scope) * (scope.kind == Scope::model ? 1 : stack_of(scope.kind).repeat);
  }
};

/// Derives and judges. All violations are reported at once; a Contract is given only without errors, those that
/// `diagnostics` already holds (of a spec read leniently) included.
std::optional<Contract> check_contract(const Spec& spec, Diagnostics& diagnostics);

/// What the checkpoint's weights become when they are loaded.
Conversions list_conversions(const Contract& contract);

/// Stable text for --dump contract and for goldens.
std::string dump_contract(const Contract& contract);

}  // namespace monomorph::generator
