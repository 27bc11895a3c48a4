#include "runtime/cli/text_lines.hpp"

#include <fmt/format.h>

#include "runtime/cli/input.hpp"
#include "runtime/error.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph::cli {

std::vector<TextLine> read_text_lines(const std::string& path) {
  Input input(path);
  std::string text;
  while (input.read(text)) {
  }
  std::vector<TextLine> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t found = text.find('\n', begin), end = std::min(found, text.size());
    std::string line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    const std::string place = fmt::format("{}, line {}", input.name(), lines.size() + 1);
    if (const std::size_t error = utf8_error(line); error != std::string_view::npos) {
      throw Error(ErrorKind::rejected,
                  fmt::format("{}: the text is not UTF-8 at its byte {}; convert it first", place, error));
    }
    lines.push_back({std::move(line), place});
    begin = end + 1;
  }
  if (lines.empty()) throw Error(ErrorKind::rejected, fmt::format("{}: there is no text in it", input.name()));
  return lines;
}

std::vector<TextLine> numbered_texts(const std::vector<std::string>& texts) {
  std::vector<TextLine> lines;
  for (const std::string& text : texts) lines.push_back({text, fmt::format("text {}", lines.size() + 1)});
  return lines;
}

}  // namespace monomorph::cli
