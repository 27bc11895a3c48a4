#include "runtime/tokenizer/tokenizer_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/error.hpp"

namespace monomorph {

TokenizerJson TokenizerJson::parse(std::string_view text, const std::string& file, Json& storage) {
  // What nests deeper than any tokenizer is left out: readers recurse.
  constexpr int deepest = 32;
  try {
    storage = Json::parse(text, {.deepest = deepest});
  } catch (const JsonError& error) {
    const std::string what = error.kind == JsonError::Kind::number ? "a number in it is too large"
                                                                   : fmt::format("not JSON (at byte {})", error.byte);
    throw Error(ErrorKind::rejected, fmt::format("{}: {}; copy or download the file again", file, what));
  }
  return {storage, file, ""};
}

void TokenizerJson::refuse(const std::string& what) const {
  throw Error(ErrorKind::rejected, fmt::format("{}: {}: {}. The engine runs with --tokens until this kind is read",
                                               file_, place_.empty() ? "the file" : place_, what));
}

void TokenizerJson::only(std::initializer_list<std::string_view> known) const {
  for (const std::string& key : object().keys()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) refuse(fmt::format("'{}' is not read", key));
  }
}

bool TokenizerJson::has(const char* key) const {
  const Json* const found = object().find(key);
  return found != nullptr && !found->is_null();
}

TokenizerJson TokenizerJson::at(const char* key) const {
  const Json* const found = object().find(key);
  if (found == nullptr) refuse(fmt::format("'{}' is missing", key));
  return {*found, file_, place_.empty() ? key : fmt::format("{}.{}", place_, key)};
}

std::vector<TokenizerJson> TokenizerJson::items() const {
  std::vector<TokenizerJson> items;
  for (const auto& item : array()) items.push_back({item, file_, fmt::format("{}[{}]", place_, items.size())});
  return items;
}

std::string TokenizerJson::text() const {
  if (!value_->is_string()) refuse("a text belongs here");
  return value_->string();
}

bool TokenizerJson::flag(const char* key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const TokenizerJson member = at(key);
  if (!member.value_->is_boolean()) member.refuse("true or false belongs here");
  return member.value_->boolean();
}

std::int32_t TokenizerJson::token_id() const {
  if (!value_->is_unsigned() || value_->unsigned_integer() > static_cast<std::uint64_t>(max_token_id)) {
    refuse("a token id belongs here");
  }
  return static_cast<std::int32_t>(value_->integer());
}

const Json& TokenizerJson::object() const {
  if (!value_->is_object()) refuse("an object belongs here");
  return *value_;
}

const Json& TokenizerJson::array() const {
  if (!value_->is_array()) refuse("a list belongs here");
  return *value_;
}

}  // namespace monomorph
