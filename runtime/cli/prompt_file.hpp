// A text from a file: a prompt longer than a command line may be, or the messages of a chat.
#pragma once

#include <string>

namespace monomorph::cli {

/// The bytes of a file, or of standard input where `path` is "-", as they stand. Throws Error(environment) for what
/// cannot be read, Error(rejected) for what is not UTF-8, Interrupted where Ctrl-C comes before the end of the input.
std::string read_prompt_file(const std::string& path);

}  // namespace monomorph::cli
