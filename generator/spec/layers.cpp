#include "generator/spec/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "generator/spec/section_reader.hpp"

namespace monomorph::generator {
namespace {

/// The layers' kinds, by name, layer by layer.
using Sequence = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

struct PatternItem {
  std::string name;
  std::int64_t count = 0;  ///< 0: none said
};

/// "dense * 3" or "dense".
std::optional<PatternItem> read_item(const std::string& text, const Span& span, Diagnostics& diagnostics) {
  const std::size_t star = text.find('*');
  PatternItem item{trimmed(text.substr(0, star)), 0};
  if (star != std::string::npos) {
    const std::string count = trimmed(text.substr(star + 1));
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), item.count);
    if (error != std::errc() || end != count.data() + count.size() || item.count < 1 ||
        item.count > max_hidden_layers) {
      diagnostics.error("layers.pattern", span,
                        fmt::format("\"{}\" is not a kind and how many layers are of it; "
                                    "write \"NAME * COUNT\", COUNT from 1 to {}",
                                    text, max_hidden_layers));
      return std::nullopt;
    }
  }
  if (item.name.empty()) {
    diagnostics.error("layers.pattern", span, "layers.pattern holds an empty name; each entry names a kind of layer");
    return std::nullopt;
  }
  return item;
}

std::optional<Sequence> expand_pattern(const Field<std::vector<std::string>>& pattern, std::int64_t num_hidden_layers,
                                       Diagnostics& diagnostics) {
  if (pattern.value.empty()) {
    diagnostics.error("layers.pattern", pattern.span, "layers.pattern is empty; it names the kinds of layer in order");
    return std::nullopt;
  }
  std::vector<PatternItem> items;
  for (const std::string& text : pattern.value) {
    const auto item = read_item(text, pattern.span, diagnostics);
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  const bool counted = std::any_of(items.begin(), items.end(), [](const PatternItem& i) { return i.count > 0; });
  Sequence once;
  for (const PatternItem& item : items) once.insert(once.end(), std::max<std::int64_t>(item.count, 1), item.name);
  const auto layers = static_cast<std::size_t>(num_hidden_layers);
  if (counted && once.size() != layers) {
    diagnostics.error("layers.pattern_count", pattern.span,
                      fmt::format("the counts of layers.pattern add up to {}, and model.num_hidden_layers is {}; they "
                                  "must be equal",
                                  once.size(), layers));
    return std::nullopt;
  }
  Sequence sequence(layers);
  for (std::size_t layer = 0; layer < layers; ++layer) sequence[layer] = once[layer % once.size()];
  return sequence;
}

/// An inherited key that stands in the way of one that the kind says in its place.
void drop_alternative(TomlValue& base, const TomlValue& over) {
  for (const auto& [key, other] : {std::pair{"activation", "combine"}, {"combine", "activation"}}) {
    if (over.find(key) == nullptr || over.find(other) != nullptr) continue;
    std::erase_if(base.entries, [other = other](const TomlEntry& entry) { return entry.key == other; });
  }
}

/// What the kind's section is, laid over the base's: a change of type drops what the new type does not have.
template <class Section>
TomlValue lay_over(const TomlValue* base, const TomlValue& over) {
  if (base == nullptr || base->form != TomlValue::Form::table) return over;
  const std::string type = type_of(over);
  TomlValue kept = *base;
  drop_alternative(kept, over);
  if (type.empty() || type == type_of(*base)) return overlay(kept, over);
  std::erase_if(kept.entries, [&](const TomlEntry& entry) {
    for (const FieldRow<Section>& row : fields<Section>()) {
      if (row.key == entry.key) return !row.applies_to(type);
    }
    return false;
  });
  return overlay(kept, over);
}

template <class Section>
void read_kind_section(const TomlValue& root, const TomlValue* kind, const std::string& name, const Span& place,
                       bool in_effect, Section& section, Diagnostics& diagnostics) {
  const TomlEntry* base = root.find(name);
  const TomlEntry* over = kind != nullptr ? kind->find(name) : nullptr;
  if (over == nullptr) {
    read_section(base != nullptr ? &base->value : nullptr, name, place, in_effect, section, diagnostics);
    return;
  }
  if (!in_effect) {
    diagnostics.error("spec.unused_section", over->key_span,
                      fmt::format("{} is set for a kind of layer that has no step to use it", name));
  }
  const TomlValue resolved = lay_over<Section>(base != nullptr ? &base->value : nullptr, over->value);
  read_section(&resolved, name, place, in_effect, section, diagnostics);
}

void compute_defaults(const ModelSection& model, LayerKind& kind) {
  AttentionSection& attention = kind.attention;
  if (!attention.num_key_value_heads.given) attention.num_key_value_heads.value = attention.num_attention_heads.value;
  if (!attention.head_dim.given && attention.num_attention_heads.value > 0) {
    attention.head_dim.value = model.hidden_size.value / attention.num_attention_heads.value;
  }
  if (!kind.position.rotary_dim.given && kind.position.type.value == "rope") {
    kind.position.rotary_dim.value = attention.head_dim.value;
  }
}

LayerKind read_kind(const TomlValue& root, const TomlValue* table, const std::string& name, const Span& place,
                    const ModelSection& model, Diagnostics& diagnostics) {
  LayerKind kind;
  kind.name = name;
  kind.identifier = identifier_of(name);
  kind.span = place;
  const TomlEntry* layers = root.find("layers");
  LayersSection steps;
  for (const FieldRow<LayersSection>& row : fields<LayersSection>()) {
    if (row.key != "steps") continue;
    store_fallback(row, row.slot(steps), place);
    for (const TomlValue* from : {layers != nullptr ? &layers->value : nullptr, table}) {
      const TomlEntry* entry = from != nullptr ? from->find("steps") : nullptr;
      if (entry != nullptr) read_value(entry->value, row.slot(steps), row, "layers.steps", diagnostics);
    }
  }
  kind.steps = steps.steps;
  if (table != nullptr) {
    std::vector<std::string> keys = section_names(true);
    keys.push_back("steps");
    for (const TomlEntry& entry : table->entries) {
      if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
      const std::string suggestion = nearest(entry.key, keys);
      diagnostics.error("spec.unknown_key", entry.key_span,
                        fmt::format("[layers.{}] has no key {}{}", name, entry.key,
                                    suggestion.empty() ? "; its keys are " + one_of(keys) : did_you_mean(suggestion)));
    }
  }
  const bool attention = kind.has_step("attention"), mlp = kind.has_step("mlp");
  read_kind_section(root, table, "norm", root.span, true, kind.norm, diagnostics);
  read_kind_section(root, table, "attention", root.span, attention, kind.attention, diagnostics);
  read_kind_section(root, table, "position", root.span, attention, kind.position, diagnostics);
  read_kind_section(root, table, "mlp", root.span, mlp, kind.mlp, diagnostics);
  const auto header = [&](const std::string& section) {
    const TomlEntry* entry = table != nullptr ? table->find(section) : nullptr;
    if (entry == nullptr) entry = root.find(section);
    return entry != nullptr ? entry->value.span : Span{place.source, 0, 0, 1};
  };
  kind.attention.span = header("attention");
  kind.mlp.span = header("mlp");
  compute_defaults(model, kind);
  return kind;
}

template <class Section>
std::string resolved_text(Section& section) {
  std::string text;
  for (const FieldRow<Section>& row : fields<Section>())
    text += row.key + " = " + write_value(row.slot(section)) + "\n";
  return text;
}

/// All that a kind is, its name and places aside: kinds with equal texts are one.
std::string resolved_text(LayerKind kind) {
  std::string text = fmt::format("{}\n", fmt::join(kind.steps.value, ","));
  text += resolved_text(kind.norm);
  if (kind.has_step("attention")) text += resolved_text(kind.attention) + resolved_text(kind.position);
  if (kind.has_step("mlp")) text += resolved_text(kind.mlp);
  return text;
}

void refuse_unused_sections(const TomlValue& root, const std::vector<LayerKind>& kinds, Diagnostics& diagnostics) {
  for (const LayerKind& kind : kinds) {
    const auto known = [](const std::string& step) { return step == "attention" || step == "mlp"; };
    // Which sections are used is not known where steps are wrong; a rule says that they are.
    if (kind.steps.value.empty() || !std::all_of(kind.steps.value.begin(), kind.steps.value.end(), known)) return;
  }
  if (kinds.empty()) return;
  for (const auto& [name, step] : {std::pair{"attention", "attention"}, {"position", "attention"}, {"mlp", "mlp"}}) {
    const TomlEntry* section = root.find(name);
    const auto uses = [&](const LayerKind& kind) { return kind.has_step(step); };
    if (section == nullptr || std::any_of(kinds.begin(), kinds.end(), uses)) continue;
    if (type_of(section->value) == "learned") continue;  // added to the embedding, whatever the layers are
    diagnostics.error("spec.unused_section", section->key_span,
                      fmt::format("[{}] is never used: no kind of layer has the step \"{}\"", name, step));
  }
}

}  // namespace

