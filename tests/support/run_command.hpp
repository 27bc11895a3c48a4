// A program run by a test: its exit status, and what it wrote, both streams together.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace monomorph::tests {

struct CommandResult {
  int status = -1;  ///< 128 + the signal where one ended it
  std::string output;
};

/// Every word reaches the program as it is.
inline CommandResult run_command(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += "'";
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "' ";
  }
  std::FILE* const pipe = popen((line + "2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + line);
  CommandResult result;
  char buffer[4096];
  for (std::size_t size = 0; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    result.output.append(buffer, size);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace monomorph::tests
