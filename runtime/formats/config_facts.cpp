#include "runtime/formats/config_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "runtime/error.hpp"
#include "runtime/formats/json.hpp"
#include "runtime/formats/sentence_transformers.hpp"

namespace monomorph {
namespace {

/// What is no number makes no number of whatever it stands in, which then equals nothing.
double number(const Json& value) { return value.is_number() ? value.real() : std::numeric_limits<double>::quiet_NaN(); }

/// Values that are computed, or written with the digits of an f32, are the same to an engine that computes in f32.
bool same(const Json& a, const Json& b) {
  if (a.is_integer() && b.is_integer()) return a == b;
  if (a.is_array() && b.is_array()) return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
  if (!a.is_number() || !b.is_number()) return a == b;
  return std::abs(number(a) - number(b)) <= 1e-7 * std::abs(number(b));
}

std::string shown(const Json& value) {
  constexpr std::size_t longest = 60;
  std::string text = value.dump();
  return text.size() > longest ? text.substr(0, longest - 3) + "..." : text;
}

Json computed(const std::string& word, double a, double b) {
  if (word == "+") return a + b;
  if (word == "-") return a - b;
  if (word == "*") return a * b;
  if (word == "/") return a / b;
  if (word == "%") return b == 0 ? 0 : a - b * std::floor(a / b);
  if (word == "<") return a < b;
  if (word == "<=") return a <= b;
  if (word == ">") return a > b;
  if (word == ">=") return a >= b;
  if (word == "max") return std::max(a, b);
  if (word == "min") return std::min(a, b);
  if (word == "floor") return std::floor(a);
  if (word == "log") return std::log(a);
  if (word == "pow") return std::pow(a, b);
  if (word == "sqrt") return std::sqrt(a);
  throw Error(ErrorKind::internal, "facts of a config.json: no operator " + word);
}

/// One number is the largest of itself.
Json largest_of(const Json& list) {
  if (!list.is_array()) return list;
  Json largest;
  for (const Json& each : list) {
    if (each.is_number() && (largest.is_null() || each.real() > largest.real())) largest = each;
  }
  return largest;
}

/// Expressions over a config.json, and the keys that they read.
class Reading {
 public:
  Reading(const Json& config, const Json& keys) : config_(config), keys_(keys) {}

  std::int64_t layer = 0;

  void begin() { read_.clear(); }

  /// Of c ? a : b and of what decides before its second operand only that is read which decides.
  Json value_of(const Json& expression) {
    if (expression.is_string()) {
      const auto& text = expression.string();
      return text.starts_with('\'') ? Json(text.substr(1)) : name(text);
    }
    if (!expression.is_array()) return expression;
    const std::string& word = expression[0].string();
    const auto operand = [&](std::size_t i) { return i < expression.size() ? value_of(expression[i]) : Json(); };
    const auto holds = [&](std::size_t i) { return operand(i) == true; };
    if (word == "?") return operand(holds(1) ? 2 : 3);
    if (word == "&&") return holds(1) && holds(2);
    if (word == "||") return holds(1) || holds(2);
    if (word == "!") return !holds(1);
    Json first = operand(1);
    if (word == "??") return first.is_null() ? operand(2) : first;
    const Json second = operand(2);
    if (word == "==") return first == second;
    if (word == "!=") return first != second;
    if (word == "in") return second.is_array() && std::find(second.begin(), second.end(), first) != second.end();
    if (word != "[]") return computed(word, number(first), number(second));
    if (first.is_number()) return first;  // one for every place
    const std::uint64_t at = second.unsigned_integer();
    if (first.is_string()) return first.string().substr(std::min<std::size_t>(at, first.string().size()), 1);
    return first.is_array() && at < first.size() ? first[at] : Json();
  }

  /// The places of the keys read that config.json says.
  std::vector<std::string> paths() const {
    std::vector<std::string> result;
    for (const auto& [name, path] : read_) {
      if (!path.empty()) result.push_back(path);
    }
    return result;
  }

  /// Whether all that was read is one key with this value.
  bool read_just(const Json& value) { return read_.size() == 1 && name(read_[0].first) == value; }

  /// "'a' is 1 and 'b' is 2".
  std::string said() const {
    std::string text;
    for (const auto& [name, path] : read_) {
      text += fmt::format("{}'{}' is {}{}", text.empty() ? "" : " and ", path.empty() ? name : path,
                          shown(path.empty() ? keys_[name][0] : *at(path)), path.empty() ? " by default" : "");
    }
    return text;
  }

  /// Where spellings of a key say different values.
  void compare_spellings(const std::string& name, std::vector<ConfigDifference>& found) const {
    std::string first;
    for (const std::string& path : places(name)) {
      const Json* here = at(path);
      if (here == nullptr || here->is_null()) continue;
      if (first.empty()) first = path;
      if (!same(*here, *at(first))) {
        found.push_back({path, fmt::format("'{}' is {}, but '{}', another name of it, is {}", path, shown(*here), first,
                                           shown(*at(first)))});
      }
    }
  }

  /// What stands at a path; nullptr: nothing.
  const Json* at(const std::string& path) const {
    const Json* value = &config_;
    std::istringstream words(path);
    for (std::string word; value != nullptr && std::getline(words, word, '.');) {
      value = value->find(word);
    }
    return value;
  }

