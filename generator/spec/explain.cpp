#include "generator/spec/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/spec/block_type.hpp"
#include "generator/spec/document.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

/// The rows whose values are told.
BoundFields told_fields(const BoundFields& fields) {
  BoundFields result;
  for (const BoundField& field : fields) {
    if (!applies(*field.field, fields) || is_absent(field.slot)) continue;
    // Of keys that stand in each other's place, the one that is written.
    const auto is_given = [](const auto* stored) {
      if constexpr (requires { stored->given; }) return stored->given;
      return true;
    };
    if (field.field->in_place_of.empty() || std::visit(is_given, field.slot)) result.push_back(field);
  }
  return result;
}

/// The section under `header`, `first` its first line; empty where nothing is to be said.
std::string explain_section(const std::string& header, const BoundFields& fields, const std::string& first = "") {
  std::string lines = first, tables;
  for (const auto& [row, slot] : told_fields(fields)) {
    const std::vector<std::string> table = write_table(slot);
    if (table.empty()) {
      lines += fmt::format("{} = {}\n", row->key, write_value(slot));
    } else {
      tables += fmt::format("\n[{}.{}]\n{}\n", header, row->key, fmt::join(table, "\n"));
    }
  }
  return lines.empty() ? tables : fmt::format("\n[{}]\n{}{}", header, lines, tables);
}

void add_fields(const std::string& header, const BoundFields& fields, ExplainedFields& result) {
  for (const auto& [row, slot] : told_fields(fields)) {
    const std::vector<std::string> table = write_table(slot);
    result.emplace_back(header + "." + row->key,
                        table.empty() ? write_value(slot) : fmt::format("{{ {} }}", fmt::join(table, ", ")));
  }
}

std::string explain_blocks(LayerKind& kind, const std::string& prefix) {
  std::string text;
  for (Step& step : kind.steps) {
    for (Block& block : step.blocks) {
      const bool own = find_block_type(block.instance) == nullptr;
      text += explain_section(prefix + write_key(block.instance), bind_block(block),
                              own ? fmt::format("block = {}\n", write_string(block.type->name)) : "");
    }
  }
  return text;
}

/// One of the model's stacks of layers, as its sections say it.
struct StackSections {
  std::string prefix;  ///< of their headers: "" or "encoder."
  PositionSection& position;
  const std::vector<std::size_t>& layer_kinds;  ///< by layer
  bool has_pattern;
  const Field<std::int64_t>& repeat;
};

/// "local * 5", "global * 1" ...: the layers as runs of one kind.
std::string explain_pattern(const Spec& spec, const std::vector<std::size_t>& layer_kinds) {
  std::string items;
  for (std::size_t layer = 0; layer < layer_kinds.size();) {
    std::size_t end = layer;
    while (end < layer_kinds.size() && layer_kinds[end] == layer_kinds[layer]) ++end;
    const std::string item = fmt::format("{} * {}", spec.kinds[layer_kinds[layer]].name, end - layer);
    items += (items.empty() ? "" : ", ") + write_string(item);
    layer = end;
  }
  return "[" + items + "]";
}

/// What stands in [layers] of a layer, as that section has it.
LayersSection layers_of(const LayerKind& kind) {
  LayersSection layers;
  layers.steps = kind.written_steps;
  layers.shared_input_norm = kind.shared_input_norm;
  layers.shared_output_norm = kind.shared_output_norm;
  layers.residual_scale = kind.residual_scale;
  layers.weight_sets = kind.weight_sets;
  return layers;
}

std::string explain_steps(const LayerKind& kind) {
  LayersSection layers = layers_of(kind);
  std::string text = fmt::format("steps = {}\nshared_input_norm = {}\nshared_output_norm = {}\nresidual_scale = {}\n",
                                 write_value(&layers.steps), write_value(&layers.shared_input_norm),
                                 write_value(&layers.shared_output_norm), write_value(&layers.residual_scale));
  if (kind.weight_sets.given) text += "weight_sets = " + write_value(&layers.weight_sets) + "\n";
  return text;
}

