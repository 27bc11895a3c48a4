// What a run is asked: the prompt, what it answers to, and the tokenizer that reads and writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph::cli {

struct Asked {
  std::optional<Tokenizer> tokenizer{};  ///< opened where a text is read
  std::vector<std::int32_t> source{};    ///< that is answered to
  std::vector<std::int32_t> prompt{};
};

/// Throws Error(environment) where weights, a file or a tokenizer are not there, and Error(rejected) for what no prompt
/// and no source may be.
Asked read_asked(const Program& program, const RunOptions& options);

/// Throws Error(rejected) where strings are to end a text that nothing makes.
void require_text(const std::optional<Tokenizer>& tokenizer, const std::vector<std::string>& stop_strings);

}  // namespace monomorph::cli
