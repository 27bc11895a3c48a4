#include "generator/compile/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

/// Lists what an emission wrote and what was linked from it, a path a line.
constexpr const char* manifest_name = ".monomorph-files";

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

/// A folder within the target, on its file system, that disappears with everything that is still in it.
class Staging {
 public:
  explicit Staging(const fs::path& target) {
    std::string pattern = (target / ".monomorph-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw EnvironmentError(fmt::format("cannot write to the folder {}: {}", target.string(), reason()));
    }
    path_ = pattern;
  }
  ~Staging() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Keeps interrupts waiting while it lives: what is half done would stay so.
class InterruptsHeld {
 public:
  InterruptsHeld() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, &before_);
  }
  ~InterruptsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  InterruptsHeld(const InterruptsHeld&) = delete;
  InterruptsHeld& operator=(const InterruptsHeld&) = delete;

 private:
  sigset_t before_;
};

/// `shown`: where the file will stand.
void write_file(const fs::path& path, std::string_view bytes, const fs::path& shown) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    throw EnvironmentError(fmt::format("cannot make the folder {}: {}", shown.parent_path().string(), error.message()));
  }
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    throw EnvironmentError(fmt::format("cannot write {}: {}; nothing was changed", shown.string(), reason()));
  }
}

std::string read_if_there(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? text.str() : std::string();
}

/// What an earlier emission wrote below `target`. Lines that lead out of it are nobody's.
std::set<std::string> earlier_files(const fs::path& target) {
  std::set<std::string> files;
  std::istringstream lines(read_if_there(target / manifest_name));
  for (std::string line; std::getline(lines, line);) {
    const fs::path path(line);
    const bool inside = !path.empty() && path.is_relative() && path == path.lexically_normal() && *path.begin() != "..";
    if (inside) files.insert(line);
  }
  return files;
}

/// Engines that were linked before manifests named them are known by being programs.
bool is_program(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  char magic[4] = {};
  return in.read(magic, sizeof magic) && std::string_view(magic, sizeof magic) == "\177ELF";
}

std::string manifest_of(const std::set<std::string>& files) {
  std::string text;
  for (const std::string& file : files) text += file + "\n";
  return text;
}

/// What is no folder although a file is to stand in it; empty where there is no such thing.
fs::path in_place_of_folder(const fs::path& target, const fs::path& file) {
  std::error_code error;
  fs::path folder = target;
  for (const fs::path& part : file.parent_path()) {
    folder /= part;
    if (fs::exists(folder, error) && !fs::is_directory(folder, error)) return folder;
  }
  return {};
}

[[noreturn]] void refuse_in_the_way(const fs::path& path) {
  throw EnvironmentError(fmt::format(
      "{} is in the way, and was not written by monomorph; move it, or name another folder", path.string()));
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::rename(from, to, error);
  if (error) throw EnvironmentError(fmt::format("cannot write {}: {}", to.string(), error.message()));
}

/// Removes a file of an earlier emission and the folders below `target` that it leaves empty.
void remove_with_folders(fs::path file, const fs::path& target) {
  std::error_code error;
  do {
    fs::remove(target / file, error);  // fails, as it should, where a folder holds something
    file = file.parent_path();
  } while (!error && !file.empty());
}

}  // namespace

OutputFolder::OutputFolder(const std::string& directory) : path_(fs::path(directory).lexically_normal()) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error)) {
    throw EnvironmentError(directory + " is a file; name a folder with -o");
  }
  made_ = fs::create_directories(path_, error);
  if (error) throw EnvironmentError(fmt::format("cannot make the folder {}: {}", directory, error.message()));
  lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) throw EnvironmentError(fmt::format("cannot open the folder {}: {}", directory, reason()));
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(lock_);
    throw EnvironmentError(
        fmt::format("another run of monomorph is writing to {}; wait for it, or name another folder", directory));
  }
}

OutputFolder::~OutputFolder() {
  std::error_code error;
  if (made_) fs::remove(path_, error);  // fails, as it should, where something was written
  close(lock_);
}

void OutputFolder::write(const EmittedFiles& files, const std::map<std::string, CompiledKernel>& kernels,
                         const std::string& executable) {
  EmittedFiles all = files;
  for (const auto& [name, kernel] : kernels) {
    all["kernels/" + name + ".spv"] = std::string(reinterpret_cast<const char*>(kernel.optimized.data()),
                                                  kernel.optimized.size() * sizeof(std::uint32_t));
  }
  const std::set<std::string> earlier = earlier_files(path_);
  std::set<std::string> emitted, either = earlier;
  for (const auto& [path, bytes] : all) emitted.insert(path);
  either.insert(emitted.begin(), emitted.end());

  const InterruptsHeld held;
  const Staging staging(path_);
  std::vector<std::string> changed;
  std::error_code error;
  for (const auto& [path, bytes] : all) {
    if (const fs::path other = in_place_of_folder(path_, path); !other.empty()) refuse_in_the_way(other);
    if (fs::exists(path_ / path, error)) {
      if (fs::is_regular_file(path_ / path, error) && read_if_there(path_ / path) == bytes) continue;
      if (!earlier.contains(path)) refuse_in_the_way(path_ / path);
    }
    write_file(staging.path() / path, bytes, path_ / path);
    changed.push_back(path);
  }
  if (changed.empty() && earlier.contains(executable)) emitted.insert(executable);
  // At every moment the manifest names whatever is there.
  const fs::path manifest = path_ / manifest_name;
  write_file(staging.path() / "either", manifest_of(either), manifest);
  write_file(staging.path() / "emitted", manifest_of(emitted), manifest);

  move(staging.path() / "either", manifest);
  for (const std::string& path : changed) move(staging.path() / path, path_ / path);
  for (const std::string& path : earlier) {
    if (!emitted.contains(path)) remove_with_folders(path, path_);
  }
  move(staging.path() / "emitted", manifest);
}

void OutputFolder::require_place_for(const std::string& executable) const {
  const fs::path path = path_ / executable;
  const std::set<std::string> earlier = earlier_files(path_);
  std::error_code error;
  if (!fs::exists(path, error) || earlier.contains(executable)) return;
  if (earlier.empty() || !is_program(path)) refuse_in_the_way(path);
}

void OutputFolder::place(const std::string& executable, const fs::path& linked) {
  const InterruptsHeld held;
  const Staging staging(path_);
  std::set<std::string> files = earlier_files(path_);
  files.insert(executable);
  write_file(staging.path() / "manifest", manifest_of(files), path_ / manifest_name);
  move(staging.path() / "manifest", path_ / manifest_name);
  move(linked, path_ / executable);
}

}  // namespace monomorph::generator
