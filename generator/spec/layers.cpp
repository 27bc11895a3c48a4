#include "generator/spec/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

#include "generator/spec/block_type.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/kinds.hpp"
#include "generator/spec/section_reader.hpp"
#include "generator/spec/sources.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

/// The layers' kinds, by name, layer by layer.
using Sequence = std::vector<std::string>;

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
  const std::int64_t total = std::accumulate(
      items.begin(), items.end(), std::int64_t{0},
      [](std::int64_t sum, const PatternItem& item) { return sum + std::max<std::int64_t>(item.count, 1); });
  if (counted && total != num_hidden_layers) {
    diagnostics.error("layers.pattern_count", pattern.span,
                      fmt::format("the counts of layers.pattern add up to {}, and model.num_hidden_layers is {}; they "
                                  "must be equal",
                                  total, num_hidden_layers));
    return std::nullopt;
  }
  for (const PatternItem& item : items) once.insert(once.end(), std::max<std::int64_t>(item.count, 1), item.name);
  const auto layers = static_cast<std::size_t>(num_hidden_layers);
  Sequence sequence(layers);
  for (std::size_t layer = 0; layer < layers; ++layer) sequence[layer] = once[layer % once.size()];
  return sequence;
}

/// All that a kind is, its name and places aside: kinds with equal texts are one.
std::string resolved_text(LayerKind kind) {
  std::string text;
  const auto add = [&](const BoundFields& fields) {
    for (const auto& [field, slot] : fields) text += field->key + " = " + write_value(slot) + "\n";
  };
  add(bind(kind.norm));
  text += "residual_scale = " + write_value(&kind.residual_scale) + "\n";
  // Layers of other names have other sets.
  if (kind.weight_sets.given)
    text += "weight_sets = " + write_value(&kind.weight_sets) + " of " + kind.in_pattern + "\n";
  for (Step& step : kind.steps) {
    text += step.chained ? "chain" : "step";
    if (step.shared_input_norm) text += ", one input norm";
    text += step.shared_output_norm ? ", one output norm\n" : "\n";
    for (Block& block : step.blocks) {
      text += block.instance + " " + block.type->name + "\n";
      add(bind_block(block));
      if (block.type->position != nullptr) add(bind(position_of(kind, block)));
    }
  }
  return text;
}

/// Sharing a norm takes sub-blocks side by side.
void refuse_unused_sharing(const LayersSection& layers, const std::vector<LayerKind>& kinds, Diagnostics& diagnostics) {
  const auto stands_beside = [](const LayerKind& kind) {
    return std::any_of(kind.steps.begin(), kind.steps.end(), [](const Step& step) { return step.has_several(); });
  };
  const auto refuse = [&](const char* key, const Field<bool>& shared, Field<bool> LayerKind::* of_kind) {
    const auto report = [&](const Span& span) {
      diagnostics.error("layers.shared_norm_unused", span,
                        fmt::format("layers.{} has no meaning where no step has several sub-blocks", key));
    };
    const bool base = shared.given && shared.value;
    if (base && std::none_of(kinds.begin(), kinds.end(), stands_beside)) report(shared.span);
    for (const LayerKind& kind : kinds) {
      if (!base && (kind.*of_kind).value && !stands_beside(kind)) report((kind.*of_kind).span);
    }
  };
  refuse("shared_input_norm", layers.shared_input_norm, &LayerKind::shared_input_norm);
  refuse("shared_output_norm", layers.shared_output_norm, &LayerKind::shared_output_norm);
}

/// `block` says a type, and the section has a name that can stand in parts and roles.
void check_own_block(const TomlEntry& section, Diagnostics& diagnostics) {
  const TomlValue& type = section.value.find("block")->value;
  if (type.form != TomlValue::Form::string || find_block_type(type.string) == nullptr) {
    diagnostics.error(
        "layers.block_type", type.span,
        fmt::format("[{}] is the section of a sub-block, whose type `block` says: \"{}\"{}", section.key,
                    fmt::join(block_type_names(), "\" or \""), did_you_mean(nearest(type.string, block_type_names()))));
  }
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  const std::string& name = section.key;
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z' && std::all_of(name.begin(), name.end(), fits)) return;
  diagnostics.error("layers.block_name", section.key_span,
                    fmt::format("\"{}\" cannot name a sub-block: lower-case letters, digits and \"_\" are required, a "
                                "letter first",
                                name));
}

