#include "generator/import/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "generator/contract/parts.hpp"
#include "generator/spec/list_properties.hpp"

namespace monomorph::generator {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Datum words_from(std::vector<std::string> words, const std::string& name) {
  return {Words{std::make_shared<const std::vector<std::string>>(std::move(words))}, name, false};
}

Datum value_from(const Json& value, Type type, const std::string& name) {
  if (value.is_boolean()) return {value.boolean() ? 1.0 : 0.0, name, false};
  if (value.is_number()) return {value.real(), name, false};
  if (value.is_string() && type == Type::words) {
    std::vector<std::string> letters;
    for (const char letter : value.string()) letters.emplace_back(1, letter);
    return words_from(std::move(letters), name);
  }
  if (value.is_string()) return {value.string(), name, false};
  if (value.is_array() && value.size() > 0 && value[0].is_number()) {
    std::vector<double> numbers;
    for (const Json& number : value) numbers.push_back(number.real());
    return {Numbers{std::make_shared<const std::vector<double>>(std::move(numbers))}, name, false};
  }
  if (value.is_object()) return words_from(value.keys(), name);
  if (value.is_array()) {
    std::vector<std::string> words;
    for (const Json& word : value) words.push_back(word.string());
    return words_from(std::move(words), name);
  }
  return {{}, name, false};
}

}  // namespace

std::string shown(const Json& value) {
  std::string text = value.dump();
  constexpr std::size_t longest = 60;
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  return text;
}

std::string shown(const Datum& value) {
  if (const auto* number = std::get_if<double>(&value.is)) return fmt::format("{}", *number);
  if (const auto* word = std::get_if<std::string>(&value.is)) return *word;
  if (const auto* words = std::get_if<Words>(&value.is)) {
    return fmt::format("{}", fmt::join(*words->list, ", "));
  }
  if (const auto* numbers = std::get_if<Numbers>(&value.is)) return fmt::format("{}", fmt::join(*numbers->list, ", "));
  return "null";
}

const Json* Config::at(const std::string& path) const {
  const Json* value = &file_.value;
  std::istringstream keys(path);
  for (std::string key; value != nullptr && std::getline(keys, key, '.');) {
    value = value->find(key);
  }
  return value;
}

const Json* Config::find(const std::string& path) {
  read_.insert(path);
  return at(path);
}

std::string Config::own_path(const std::string& key) {
  const auto says = [&](const std::string& path) { return at(path) != nullptr && !at(path)->is_null(); };
  std::string result = key;
  read_.insert(key);
  for (const std::string& object : nested_) {
    const std::string path = object + "." + key;
    read_.insert(path);
    if (!says(result) && says(path)) result = path;
  }
  return result;
}

std::string Config::text(const std::string& key) {
  const std::string path = own_path(key);
  const Json* value = find(path);
  if (value == nullptr || value->is_null()) return "";
  if (value->is_string()) return value->string();
  wrong_type(path, "a string");
  return "";
}

void Config::resolve(const Family& family) {
  nested_ = family.objects;
  called_ = family.gguf ? "the header" : "config.json";
  for (const auto& [name, key] : family.keys) {
    for (const std::string& path : key.paths) {
      for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
        objects_.insert(path.substr(0, dot));
      }
    }
  }
  for (const std::string& path : objects_) {
    const Json* object = find(path);
    if (object != nullptr && !object->is_null() && !object->is_object()) wrong_type(path, "an object or null");
  }
  for (const auto& [name, key] : family.keys) resolve(name, key);
}

void Config::resolve(const std::string& name, const ConfigKey& key) {
  Resolved& resolved = values_[name];
  resolved.paths = key.paths;
  for (const std::string& path : key.paths) {
    const Json* said = at(path);
    if (said == nullptr) continue;
    if (!key.form->fits(*said) && !(key.optional && said->is_null())) {
      wrong_type(path, key.form->wanted + std::string(key.optional ? " or null" : ""));
      resolved.is_wrong = true;
      continue;
    }
    const Datum value = value_from(*said, key.form->type, name);
    if (!resolved.path.empty() && !resolved.value.is_null()) {
      if (!value.is_null() && value.is != resolved.value.is) {
        refuse("import.disagreement", path,
               fmt::format("'{}' is {}, but '{}', another name of it, is {}; make them agree", path, shown(*said),
                           resolved.path, shown(*at(resolved.path))));
      }
      continue;
    }
    resolved.value = value;
    resolved.path = path;
  }
  if (!resolved.path.empty()) return;
  if (!key.fallback && !resolved.is_wrong) {
    refuse("import.missing_key", "", fmt::format("{} has no '{}', and it has no default", called_, name));
    resolved.is_wrong = true;
  }
  // Where there is no default, something of its type lets the rest be read.
  const Type type = key.form->type;
  resolved.value = key.fallback                                   ? *key.fallback
                   : type == Type::word                           ? Datum{std::string()}
                   : type == Type::words                          ? Datum{Words()}
                   : type == Type::sizes || type == Type::numbers ? Datum{Numbers()}
                                                                  : Datum{1.0};
  resolved.value.name = name;
  resolved.value.computed = false;
}

