#include "runtime/tokenizer/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

using nlohmann::json;

template <class Convert>
void convert_lines(std::istream& input, std::ostream& output, const char* expected, Convert convert) {
  std::string line;
  for (std::size_t number = 1; std::getline(input, line); ++number) {
    const json value = json::parse(line, nullptr, false);
    const std::optional<json> result = convert(value);
    if (!result) throw Error(ErrorKind::rejected, fmt::format("line {}: {} belongs here", number, expected));
    output << result->dump() << '\n';
    if (!output.flush()) throw Error(ErrorKind::environment, "standard output: cannot write");
  }
}

}  // namespace

void encode_lines(const Tokenizer& tokenizer, std::istream& input, std::ostream& output) {
  convert_lines(input, output, "a JSON string", [&](const json& value) -> std::optional<json> {
    if (!value.is_string()) return std::nullopt;
    return tokenizer.encode(value.get_ref<const std::string&>());
  });
}

void decode_lines(const Tokenizer& tokenizer, std::istream& input, std::ostream& output) {
  const std::string expected = fmt::format("a JSON list of ids from 0 to {}", tokenizer.vocab_size() - 1);
  convert_lines(input, output, expected.c_str(), [&](const json& value) -> std::optional<json> {
    const auto is_id = [&](const json& id) {
      return id.is_number_unsigned() && id.get<std::uint64_t>() < static_cast<std::uint64_t>(tokenizer.vocab_size());
    };
    if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_id)) return std::nullopt;
    return tokenizer.decode(value.get<std::vector<std::int32_t>>());
  });
}

}  // namespace monomorph
