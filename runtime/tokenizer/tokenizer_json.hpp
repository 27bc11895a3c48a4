// A part of tokenizer.json with its place in the file, so that whatever is wrong with it, or not read, is named.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/formats/json.hpp"
#include "runtime/tokenizer/model.hpp"

namespace monomorph {

class TokenizerJson {
 public:
  /// `text` is the content of `file`. Throws Error(rejected) where it is not JSON.
  static TokenizerJson parse(std::string_view text, const std::string& file, Json& storage);

  /// Throws Error(rejected): file, place, `what`, and the way round it.
  [[noreturn]] void refuse(const std::string& what) const;
  /// A key outside `known` is refused: it may change what the tokenizer does.
  void only(std::initializer_list<std::string_view> known) const;

  bool is_null() const { return value_->is_null(); }
  bool has(const char* key) const;  ///< present and not null
  std::string type() const { return at("type").text(); }

  TokenizerJson at(const char* key) const;
  std::vector<TokenizerJson> items() const;
  std::string text() const;
  bool flag(const char* key, bool otherwise) const;
  std::int32_t token_id() const;
  const Json& object() const;
  const Json& array() const;
  const Json& value() const { return *value_; }

 private:
  TokenizerJson(const Json& value, std::string file, std::string place)
      : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

  const Json* value_;
  std::string file_;
  std::string place_;
};

}  // namespace monomorph
