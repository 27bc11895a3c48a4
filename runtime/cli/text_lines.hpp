// Texts of a command line, or of a file a line: what embed and rank read.
#pragma once

#include <string>
#include <vector>

namespace monomorph::cli {

struct TextLine {
  std::string text;
  std::string place;  ///< "FILE, line 3": for messages
};

/// The lines of a file; "-": of standard input. Lines end with LF or CRLF, the last one also at the end of the file.
/// Throws Error(environment) for what cannot be read, Error(rejected) for what is not UTF-8, or has no line.
std::vector<TextLine> read_text_lines(const std::string& path);

/// Texts that options have given.
std::vector<TextLine> numbered_texts(const std::vector<std::string>& texts);

}  // namespace monomorph::cli
