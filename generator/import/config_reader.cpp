#include "generator/import/config_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace monomorph::generator {
namespace {

constexpr const char* not_said = "transformers' default; config.json does not say";

/// A value as a message shows it.
std::string shown(const nlohmann::ordered_json& value) {
  std::string text = value.dump();
  constexpr std::size_t longest = 60;
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  return text;
}

bool is_allowed(const nlohmann::ordered_json& value, const char* allowed) {
  std::istringstream texts(allowed);
  const std::string text = value.dump();
  for (std::string one; texts >> one;) {
    if (text == one) return true;
  }
  return false;
}

std::string either(std::string allowed) {
  const std::size_t space = allowed.find(' ');
  if (space != std::string::npos) allowed.replace(space, 1, " or ");
  return allowed;
}

}  // namespace

const nlohmann::ordered_json* ConfigReader::find(const std::string& key) {
  read_.insert(key);
  const auto place = object_.find(key);
  return place == object_.end() ? nullptr : &*place;
}

bool ConfigReader::has(const std::string& key) {
  const nlohmann::ordered_json* value = find(key);
  return value != nullptr && !value->is_null();
}

void ConfigReader::refuse(const std::string& rule, const std::string& key, const std::string& message) {
  diagnostics_.error(rule, file_.span(path_of(key)), message);
}

void ConfigReader::wrong_type(const std::string& key, const std::string& wanted) {
  refuse("import.wrong_type", key,
         fmt::format("'{}' is {}; {} is required here", path_of(key), shown(object_.at(key)), wanted));
}

Imported<std::int64_t> ConfigReader::integer(const std::string& key, std::int64_t fallback) {
  const nlohmann::ordered_json* value = find(key);
  if (value == nullptr) return {fallback, not_said};
  // No size is beyond this; what is made of several is then far from overflowing.
  constexpr std::uint64_t largest = std::numeric_limits<std::int32_t>::max();
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > 0 && value->get<std::uint64_t>() <= largest) {
    return {value->get<std::int64_t>(), "", file_.span(path_of(key))};
  }
  wrong_type(key, "a positive integer below 2^31");
  return {fallback, ""};
}

Imported<double> ConfigReader::number(const std::string& key, double fallback) {
  const nlohmann::ordered_json* value = find(key);
  if (value == nullptr) return {fallback, not_said};
  if (value->is_number() && value->get<double>() > 0) return {value->get<double>(), "", file_.span(path_of(key))};
  wrong_type(key, "a positive number");
  return {fallback, ""};
}

Imported<bool> ConfigReader::boolean(const std::string& key, bool fallback) {
  const nlohmann::ordered_json* value = find(key);
  if (value == nullptr) return {fallback, not_said};
  if (value->is_boolean()) return {value->get<bool>(), "", file_.span(path_of(key))};
  wrong_type(key, "true or false");
  return {fallback, ""};
}

Imported<std::string> ConfigReader::text(const std::string& key, const std::string& fallback) {
  const nlohmann::ordered_json* value = find(key);
  if (value == nullptr) return {fallback, not_said};
  if (value->is_string()) return {value->get<std::string>(), "", file_.span(path_of(key))};
  wrong_type(key, "a string");
  return {fallback, ""};
}

std::optional<ConfigReader> ConfigReader::object(const std::string& key) {
  const nlohmann::ordered_json* value = find(key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (!value->is_object()) {
    wrong_type(key, "an object or null");
    return std::nullopt;
  }
  return ConfigReader(file_, *value, path_of(key), diagnostics_);
}

std::vector<std::string> ConfigReader::account_for_rest(Family family, const std::string& architecture,
                                                        const std::vector<std::string>& ignore) {
  std::vector<std::string> accepted;
  for (const auto& [key, value] : object_.items()) {
    const std::string path = path_of(key);
    const bool asked = std::find(ignore.begin(), ignore.end(), path) != ignore.end();
    if (read_.contains(key)) {
      if (asked) {
        refuse("import.ignore", key,
               fmt::format("--ignore {}: this key decides what the model computes and is read", path));
      }
      continue;
    }
    const auto applies = [&, name = key](const auto& row) {
      return path_.empty() && name == row.key && (row.families & family) != 0;
    };
    const auto only = std::find_if(only_values().begin(), only_values().end(), applies);
    if (only != only_values().end()) {
      if (!is_allowed(value, only->allowed)) {
        refuse("import.unsupported_value", key,
               fmt::format("'{}' is {}, which asks for {}; only {} runs", path, shown(value), only->reason,
                           either(only->allowed)));
      }
      continue;
    }
    if (std::any_of(ignored_keys().begin(), ignored_keys().end(), applies)) continue;
    if (asked) {
      accepted.push_back(path);
      continue;
    }
    refuse("import.unknown_key", key,
           fmt::format("'{}' is not a key that {} is known to have, and it is {}; what it changes would be lost "
                       "(if it changes nothing, --ignore {} accepts it and the spec says so)",
                       path, architecture, shown(value), path));
  }
  return accepted;
}

}  // namespace monomorph::generator
