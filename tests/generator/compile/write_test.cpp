#include <doctest/doctest.h>

#include "generator/compile/write.hpp"
#include "generator/diagnostics.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph::generator;
using monomorph::tests::read_file;
using monomorph::tests::TemporaryDirectory;

namespace fs = std::filesystem;

namespace {

void write(const fs::path& folder, const EmittedFiles& files) { OutputFolder(folder.string()).write(files, {}); }

std::string refusal(const fs::path& folder, const EmittedFiles& files) {
  try {
    write(folder, files);
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return {};
}

/// Paths below `folder`, folders too.
std::set<std::string> listing(const fs::path& folder) {
  std::set<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    paths.insert(fs::relative(entry.path(), folder).generic_string());
  }
  return paths;
}

}  // namespace

TEST_CASE("a second emission replaces and removes what the first wrote, and nothing else") {
  const TemporaryDirectory place;
  const fs::path folder = place.path() / "a/engine";
  write(folder, {{"main.cpp", "1"}, {"kernels/old.comp", "old"}});
  place.write("a/engine/kernels/notes.txt", "mine");
  write(folder, {{"main.cpp", "2"}, {"kernels/new.comp", "new"}});
  CHECK(listing(folder) ==
        std::set<std::string>{".monomorph-files", "main.cpp", "kernels", "kernels/new.comp", "kernels/notes.txt"});
  CHECK(read_file(folder / "main.cpp") == "2");
  CHECK(read_file(folder / ".monomorph-files") == "kernels/new.comp\nmain.cpp\n");
}

TEST_CASE("a file whose bytes would not change is left alone") {
  const TemporaryDirectory place;
  write(place.path(), {{"same", "1"}});
  const auto before = fs::last_write_time(place.path() / "same") - std::chrono::hours(1);
  fs::last_write_time(place.path() / "same", before);
  write(place.path(), {{"same", "1"}, {"other", "2"}});
  CHECK(fs::last_write_time(place.path() / "same") == before);
}

TEST_CASE("a file of the user's in the way is refused, and nothing is changed") {
  const TemporaryDirectory place;
  place.write("main.cpp", "mine");
  CHECK(refusal(place.path(), {{"CMakeLists.txt", "x"}, {"main.cpp", "x"}}).find("main.cpp is in the way") !=
        std::string::npos);
  CHECK(listing(place.path()) == std::set<std::string>{"main.cpp"});
  CHECK(read_file(place.path() / "main.cpp") == "mine");
}

TEST_CASE("a manifest removes nothing outside its folder") {
  const TemporaryDirectory place;
  const std::string precious = place.write("precious", "mine");
  place.write("engine/.monomorph-files", "../precious\n" + precious + "\nkernels/../../precious\n");
  write(place.path() / "engine", {{"main.cpp", "x"}});
  CHECK(read_file(precious) == "mine");
}

TEST_CASE("a folder beside the target is nobody's business") {
  const TemporaryDirectory place;
  place.write("engine.partial/notes", "mine");
  write(place.path() / "engine", {{"main.cpp", "x"}});
  CHECK(read_file(place.path() / "engine.partial/notes") == "mine");
}

TEST_CASE("one process at a time writes to a folder") {
  const TemporaryDirectory place;
  const fs::path folder = place.path() / "engine";
  {
    const OutputFolder first(folder.string());
    CHECK(refusal(folder, {{"main.cpp", "x"}}).find("another run") != std::string::npos);
  }
  CHECK_FALSE(fs::exists(folder));  // made, and not written to
  CHECK(refusal(folder, {{"main.cpp", "x"}}).empty());
}

TEST_CASE("a file in the folder's place is refused") {
  const TemporaryDirectory place;
  place.write("engine", "mine");
  CHECK(refusal(place.path() / "engine", {{"main.cpp", "x"}}).find("is a file") != std::string::npos);
}
