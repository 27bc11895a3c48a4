// The spec as data: every value with its place, every layer kind resolved, nothing derived and no rule checked beyond
// "this key exists and has this type". `read_spec` gives one; contract/ judges it.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generator/diagnostics.hpp"
#include "generator/spec/field.hpp"
#include "generator/spec/held.hpp"

namespace monomorph::generator {

// Sections whose fields stand in headers of their own, which those include who read them: a section that a block reads
// in the block's, generator/blocks/, and the others beside this file.
struct PositionSection;    // blocks/position.hpp
struct EmbeddingSection;   // blocks/embedding.hpp
struct LmHeadSection;      // blocks/lm_head.hpp
struct PoolingSection;     // blocks/pooling.hpp
struct CheckpointSection;  // checkpoint_section.hpp
struct ImportSection;      // import_section.hpp
struct TokenizerSection;   // tokenizer_section.hpp
struct ChatSection;        // chat_section.hpp
struct EngineSection;      // engine_section.hpp
struct EncoderSection;     // encoder_section.hpp

/// Sizes and extents are 32-bit signed in kernels and in emitted code.
inline constexpr std::int64_t max_size = 2147483647;

/// A model of more layers is refused before anything is made for each of them.
inline constexpr std::int64_t max_hidden_layers = 4096;

struct ModelSection {
  Field<std::string> name;
  Field<std::int64_t> vocab_size;
  Field<std::int64_t> hidden_size;
  Field<std::int64_t> num_hidden_layers;
  Field<std::int64_t> max_position_embeddings{-1, {}, false};  ///< -1: nothing says how long a sequence may be
};

struct NormSection {
  Field<std::string> type;  ///< rms_norm | layer_norm | scale_norm
  Field<double> eps;
  Field<bool> weight;  ///< default true; scale_norm always has one, a single number
  Field<double> weight_offset;
  Field<bool> bias;  ///< default: true for layer_norm, false for others
};

struct TomlValue;  // generator/spec/document.hpp

/// A norm of queries or keys.
struct HeadNormSection : NormSection {
  Field<std::string> over;  ///< head | projection
  Field<bool> per_head;     ///< each head has weights of its own; else all have one head's
  Field<bool> after_rotation;
};

/// A norm at one place: none, the kind's, or the kind's with keys of its own laid over it.
template <class Section>
struct NormChoiceOf {
  bool present = false;
  std::shared_ptr<const TomlValue> own;  ///< the keys; null: none
  Section norm;                          ///< resolved
};
using NormChoice = NormChoiceOf<NormSection>;
using HeadNormChoice = NormChoiceOf<HeadNormSection>;

/// How positions are told in a sub-block: as [position] says, by that with keys of its own laid over it, or not at all.
struct PositionChoice {
  bool present = true;
  std::shared_ptr<const TomlValue> own;  ///< the keys; null: none
  Held<PositionSection> section;         ///< resolved, where it is not [position] as it stands
  /// Whether [position] says all.
  bool shares() const { return present && own == nullptr; }
};

/// Which of the projections have a bias: `bias = true`, or a list of their names.
struct Biases {
  bool all = false;
  std::vector<std::string> projections;
  bool has(const std::string& projection) const;
};

/// Where a part of the model stands in the checkpoint.
struct TensorName {
  /// Pattern with {i}, without ".weight"/".bias" unless exact; with {j} it is a tensor of each group of rows (head).
  std::string name;
  bool transposed = false;
  std::vector<std::string> fused;  ///< parts that stand in this one tensor, in order ("q", "k", "v")
  std::string interleaved;         ///< how their rows alternate: interleavings(); empty: part after part
  bool exact = false;
  bool shared = false;  ///< one tensor, which every layer reads: it has no {i}
  bool given = false;   ///< by the spec itself; else by checkpoint.names
  Span span;

  /// Whether it is a name and nothing more.
  bool is_plain() const { return !transposed && !exact && !shared && fused.empty() && interleaved.empty(); }
};

struct IgnoredTensor {
  std::string name;  ///< pattern with {i}
  std::string why;
  bool given = false;  ///< by the spec itself; else by checkpoint.names
  Span span;
};

/// What stands around a sub-block: h = residual_norm(stream_scale * h + output_norm(output_scale * f(input_norm(h)))),
/// or of input_norm(h) in h's place.
struct SubBlockNorms {
  Field<bool> with_embedding;     ///< h has what the embedding gives beside it; default false
  Field<bool> with_stream;        ///< in a chain: h is the residual stream and what the one before gives; default false
  Field<NormChoice> input_norm;   ///< default true
  Field<double> output_scale;     ///< default 1
  Field<NormChoice> output_norm;  ///< default false
  Field<NormChoice> residual_norm;   ///< default false
  Field<std::string> residual_from;  ///< stream | input_norm: what the output is added to
  Field<double> stream_scale;        ///< default 1
};

/// The keys that a query sees: the last ones, its own among them, and those of the first positions. 0, 0: every one.
struct Window {
  std::int64_t recent = 0, first = 0;
  bool operator==(const Window&) const = default;
};

struct BlockType;  // generator/spec/block_type.hpp

/// A sub-block of a layer, as its section says.
struct Block {
  const BlockType* type = nullptr;
  std::string instance;  ///< the section's name and the first word of its parts: "attention", or one of the spec's own
  Span span;             ///< of the section's header
  SubBlockNorms norms;
  std::any section;  ///< the type's own fields: section_of<AttentionSection>(block)
};

/// Sub-blocks that read the residual stream side by side: it becomes the sum of it and their outputs. Or a chain of
/// them, each of which reads what the one before gives: the stream becomes the sum of it and what the last gives.
struct Step {
  std::vector<Block> blocks;
  bool chained = false;
  bool shared_input_norm = false;   ///< all read it by the input norm of the first
  bool shared_output_norm = false;  ///< what they give together passes the output norm of the first