/// The sections that a kind's layers read and kinds may override.
std::vector<std::string> sections_read(const TomlValue& root, const TomlValue* table, const std::string& name,
                                       const Span& place, const ModelSection& model) {
  Diagnostics said;  // when the kind is read with what lists say of it
  const LayerKind kind = read_kind(root, table, name, place, model, said).kind;
  std::vector<std::string> sections = {"norm"};
  for (const Block* block : kind.blocks()) sections.push_back(block->instance);
  if (kind.reads_position()) sections.emplace_back("position");
  return sections;
}

/// Takes out what an encoder cannot have.
void drop_source_readers(LayerKind& kind) {
  for (Step& step : kind.steps) {
    std::erase_if(step.blocks, [](const Block& block) { return reads_source(block); });
  }
  std::erase_if(kind.steps, [](const Step& step) { return step.blocks.empty(); });
}

}  // namespace

Layers read_layers(const TomlValue& root, const std::vector<LayerList>& lists, const ModelSection& model,
                   Diagnostics& diagnostics) {
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
    read_section(&plain, "layers", file, true, bind(section), diagnostics);
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

  for (const TomlEntry& entry : root.entries) {
    if (is_own_block(entry)) check_own_block(entry, diagnostics);
  }
  bool steps_are_known = true;
  Layers result;
  result.repeat = section.repeat;
  CutKinds cut = cut_kinds(sequence, lists);
  result.has_pattern = section.pattern.given || cut.cut_from.size() > 1;
  std::map<std::string, LayerKind> all;
  for (const std::string& name : cut.sequence) {
    if (all.count(name)) continue;
    const std::string& pattern_name = cut.cut_from.at(name);
    const auto table = tables.find(pattern_name);
    if (section.pattern.given && table == tables.end()) {
      diagnostics.error("layers.kind_missing", section.pattern.span,
                        fmt::format("layers.pattern names the kind {0}, which has no table [layers.{0}]{1}",
                                    pattern_name, did_you_mean(nearest(pattern_name, table_names))));
    }
    const bool has_table = table != tables.end() && section.pattern.given;
    const Span place = has_table ? table->second->key_span : layers != nullptr ? layers->key_span : file;
    const TomlValue* written = has_table ? &table->second->value : nullptr;
    TomlValue with_lists;
    if (!lists.empty()) {
      with_lists = lay_lists(written != nullptr ? *written : TomlValue{}, lists, cut.layer.at(name),
                             sections_read(root, written, name, place, model));
      written = &with_lists;
    }
    KindResult read = read_kind(root, written, name, place, model, diagnostics);
    if (section.pattern.given) read.kind.in_pattern = pattern_name;
    steps_are_known &= read.steps_are_known;
    all.emplace(name, std::move(read.kind));
  }
  resolve_sources(cut, all);
  std::set<std::string> read_from;  // kinds that another one names
  for (const auto& [name, kind] : all) {
    for (const Block* block : kind.blocks()) read_from.insert(kind_read_by(*block));
  }
  std::map<std::string, std::size_t> by_name, by_text;
  for (const std::string& name : cut.sequence) {
    if (!by_name.count(name)) {
      const std::string mark = read_from.contains(name) ? "read from as " + name : "";
      const auto [known, is_new] = by_text.emplace(resolved_text(all.at(name)) + mark, result.kinds.size());
      if (is_new) result.kinds.push_back(all.at(name));
      by_name[name] = known->second;
    }
    result.layer_kinds.push_back(by_name[name]);
  }
  result.steps_are_known = steps_are_known;
  refuse_unused_sharing(section, result.kinds, diagnostics);
  return result;
}

