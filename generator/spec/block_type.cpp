#include "generator/spec/block_type.hpp"

#include <algorithm>

#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

/// Integers of these rows that have not been named yet. One that its own rule refuses, since it is not within `least`
/// and max_size, is 1: what is computed with it would be refused for the same reason once more.
void add_integers(const BoundFields& fields, std::int64_t least, ExpressionNames& names) {
  for (const auto& [field, slot] : fields) {
    const auto* integer = std::get_if<Field<std::int64_t>*>(&slot);
    if (integer == nullptr || is_absent(slot)) continue;
    const std::int64_t value = (*integer)->value;
    names.insert({field->key, {Type::integer, value < least || value > max_size ? 1.0 : static_cast<double>(value)}});
  }
}

}  // namespace

const BlockType* find_block_type(const std::string& name) {
  const std::vector<BlockType>& types = block_types();
  const auto found = std::find_if(types.begin(), types.end(), [&](const BlockType& type) { return type.name == name; });
  return found != types.end() ? &*found : nullptr;
}

std::vector<std::string> block_type_names() {
  std::vector<std::string> names;
  for (const BlockType& type : block_types()) names.push_back(type.name);
  return names;
}

const std::vector<std::string>& part_names() {
  static const std::vector<std::string> parts = [] {
    std::vector<std::string> result = embedding_parts();
    for (const BlockType& type : block_types()) {
      std::vector<std::string> words = {"input_norm"};
      words.insert(words.end(), type.parts.begin(), type.parts.end());
      words.insert(words.end(), {"output_norm", "residual_norm"});
      for (const std::string& word : words) result.push_back("layers.{i}." + type.name + "." + word);
    }
    result.insert(result.end(), head_parts().begin(), head_parts().end());
    result.insert(result.end(), pooling_parts().begin(), pooling_parts().end());
    return result;
  }();
  return parts;
}

Block new_block(const BlockType& type, const std::string& instance) {
  Block block;
  block.type = &type;
  block.instance = instance;
  block.section = type.make();
  return block;
}

BoundFields bind_block(Block& block) {
  BoundFields result = block.type->bind(block.section);
  for (const BoundField& field : bind(block.norms)) {
    if (field.field->key != "with_embedding" || block.type->takes_embedding) result.push_back(field);
  }
  return result;
}

const Field<PositionChoice>* position_choice(const Block& block) {
  // Fields are found to be read and to be written by one function.
  return block.type->position != nullptr ? &block.type->position(const_cast<std::any&>(block.section)) : nullptr;
}

const PositionSection& position_of(const LayerKind& kind, const Block& block) {
  const PositionChoice& choice = position_choice(block)->value;
  return choice.shares() ? *kind.position : *choice.section;
}

PositionSection& position_of(LayerKind& kind, Block& block) {
  PositionChoice& choice = block.type->position(block.section).value;
  return choice.shares() ? *kind.position : *choice.section;
}

std::string role_of(const Block& block) {
  return find_block_type(block.instance) != nullptr ? block.instance : block.instance + "_block";
}

ExpressionNames model_numbers(const ModelSection& model) {
  ExpressionNames names;
  ModelSection copy = model;
  add_integers(bind(copy), 1, names);
  return names;
}

ExpressionNames spec_numbers(const BlockContext& context) {
  ExpressionNames names = model_numbers(context.model);
  Block own = context.block;
  add_integers(bind_block(own), 0, names);
  for (const Block* other : context.kind.blocks()) {
    Block copy = *other;
    add_integers(bind_block(copy), 0, names);
  }
  return names;
}

std::int64_t input_size(const BlockContext& context) {
  return context.model.hidden_size.value * (context.block.norms.with_embedding.value ? 2 : 1);
}

bool reads_source(const Block& block) { return block.type->reads_source != nullptr && block.type->reads_source(block); }

bool reads_source(const LayerKind& kind) {
  return std::ranges::any_of(kind.blocks(), [](const Block* block) { return reads_source(*block); });
}

bool reads_ahead(const Spec& spec) {
  return std::any_of(spec.kinds.begin(), spec.kinds.end(), [](const LayerKind& kind) {
    const std::vector<const Block*> blocks = kind.blocks();
    return kind.stack == own_stack && std::any_of(blocks.begin(), blocks.end(), [](const Block* block) {
             return block->type->reads_ahead != nullptr && block->type->reads_ahead(*block);
           });
  });
}

}  // namespace monomorph::generator
