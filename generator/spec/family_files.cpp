#include "generator/spec/family_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace monomorph::generator {
namespace {

bool is_section(const TomlValue& value) { return value.form == TomlValue::Form::table && !value.is_inline; }

void join(TomlValue& table, const TomlEntry& entry) {
  TomlEntry* same = table.find(entry.key);
  if (same == nullptr || !is_section(same->value) || !is_section(entry.value)) return table.entries.push_back(entry);
  for (const TomlEntry& line : entry.value.entries) join(same->value, line);
}

class Joiner {
 public:
  Joiner(const FamilyFiles& files, Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

  void add(const std::string& name, const Span& asked, TomlValue& joined) {
    if (!added_.insert(name).second) return;
    const auto file = files_.find(name + ".toml");
    if (file == files_.end()) {
      diagnostics_.error("family.include", asked, fmt::format("there is no {}.toml", name));
      return;
    }
    const auto source = std::make_shared<const Source>(Source{"families/" + file->first, std::string(file->second)});
    const std::optional<TomlValue> document = parse_document(source, diagnostics_);
    if (!document) return;
    if (const TomlEntry* include = document->find("include")) {
      for (const TomlValue& item : include->value.items) add(item.string, item.span, joined);
    }
    for (const TomlEntry& entry : document->entries) {
      if (entry.key != "include") join(joined, entry);
    }
  }

 private:
  const FamilyFiles& files_;
  Diagnostics& diagnostics_;
  std::set<std::string> added_;
};

}  // namespace

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const auto& [file, text] : family_files()) {
    if (text.starts_with("architectures = ")) names.push_back(file.substr(0, file.rfind('.')));
  }
  return names;
}

TomlValue join_family(const std::string& name, const FamilyFiles& files, Diagnostics& diagnostics) {
  TomlValue joined;
  Joiner(files, diagnostics).add(name, {}, joined);
  return joined;
}

}  // namespace monomorph::generator