Layers read_encoder_layers(const TomlValue& root, const TomlEntry& table, const ModelSection& model,
                           Diagnostics& diagnostics) {
  const std::int64_t stated = model.num_hidden_layers.value;
  const std::int64_t num_hidden_layers = stated < 1 || stated > max_hidden_layers ? 1 : stated;
  const TomlEntry* layers = table.value.find("layers");
  const Span place = layers != nullptr ? layers->key_span : table.key_span;
  const auto is_table = [](const TomlEntry& entry) { return entry.value.form == TomlValue::Form::table; };
  // As a kind of layer that all its kinds are laid over: its sections, and the keys of its [layers].
  TomlValue base = table.value;
  EncoderSection stack;
  const BoundFields own = bind(stack);
  std::erase_if(base.entries, [&](const TomlEntry& entry) {
    const auto is_key = [&](const BoundField& field) { return field.field->key == entry.key; };
    return !is_table(entry) || entry.key == "layers" || entry.key == "embedding" || std::ranges::any_of(own, is_key);
  });
  std::map<std::string, const TomlEntry*> tables;
  TomlValue plain = layers != nullptr ? layers->value : TomlValue{};
  if (layers != nullptr) {
    for (const TomlEntry& entry : layers->value.entries) {
      if (is_table(entry)) tables[entry.key] = &entry;
    }
  }
  std::erase_if(plain.entries, is_table);
  LayersSection section;
  read_section(layers != nullptr ? &plain : nullptr, "encoder.layers", place, true, bind(section), diagnostics);
  const bool steps_are_missing = !section.steps.given && tables.empty();
  if (steps_are_missing) {
    diagnostics.error("spec.missing_key", place,
                      "encoder.layers.steps is missing: the layers of an encoder have steps of their own, as "
                      "[\"attention\", \"mlp\"]");
  }
  for (const TomlEntry& entry : plain.entries) {
    if (entry.key != "pattern" && entry.key != "repeat") base.entries.push_back(entry);
  }
  Layers result;
  result.repeat = section.repeat;
  result.has_pattern = section.pattern.given;
  Sequence sequence(static_cast<std::size_t>(num_hidden_layers), "encoder");
  if (section.pattern.given) {
    sequence = expand_pattern(section.pattern, num_hidden_layers, diagnostics).value_or(Sequence{});
  }
  for (const auto& [name, entry] : tables) {
    if (std::ranges::find(sequence, name) != sequence.end()) continue;
    diagnostics.error("layers.kind_unused", entry->key_span,
                      fmt::format("encoder.layers.pattern does not name the kind {}", name));
  }
  std::map<std::string, std::size_t> known;
  for (const std::string& name : sequence) {
    const auto [index, is_new] = known.emplace(name, result.kinds.size());
    result.layer_kinds.push_back(index->second);
    if (!is_new) continue;
    const auto own = tables.find(name);
    const bool has_table = own != tables.end();
    if (section.pattern.given && !has_table) {
      diagnostics.error(
          "layers.kind_missing", section.pattern.span,
          fmt::format("encoder.layers.pattern names the kind {0}, which has no table [encoder.layers.{0}]", name));
    }
    const TomlValue written = has_table ? overlay(base, own->second->value) : base;
    KindResult read = read_kind(root, &written, name, has_table ? own->second->key_span : place, model, diagnostics,
                                has_table ? &own->second->value : &base);
    if (steps_are_missing) drop_source_readers(read.kind);  // which have been told
    read.kind.stack = encoder_stack;
    read.kind.identifier = section.pattern.given ? "encoder_" + read.kind.identifier : "encoder";
    if (section.pattern.given) read.kind.in_pattern = name;
    result.steps_are_known &= read.steps_are_known;
    result.kinds.push_back(std::move(read.kind));
  }
  return result;
}

}  // namespace monomorph::generator
