#include "runtime/tokenizer/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>

#include "runtime/error.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph {
namespace {

template <class Convert>
void convert_lines(std::istream& input, std::ostream& output, const char* expected, Convert convert) {
  std::string line;
  for (std::size_t number = 1; std::getline(input, line); ++number) {
    const std::optional<Json> value = Json::try_parse(line);
    const std::optional<Json> result = value ? convert(*value) : std::nullopt;
    if (!result) throw Error(ErrorKind::rejected, fmt::format("line {}: {} belongs here", number, expected));
    output << result->dump() << '\n';
    if (!output.flush()) throw Error(ErrorKind::environment, "standard output: cannot write");
  }
}

}  // namespace

void encode_lines(const Tokenizer& tokenizer, std::istream& input, std::ostream& output) {
  convert_lines(input, output, "a JSON string", [&](const Json& value) -> std::optional<Json> {
    if (!value.is_string()) return std::nullopt;
    return tokenizer.encode(value.string());
  });
}

void decode_lines(const Tokenizer& tokenizer, std::istream& input, std::ostream& output) {
  const std::string expected = fmt::format("a JSON list of ids from 0 to {}", tokenizer.vocab_size() - 1);
  convert_lines(input, output, expected.c_str(), [&](const Json& value) -> std::optional<Json> {
    const auto is_id = [&](const Json& id) {
      return id.is_unsigned() && id.unsigned_integer() < static_cast<std::uint64_t>(tokenizer.vocab_size());
    };
    if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_id)) return std::nullopt;
    std::vector<std::int32_t> ids;
    for (const Json& id : value) ids.push_back(static_cast<std::int32_t>(id.integer()));
    return tokenizer.decode(ids);
  });
}

}  // namespace monomorph
