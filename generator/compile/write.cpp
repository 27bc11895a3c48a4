#include "generator/compile/write.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = ".monomorph-files";

/// A folder beside the target that disappears with everything in it unless it is emptied.
class Staging {
 public:
  explicit Staging(const fs::path& directory) : path_(directory.string() + ".partial") {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  ~Staging() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

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
    const std::string reason = std::error_code(errno, std::generic_category()).message();
    throw EnvironmentError(fmt::format("cannot write {}: {}; nothing was changed", shown.string(), reason));
  }
}

std::string read_if_there(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? text.str() : std::string();
}

bool unchanged(const fs::path& path, const std::string& bytes) {
  std::error_code error;
  return fs::is_regular_file(path, error) && read_if_there(path) == bytes;
}

}  // namespace

void write_emitted(const std::string& directory, const EmittedFiles& files,
                   const std::map<std::string, CompiledKernel>& kernels) {
  EmittedFiles all = files;
  for (const auto& [name, kernel] : kernels) {
    all["kernels/" + name + ".spv"] = std::string(reinterpret_cast<const char*>(kernel.optimized.data()),
                                                  kernel.optimized.size() * sizeof(std::uint32_t));
  }
  std::string manifest;
  for (const auto& [path, bytes] : all) manifest += path + "\n";
  all[manifest_name] = manifest;

  const fs::path target = fs::path(directory).lexically_normal();
  std::error_code error;
  if (fs::exists(target, error) && !fs::is_directory(target, error)) {
    throw EnvironmentError(directory + " is a file; name a folder with -o");
  }
  const Staging staging(target.has_filename() ? target : target.parent_path());
  std::vector<std::string> changed;
  for (const auto& [path, bytes] : all) {
    if (unchanged(target / path, bytes)) continue;
    write_file(staging.path() / path, bytes, target / path);
    changed.push_back(path);
  }

  std::istringstream earlier(read_if_there(target / manifest_name));
  for (std::string path; std::getline(earlier, path);) {
    if (!path.empty() && !all.contains(path)) fs::remove(target / path, error);
  }
  for (const std::string& path : changed) {
    fs::create_directories((target / path).parent_path(), error);
    fs::rename(staging.path() / path, target / path, error);
    if (error) throw EnvironmentError(fmt::format("cannot write {}: {}", (target / path).string(), error.message()));
  }
}

}  // namespace monomorph::generator
