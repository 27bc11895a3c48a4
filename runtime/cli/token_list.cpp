#include "runtime/cli/token_list.hpp"

#include <fmt/format.h>

#include <charconv>

#include "runtime/error.hpp"

namespace monomorph::cli {

std::vector<std::int32_t> parse_tokens(std::string_view text) {
  std::vector<std::int32_t> tokens;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string_view item = text.substr(at, comma - at);
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    item = item.substr(0, item.find_last_not_of(' ') + 1);
    std::int32_t token = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), token);
    if (error != std::errc() || end != item.data() + item.size()) {
      throw Error(
          ErrorKind::environment,
          fmt::format("--tokens: '{}' (number {}) is not a token id; write them as 1,2,3", item, tokens.size() + 1));
    }
    tokens.push_back(token);
    at = comma + 1;
  }
  return tokens;
}

std::vector<std::int32_t> test_tokens(std::int64_t count, std::int64_t vocab_size) {
  std::vector<std::int32_t> tokens;
  // Multiples of the golden ratio of 2^32: neighbours are far apart, and none comes twice for long.
  for (std::uint32_t i = 1; static_cast<std::int64_t>(i) <= count; ++i) {
    tokens.push_back(static_cast<std::int32_t>(
        static_cast<std::uint64_t>(i * 2654435769u) * static_cast<std::uint64_t>(vocab_size) >> 32));
  }
  return tokens;
}

}  // namespace monomorph::cli