Datum Config::value(const std::string& name) {
  const std::string key = values_.contains(name) ? name : without_property(name);
  const Resolved& resolved = values_.at(key);
  read_.insert(resolved.paths.begin(), resolved.paths.end());
  if (key == name || resolved.value.is_null()) return resolved.value;
  const bool is_largest = name.ends_with(largest_of_list);
  if (const auto* one = std::get_if<double>(&resolved.value.is)) return is_largest ? Datum{*one, key} : Datum{{}, key};
  const auto* words = std::get_if<Words>(&resolved.value.is);
  if (words != nullptr) return {static_cast<double>(words->list->size()), key};
  const auto& numbers = *std::get<Numbers>(resolved.value.is).list;
  if (!is_largest) return {static_cast<double>(numbers.size()), key};
  return numbers.empty() ? Datum{{}, key} : Datum{std::ranges::max(numbers), key};
}

Span Config::place(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.path.empty() ? Span{} : file_.span(found->second.path);
}

Diagnostic& Config::refuse(const std::string& rule, const std::string& path, const std::string& message) {
  refused_.insert(path.substr(0, path.rfind('.')));
  return diagnostics_.error(rule, file_.span(path), message);
}

void Config::refuse_values(const std::string& rule, const std::vector<std::string>& names, std::string message) {
  const auto is_wrong = [&](const std::string& name) { return values_.at(name).is_wrong; };
  if (std::any_of(names.begin(), names.end(), is_wrong)) return;  // which has been told
  const auto said = std::find_if(names.begin(), names.end(), [&](const auto& name) { return place(name).source; });
  const auto first = names.empty() ? values_.end() : values_.find(names.front());
  if (first != values_.end() && first->second.path.empty() && !first->second.value.is_null()) {
    message +=
        fmt::format("; {} does not say '{}', and the default is {}", called_, first->first, shown(first->second.value));
  }
  refuse(rule, said == names.end() ? "" : values_.at(*said).path, message);
}

void Config::wrong_type(const std::string& path, const std::string& wanted) {
  refuse("import.wrong_type", path, fmt::format("'{}' is {}; {} is required here", path, shown(*at(path)), wanted));
}

std::vector<std::string> Config::account_for_rest(const Family& family, const std::vector<std::string>& ignore) {
  std::vector<std::string> accepted;
  // A key with a dot in it may look like a path and is none: nothing has read it.
  const auto account = [&](const std::string& path, const Json& value, bool is_path) {
    const bool asked = std::find(ignore.begin(), ignore.end(), path) != ignore.end();
    if (is_path && read_.contains(path)) {
      if (asked) {
        refuse("import.ignore", path,
               fmt::format("--ignore {}: this key decides what the model computes and is read", path));
      }
      return;
    }
    if (const auto only = family.only.find(path); is_path && only != family.only.end()) {
      const std::vector<std::string> runs = words_of(only->second.runs);
      if (std::find(runs.begin(), runs.end(), value.dump()) == runs.end()) {
        refuse("import.unsupported_value", path,
               fmt::format("'{}' is {}, which asks for {}; only {} runs", path, shown(value), only->second.asks,
                           fmt::join(runs, " or ")));
      }
      return;
    }
    const auto is_ignored = [&](const auto& line) { return matches(line.first, path); };
    if (std::any_of(family.ignored.begin(), family.ignored.end(), is_ignored)) return;
    if (asked) return accepted.push_back(path);
    refuse("import.unknown_key", path,
           fmt::format("'{}' is not a key that {} is known to have, and it is {}; what it changes would be lost "
                       "(if it changes nothing, --ignore {} accepts it and the spec says so)",
                       path, family.architectures.front(), shown(value), path));
  };
  const std::set<std::string> refused = refused_;
  const std::function<void(const Json&, const std::string&)> visit = [&](const Json& object, const std::string& above) {
    for (const auto& [key, value] : object.members()) {
      const std::string path = above + key;
      const bool is_path = key.find('.') == std::string::npos;
      account(path, value, is_path);
      // What does not run in an object says what the rest of it means.
      if (is_path && objects_.contains(path) && value.is_object() && !refused.contains(path)) visit(value, path + ".");
    }
  };
  visit(file_.value, "");
  return accepted;
}

}  // namespace monomorph::generator
