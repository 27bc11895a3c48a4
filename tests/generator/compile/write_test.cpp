#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>

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

/// Before this many more moves, the process sends itself `move_signal`.
int moves_before_signal = -1;
int move_signal = 0;

/// How a process ends that does `work` and gets `signal` before move number `move`; 0 where it was through before.
int signal_at(int move, int signal, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(signal, SIG_DFL);
    move_signal = signal;
    moves_before_signal = move;
    try {
      work();
    } catch (const EnvironmentError&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
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

/// In the place of the C library's, which every move ends in.
extern "C" int rename(const char* from, const char* to) noexcept {
  if (moves_before_signal >= 0 && moves_before_signal-- == 0) std::raise(move_signal);
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

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

TEST_CASE("a file of the user's in the place of a folder is refused, and nothing is changed") {
  const TemporaryDirectory place;
  place.write("kernels", "mine");
  CHECK(refusal(place.path(), {{"CMakeLists.txt", "x"}, {"kernels/deep/a.comp", "x"}}).find("kernels is in the way") !=
        std::string::npos);
  CHECK(listing(place.path()) == std::set<std::string>{"kernels"});
}

const EmittedFiles first_files = {{"main.cpp", "1"}, {"kernels/old.comp", "old"}};
const EmittedFiles second_files = {{"a.hpp", "2"}, {"kernels/new.comp", "new"}, {"main.cpp", "2"}};

TEST_CASE("an interrupt between any two moves waits until the last: one engine stands there whole") {
  int moves = 0;
  for (bool through = false; !through; ++moves) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      CAPTURE(moves);
      CAPTURE(signal);
      const TemporaryDirectory place;
      write(place.path(), first_files);
      const int ending = signal_at(moves, signal, [&] { write(place.path(), second_files); });
      through = ending == 0;
      CHECK((through || ending == signal));
      CHECK(listing(place.path()) ==
            std::set<std::string>{".monomorph-files", "a.hpp", "kernels", "kernels/new.comp", "main.cpp"});
      CHECK(read_file(place.path() / "main.cpp") == "2");
      CHECK(read_file(place.path() / ".monomorph-files") == "a.hpp\nkernels/new.comp\nmain.cpp\n");
    }
  }
  CHECK(moves == 6);  // a manifest of either, three files, the manifest, and none
}

TEST_CASE("an executable that is put in its place stands there and in the manifest, or in neither") {
  for (int move = 0; move < 3; ++move) {
    for (const int signal : {SIGINT, SIGKILL}) {
      CAPTURE(move);
      CAPTURE(signal);
      const TemporaryDirectory place;
      const fs::path folder = place.path() / "engine";
      write(folder, first_files);
      const std::string linked = place.write("linked", "a program");
      const int ending = signal_at(move, signal, [&] { OutputFolder(folder.string()).place("a", linked); });
      CHECK(ending == (move < 2 ? signal : 0));
      // What was interrupted goes on to its end; what was killed never leaves a program that is not ours to replace.
      const bool there = fs::exists(folder / "a");
      CHECK(there == (signal == SIGINT || move == 2));
      if (there) CHECK(read_file(folder / ".monomorph-files") == "a\nkernels/old.comp\nmain.cpp\n");
      CHECK_NOTHROW(OutputFolder(folder.string()).require_place_for("a"));
    }
  }
}

TEST_CASE("a process killed between any two moves leaves a folder that the next run puts in order") {
  for (int move = 0; move < 5; ++move) {
    CAPTURE(move);
    const TemporaryDirectory place;
    write(place.path(), first_files);
    REQUIRE(signal_at(move, SIGKILL, [&] { write(place.path(), second_files); }) == SIGKILL);
    CHECK(refusal(place.path(), {{"kernels/third.comp", "3"}, {"main.cpp", "3"}}) == "");
    std::set<std::string> left = listing(place.path());
    std::erase_if(
        left, [](const std::string& path) { return path.starts_with(".monomorph-") && path != ".monomorph-files"; });
    CHECK(left == std::set<std::string>{".monomorph-files", "kernels", "kernels/third.comp", "main.cpp"});
    CHECK(read_file(place.path() / "main.cpp") == "3");
  }
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

TEST_CASE("folders that an earlier emission leaves empty go with it, and others stay") {
  const TemporaryDirectory place;
  const fs::path folder = place.path() / "engine";
  write(folder, {{"main.cpp", "1"}, {"include/model_a/model.hpp", "a"}, {"kernels/a.comp", "a"}});
  place.write("engine/kernels/notes.txt", "mine");
  write(folder, {{"main.cpp", "1"}, {"include/model_b/model.hpp", "b"}});
  CHECK(listing(folder) == std::set<std::string>{".monomorph-files", "main.cpp", "include", "include/model_b",
                                                 "include/model_b/model.hpp", "kernels", "kernels/notes.txt"});
}

TEST_CASE("an executable goes when another model is written, and stays while nothing changes") {
  const TemporaryDirectory place;
  const fs::path folder = place.path() / "engine";
  const auto build = [&](const std::string& text, const std::string& name) {
    const std::string linked = place.write("linked", "a program");
    OutputFolder output(folder.string());
    output.require_place_for(name);
    output.write({{"main.cpp", text}}, {}, name);
    const bool stayed = fs::exists(folder / name);
    output.place(name, linked);
    CHECK_FALSE(fs::exists(linked));
    return stayed;
  };
  CHECK_FALSE(build("of a", "a"));
  CHECK(read_file(folder / "a") == "a program");
  CHECK(build("of a", "a"));
  place.write("engine/notes", "mine");
  CHECK_FALSE(build("of b", "b"));
  CHECK(listing(folder) == std::set<std::string>{".monomorph-files", "main.cpp", "b", "notes"});
  CHECK(read_file(folder / ".monomorph-files") == "b\nmain.cpp\n");
  // Sources alone, of the same model and of another.
  OutputFolder(folder.string()).write({{"main.cpp", "of b"}}, {}, "b");
  CHECK(fs::exists(folder / "b"));
  OutputFolder(folder.string()).write({{"main.cpp", "of c"}}, {}, "c");
  CHECK(listing(folder) == std::set<std::string>{".monomorph-files", "main.cpp", "notes"});
}

TEST_CASE("an executable does not take the place of a file of the user's") {
  const TemporaryDirectory place;
  const auto refused = [&](const std::string& name) {
    try {
      OutputFolder(place.path().string()).require_place_for(name);
    } catch (const EnvironmentError& error) {
      return std::string(error.what()).find(name + " is in the way") != std::string::npos;
    }
    return false;
  };
  place.write("tiny",
              "\x7F"
              "ELF, a program of the user's");
  CHECK(refused("tiny"));
  write(place.path(), {{"main.cpp", "1"}});
  CHECK_FALSE(refused("tiny"));  // an engine from before manifests named them
  place.write("notes", "mine");
  CHECK(refused("notes"));
  fs::create_directory(place.path() / "folder");
  CHECK(refused("folder"));
  CHECK_FALSE(refused("free"));
}

TEST_CASE("a file in the folder's place is refused") {
  const TemporaryDirectory place;
  place.write("engine", "mine");
  CHECK(refusal(place.path() / "engine", {{"main.cpp", "x"}}).find("is a file") != std::string::npos);
}
