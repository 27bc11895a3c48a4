#include "generator/compile/build.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "generator/diagnostics.hpp"

extern char** environ;

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

/// Runs a program with its output in `log`; gives its exit status, or -1 where it cannot be started.
int run(const std::vector<std::string>& command, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool out_of_space(const fs::path& directory, const std::string& log) {
  std::error_code error;
  const fs::space_info space = fs::space(directory, error);
  return log.find("No space left on device") != std::string::npos || (!error && space.available < (1 << 20));
}

/// Whether a compiler found a mistake in what it was to compile: "FILE:LINE:COLUMN: error: ...". A file that is missing
/// is a "fatal error", and no mistake of the source.
bool refuses_source(const std::string& log) {
  static const std::regex mistake(R"(:\d+:\d+: error: )");
  return std::regex_search(log, mistake);
}

void require(const std::vector<std::string>& command, const fs::path& directory, const fs::path& log) {
  const int status = run(command, log);
  if (status == 0) return;
  if (status < 0 || status == 127) {
    throw EnvironmentError(fmt::format(
        "{} cannot be started; building an engine needs the packages cmake, ninja-build and g++", command[0]));
  }
  const std::string said = text_of(log);
  if (out_of_space(directory, said)) {
    throw EnvironmentError(
        fmt::format("no space left while building in {}: free some (an engine takes about 20 MB) and build again",
                    directory.string()));
  }
  std::string shown;
  for (const std::string& word : command) shown += (shown.empty() ? "" : " ") + word;
  const std::string why = fmt::format("(status {}): {}\n{}", status, shown, said);
  if (refuses_source(said)) throw InternalError("build: the compiler refuses what was emitted " + why);
  throw EnvironmentError("building the engine failed " + why);
}

}  // namespace

std::string installation_prefix() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw EnvironmentError("cannot read /proc/self/exe: " + error.message());
  return self.parent_path().parent_path().string();
}

std::string build_engine(const std::string& directory, const std::string& target) {
  const fs::path project = fs::absolute(directory).lexically_normal();
  const fs::path tree = project / "build";
  std::error_code error;
  fs::create_directories(tree, error);
  if (error) throw EnvironmentError(fmt::format("cannot make the folder {}: {}", tree.string(), error.message()));
  const fs::path log = tree / "build.log";
  // A cache of another installation would keep its paths: configure afresh then.
  const std::string prefix = installation_prefix();
  const std::string cached = text_of(tree / "CMakeCache.txt");
  if (!cached.empty() && cached.find("CMAKE_PREFIX_PATH:UNINITIALIZED=" + prefix + "\n") == std::string::npos) {
    fs::remove(tree / "CMakeCache.txt", error);
  }
  require({"cmake", "-G", "Ninja", "-S", project.string(), "-B", tree.string(), "-DCMAKE_PREFIX_PATH=" + prefix,
           "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_RUNTIME_OUTPUT_DIRECTORY=" + tree.string(),
           "-DCMAKE_EXE_LINKER_FLAGS=-s"},
          project, log);
  require({"cmake", "--build", tree.string()}, project, log);
  if (!fs::exists(tree / target, error)) {
    throw InternalError(fmt::format("build: {} was built without an executable {}", project.string(), target));
  }
  return (tree / target).string();
}

}  // namespace monomorph::generator
