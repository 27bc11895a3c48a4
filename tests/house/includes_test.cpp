// The folders of the sources stand one upon another: a folder includes those below it, and none above it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
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
  std::vector<std::string> on_top = {};  ///< files in no folder that stand above all
  /// Files that may include every folder.
  bool (*is_row)(const std::string& path) = [](const std::string&) { return false; };
};

const Part runtime = {
    "runtime",
    {"", "formats", "tokenizer", "program", "weights", "engine", "reference", "vulkan", "cpu", "load", "chat", "cli"}};

/// A row of a table has a column for each stage: operations, and the sources of sub-blocks. What stages include of
/// sub-blocks, their headers, keeps the order.
bool is_row(const std::string& path) {
  return path.starts_with("generator/ops/") || (path.starts_with("generator/blocks/") && path.ends_with(".cpp"));
}

const Part generator = {"generator",
                        {"", "expression", "spec", "chat", "blocks", "contract", "import", "ops", "graph", "plan",
                         "audit", "clang", "emit", "check", "compile", "report"},
                        {"generator/pipeline.hpp", "generator/pipeline.cpp", "generator/main.cpp"},
                        is_row};

/// "vulkan" of "runtime/vulkan/device.hpp", "" of "runtime/error.hpp".
std::string folder_of(const std::string& path, const Part& part) {
  const std::string below = path.substr(part.name.size() + 1);
  const std::size_t slash = below.find('/');
  return slash == std::string::npos ? "" : below.substr(0, slash);
}

/// What a file may include: 0 is the lowest folder; as many as there are folders, a folder without a place among them.
std::size_t height(const Part& part, const std::string& path) {
  if (std::ranges::count(part.on_top, path) > 0) return part.folders.size() - 1;
  return static_cast<std::size_t>(std::ranges::find(part.folders, folder_of(path, part)) - part.folders.begin());
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

/// Checks every file of a part; how many includes of its own folders it has.
int check_order(const Part& part) {
  int seen = 0;
  for (const fs::path& file : sources_of(part)) {
    const std::string path = fs::relative(file, MONOMORPH_SOURCE_DIR).generic_string();
    CAPTURE(path);
    REQUIRE_MESSAGE(height(part, path) < part.folders.size(), "a folder without a place in the order");
    for (const auto& [line, included] : includes_of(file)) {
      CAPTURE(line);
      if (included.rfind(part.name + "/", 0) != 0) continue;
      ++seen;
      const bool is_top = std::ranges::count(part.on_top, included) > 0 && std::ranges::count(part.on_top, path) == 0;
      const bool is_above = is_top || height(part, included) > height(part, path);
      CHECK_MESSAGE((part.is_row(path) || !is_above), "includes ", included);
    }
  }
  return seen;
}

}  // namespace

TEST_CASE("no folder of the runtime includes one that stands above it") { CHECK(check_order(runtime) > 200); }

TEST_CASE("no folder of the generator includes one that stands above it") { CHECK(check_order(generator) > 300); }

TEST_CASE("the runtime knows nothing of the generator") {
  for (const fs::path& file : sources_of(runtime)) {
    CAPTURE(file);
    for (const auto& [line, included] : includes_of(file)) {
      CAPTURE(line);
      CHECK_FALSE(included.starts_with("generator/"));
    }
  }
}

TEST_CASE("who includes the spec includes no section that one stage reads") {
  const fs::path top = MONOMORPH_SOURCE_DIR;
  for (const char* file : {"generator/spec/spec.hpp", "generator/spec/fields.hpp", "generator/contract/contract.hpp"}) {
    CAPTURE(file);
    for (const auto& [line, included] : includes_of(top / file)) {
      CAPTURE(included);
      CHECK_FALSE(included.ends_with("_section.hpp"));
      CHECK_FALSE(included.starts_with("generator/blocks/"));
    }
  }
}

TEST_CASE("one source reads and writes JSON with a library") {
  std::vector<std::string> users;
  for (const std::string part : {"runtime", "generator"}) {
    for (const fs::path& file : sources_of({part, {}})) {
      std::ifstream in(file);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      if (text.find("nlohmann") == std::string::npos) continue;
      users.push_back(fs::relative(file, MONOMORPH_SOURCE_DIR).generic_string());
    }
  }
  CHECK(users == std::vector<std::string>{"runtime/formats/json.cpp"});
}
