// The folders of the sources stand one upon another: a folder includes those below it, and none above it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Folders of one part of the repository, from the lowest to the highest. "" is what lies in no folder.
struct Part {
  std::string name;
  std::vector<std::string> folders;
};

const Part runtime = {
    "runtime",
    {"", "formats", "tokenizer", "program", "weights", "engine", "reference", "vulkan", "load", "chat", "cli"}};

std::size_t height(const Part& part, const std::string& folder) {
  const auto found = std::find(part.folders.begin(), part.folders.end(), folder);
  return static_cast<std::size_t>(found - part.folders.begin());
}

/// "vulkan" of "runtime/vulkan/device.hpp", "" of "runtime/error.hpp".
std::string folder_of(const std::string& path, const Part& part) {
  const std::string below = path.substr(part.name.size() + 1);
  const std::size_t slash = below.find('/');
  return slash == std::string::npos ? "" : below.substr(0, slash);
}

/// Paths, from the top of the repository, that a file includes, each with its line.
std::map<int, std::string> includes_of(const fs::path& file) {
  static const std::regex include(R"rx(^\s*#\s*include\s*"([^"]+)")rx");
  std::ifstream in(file);
  std::map<int, std::string> found;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, include)) found[number] = match[1];
  }
  return found;
}

std::vector<fs::path> sources_of(const Part& part) {
  std::vector<fs::path> sources;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(fs::path(MONOMORPH_SOURCE_DIR) / part.name)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".cpp" || extension == ".hpp") sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

}  // namespace

TEST_CASE("no folder of the runtime includes one that stands above it") {
  int seen = 0;
  for (const fs::path& file : sources_of(runtime)) {
    const std::string path = fs::relative(file, MONOMORPH_SOURCE_DIR).generic_string();
    const std::string own = folder_of(path, runtime);
    CAPTURE(path);
    REQUIRE_MESSAGE(height(runtime, own) < runtime.folders.size(), "a folder without a place in the order: ", own);
    for (const auto& [line, included] : includes_of(file)) {
      CAPTURE(line);
      CHECK_MESSAGE(included.rfind("generator/", 0) != 0, "the runtime knows nothing of the generator");
      if (included.rfind("runtime/", 0) != 0) continue;
      CHECK_MESSAGE(height(runtime, folder_of(included, runtime)) <= height(runtime, own), "includes ", included);
      ++seen;
    }
  }
  CHECK(seen > 200);
}
