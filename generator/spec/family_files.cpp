#include "generator/spec/family_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/spec/family_nesting.hpp"

namespace monomorph::generator {
namespace {

bool is_section(const TomlValue& value) { return value.form == TomlValue::Form::table && !value.is_inline; }

void join(TomlValue& table, const TomlEntry& entry) {
  TomlEntry* same = table.find(entry.key);
  if (same == nullptr || !is_section(same->value) || !is_section(entry.value)) return table.entries.push_back(entry);
  for (const TomlEntry& line : entry.value.entries) join(same->value, line);
}

/// The keys of config.json that a file accounts for.
std::set<std::string> keys_of(const TomlValue& file) {
  std::set<std::string> keys;
  for (const char* section : {"keys", "only"}) {
    const TomlEntry* lines = file.find(section);
    if (lines == nullptr) continue;
    for (const TomlEntry& line : lines->value.entries) keys.insert(line.key);
  }
  for (const char* section : {"spellings", "ignored"}) {
    const TomlEntry* lines = file.find(section);
    if (lines == nullptr) continue;
    for (const TomlEntry& line : lines->value.entries) {
      for (const TomlValue& key : line.value.items) keys.insert(key.string);
    }
  }
  return keys;
}

/// Leaves to a file the keys of which those that it includes say only that they are ignored, or which value runs, and
/// the fields of the spec that it gives itself.
void give_way(TomlValue& included, const TomlValue& file) {
  TomlEntry* lines = included.find("spec");
  const TomlEntry* own = file.find("spec");
  if (lines != nullptr && own != nullptr) {
    std::erase_if(lines->value.entries, [&](const TomlEntry& line) { return own->value.find(line.key) != nullptr; });
  }
  const std::set<std::string> keys = keys_of(file);
  if (TomlEntry* only = included.find("only")) {
    std::erase_if(only->value.entries, [&](const TomlEntry& line) {
      const auto within = keys.lower_bound(line.key + ".");  // an object of which the file reads a key
      return keys.contains(line.key) || (within != keys.end() && within->starts_with(line.key + "."));
    });
  }
  if (TomlEntry* ignored = included.find("ignored")) {
    for (TomlEntry& reason : ignored->value.entries) {
      std::erase_if(reason.value.items, [&](const TomlValue& key) { return keys.contains(key.string); });
    }
  }
}

class Joiner {
 public:
  Joiner(const FamilyFiles& files, Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

  void add(const std::string& name, const Span& asked, JoinedFamily& joined) {
    if (!added_.insert(name).second) return;
    const auto file = files_.find(name + ".toml");
    if (file == files_.end()) return refuse(asked, fmt::format("there is no {}.toml", name));
    const auto source = std::make_shared<const Source>(Source{"families/" + file->first, std::string(file->second)});
    const std::optional<TomlValue> document = parse_document(source, diagnostics_);
    if (!document) return;
    if (const TomlEntry* includes = document->find("include")) {
      for (const TomlValue& item : includes->value.items) include(item, joined);
    }
    give_way(joined.document, *document);
    for (const TomlEntry& entry : document->entries) {
      if (entry.key != "include") join(joined.document, entry);
    }
  }

 private:
  /// "NAME", or { file = "NAME", under = "OBJECT" }, and of an encoder's layers stack = "encoder": the same file may
  /// stand at the top and in objects, and be of both stacks.
  void include(const TomlValue& item, JoinedFamily& joined) {
    if (item.form == TomlValue::Form::string) return add(item.string, item.span, joined);
    const TomlEntry *const file = item.find("file"), *const under = item.find("under"),
                           *const stack = item.find("stack");
    const auto is_string = [](const TomlEntry* entry) {
      return entry != nullptr && entry->value.form == TomlValue::Form::string;
    };
    const bool of_encoder = stack != nullptr && is_string(stack) && stack->value.string == "encoder";
    if (!is_string(file) || !is_string(under) || item.entries.size() != (of_encoder ? 3 : 2)) {
      return refuse(
          item.span,
          "a family includes \"NAME\", or { file = \"NAME\", under = \"OBJECT of config.json\" }, with stack = "
          "\"encoder\" of an encoder's layers");
    }
    JoinedFamily nested;
    Joiner(files_, diagnostics_).add(file->value.string, file->value.span, nested);
    const std::string& object = under->value.string;
    const std::string of_own = of_encoder ? put_in_encoder(nested.document) : "";
    if (!of_own.empty()) {
      return refuse(item.span, fmt::format("\"{}\" asks for the kind of one of the model's own layers, and what it is "
                                           "included for is about the encoder's",
                                           of_own));
    }
    put_under(object, nested.document);
    for (const TomlEntry& entry : nested.document.entries) join(joined.document, entry);
    joined.objects.push_back(object);
    for (const std::string& inner : nested.objects) joined.objects.push_back(object + "." + inner);
  }

  void refuse(const Span& span, const std::string& message) { diagnostics_.error("family.include", span, message); }

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

JoinedFamily join_family(const std::string& name, const FamilyFiles& files, Diagnostics& diagnostics) {
  JoinedFamily joined;
  Joiner(files, diagnostics).add(name, {}, joined);
  return joined;
}

TomlValue spec_section(const JoinedFamily& family, const std::string& name) {
  TomlValue section;
  const TomlEntry* found = family.document.find(name);
  for (const TomlEntry& line : found != nullptr ? found->value.entries : std::vector<TomlEntry>()) {
    TomlEntry* earlier = section.find(line.key);
    if (earlier == nullptr) {
      section.entries.push_back(line);
    } else {
      earlier->value = line.value;
    }
  }
  return section;
}

}  // namespace monomorph::generator
