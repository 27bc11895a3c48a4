#include "tests/altered_inputs/inputs.hpp"

#include <algorithm>
#include <map>

#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"
#include "runtime/formats/json.hpp"
#include "tests/support/files.hpp"

namespace monomorph::tests {

using namespace generator;
using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

json object_of(const TomlValue& value) {
  using Form = TomlValue::Form;
  json object = value.form == Form::table ? json::object() : json::array();
  switch (value.form) {
    case Form::string:
      return value.string;
    case Form::integer:
      return value.integer;
    case Form::number:
      return value.number;
    case Form::boolean:
      return value.boolean;
    case Form::table:
      for (const TomlEntry& entry : value.entries) object[entry.key] = object_of(entry.value);
      return object;
    default:
      for (const TomlValue& item : value.items) object.push_back(object_of(item));
      return object;
  }
}

json value_at(const json& object, const std::vector<std::string>& path) {
  const json* place = &object;
  for (const std::string& key : path) {
    if (!place->is_object() || !place->contains(key)) return nullptr;
    place = &(*place)[key];
  }
  return *place;
}

}  // namespace

std::string toml_of(const json& value) {
  if (value.is_string()) return write_string(value.get<std::string>());
  if (!value.is_structured()) return value.dump();
  std::string items;
  for (const auto& [key, item] : value.items()) {
    items += (items.empty() ? "" : ", ") + (value.is_object() ? write_key(key) + " = " : "") + toml_of(item);
  }
  return value.is_object() ? "{" + items + "}" : "[" + items + "]";
}

std::vector<Input> all_inputs() {
  const fs::path root = MONOMORPH_SOURCE_DIR;
  std::map<std::pair<bool, std::string>, Input> found;
  const auto add = [&](std::string name, const fs::path& file, const fs::path& weights) {
    Input input = {name, file, weights, {}};
    const auto [place, inserted] = found.emplace(std::pair(!input.is_config(), name), input);
    if (file < place->second.file) place->second = input;  // whatever the order of the folder
  };
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "tests" / "golden" / "cases")) {
    const std::string directory = entry.path().filename();
    const std::string name = directory.substr(0, directory.rfind('-'));
    for (const char* file : {"config.json", "model.toml"}) {
      if (fs::exists(entry.path() / file)) add(name, entry.path() / file, entry.path());
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "models")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().stem();
    const fs::path own = root / "models" / name;
    const fs::path weights = fs::exists(own) ? own : root / "tests" / "models" / "configs" / name;
    // A shape from a paper has neither weights nor a config that could tell.
    if (fs::exists(weights / "config.json")) add(name, entry.path(), weights);
  }
  std::vector<Input> inputs;
  for (auto& [key, input] : found) {
    Diagnostics none;
    input.object = input.is_config() ? json::parse(with_words_quoted(read_file(input.file)))
                                     : object_of(*parse_document(read_source(input.file), none));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::vector<json> others_at(const std::vector<Input>& inputs, const Input& input,
                            const std::vector<std::string>& path) {
  std::vector<json> found;
  for (const SectionDescription& section : sections()) {
    if (input.is_config() || path.size() < 2 || section.name != path[path.size() - 2]) continue;
    for (const auto& [row, slot] : section.fields) {
      if (row->key == path.back()) found.insert(found.end(), row->choices.begin(), row->choices.end());
    }
  }
  for (const Input& other : inputs) {
    const json value = other.is_config() == input.is_config() ? value_at(other.object, path) : json();
    const json& word = value.is_array() && !value.empty() ? value.front() : value;
    if (!word.is_null() && std::find(found.begin(), found.end(), word) == found.end()) found.push_back(word);
  }
  return found;
}

}  // namespace monomorph::tests
