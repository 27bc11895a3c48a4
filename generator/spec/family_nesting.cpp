#include "generator/spec/family_nesting.hpp"

#include <algorithm>

#include "generator/expression/expression.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/list_properties.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {
namespace {

using Form = TomlValue::Form;

TomlValue text(const std::string& string, const Span& span) {
  TomlValue value;
  value.form = Form::string;
  value.span = span;
  value.string = string;
  return value;
}

class Mover {
 public:
  Mover(const std::string& object, TomlValue& family) : above_(object + "."), family_(family) {}

  void move() {
    for (const TomlEntry& key : lines("keys")) keys_.push_back(key.key);
    for (TomlEntry& key : lines("keys")) key.key.insert(0, above_);
    for (TomlEntry& key : lines("spellings")) {
      key.key.insert(0, above_);
      move_all(key.value);
    }
    for (const char* section : {"layer", "encoder_layer"}) {
      for (TomlEntry& line : lines(section)) move_names(line.value.string);
    }
    for (TomlEntry& line : lines("spec")) move_names(line.value.string);
    for (TomlEntry& line : lines("notes")) {
      if (TomlEntry* when = line.value.find("when")) move_names(when->value.string);
    }
    for (TomlEntry& rule : lines("refuse")) {
      for (TomlEntry& line : rule.value.entries) {
        move_names(line.key);
        move_shown(line.value.string);
      }
    }
    for (const char* section : {"only", "new"}) {
      for (TomlEntry& key : lines(section)) key.key.insert(0, above_);
    }
    for (TomlEntry& reason : lines("ignored")) move_all(reason.value);
    move_head();
  }

 private:
  std::vector<TomlEntry>& lines(const std::string& name) {
    TomlEntry* section = family_.find(name);
    return section != nullptr ? section->value.entries : none_;
  }

  void move_all(TomlValue& paths) {
    for (TomlValue& path : paths.items) path.string.insert(0, above_);
  }

  void move_names(std::string& expression) {
    for (const std::string& key : keys_) {
      expression = rename_in_expression(expression, key, above_ + key);
      for (const std::string_view property : list_properties) {
        const std::string name = key + std::string(property);
        expression = rename_in_expression(expression, name, above_ + name);
      }
    }
  }

  /// The expressions of a message, which stand in braces.
  void move_shown(std::string& message) {
    for (std::size_t open = message.find('{'); open != std::string::npos; open = message.find('{', open + 1)) {
      const std::size_t close = message.find('}', open);
      if (close == std::string::npos) return;
      std::string shown = message.substr(open + 1, close - open - 1);
      move_names(shown);
      message.replace(open + 1, close - open - 1, shown);
    }
  }

  TomlEntry& section(const std::string& name) {
    TomlEntry* found = family_.find(name);
    if (found != nullptr) return *found;
    family_.entries.push_back({name, {}, {}});
    return family_.entries.back();
  }

  void move_head() {
    if (const TomlEntry* type = family_.find("model_type")) {
      TomlValue only;
      only.span = type->value.span;
      only.entries = {{"runs", {}, text("\"" + type->value.string + "\"", type->value.span)},
                      {"asks", {}, text("a model of another family", type->value.span)}};
      section("only").value.entries.push_back({above_ + "model_type", type->key_span, only});
    }
    TomlValue ignored;
    ignored.form = Form::array;
    for (const char* key : {"architectures", "transformers_version"}) ignored.items.push_back(text(above_ + key, {}));
    section("ignored").value.entries.push_back({"config.json says it of the whole", {}, ignored});
    std::erase_if(family_.entries,
                  [](const TomlEntry& entry) { return entry.key == "model_type" || entry.key == "architectures"; });
  }

  std::string above_;
  TomlValue& family_;
  std::vector<std::string> keys_;
  std::vector<TomlEntry> none_;
};

/// The field of an encoder that a field of the model is; "" where it has none.
std::string of_encoder(const std::string& field) {
  const std::string prefix = section_prefix(encoder_stack), model = "model.", tensors = "checkpoint.tensors.";
  if (field.starts_with(tensors)) return tensors + prefix + field.substr(tensors.size());
  if (!field.starts_with(model)) return field.starts_with("lm_head") ? "" : prefix + field;
  const std::string key = field.substr(model.size());
  return std::ranges::any_of(fields<EncoderSection>(), [&](const auto& row) { return key == row.key; }) ? prefix + key
                                                                                                        : "";
}

}  // namespace

std::string put_in_encoder(TomlValue& family) {
  const auto move = [](TomlValue& lines) {
    for (TomlEntry& line : lines.entries) line.key = of_encoder(line.key);
    std::erase_if(lines.entries, [](const TomlEntry& line) { return line.key.empty(); });
  };
  for (TomlEntry& section : family.entries) {
    if (section.key == "layer") section.key = "encoder_layer";
    // A part, and a field of the spec or a table of them.
    const bool by_tensor = section.key == "absent" || section.key == "present";
    if (by_tensor) {
      for (TomlEntry& line : section.value.entries) {
        if (line.value.form == Form::table) {
          move(line.value);
        } else {
          line.value.string = of_encoder(line.value.string);
        }
      }
      std::erase_if(section.value.entries, [](const TomlEntry& line) {
        return line.value.form == Form::table ? line.value.entries.empty() : line.value.string.empty();
      });
    }
    if (by_tensor || section.key == "spec" || section.key == "notes") move(section.value);
    if (section.key != "checkpoint") continue;
    if (TomlEntry* tensors = section.value.find("tensors")) move(tensors->value);
  }
  const TomlEntry* refusals = family.find("refuse");
  for (const TomlEntry& rule : refusals != nullptr ? refusals->value.entries : std::vector<TomlEntry>()) {
    for (const TomlEntry& line : rule.value.entries) {
      if (rename_in_expression(line.key, "kind", "") != line.key) return line.key;
    }
  }
  return "";
}

void put_under(const std::string& object, TomlValue& family) { Mover(object, family).move(); }

}  // namespace monomorph::generator