Layers read_layers(const TomlValue& root, const ModelSection& model, Diagnostics& diagnostics) {
  const std::int64_t stated = model.num_hidden_layers.value;
  const std::int64_t num_hidden_layers = stated < 1 || stated > max_hidden_layers ? 1 : stated;
  const Span file{root.span.source, 0, 0, 1};
  const TomlEntry* layers = root.find("layers");
  LayersSection section;
  std::map<std::string, const TomlEntry*> tables;
  if (layers != nullptr && layers->value.form == TomlValue::Form::table) {
    TomlValue plain = layers->value;
    std::erase_if(plain.entries, [](const TomlEntry& entry) {
      return entry.key != "pattern" && entry.key != "steps" && entry.value.form == TomlValue::Form::table;
    });
    read_section(&plain, "layers", file, true, section, diagnostics);
    for (const TomlEntry& entry : layers->value.entries) {
      if (entry.key != "pattern" && entry.key != "steps" && entry.value.form == TomlValue::Form::table) {
        tables[entry.key] = &entry;
      }
    }
  } else if (layers != nullptr) {
    diagnostics.error("spec.type", layers->value.span,
                      "layers is " + describe(layers->value) + "; a section, [layers], is required here");
  }

  std::vector<std::string> table_names;
  for (const auto& [name, entry] : tables) table_names.push_back(name);
  Sequence sequence(static_cast<std::size_t>(num_hidden_layers), "layer");
  if (section.pattern.given) {
    // Where the pattern is wrong, the kinds are still read, for what else there is to say.
    sequence = expand_pattern(section.pattern, num_hidden_layers, diagnostics).value_or(table_names);
  }
  // Every name the pattern says counts as used, also where fewer layers cut it off.
  Sequence named;
  for (const std::string& item : section.pattern.value) named.push_back(trimmed(item.substr(0, item.find('*'))));
  for (const auto& [name, entry] : tables) {
    if (std::find(named.begin(), named.end(), name) != named.end()) continue;
    diagnostics.error(
        "layers.kind_unused", entry->key_span,
        fmt::format("layers.pattern does not name the kind {}{}", name, did_you_mean(nearest(name, named))));
  }

  Layers result;
  result.has_pattern = section.pattern.given;
  std::map<std::string, std::size_t> by_name, by_text;
  std::vector<LayerKind> all;
  for (const std::string& name : sequence) {
    if (!by_name.count(name)) {
      const auto table = tables.find(name);
      if (section.pattern.given && table == tables.end()) {
        diagnostics.error("layers.kind_missing", section.pattern.span,
                          fmt::format("layers.pattern names the kind {}, which has no table [layers.{}]{}", name, name,
                                      did_you_mean(nearest(name, table_names))));
      }
      const bool has_table = table != tables.end() && section.pattern.given;
      const Span place = has_table ? table->second->key_span : layers != nullptr ? layers->key_span : file;
      LayerKind kind = read_kind(root, has_table ? &table->second->value : nullptr, name, place, model, diagnostics);
      const auto [known, is_new] = by_text.emplace(resolved_text(kind), result.kinds.size());
      if (is_new) result.kinds.push_back(std::move(kind));
      by_name[name] = known->second;
    }
    result.layer_kinds.push_back(by_name[name]);
  }
  refuse_unused_sections(root, result.kinds, diagnostics);
  return result;
}

}  // namespace monomorph::generator
