#include "generator/spec/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/spec/block_type.hpp"
#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

/// The section under `header`, `first` its first line; empty where nothing is to be said.
std::string explain_section(const std::string& header, const BoundFields& fields, const std::string& first = "") {
  std::string lines = first, tables;
  for (const auto& [row, slot] : fields) {
    if (!applies(*row, fields) || is_absent(slot)) continue;
    // Of keys that stand in each other's place, the one that is written.
    const auto is_given = [](const auto* stored) {
      if constexpr (requires { stored->given; }) return stored->given;
      return true;
    };
    if (!row->in_place_of.empty() && !std::visit(is_given, slot)) continue;
    const std::vector<std::string> table = write_table(slot);
    if (table.empty()) {
      lines += fmt::format("{} = {}\n", row->key, write_value(slot));
    } else {
      tables += fmt::format("\n[{}.{}]\n{}\n", header, row->key, fmt::join(table, "\n"));
    }
  }
  return lines.empty() ? tables : fmt::format("\n[{}]\n{}{}", header, lines, tables);
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

/// "local * 5", "global * 1" ...: the layers as runs of one kind.
std::string explain_pattern(const Spec& spec) {
  std::string items;
  for (std::size_t layer = 0; layer < spec.layer_kinds.size();) {
    std::size_t end = layer;
    while (end < spec.layer_kinds.size() && spec.layer_kinds[end] == spec.layer_kinds[layer]) ++end;
    const std::string item = fmt::format("{} * {}", spec.kinds[spec.layer_kinds[layer]].name, end - layer);
    items += (items.empty() ? "" : ", ") + write_string(item);
    layer = end;
  }
  return "[" + items + "]";
}

std::string explain_steps(const LayerKind& kind) {
  LayersSection layers;
  layers.steps = kind.written_steps;
  layers.shared_input_norm = kind.shared_input_norm;
  layers.residual_scale = kind.residual_scale;
  return fmt::format("steps = {}\nshared_input_norm = {}\nresidual_scale = {}\n", write_value(&layers.steps),
                     write_value(&layers.shared_input_norm), write_value(&layers.residual_scale));
}

}  // namespace

std::string explain_spec(const Spec& given) {
  Spec spec = given;  // fields are bound to be read, and binding may write
  std::string text = explain_section("model", bind(spec.model)) + explain_section("embedding", bind(*spec.embedding)) +
                     explain_section("norm", bind(spec.norm));
  const bool added = adds_positions(find_word(bind(*spec.position), "type")->value);
  if (!spec.has_pattern) {
    LayerKind& kind = spec.kinds.front();
    if (kind.uses_position() || added) {
      text += explain_section("position", bind(*(kind.uses_position() ? kind.position : spec.position)));
    }
    text +=
        explain_blocks(kind, "") + fmt::format("\n[layers]\nrepeat = {}\n", spec.repeat.value) + explain_steps(kind);
  } else {
    if (added) text += explain_section("position", bind(*spec.position));
    text += fmt::format("\n[layers]\npattern = {}\nrepeat = {}\n", explain_pattern(spec), spec.repeat.value);
    for (LayerKind& kind : spec.kinds) {
      const std::string header = "layers." + write_key(kind.name);
      text += fmt::format("\n[{}]\n{}", header, explain_steps(kind));
      text += explain_section(header + ".norm", bind(kind.norm));
      if (kind.uses_position()) text += explain_section(header + ".position", bind(*kind.position));
      text += explain_blocks(kind, header + ".");
    }
  }
  text += explain_section("lm_head", bind(*spec.lm_head));
  text += explain_section("checkpoint", bind(*spec.checkpoint));
  text += explain_section("import", bind(*spec.import));
  text += explain_section("tokenizer", bind(*spec.tokenizer));
  text += explain_section("chat", bind(*spec.chat));
  text += explain_section("engine", bind(*spec.engine));
  return text.substr(1);
}

}  // namespace monomorph::generator
