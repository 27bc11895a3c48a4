#include "generator/spec/explain.hpp"

#include <fmt/format.h>

#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

template <class Section>
std::string type_in(Section& section) {
  if constexpr (requires { section.type; }) {
    return section.type.value;
  } else {
    return "";
  }
}

/// The section under `header`; empty where nothing is to be said.
template <class Section>
std::string explain_section(const std::string& header, Section section) {
  std::string lines, tables;
  for (const FieldRow<Section>& row : fields<Section>()) {
    const Slot slot = row.slot(section);
    if (!row.applies_to(type_in(section)) || is_absent(slot)) continue;
    if (row.key == "activation" || row.key == "combine") {
      const bool written = std::get<Field<std::string>*>(slot)->given;
      if (!written) continue;  // the one stands for the other
    }
    const std::vector<std::string> table = write_table(slot);
    if (table.empty()) {
      lines += fmt::format("{} = {}\n", row.key, write_value(slot));
    } else {
      tables += fmt::format("\n[{}.{}]\n{}\n", header, row.key, fmt::join(table, "\n"));
    }
  }
  return lines.empty() ? tables : fmt::format("\n[{}]\n{}{}", header, lines, tables);
}

std::string explain_kind(const LayerKind& kind, const std::string& prefix) {
  std::string text = explain_section(prefix + "norm", kind.norm);
  if (kind.has_step("attention")) {
    text += explain_section(prefix + "attention", kind.attention);
    text += explain_section(prefix + "position", kind.position);
  }
  if (kind.has_step("mlp")) text += explain_section(prefix + "mlp", kind.mlp);
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
  layers.steps = kind.steps;
  return fmt::format("steps = {}\n", write_value(&layers.steps));
}

}  // namespace

std::string explain_spec(const Spec& spec) {
  std::string text = explain_section("model", spec.model);
  text += explain_section("norm", spec.norm);
  const bool base_is_used = spec.position.type.value == "learned";
  if (!spec.has_pattern) {
    const LayerKind& kind = spec.kinds.front();
    if (kind.has_step("attention")) text += explain_section("attention", kind.attention);
    if (kind.has_step("attention") || base_is_used) {
      text += explain_section("position", kind.has_step("attention") ? kind.position : spec.position);
    }
    if (kind.has_step("mlp")) text += explain_section("mlp", kind.mlp);
    text += "\n[layers]\n" + explain_steps(kind);
  } else {
    if (base_is_used) text += explain_section("position", spec.position);
    text += fmt::format("\n[layers]\npattern = {}\n", explain_pattern(spec));
    for (const LayerKind& kind : spec.kinds) {
      text += fmt::format("\n[layers.{}]\n{}", write_key(kind.name), explain_steps(kind));
      text += explain_kind(kind, fmt::format("layers.{}.", write_key(kind.name)));
    }
  }
  text += explain_section("lm_head", spec.lm_head);
  text += explain_section("checkpoint", spec.checkpoint);
  text += explain_section("import", spec.import);
  text += explain_section("tokenizer", spec.tokenizer);
  text += explain_section("engine", spec.engine);
  return text.substr(1);
}

}  // namespace monomorph::generator
