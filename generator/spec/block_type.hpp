// Sub-blocks of a layer: a row for each type, with a column for each stage. A type is one file, which has the rows of
// its section, its rules, what it declares and the operations it is made of; no stage asks which type a sub-block has.
#pragma once

#include <any>
#include <cstdint>
#include <string>
#include <vector>

#include "generator/expression/expression.hpp"
#include "generator/ids.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

class Builder;
class Declarations;
struct PairWork;
struct Value;

/// A sub-block and what it stands in.
struct BlockContext {
  const ModelSection& model;
  const LayerKind& kind;
  const Block& block;
  const Spec* spec = nullptr;  ///< where rules are checked: the other kinds
};

/// Columns that are null here may stay so: the type has nothing to say there.
struct BlockType {
  std::string name;                ///< of its section, where the spec does not give it another
  std::string meaning;             ///< one line
  std::vector<std::string> parts;  ///< last words of all parts it may have, the norms around it aside: "q", "up"
  /// Of a type that is told positions: how, in this section.
  Field<PositionChoice>& (*position)(std::any& section) = nullptr;
  std::any (*make)();  ///< an empty section
  BoundFields (*bind)(std::any& section);
  /// Fills in defaults that follow from other values; sizes may be out of range.
  void (*complete)(Block& block, LayerKind& kind, const ModelSection& model) = nullptr;
  /// The rules on its own numbers.
  void (*check)(const BlockContext& context, Diagnostics& diagnostics);
  /// Notes on what a designer would act on, of a block without errors.
  void (*advise)(const BlockContext& context, const EngineSection& engine, Diagnostics& diagnostics) = nullptr;
  /// Axes, weights, states and tables. Which ones may not depend on sizes, since sizes may be out of range.
  void (*declare)(const BlockContext& context, Declarations& declare);
  /// The operations from what the sub-block reads to what it adds to the residual stream.
  Id<Value> (*build)(const BlockContext& context, Builder& build, Id<Value> in);
  /// The work that grows with the positions that a token sees.
  PairWork (*pair_work)(const BlockContext& context) = nullptr;
  /// The kind of layer that it reads something of, or "". Such a kind is never one with another.
  Field<std::string>& (*reads_kind)(std::any& section) = nullptr;
  /// Whether what it gives for a token depends on the tokens after it, so that a text is one pass.
  bool (*reads_ahead)(const Block& block) = nullptr;
  /// Whether it reads what the encoder gives of a source. What it keeps of that is declared with the rest, and built by
  /// `build_source`, from the encoder's hidden states.
  bool (*reads_source)(const Block& block) = nullptr;
  void (*build_source)(const BlockContext& context, Builder& build, Id<Value> source) = nullptr;
  /// Whether it may read the embedding beside the stream (with_embedding): what it declares for its input is of
  /// Declarations::input().
  bool takes_embedding = false;
};

/// Every type, in the order in which they are documented: blocks/blocks.cpp has the list.
const std::vector<BlockType>& block_types();
const BlockType* find_block_type(const std::string& name);
std::vector<std::string> block_type_names();

/// Whether what some layer gives for a token depends on the tokens after it: a text is one pass then, of at most so
/// many tokens.
bool reads_ahead(const Spec& spec);
inline constexpr std::int64_t max_text_in_one_pass = 32768;

/// Elements of a token that the sub-block reads.
std::int64_t input_size(const BlockContext& context);

/// Whether the sub-block, or some sub-block of the layer, reads what the encoder gives.
bool reads_source(const Block& block);
bool reads_source(const LayerKind& kind);

/// Whether positions of this type are added to the embedding, once, before any layer: blocks/added_positions.cpp says
/// which.
bool adds_positions(const std::string& position_type);

/// The parts of [embedding], [lm_head] and [pooling], which stand before and after all layers.
const std::vector<std::string>& embedding_parts();
const std::vector<std::string>& head_parts();
const std::vector<std::string>& pooling_parts();

/// Every part a checkpoint may be asked for, of sub-blocks that are called after their type. A part with a bias has it
/// under ".bias" where it is not implied.
const std::vector<std::string>& part_names();

/// A sub-block whose section is still empty.
Block new_block(const BlockType& type, const std::string& instance);
/// The rows of its type and of the norms around it, and where the values are stored.
BoundFields bind_block(Block& block);

/// How positions are told in this sub-block; null: its type is not told any.
const Field<PositionChoice>* position_choice(const Block& block);
/// The [position] of a sub-block whose type is told positions: the kind's, or its own.
const PositionSection& position_of(const LayerKind& kind, const Block& block);
PositionSection& position_of(LayerKind& kind, Block& block);
inline const PositionSection& position_of(const BlockContext& context) {
  return position_of(context.kind, context.block);
}

/// The fields that are the type's own.
template <class Section>
const Section& section_of(const Block& block) {
  return *std::any_cast<Section>(&block.section);
}

/// The functions `make` and `bind` of a type whose section is `Section`.
template <class Section>
std::any make_section() {
  return Section{};
}
template <class Section>
BoundFields bind_section(std::any& section) {
  return bind(*std::any_cast<Section>(&section));
}

/// What roles of the sub-block begin with: "attention"; of a section that the spec itself names, "<name>_block", which
/// is no word of C++ and none of ours.
std::string role_of(const Block& block);

/// The model's own integers, constants that any expression may name.
ExpressionNames model_numbers(const ModelSection& model);
/// The spec's own integers, constants that any expression of this sub-block may name: its own before its neighbours'.
ExpressionNames spec_numbers(const BlockContext& context);

}  // namespace monomorph::generator
