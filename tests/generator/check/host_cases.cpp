#include "tests/generator/check/host_cases.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace monomorph::test {
namespace {

const std::string mark = "// expect: ";
const std::string model_mark = "// model: ";

HostCase read_case(const std::filesystem::path& path) {
  HostCase result;
  result.path = path.string();
  std::vector<std::string> waiting;
  std::ifstream file(path);
  int line = 0;
  for (std::string text; std::getline(file, text);) {
    ++line;
    if (text.starts_with(model_mark)) result.model = text.substr(model_mark.size());
    if (const std::size_t found = text.find(mark); found != std::string::npos) {
      waiting.push_back(text.substr(found + mark.size()));
      continue;
    }
    for (std::string& sentence : waiting) result.expected.emplace_back(line, std::move(sentence));
    waiting.clear();
  }
  return result;
}

}  // namespace

std::vector<HostCase> host_cases(const std::string& folder) {
  std::vector<HostCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(MONOMORPH_SOURCE_DIR "/tests/cases/host/" + folder)) {
    if (entry.path().extension() == ".cpp") cases.push_back(read_case(entry.path()));
  }
  std::sort(cases.begin(), cases.end(), [](const HostCase& a, const HostCase& b) { return a.path < b.path; });
  return cases;
}

}  // namespace monomorph::test
