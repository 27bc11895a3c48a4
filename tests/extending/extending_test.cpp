// docs/extending.md cannot rot: its patches apply, it names the files that they touch, and what it shows is a part of
// them. run.py beside this builds what they make and runs what the page promises.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/extending/patch.hpp"
#include "tests/support/files.hpp"

using namespace monomorph::tests;
namespace fs = std::filesystem;

namespace {

const fs::path root = MONOMORPH_SOURCE_DIR;

/// By the names of the examples: "activation".
std::map<std::string, std::string> patches() {
  std::map<std::string, std::string> result;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "tests/extending")) {
    if (entry.path().extension() == ".patch") result[entry.path().stem().string()] = read_file(entry.path());
  }
  return result;
}

/// The files of the checkout that a patch touches, added to those that are known.
void read_files(const std::vector<FilePatch>& patch, std::map<std::string, Lines>& files) {
  for (const FilePatch& file : patch) {
    if (!files.contains(file.path) && fs::exists(root / file.path)) {
      files[file.path] = lines_of(read_file(root / file.path));
    }
  }
}

std::string trimmed(const std::string& line) { return line.substr(0, line.find_last_not_of(' ') + 1); }

/// Whether a line has nothing but brackets that close.
bool closes_a_list(const std::string& line) {
  return line.find_first_of("]})") != std::string::npos && line.find_first_not_of(" ]});,") == std::string::npos;
}

/// A section of the page: the patch that it links, the files of its table, and what it shows of the patch.
struct Section {
  std::string patch;
  std::set<std::string> files;
  std::vector<Lines> shown;  ///< lines that follow each other; "..." parts them
};

std::vector<Section> sections_of(const std::string& page) {
  const std::string link = "](../tests/extending/";
  std::vector<Section> sections;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("## ")) sections.emplace_back();
    if (sections.empty()) continue;
    Section& section = sections.back();
    const std::size_t at = line.find(link), end = line.find(".patch)");
    if (at != std::string::npos && end != std::string::npos) {
      section.patch = line.substr(at + link.size(), end - at - link.size());
    }
    if (line.starts_with("```")) {
      inside = line == "```diff";
      if (inside) section.shown.emplace_back();
    } else if (inside && line == "...") {
      section.shown.emplace_back();
    } else if (inside) {
      section.shown.back().push_back(trimmed(line));
    } else if (line.starts_with("| `")) {
      section.files.insert(line.substr(3, line.find('`', 3) - 3));
    }
  }
  std::erase_if(sections, [](const Section& section) { return section.patch.empty(); });
  return sections;
}

/// The first line of the section that is no part of the patch, or nothing.
std::string not_in(const std::string& patch, const Section& section) {
  Lines lines = lines_of(patch);
  std::transform(lines.begin(), lines.end(), lines.begin(), trimmed);
  for (const Lines& shown : section.shown) {
    if (std::search(lines.begin(), lines.end(), shown.begin(), shown.end()) == lines.end()) return shown.front();
  }
  return "";
}

}  // namespace

TEST_CASE("each patch applies to the checkout, alone and after the others") {
  std::map<std::string, Lines> together;
  for (const auto& [name, text] : patches()) {
    CAPTURE(name);
    const std::vector<FilePatch> patch = parse_patch(text);
    REQUIRE_FALSE(patch.empty());
    std::map<std::string, Lines> alone;
    read_files(patch, alone);
    CHECK(apply_patch(patch, alone) == Lines{});
    read_files(patch, together);
    CHECK(apply_patch(patch, together) == Lines{});
  }
}

TEST_CASE("no patch changes the end of a list, where additions meet") {
  for (const auto& [name, text] : patches()) {
    CAPTURE(name);
    for (const FilePatch& file : parse_patch(text)) {
      for (const Hunk& hunk : file.hunks) {
        if (file.creates) continue;
        CAPTURE(file.path);
        CAPTURE(hunk.line);
        CHECK_FALSE(closes_a_list(hunk.before.back()));
      }
    }
  }
}

TEST_CASE("the page has a section for each patch, names its files, and shows parts of it") {
  const std::map<std::string, std::string> all = patches();
  const std::vector<Section> sections = sections_of(read_file(root / "docs/extending.md"));
  CHECK(sections.size() == all.size());
  for (const Section& section : sections) {
    CAPTURE(section.patch);
    REQUIRE(all.contains(section.patch));
    std::set<std::string> touched;
    for (const FilePatch& file : parse_patch(all.at(section.patch))) touched.insert(file.path);
    CHECK(section.files == touched);
    CHECK_FALSE(section.shown.empty());
    CHECK(not_in(all.at(section.patch), section) == "");
    CHECK(read_file(root / "tests/extending/run.py").find("def " + section.patch + "(bench):") != std::string::npos);
  }
}

TEST_CASE("each place of a patch whose context has changed is told, and lines that are no part of it are found") {
  const std::string text =
      "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+second\n three\n@@ -7,2 +7,3 @@\n seven\n+7.5\n eight\n"
      "--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+new\n";
  const std::vector<FilePatch> patch = parse_patch(text);
  std::map<std::string, Lines> files = {{"x", {"zero", "one", "two", "three", "seven", "eight"}}};
  CHECK(apply_patch(patch, files) == Lines{});
  CHECK(files["x"] == Lines{"zero", "one", "second", "three", "seven", "7.5", "eight"});
  CHECK(files["y"] == Lines{"new"});
  CHECK(apply_patch(patch, files) == Lines{"x: what stood at line 1 is not there: one",
                                           "x: what stood at line 7 is not there: seven", "y is there already"});
  files = {{"x", {"one", "three", "seven", "eight"}}};
  CHECK(apply_patch(patch, files) == Lines{"x: what stood at line 1 is not there: one"});
  CHECK(files["x"] == Lines{"one", "three", "seven", "7.5", "eight"});
  files.clear();
  CHECK(apply_patch(patch, files) == Lines{"x is not there"});

  const std::string page =
      "## A\n[a](../tests/extending/a.patch)\n| `x` | |\n```diff\n one\n...\n+second\n three\n```\n";
  const std::vector<Section> sections = sections_of(page);
  REQUIRE(sections.size() == 1);
  CHECK(sections[0].patch == "a");
  CHECK(sections[0].files == std::set<std::string>{"x"});
  CHECK(not_in(text, sections[0]) == "");
  CHECK(not_in("+one\n", sections[0]) == " one");
}
