#include "generator/spec/name_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/spec/checkpoint_names.hpp"
#include "generator/spec/section_reader.hpp"

namespace monomorph::generator {
namespace {

std::vector<std::string> parts_of(const TomlEntry& line) {
  std::vector<std::string> fused;
  if (const TomlEntry* words = line.value.find("fused")) {
    for (const TomlValue& word : words->value.items) fused.push_back(word.string);
  }
  return parts_of_line(line.key, fused);
}

/// The lines that no later one stands in the place of.
std::vector<TomlEntry> last_of_each_part(const std::vector<TomlEntry>& lines) {
  std::vector<TomlEntry> kept;
  std::set<std::string> said;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::vector<std::string> parts = parts_of(*line);
    if (std::ranges::any_of(parts, [&](const std::string& part) { return said.contains(part); })) continue;
    said.insert(parts.begin(), parts.end());
    kept.push_back(*line);
  }
  std::ranges::reverse(kept);
  return kept;
}

/// Of all lines of this key.
std::vector<TomlValue> all_items(const TomlEntry& section, const std::string& key) {
  std::vector<TomlValue> items;
  for (const TomlEntry& line : section.value.entries) {
    if (line.key == key) items.insert(items.end(), line.value.items.begin(), line.value.items.end());
  }
  return items;
}

std::map<std::string, CheckpointSection> read_name_tables() {
  std::map<std::string, CheckpointSection> tables;
  for (const std::string& name : family_names()) {
    Diagnostics diagnostics;
    tables[name] = read_name_table(join_family(name, family_files(), diagnostics), diagnostics);
    if (diagnostics.has_errors()) throw InternalError("spec.families: " + render(diagnostics));
  }
  return tables;
}

const CheckpointSection* find_name_table(const std::string& family) {
  static const std::map<std::string, CheckpointSection> tables = read_name_tables();
  const auto found = tables.find(family);
  return found == tables.end() ? nullptr : &found->second;
}

}  // namespace

CheckpointSection read_name_table(const JoinedFamily& family, Diagnostics& diagnostics) {
  CheckpointSection table;
  table.prefix.value = {""};
  TomlValue section = spec_section(family, "checkpoint");
  for (TomlEntry& line : section.entries) {
    if (line.key == "tensors") line.value.entries = last_of_each_part(line.value.entries);
    if (line.key == "ignore") line.value.items = all_items(*family.document.find("checkpoint"), line.key);
    if (line.key == "names" || line.key.starts_with("dtype")) {
      diagnostics.error("family.checkpoint", line.key_span,
                        fmt::format("a family does not say '{}': it says what its tensors are called, with prefix, "
                                    "tensors and ignore, or includes a file that does",
                                    line.key));
    }
  }
  read_section(&section, "checkpoint", {}, false, bind(table), diagnostics);
  return table;
}

void add_named_table(CheckpointSection& checkpoint) {
  const CheckpointSection* table = find_name_table(checkpoint.names.value);
  if (table == nullptr) {
    if (!checkpoint.prefix.given) checkpoint.prefix.value = {""};
    return;
  }
  std::set<std::string> replaced;
  for (auto& [line, name] : checkpoint.tensors) {
    // A tensor of several that is called otherwise alone holds what the family's does, in the same order.
    const auto of_family = table->tensors.find(line);
    if (of_family != table->tensors.end() && name.is_plain() && !of_family->second.fused.empty()) {
      name.fused = of_family->second.fused;
      name.interleaved = of_family->second.interleaved;
      name.transposed = of_family->second.transposed;
      name.exact = of_family->second.exact;
    }
    for (const std::string& part : parts_of_line(line, name.fused)) replaced.insert(part);
  }
  for (const auto& [line, name] : table->tensors) {
    const std::vector<std::string> parts = parts_of_line(line, name.fused);
    if (std::ranges::any_of(parts, [&](const std::string& part) { return replaced.contains(part); })) continue;
    TensorName& added = checkpoint.tensors[line] = name;
    added.given = false;
    added.span = checkpoint.names.span;
  }
  if (!checkpoint.prefix.given) checkpoint.prefix.value = table->prefix.value;
  for (const IgnoredTensor& tensor : table->ignore) {
    checkpoint.ignore.push_back({tensor.name, tensor.why, false, checkpoint.names.span});
  }
}

}  // namespace monomorph::generator
