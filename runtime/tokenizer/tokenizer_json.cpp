#include "runtime/tokenizer/tokenizer_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/error.hpp"

namespace monomorph {

TokenizerJson TokenizerJson::parse(std::string_view text, const std::string& file, nlohmann::json& storage) {
  // What nests deeper than any tokenizer is left out: readers recurse.
  constexpr int deepest = 32;
  try {
    storage = nlohmann::json::parse(text, [](int depth, auto, const auto&) { return depth <= deepest; });
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: not JSON (at byte {}); copy or download the file again", file, error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: a number in it is too large; copy or download the file again", file));
  }
  return {storage, file, ""};
}

void TokenizerJson::refuse(const std::string& what) const {
  throw Error(ErrorKind::rejected, fmt::format("{}: {}: {}. The engine runs with --tokens until this kind is read",
                                               file_, place_.empty() ? "the file" : place_, what));
}

void TokenizerJson::only(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, ignored] : object().items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) refuse(fmt::format("'{}' is not read", key));
  }
}

bool TokenizerJson::has(const char* key) const {
  const auto found = object().find(key);
  return found != object().end() && !found->is_null();
}

TokenizerJson TokenizerJson::at(const char* key) const {
  const auto found = object().find(key);
  if (found == object().end()) refuse(fmt::format("'{}' is missing", key));
  return {*found, file_, place_.empty() ? key : fmt::format("{}.{}", place_, key)};
}

std::vector<TokenizerJson> TokenizerJson::items() const {
  std::vector<TokenizerJson> items;
  for (const auto& item : array()) items.push_back({item, file_, fmt::format("{}[{}]", place_, items.size())});
  return items;
}

std::string TokenizerJson::text() const {
  if (!value_->is_string()) refuse("a text belongs here");
  return value_->get<std::string>();
}

bool TokenizerJson::flag(const char* key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const TokenizerJson member = at(key);
  if (!member.value_->is_boolean()) member.refuse("true or false belongs here");
  return member.value_->get<bool>();
}

std::int32_t TokenizerJson::token_id() const {
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > static_cast<std::uint64_t>(max_token_id)) {
    refuse("a token id belongs here");
  }
  return value_->get<std::int32_t>();
}

const nlohmann::json& TokenizerJson::object() const {
  if (!value_->is_object()) refuse("an object belongs here");
  return *value_;
}

const nlohmann::json& TokenizerJson::array() const {
  if (!value_->is_array()) refuse("a list belongs here");
  return *value_;
}

}  // namespace monomorph
