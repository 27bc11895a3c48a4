#include "generator/spec/by_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/spec/block_type.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/kinds.hpp"

namespace monomorph::generator {
namespace {

/// The section's rows: those of the type that its key `block` says, or of the section of this name.
const BoundFields* rows_of(const TomlEntry& section) {
  const TomlEntry* type = is_own_block(section) ? section.value.find("block") : nullptr;
  const std::string& name = type != nullptr ? type->value.string : section.key;
  for (const SectionDescription& known : sections()) {
    if (known.name == name && known.in_kinds) return &known.fields;
  }
  return nullptr;
}

/// Whether the value is a list of what the key may say.
bool is_by_layer(const BoundFields& rows, const std::string& key, const TomlValue& value) {
  const auto row = std::ranges::find_if(rows, [&](const BoundField& each) { return each.field->key == key; });
  if (row == rows.end() || !may_be_by_layer(row->slot)) return false;
  const bool whole = std::holds_alternative<Field<std::int64_t>*>(row->slot);
  return value.form == TomlValue::Form::array && !value.items.empty() &&
         std::ranges::all_of(value.items, [&](const TomlValue& item) {
           return item.form == TomlValue::Form::integer || (!whole && item.form == TomlValue::Form::number);
         });
}

}  // namespace

bool may_be_by_layer(const Slot& slot) {
  return std::holds_alternative<Field<std::int64_t>*>(slot) || std::holds_alternative<Field<double>*>(slot);
}

std::vector<LayerList> take_lists(TomlValue& root, Diagnostics& diagnostics) {
  const TomlEntry* model = root.find("model");
  const TomlEntry* stated = model != nullptr ? model->value.find("num_hidden_layers") : nullptr;
  std::vector<LayerList> lists;
  for (TomlEntry& section : root.entries) {
    const BoundFields* rows = section.value.form == TomlValue::Form::table ? rows_of(section) : nullptr;
    if (rows == nullptr) continue;
    for (TomlEntry& entry : section.value.entries) {
      if (!is_by_layer(*rows, entry.key, entry.value)) continue;
      const std::size_t count = entry.value.items.size();
      if (stated != nullptr && stated->value.form == TomlValue::Form::integer &&
          stated->value.integer != static_cast<std::int64_t>(count)) {
        diagnostics.error(
            "layers.list_length", entry.value.span,
            fmt::format("{}.{} has {} entries, and model.num_hidden_layers is {}; a list has an entry for "
                        "each layer",
                        section.key, entry.key, count, stated->value.integer));
      } else {
        lists.push_back({section.key, entry.key, entry.key_span, entry.value.items});
      }
      const TomlValue first = entry.value.items.front();
      entry.value = first;
    }
  }
  return lists;
}

CutKinds cut_kinds(const std::vector<std::string>& sequence, const std::vector<LayerList>& lists) {
  // What tells the layers of a kind apart, in order of first use.
  std::map<std::string, std::vector<std::vector<double>>> told_apart;
  const auto entries_of = [&](std::size_t layer) {
    std::vector<double> entries;
    for (const LayerList& list : lists) {
      if (layer < list.values.size()) entries.push_back(list.values[layer].number);
    }
    return entries;
  };
  for (std::size_t layer = 0; layer < sequence.size(); ++layer) {
    std::vector<std::vector<double>>& known = told_apart[sequence[layer]];
    const std::vector<double> entries = entries_of(layer);
    if (std::ranges::find(known, entries) == known.end()) known.push_back(entries);
  }
  std::set<std::string> taken(sequence.begin(), sequence.end());
  std::map<std::pair<std::string, std::vector<double>>, std::string> names;
  CutKinds cut;
  for (std::size_t layer = 0; layer < sequence.size(); ++layer) {
    const std::string& kind = sequence[layer];
    const auto [name, is_new] = names.try_emplace({kind, entries_of(layer)}, kind);
    if (is_new && told_apart.at(kind).size() > 1) {
      for (int number = 1; !taken.insert(name->second).second; ++number)
        name->second = fmt::format("{}_{}", kind, number);
    }
    cut.sequence.push_back(name->second);
    cut.cut_from.emplace(name->second, kind);
    cut.layer.emplace(name->second, layer);
  }
  return cut;
}

TomlValue lay_lists(TomlValue table, const std::vector<LayerList>& lists, std::size_t layer,
                    const std::vector<std::string>& reads) {
  for (const LayerList& list : lists) {
    if (std::ranges::find(reads, list.section) == reads.end() || layer >= list.values.size()) continue;
    if (table.find(list.section) == nullptr) {
      table.entries.push_back({list.section, list.key_span, {}});
      table.entries.back().value.span = list.key_span;
    }
    TomlValue& section = table.find(list.section)->value;
    if (section.form != TomlValue::Form::table || section.is_inline || section.find(list.key) != nullptr) continue;
    section.entries.push_back({list.key, list.key_span, list.values[layer]});
  }
  return table;
}

}  // namespace monomorph::generator