std::string explain_layers(Spec& spec, const StackSections& stack) {
  const std::string& prefix = stack.prefix;
  std::string text;
  const bool added = adds_positions(find_word(bind(stack.position), "type")->value);
  if (!stack.has_pattern) {
    LayerKind& kind = spec.kinds[stack.layer_kinds.front()];
    if (kind.uses_position() || added) {
      text += explain_section(prefix + "position", bind(kind.uses_position() ? *kind.position : stack.position));
    }
    return text + explain_blocks(kind, prefix) +
           fmt::format("\n[{}layers]\nrepeat = {}\n", prefix, stack.repeat.value) + explain_steps(kind);
  }
  if (added) text += explain_section(prefix + "position", bind(stack.position));
  text += fmt::format("\n[{}layers]\npattern = {}\nrepeat = {}\n", prefix, explain_pattern(spec, stack.layer_kinds),
                      stack.repeat.value);
  const std::set<std::size_t> kinds(stack.layer_kinds.begin(), stack.layer_kinds.end());
  for (const std::size_t index : kinds) {
    LayerKind& kind = spec.kinds[index];
    const std::string header = prefix + "layers." + write_key(kind.name);
    text += fmt::format("\n[{}]\n{}", header, explain_steps(kind));
    text += explain_section(header + ".norm", bind(kind.norm));
    if (kind.uses_position()) text += explain_section(header + ".position", bind(*kind.position));
    text += explain_blocks(kind, header + ".");
  }
  return text;
}

std::string explain_encoder(Spec& spec) {
  EncoderSpec& encoder = *spec.encoder;
  std::string text = explain_section("encoder", bind(*encoder.section)) +
                     explain_section("encoder.embedding", bind(*encoder.embedding));
  if (!encoder.has_pattern) {
    text += explain_section("encoder.norm", bind(spec.kinds[encoder.layer_kinds.front()].norm));
  }
  return text + explain_layers(spec, {section_prefix(encoder_stack), *encoder.position, encoder.layer_kinds,
                                      encoder.has_pattern, encoder.repeat});
}

}  // namespace

std::string explain_spec(const Spec& given) {
  Spec spec = given;  // fields are bound to be read, and binding may write
  std::string text = explain_section("model", bind(spec.model)) + explain_section("embedding", bind(*spec.embedding)) +
                     explain_section("norm", bind(spec.norm));
  text += explain_layers(spec,
                         {section_prefix(own_stack), *spec.position, spec.layer_kinds, spec.has_pattern, spec.repeat});
  if (spec.encoder) text += explain_encoder(spec);
  if (find_word(bind(*spec.pooling), "type")->given) {
    text += explain_section("pooling", bind(*spec.pooling));
  } else {
    text += explain_section("lm_head", bind(*spec.lm_head));
  }
  text += explain_section("checkpoint", bind(*spec.checkpoint));
  text += explain_section("import", bind(*spec.import));
  text += explain_section("tokenizer", bind(*spec.tokenizer));
  text += explain_section("chat", bind(*spec.chat));
  text += explain_section("engine", bind(*spec.engine));
  return text.substr(1);
}

ExplainedFields explain_outside_layers(const Spec& given) {
  Spec spec = given;
  ExplainedFields fields;
  add_fields("model", bind(spec.model), fields);
  add_fields("embedding", bind(*spec.embedding), fields);
  add_fields("norm", bind(spec.norm), fields);
  if (adds_positions(find_word(bind(*spec.position), "type")->value)) {
    add_fields("position", bind(*spec.position), fields);
  }
  fields.emplace_back("layers.repeat", write_value(&spec.repeat));
  if (spec.encoder) {
    EncoderSpec& encoder = *spec.encoder;
    add_fields("encoder", bind(*encoder.section), fields);
    add_fields("encoder.embedding", bind(*encoder.embedding), fields);
    if (adds_positions(find_word(bind(*encoder.position), "type")->value)) {
      add_fields("encoder.position", bind(*encoder.position), fields);
    }
    fields.emplace_back("encoder.layers.repeat", write_value(&encoder.repeat));
  }
  if (find_word(bind(*spec.pooling), "type")->given) {
    add_fields("pooling", bind(*spec.pooling), fields);
  } else {
    add_fields("lm_head", bind(*spec.lm_head), fields);
  }
  add_fields("tokenizer", bind(*spec.tokenizer), fields);
  add_fields("chat", bind(*spec.chat), fields);
  add_fields("engine", bind(*spec.engine), fields);
  return fields;
}

ExplainedFields explain_layer(const LayerKind& given) {
  LayerKind kind = given;
  LayersSection layers = layers_of(kind);
  ExplainedFields fields = {{"layers.steps", write_value(&layers.steps)},
                            {"layers.shared_input_norm", write_value(&layers.shared_input_norm)},
                            {"layers.shared_output_norm", write_value(&layers.shared_output_norm)},
                            {"layers.residual_scale", write_value(&layers.residual_scale)}};
  if (kind.weight_sets.given) fields.push_back({"layers.weight_sets", write_value(&layers.weight_sets)});
  add_fields("norm", bind(kind.norm), fields);
  if (kind.uses_position()) add_fields("position", bind(*kind.position), fields);
  for (Step& step : kind.steps) {
    for (Block& block : step.blocks) add_fields(write_key(block.instance), bind_block(block), fields);
  }
  return fields;
}

}  // namespace monomorph::generator