  /// Whether several read the stream side by side.
  bool has_several() const { return blocks.size() > 1 && !chained; }
};

/// The stacks that a model may have: its own layers, which give what the head reads, and those that read a source.
inline constexpr std::size_t own_stack = 0, encoder_stack = 1;
/// What a stack's sections and parts begin with; and what its roles, its functions and its emitted constants do.
constexpr const char* section_prefix(std::size_t stack) { return stack == encoder_stack ? "encoder." : ""; }
constexpr const char* name_prefix(std::size_t stack) { return stack == encoder_stack ? "encoder_" : ""; }

/// A kind of layer with every section resolved: the base overlaid with the kind's own keys. Kinds whose resolved values
/// are equal have been made one.
struct LayerKind {
  std::string name;        ///< "layer" where the spec has no pattern; "wide_1" where lists have cut "wide"
  std::string in_pattern;  ///< what the pattern calls it; "" where the spec says none
  std::string identifier;  ///< name, with what is not alphanumeric replaced by '_'
  Span span;
  std::size_t stack = own_stack;  ///< that its layers are of
  /// Default ["attention", "mlp"]; "attention + mlp": side by side; "attention > mlp": in a chain.
  Field<std::vector<std::string>> written_steps;
  Field<bool> shared_input_norm;                   ///< sub-blocks side by side read the first one's input norm
  Field<bool> shared_output_norm;                  ///< what they give together passes the first one's output norm
  Field<std::string> residual_scale;               ///< of what each sub-block adds, an expression; default 1
  Field<std::int64_t> weight_sets{-1, {}, false};  ///< that its layers have in turn; -1: each layer has its own
  std::vector<Step> steps;                         ///< without words that name no sub-block, which has been reported
  NormSection norm;
  Held<PositionSection> position;

  /// The sub-blocks in order.
  std::vector<const Block*> blocks() const;
  /// The positions of those that are told any.
  std::vector<const PositionSection*> positions() const;
  /// Whether one of them reads [position] as it stands.
  bool uses_position() const;
  /// Whether one of them reads [position], as it stands or under keys of its own.
  bool reads_position() const;
  /// The sub-block of this section; null where the layer has none.
  const Block* find(const std::string& instance) const;
};

/// The stack that reads sources, its sections laid over the model's.
struct EncoderSpec {
  Span span;
  Held<EncoderSection> section;
  ModelSection model;  ///< as its layers know it
  Held<EmbeddingSection> embedding;
  Held<PositionSection> position;
  Field<std::int64_t> repeat{1, {}, false};
  bool has_pattern = false;
  std::vector<std::size_t> layer_kinds;  ///< for each of its layers, its index into Spec::kinds
};

struct Spec {
  std::shared_ptr<const Source> source;
  std::string hash;  ///< of the text with every override applied: FNV-1a 64, 16 hex digits
  ModelSection model;
  NormSection norm;  ///< of the final norm
  Held<EmbeddingSection> embedding;
  Held<LmHeadSection> lm_head;
  Held<PoolingSection> pooling;  ///< in place of lm_head, where its type is given
  Held<CheckpointSection> checkpoint;
  Held<ImportSection> import;
  Held<TokenizerSection> tokenizer;
  Held<ChatSection> chat;
  Held<EngineSection> engine;
  Held<PositionSection> position;            ///< the base: what a learned table is sized by
  Field<std::int64_t> repeat{1, {}, false};  ///< of the layers, all of them in order
  bool has_pattern = false;                  ///< layers.pattern was given; without it there is one kind, the base
  std::vector<LayerKind> kinds;          ///< distinct kinds, in order of first use; the encoder's after the model's own
  std::vector<std::size_t> layer_kinds;  ///< for each layer, its index into kinds
  std::optional<EncoderSpec> encoder;    ///< where [encoder] is given

  /// The model as a stack's layers know it.
  const ModelSection& model_of(std::size_t stack) const { return stack == own_stack ? model : encoder->model; }
};

/// `--set section.key=value`: the value is TOML (a bare word is taken as a string).
struct Override {
  std::string path;
  std::optional<std::string> value;  ///< nothing: as if the spec did not say the key
};

/// Reads a spec. Unknown keys, wrong types, missing required keys are diagnostics; a Spec is given only without errors.
std::optional<Spec> read_spec(const std::shared_ptr<const Source>& source, const std::vector<Override>& overrides,
                              Diagnostics& diagnostics);

/// The same, but gives what could be read even where there were errors (nothing only where the text is no TOML), so
/// that the rules can tell what else is wrong. What could not be read has its default and is not `given`.
std::optional<Spec> read_spec_leniently(const std::shared_ptr<const Source>& source,
                                        const std::vector<Override>& overrides, Diagnostics& diagnostics);

/// `name` with what is not alphanumeric replaced by '_'. May be a word of C++: emitted code never has it alone.
std::string identifier_of(const std::string& name);
/// Whether a model cannot be called so, because a file or folder beside its executable is.
bool is_reserved_model_name(const std::string& name);

/// The file's text as a Source. Throws EnvironmentError naming the file.
std::shared_ptr<const Source> read_source(const std::string& path);

}  // namespace monomorph::generator
