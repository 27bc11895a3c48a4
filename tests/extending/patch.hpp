// Patches as git writes them, applied to files in memory: what a line of context does not find is a complaint, never a
// guess.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace monomorph::tests {

using Lines = std::vector<std::string>;

struct Hunk {
  std::size_t line = 0;  ///< of the file before, where it was
  Lines before, after;
};

struct FilePatch {
  std::string path;
  bool creates = false;
  std::vector<Hunk> hunks;
};

Lines lines_of(const std::string& text);
std::vector<FilePatch> parse_patch(const std::string& text);

/// Applies it to `files`, which has each file that it changes and none that it creates. What is wrong, of each hunk
/// that finds no place: the others are applied.
std::vector<std::string> apply_patch(const std::vector<FilePatch>& patch, std::map<std::string, Lines>& files);

}  // namespace monomorph::tests