 private:
  std::vector<std::string> places(const std::string& name) const {
    std::vector<std::string> result = {name};
    for (std::size_t i = 1; i < keys_[name].size(); ++i) result.push_back(keys_[name][i].string());
    return result;
  }

  Json name(const std::string& name) {
    if (name == "i") return layer;
    if (!keys_.contains(name)) {  // "words.length", "sizes.largest"
      const Json list = this->name(name.substr(0, name.rfind('.')));
      if (name.ends_with(".largest")) return largest_of(list);
      if (list.is_string()) return list.string().size();
      return list.is_structured() ? Json(list.size()) : Json();
    }
    std::string path;
    for (const std::string& place : places(name)) {
      if (at(place) != nullptr && (path.empty() || at(path)->is_null())) path = place;
    }
    if (std::find(read_.begin(), read_.end(), std::pair(name, path)) == read_.end()) read_.emplace_back(name, path);
    return path.empty() ? keys_[name][0] : *at(path);
  }

  const Json& config_;
  const Json& keys_;
  std::vector<std::pair<std::string, std::string>> read_;  ///< name, and the place that says it
};

class Comparison {
 public:
  Comparison(const Json& config, const Json& family, std::int64_t layers, const std::string& model)
      : reading_(config, family.at("keys")), family_(family), layers_(layers), model_(model) {}

  std::vector<ConfigDifference> differences() {
    for (const auto& [name, key] : family_["keys"].members()) reading_.compare_spellings(name, found_);
    for (const Json& fact : family_["facts"]) compare(fact);
    for (const auto& [path, runs] : family_["only"].members()) {
      const Json* said = reading_.at(path);
      if (said == nullptr || is_one_of(*said, runs)) continue;
      found_.push_back({path, fmt::format("'{}' is {}, and only {} runs", path, shown(*said), shown(runs[0]))});
    }
    for (const Json& refused : family_["refused"]) refuse(refused);
    return std::move(found_);
  }

 private:
  static bool is_one_of(const Json& value, const Json& values) {
    return std::any_of(values.begin(), values.end(), [&](const Json& other) { return same(value, other); });
  }

  void add(const std::string& message) {
    const std::vector<std::string> paths = reading_.paths();
    found_.push_back({paths.empty() ? "" : paths.front(), message});
  }

  /// Tells the first layer of those that differ.
  void compare(const Json& fact) {
    std::vector<std::int64_t> layers;
    if (fact.size() > 3) {
      for (const Json& layer : fact[3]) layers.push_back(layer.integer());
    }
    for (std::int64_t layer = 0; fact.size() < 4 && layer < layers_; ++layer) layers.push_back(layer);
    for (const std::int64_t layer : layers) {
      reading_.begin();
      reading_.layer = layer;
      const Json value = reading_.value_of(fact[1]);
      if (is_one_of(value, fact[2])) continue;
      const std::string field = fact[0].string(), said = reading_.said();
      const bool is_that = reading_.read_just(value);
      add(fmt::format(
          "{}{}, and {} of {} is {}{}", said,
          is_that ? std::string() : fmt::format("{}{} is {}", said.empty() ? "here " : ": ", field, shown(value)),
          field, model_, fact[2].empty() ? "nothing" : shown(fact[2][0]),
          fact.size() > 3 ? fmt::format(" in layer {}", layer) : ""));
      return;
    }
  }

  void refuse(const Json& refused) {
    for (reading_.layer = 0; reading_.layer < layers_; ++reading_.layer) {
      reading_.begin();
      if (reading_.value_of(refused[0]) != true) continue;
      std::string message;
      for (std::size_t i = 1; i < refused.size(); ++i) {
        message += i % 2 == 1 ? refused[i].string() : shown(reading_.value_of(refused[i]));
      }
      return add(message);
    }
  }

  Reading reading_;
  const Json& family_;
  std::int64_t layers_;
  std::string model_;
  std::vector<ConfigDifference> found_;
};

}  // namespace

ConfigComparison compare_config(const WeightsConfig& source, const std::string& facts, std::int64_t layers,
                                const std::string& model) {
  // What nests deeper than any key of a config.json is left out: who reads on recurses.
  constexpr int deepest = 100;
  const bool is_large = source.text.size() > most_config_bytes;
  const std::optional<Json> config = is_large ? std::nullopt : Json::try_parse(source.text, {.deepest = deepest});
  if (!config || !config->is_object()) {
    const std::string why =
        is_large ? fmt::format("this is larger than {} KiB, and no config.json is", most_config_bytes >> 10)
                 : "this is no JSON object of keys and values";
    throw Error(ErrorKind::rejected, fmt::format("{}: {}; mend it, or --ignore-config", source.name, why));
  }
  ConfigComparison result;
  const auto value_of = [&](const char* key) { return config->contains(key) ? config->at(key) : Json(); };
  const Json type = value_of("model_type");
  const std::string name = loaded_class(*config);
  result.architecture = !name.empty() ? name : type.is_string() ? type.string() : "";
  const Json families = facts.empty() ? Json::array() : Json::parse(facts);
  for (const Json& family : families) {
    const Json& own = family["architectures"];
    const bool is_named = std::find(own.begin(), own.end(), Json(name)) != own.end();
    if (name.empty() ? family["model_type"] != type : !is_named) continue;
    result.compared = true;
    result.differences = Comparison(*config, family, layers, model).differences();
  }
  return result;
}

}  // namespace monomorph
