#include "runtime/formats/atomic_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "runtime/error.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using tests::TemporaryDirectory;

TEST_CASE("a file that is not committed leaves nothing behind, and an older one as it was") {
  const TemporaryDirectory directory;
  directory.write("kept", "old");
  {
    AtomicFile file(directory.path() / "kept");
    file.write("new");
    AtomicFile other(directory.path() / "never");
    other.write("new");
  }
  CHECK(tests::read_file(directory.path() / "kept") == "old");
  CHECK(tests::entries(directory.path()) == 1);
}

TEST_CASE("a committed file replaces the older one whole") {
  const TemporaryDirectory directory;
  directory.write("file", "an older and longer text");
  write_file(directory.path() / "file", "new");
  CHECK(tests::read_file(directory.path() / "file") == "new");
  CHECK(tests::entries(directory.path()) == 1);
}

TEST_CASE("what a killed process left is removed by the next that writes to the same name, and nothing else is") {
  const TemporaryDirectory directory;
  const auto target = directory.path() / "file";
  const pid_t killed = ::fork();
  if (killed == 0) {
    AtomicFile file(target);
    file.write("half");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(killed, nullptr, 0);
  REQUIRE(tests::entries(directory.path()) == 1);
  AtomicFile of_another_name(directory.path() / "fil");
  AtomicFile still_written(target);
  still_written.write("whole");
  directory.write("file.1-0.txt.tmp", "somebody's own");
  CHECK(tests::entries(directory.path()) == 3);
  write_file(target, "between");
  CHECK(tests::entries(directory.path()) == 4);
  still_written.commit();
  CHECK(tests::read_file(target) == "whole");
  of_another_name.commit();
  CHECK(tests::entries(directory.path()) == 3);
}

TEST_CASE("a new file has the mode asked for, and one that is replaced its own") {
  const TemporaryDirectory directory;
  const auto target = directory.path() / "file";
  AtomicFile(target, 0600).commit();
  using std::filesystem::perms;
  CHECK(std::filesystem::status(target).permissions() == (perms::owner_read | perms::owner_write));
}

TEST_CASE("who may read a file that is replaced stays as it was") {
  const TemporaryDirectory directory;
  directory.write("file", "old");
  using std::filesystem::perms;
  for (const perms permissions : {perms::owner_read | perms::owner_write, perms::owner_all | perms::others_read}) {
    std::filesystem::permissions(directory.path() / "file", permissions);
    write_file(directory.path() / "file", "new");
    CHECK(std::filesystem::status(directory.path() / "file").permissions() == permissions);
  }
}

TEST_CASE("a link stays a link to the file it names") {
  const TemporaryDirectory directory;
  directory.write("target", "old");
  std::filesystem::create_symlink("target", directory.path() / "link");
  write_file(directory.path() / "link", "new");
  CHECK(std::filesystem::is_symlink(directory.path() / "link"));
  CHECK(tests::read_file(directory.path() / "target") == "new");
}

TEST_CASE("a directory that is not there is an environment's failure that names the file") {
  const TemporaryDirectory directory;
  try {
    write_file(directory.path() / "no" / "file", "text");
    FAIL("it was written");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::environment);
    CHECK(std::string(error.what()).find((directory.path() / "no" / "file").string()) != std::string::npos);
    CHECK(std::string(error.what()).find("No such file") != std::string::npos);
  }
  CHECK_THROWS_AS(AtomicFile(directory.path()), Error);
}

TEST_CASE("a full disk is an error with the system's reason") {
  try {
    write_file("/dev/full", "text");
    FAIL("it was written");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::environment);
    CHECK(std::string(error.what()).find("No space left") != std::string::npos);
  }
}

TEST_CASE("a file that outgrows what the system grants is an error, and no part of it stays") {
  const TemporaryDirectory directory;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{64, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string message;
  try {
    write_file(directory.path() / "file", std::string(100, 'x'));
  } catch (const Error& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message.find("File too large") != std::string::npos);
  CHECK(tests::entries(directory.path()) == 0);
}
