#include "tests/extending/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace monomorph::tests {

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<FilePatch> parse_patch(const std::string& text) {
  std::vector<FilePatch> files;
  bool creates = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("diff ") || line.starts_with("index ") || line.starts_with("new file mode ")) continue;
    if (line.starts_with("--- ")) {
      creates = line == "--- /dev/null";
    } else if (line.starts_with("+++ b/")) {
      files.push_back({line.substr(6), creates, {}});
    } else if (line.starts_with("@@ -")) {
      files.back().hunks.push_back({std::stoul(line.substr(4)), {}, {}});
    } else {
      Hunk& hunk = files.back().hunks.back();
      if (!line.starts_with("+")) hunk.before.push_back(line.substr(1));
      if (!line.starts_with("-")) hunk.after.push_back(line.substr(1));
    }
  }
  return files;
}

std::vector<std::string> apply_patch(const std::vector<FilePatch>& patch, std::map<std::string, Lines>& files) {
  std::vector<std::string> wrong;
  for (const FilePatch& file : patch) {
    if (file.creates == files.contains(file.path)) {
      wrong.push_back(fmt::format("{} is {}", file.path, file.creates ? "there already" : "not there"));
      continue;
    }
    Lines& lines = files[file.path];
    std::size_t from = 0;  // hunks follow each other
    for (const Hunk& hunk : file.hunks) {
      // Of several places the one nearest to where it was, counted from the file as it is now.
      std::size_t best = std::string::npos;
      const auto distance = [&](std::size_t at) { return at > hunk.line ? at - hunk.line : hunk.line - at; };
      for (std::size_t at = from; at + hunk.before.size() <= lines.size(); ++at) {
        if (!std::equal(hunk.before.begin(), hunk.before.end(), lines.begin() + static_cast<std::ptrdiff_t>(at)))
          continue;
        if (best == std::string::npos || distance(at) < distance(best)) best = at;
      }
      if (best == std::string::npos) {
        wrong.push_back(fmt::format("{}: what stood at line {} is not there: {}", file.path, hunk.line,
                                    hunk.before.empty() ? "" : hunk.before.front()));
        continue;
      }
      const auto place = lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(best),
                                     lines.begin() + static_cast<std::ptrdiff_t>(best + hunk.before.size()));
      lines.insert(place, hunk.after.begin(), hunk.after.end());
      from = best + hunk.after.size();
    }
  }
  return wrong;
}

}  // namespace monomorph::tests
