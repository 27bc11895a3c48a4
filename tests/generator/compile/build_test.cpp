// The last step of `build`, with a cmake of the test's own in the place of CMake.
#include "generator/compile/build.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "generator/diagnostics.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph::generator;
using monomorph::tests::read_file;
using monomorph::tests::TemporaryDirectory;

namespace fs = std::filesystem;

namespace {

/// A folder with a `cmake` that is this shell script, alone in the search path but for the shell's own tools.
class FakeCMake {
 public:
  explicit FakeCMake(const std::string& script) : before_(std::getenv("PATH")) {
    const std::string path = place_.write("bin/cmake", "#!/bin/sh\n" + script);
    fs::permissions(path, fs::perms::owner_all);
    setenv("PATH", ((place_.path() / "bin").string() + ":/usr/bin:/bin").c_str(), 1);
  }
  ~FakeCMake() { setenv("PATH", before_.c_str(), 1); }
  fs::path engine() const { return place_.path() / "engine"; }
  const TemporaryDirectory& place() const { return place_; }

 private:
  TemporaryDirectory place_;
  std::string before_;
};

/// Writes down what it is called with, and leaves an executable where `cmake --build` is told to.
const std::string good = R"(echo "$@" >> "$(dirname "$0")/calls"
[ "$1" = --build ] && touch "$2/engine-of-the-test"
exit 0
)";

std::string failure(const FakeCMake& cmake) {
  try {
    build_engine(cmake.engine().string(), "engine-of-the-test");
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a project is configured with the generator's own runtime, then built") {
  const FakeCMake cmake(good);
  CHECK(failure(cmake) == "");
  const std::string calls = read_file(cmake.place().path() / "bin/calls");
  CHECK(contains(calls, "-S " + cmake.engine().string()));
  CHECK(contains(calls, "-DCMAKE_PREFIX_PATH=" + installation_prefix()));
  CHECK(contains(calls, "-DCMAKE_BUILD_TYPE=Release"));
  CHECK(contains(calls, "--build " + (cmake.engine() / "build").string()));
}

TEST_CASE("what CMake or the compiler says is told where they fail") {
  const std::string message = failure(FakeCMake("echo 'g++: this is what it says' >&2\nexit 3\n"));
  CHECK(contains(message, "status 3"));
  CHECK(contains(message, "this is what it says"));
}

TEST_CASE("a compiler that refuses what was emitted tells a fault of the generator's, and other failures do not") {
  const auto is_ours = [](const std::string& said) {
    const FakeCMake cmake("[ \"$1\" = --build ] || exit 0\ncat <<'END' >&2\n" + said + "\nEND\nexit 1\n");
    try {
      build_engine(cmake.engine().string(), "engine-of-the-test");
    } catch (const InternalError& error) {
      CHECK(contains(error.what(), said));
      return true;
    } catch (const EnvironmentError& error) {
      CHECK(contains(error.what(), said));
    }
    return false;
  };
  CHECK(is_ours("/e/include/model_a/reference.hpp:30:12: error: 'linear' is not a template"));
  CHECK(is_ours("In file included from /e/program.cpp:3:\n/e/model.hpp:9:1: error: static assertion failed"));
  CHECK_FALSE(is_ours("/e/program.cpp:1:10: fatal error: runtime/tensor.hpp: No such file or directory"));
  CHECK_FALSE(is_ours("c++: fatal error: Killed signal terminated program cc1plus"));
  CHECK_FALSE(is_ours("/e/program.cpp:1:1: internal compiler error: Segmentation fault"));
  CHECK_FALSE(is_ours("collect2: error: ld returned 1 exit status"));
}

TEST_CASE("a full disk and a missing CMake are said in words") {
  CHECK(contains(failure(FakeCMake("echo 'x.o: No space left on device' >&2\nexit 1\n")), "no space left"));
  const FakeCMake cmake(good);
  setenv("PATH", cmake.engine().c_str(), 1);
  CHECK(contains(failure(cmake), "cmake cannot be started"));
}

TEST_CASE("a build that leaves no executable is a fault of the generator's") {
  const FakeCMake cmake("exit 0\n");
  CHECK_THROWS_AS(build_engine(cmake.engine().string(), "engine-of-the-test"), InternalError);
}

TEST_CASE("what another installation configured is configured afresh, and this one's is kept") {
  const auto kept = [](const std::string& prefix) {
    const FakeCMake cmake(good);
    const std::string cache =
        cmake.place().write("engine/build/CMakeCache.txt", "CMAKE_PREFIX_PATH:UNINITIALIZED=" + prefix + "\n");
    CHECK(failure(cmake) == "");
    return fs::exists(cache);
  };
  CHECK(kept(installation_prefix()));
  CHECK_FALSE(kept("/another/installation"));
  CHECK_FALSE(kept(installation_prefix() + "/longer"));
}
