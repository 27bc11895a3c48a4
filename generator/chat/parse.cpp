#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "generator/chat/chat.hpp"
#include "generator/chat/scripts.hpp"
#include "generator/diagnostics.hpp"

extern char** environ;

namespace monomorph::generator {
namespace {

/// A file without a name, gone when this is.
class Scratch {
 public:
  Scratch() : file_(std::tmpfile()) {
    if (file_ == nullptr) throw EnvironmentError("no temporary file can be made for a chat template");
  }
  ~Scratch() { std::fclose(file_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  int descriptor() const { return fileno(file_); }
  void write(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fflush(file_) == 0;
    std::rewind(file_);
    if (!written) throw EnvironmentError("a temporary file for a chat template cannot be written");
  }
  std::string read() {
    std::rewind(file_);
    std::string text;
    char buffer[1 << 16];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file_)) text.append(buffer, count);
    return text;
  }

 private:
  std::FILE* file_;
};

}  // namespace

namespace {

/// What the script writes where `python` runs it; else nothing, and the last line of its complaint.
std::optional<std::string> run_script(const char* python, const std::string& text, std::string& complaint) {
  Scratch input, output, complaints;
  input.write(text);
  // -I: nothing of the folder or the environment takes the place of a module.
  std::string words[] = {python, "-I", "-c", std::string(scripts().at("generator/chat/parse_template.py"))};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaints.descriptor(), STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  const bool done = failed == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (done) return output.read();
  complaint = complaints.read();
  while (complaint.ends_with('\n')) complaint.pop_back();
  complaint = complaint.substr(complaint.rfind('\n') + 1);
  return std::nullopt;
}

}  // namespace

std::string parse_chat_template(const std::string& text) {
  std::string complaint;
  // A python3 of somebody's own may come first and have no Jinja2; Debian's package is the system's.
  for (const char* const python : {"python3", "/usr/bin/python3"}) {
    if (const auto tree = run_script(python, text, complaint)) return *tree;
  }
  throw EnvironmentError(
      fmt::format("chat templates are read by python3 with Jinja2 (in Debian, the package "
                  "python3-jinja2), which did not run{}{}",
                  complaint.empty() ? "" : ": ", complaint));
}

}  // namespace monomorph::generator
