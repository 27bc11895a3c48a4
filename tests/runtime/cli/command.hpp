// A command line run in this process, with what it wrote.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

#include "runtime/cli/command_line.hpp"
#include "tests/runtime/cli/counting_program.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::tests {

/// Sends a stream into a file as long as it lives.
class Redirection {
 public:
  Redirection(std::FILE* stream, const std::filesystem::path& path) : stream_(stream) {
    std::fflush(stream);
    saved_ = ::dup(::fileno(stream));
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, ::fileno(stream));
    ::close(file);
  }
  ~Redirection() {
    std::fflush(stream_);
    ::dup2(saved_, ::fileno(stream_));
    ::close(saved_);
    std::clearerr(stream_);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

 private:
  std::FILE* stream_;
  int saved_;
};

/// The status alone; what is written goes where it goes.
inline int status_of(std::vector<std::string> arguments, const Program& program = counting_program()) {
  arguments.insert(arguments.begin(), "counting");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return run_command_line(static_cast<int>(arguments.size()), argv.data(), program);
}

struct Outcome {
  int status = -1;
  std::string output;
  std::string errors;
};

inline Outcome command(std::vector<std::string> arguments, const Program& program = counting_program(),
                       const std::string& output = "") {
  const TemporaryDirectory directory;
  Outcome outcome;
  {
    const Redirection out(stdout, output.empty() ? directory.path() / "out" : std::filesystem::path(output));
    const Redirection err(stderr, directory.path() / "err");
    outcome.status = status_of(std::move(arguments), program);
  }
  if (output.empty()) outcome.output = read_file(directory.path() / "out");
  outcome.errors = read_file(directory.path() / "err");
  return outcome;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace monomorph::tests
