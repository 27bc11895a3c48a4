#include "generator/spec/family_nesting.hpp"

#include <algorithm>

#include "generator/expression/expression.hpp"

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
    for (TomlEntry& line : lines("layer")) move_names(line.value.string);
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
      for (const std::string& name : {key, key + ".length"}) {
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

}  // namespace

void put_under(const std::string& object, TomlValue& family) { Mover(object, family).move(); }

}  // namespace monomorph::generator
