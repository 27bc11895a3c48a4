// The file that `--log-probabilities` names: a line of JSON for each drawn token,
// {"id":262,"text":" the","log_probability":-1.25}, without the text where there is no tokenizer.
#pragma once

#include <optional>
#include <string>

#include "runtime/engine/engine.hpp"
#include "runtime/formats/atomic_file.hpp"
#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph::cli {

class LogProbabilitiesFile {
 public:
  explicit LogProbabilitiesFile(const std::string& path) : file_(path) {}

  /// The tokens of an answer. Their texts add up to it, special tokens included: a character of several tokens is the
  /// last one's.
  void append(const Engine::Generation& answer, const std::optional<Tokenizer>& tokenizer);
  /// The file is there, whole; without it there is none.
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
};

}  // namespace monomorph::cli
