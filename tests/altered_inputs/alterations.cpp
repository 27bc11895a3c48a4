#include "tests/altered_inputs/alterations.hpp"

#include <algorithm>

namespace monomorph::tests {
namespace {

using json = nlohmann::ordered_json;

/// Other values of the same type, each with its name in the table.
std::vector<std::pair<std::string, json>> other_values(const json& value, const std::vector<json>& others) {
  std::vector<std::pair<std::string, json>> found;
  const auto add = [&](const std::string& what, const json& other) {
    if (other != value) found.emplace_back(what, other);
  };
  if (value.is_boolean()) add("negated", !value.get<bool>());
  if (value.is_number_integer()) {
    for (const auto& [what, other] : {std::pair("+1", value.get<std::int64_t>() + 1),
                                      {"x2", value.get<std::int64_t>() * 2},
                                      {"0", std::int64_t{0}},
                                      {"-1", std::int64_t{-1}}}) {
      add(what, other);
    }
  } else if (value.is_number()) {
    add("x2", value.get<double>() * 2);
    add("negated", -value.get<double>());
  }
  if (value.is_string()) add("unknown word", "other");
  if (value.is_string() || value.is_null()) {
    const auto is_other = [&](const json& other) {
      return other != value && (value.is_null() || other.is_string()) && !other.is_structured();
    };
    const auto other = std::find_if(others.begin(), others.end(), is_other);
    add("another's", other != others.end() ? *other : value.is_null() ? json(1) : json("other"));
    if (found.size() == 2 && found[0].second == found[1].second) found.pop_back();
  }
  if (value.is_array() && !value.empty()) {
    json changed = value;
    changed.erase(changed.size() - 1);
    add("cut", changed);
    add("emptied", json::array());
    changed = value;
    std::reverse(changed.begin(), changed.end());
    add("reversed", changed);
    const auto first = other_values(value.front(), others);
    if (!first.empty()) {
      changed = value;
      changed.front() = first.front().second;
      add("first " + first.front().first, changed);
    }
  }
  return found;
}

/// The value as other types have it.
std::vector<std::pair<std::string, json>> retyped(const json& value, bool with_null) {
  std::vector<std::pair<std::string, json>> found;
  if (with_null && !value.is_null()) found.emplace_back("null", nullptr);
  if (!value.is_string()) found.emplace_back("as text", value.dump());
  if (!value.is_number())
    found.emplace_back("as number", value.is_boolean() ? json(value.get<bool>() ? 1 : 0) : json(3));
  if (value.is_number_integer()) found.emplace_back("as real", value.get<double>());
  if (!value.is_boolean()) found.emplace_back("as boolean", true);
  if (!value.is_array()) found.emplace_back("as list", json::array({value}));
  return found;
}

}  // namespace

std::vector<Alteration> list_alterations(const json& object, const OtherValues& others, bool with_null) {
  std::vector<Alteration> found;
  for (const auto& [key, value] : object.items()) {
    const std::vector<std::string> path = {key};
    for (const auto& [what, other] : other_values(value, others(path))) found.push_back({path, what, other});
    found.push_back({path, "dropped", std::nullopt});
    for (const auto& [what, other] : retyped(value, with_null)) found.push_back({path, what, other});
    if (!value.is_object()) continue;
    const auto inside = [&key = key, &others](std::vector<std::string> inner) {
      inner.insert(inner.begin(), key);
      return others(inner);
    };
    for (Alteration alteration : list_alterations(value, inside, with_null)) {
      alteration.path.insert(alteration.path.begin(), key);
      found.push_back(std::move(alteration));
    }
  }
  return found;
}

json altered(json object, const Alteration& alteration) {
  json* place = &object;
  for (std::size_t i = 0; i + 1 < alteration.path.size(); ++i) place = &(*place)[alteration.path[i]];
  if (alteration.value) {
    (*place)[alteration.path.back()] = *alteration.value;
  } else {
    place->erase(alteration.path.back());
  }
  return object;
}

}  // namespace monomorph::tests
