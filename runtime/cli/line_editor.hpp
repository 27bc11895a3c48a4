// The lines that somebody writes: at a terminal edited, with a history that outlives the process; from a pipe as they
// come.
#pragma once

#include <memory>
#include <string>

namespace monomorph::cli {

struct Line {
  enum class Kind {
    text,
    invalid,      ///< no UTF-8
    interrupted,  ///< Ctrl-C at a terminal; `text` is what was thrown away
    end,          ///< of the input
  };
  Kind kind;
  std::string text;  ///< without the newline
};

class Lines {
 public:
  virtual ~Lines() = default;
  /// The prompt is shown at a terminal alone. Throws Error(environment) for an input that cannot be read; from a pipe,
  /// Interrupted after Ctrl-C.
  virtual Line read(const std::string& prompt) = 0;
};

/// Whether both standard input and standard error, which prompts go to, are a terminal.
bool at_terminal();

/// Standard input, by libedit at a terminal. Its history is kept in `$XDG_STATE_HOME/monomorph/history` or
/// `~/.local/state/monomorph/history`, readable by the user alone; where that cannot be written, in memory.
std::unique_ptr<Lines> open_lines();

}  // namespace monomorph::cli
