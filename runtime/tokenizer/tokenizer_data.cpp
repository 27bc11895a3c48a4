#include "runtime/tokenizer/tokenizer_data.hpp"

#include <fmt/format.h>

namespace monomorph {

std::string Tokenizer::Data::define(std::int32_t id, const std::string& content) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= tokens.size()) tokens.resize(index + 1);
  Token& token = tokens[index];
  if (token.exists && token.content != content) {
    return fmt::format("two tokens have the id {}, one is '{}'", id, content);
  }
  const auto [known, is_new] = ids.emplace(content, id);
  if (known->second != id) {
    return fmt::format("token '{}' has the id {} here and {} elsewhere", content, id, known->second);
  }
  token.content = content;
  token.exists = true;
  return "";
}

ByteTokens Tokenizer::Data::byte_tokens() const {
  ByteTokens result;
  for (int byte = 0; byte < 256; ++byte) {
    const auto found = ids.find(fmt::format("<0x{:02X}>", byte));
    result[static_cast<std::size_t>(byte)] = found == ids.end() ? no_token : found->second;
  }
  return result;
}

}  // namespace monomorph
