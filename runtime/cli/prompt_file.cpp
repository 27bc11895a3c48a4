#include "runtime/cli/prompt_file.hpp"

#include <fmt/format.h>

#include "runtime/cli/input.hpp"
#include "runtime/error.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph::cli {

std::string read_prompt_file(const std::string& path) {
  Input input(path);
  std::string text;
  while (input.read(text)) {
  }
  if (const std::size_t error = utf8_error(text); error != std::string_view::npos) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: the text is not UTF-8 at byte {}; convert it first", input.name(), error));
  }
  return text;
}

}  // namespace monomorph::cli
