// `run --prompt-cache` and `chat --save-state`: what a file has is not computed again, and texts are the same.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <csignal>

#include "tests/runtime/cli/chat_command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

struct Counted {
  Outcome outcome;
  std::size_t tokens = 0;  ///< that went through the model
};

Counted counted(const std::function<Outcome()>& work) {
  Counted result;
  on_forward = [&](std::span<const std::int32_t> tokens) { result.tokens += tokens.size(); };
  result.outcome = work();
  on_forward = nullptr;
  return result;
}

/// Of the talking program, whose every token depends on all before it.
Counted run(const std::string& tokens, const std::string& cache, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"run", "--random-weights", "--device",       "reference", "--tokens", tokens, "-n",
                                    "6",   "--tokenizer",      talking_tokenizer};
  if (!cache.empty()) words.insert(words.end(), {"--prompt-cache", cache});
  words.insert(words.end(), more.begin(), more.end());
  return counted([&] { return command(words, talking_program()); });
}

/// As a process of its own does it; what it wrote is in `directory`.
int status_of_process(const std::function<int()>& work, const std::filesystem::path& directory) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);  // the tests have taken it
    const Redirection out(stdout, directory / "out");
    const Redirection err(stderr, directory / "err");
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("with a prompt's cache the text is the same, and what the prompt begins with is not computed again") {
  const TemporaryDirectory directory;
  const std::string cache = (directory.path() / "cache").string();
  const Counted without = run("70,71,72,73", "");
  REQUIRE(without.outcome.status == 0);
  const std::size_t drawn = without.tokens - 4;  // of the tokens drawn all but the last

  const Counted first = run("70,71,72,73", cache);
  INFO(first.outcome.errors);
  CHECK(first.outcome.status == 0);
  CHECK(first.outcome.output == without.outcome.output);
  CHECK(first.tokens == 4 + drawn);
  CHECK(contains(first.outcome.errors, "prompt cache: 0 of the prompt's tokens were there\nprompt: 4 tokens in "));
  const std::string saved = read_file(cache);
  const Counted again = run("70,71,72,73", cache);
  CHECK(again.outcome.output == without.outcome.output);
  CHECK(again.tokens == 4 + drawn);  // the reference restores by computing
  CHECK(contains(again.outcome.errors, "prompt cache: 3 of the prompt's tokens were there\nprompt: 1 token in "));
  CHECK(read_file(cache) == saved);

  // A longer prompt, another one, and one that the file has more than.
  for (const auto& [tokens, kept] : {std::pair("70,71,72,73,74,75", 3), {"70,71,80", 2}, {"70,71", 1}, {"90", 0}}) {
    const Counted other = run(tokens, cache);
    INFO(other.outcome.errors);
    CHECK(other.outcome.output == run(tokens, "").outcome.output);
    CHECK(contains(other.outcome.errors, "prompt cache: " + std::to_string(kept) + " of the prompt's"));
  }
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("a prompt's cache is one process's work for the next, whatever ends the first") {
  const TemporaryDirectory directory;
  const std::string cache = (directory.path() / "cache").string();
  const int status = status_of_process(
      [&] {
        int calls = 0;
        on_forward = [&](auto) {
          if (++calls == 3) std::raise(SIGINT);  // in the first pass over a token that was drawn
        };
        return status_of({"run", "--random-weights", "--device", "reference", "--tokens", "70,71,72,73", "-n", "30",
                          "--prompt-cache", cache},
                         talking_program());
      },
      directory.path());
  CHECK(status == 130);
  const Counted next = run("70,71,72,73", cache);
  CHECK(contains(next.outcome.errors, "prompt cache: 3 of the prompt's tokens were there"));
  CHECK(next.outcome.output == run("70,71,72,73", "").outcome.output);
}

TEST_CASE("a prompt's cache that is no saved slot of this engine ends the run, and stays as it is") {
  const TemporaryDirectory directory;
  const std::string cache = directory.write("cache", "no slot at all");
  const Counted text = run("70,71", cache);
  CHECK(text.outcome.status == 1);
  CHECK(text.outcome.output.empty());
  CHECK(contains(text.outcome.errors, "error: " + cache + ": 14 bytes are no saved slot"));
  CHECK(read_file(cache) == "no slot at all");
  CHECK(text.tokens == 0);

  std::filesystem::remove(cache);
  CHECK(run("70,71", cache).outcome.status == 0);
  const std::string saved = read_file(cache);
  const Counted stranger = run("70,71", cache, {"--random-seed", "4"});
  CHECK(stranger.outcome.status == 1);
  CHECK(contains(stranger.outcome.errors, cache + ": the saved slot is another engine's: the weights' fingerprint"));
  directory.write("cut", saved.substr(0, saved.size() - 1));
  CHECK(contains(run("70", (directory.path() / "cut").string()).outcome.errors, "cut or has grown"));
  CHECK(read_file(cache) == saved);
  CHECK(entries(directory.path()) == 2);

  const Counted nowhere = run("70,71", "/nowhere/cache");
  CHECK(nowhere.outcome.status == 2);
  CHECK(nowhere.tokens == 0);
  CHECK(contains(nowhere.outcome.errors, "/nowhere/cache: cannot create: No such file"));
  CHECK(run("70,71", directory.path().string()).outcome.status == 2);
  // What is no regular file is neither read nor written.
  CHECK(run("70,71", "/dev/full").outcome.status == 2);
}

TEST_CASE("a chat goes on where the saved one ended, with the same answers, and computes what is new alone") {
  const TemporaryDirectory directory;
  const std::string state = (directory.path() / "state").string(), talk = (directory.path() / "talk.json").string();
  CHECK(script("/quit\n", {"--save-state", state}).status == 0);
  CHECK(entries(directory.path()) == 0);  // nothing was computed
  const Outcome first = script("hello\nand then\n/save " + talk + "\n", {"-n", "9", "--save-state", state});
  CHECK(first.status == 0);
  CHECK(first.output.starts_with(lines_of(talk)));
  REQUIRE(std::filesystem::exists(state));

  const auto go_on = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"-n", "9", "--messages", talk});
    return counted([&] { return script("more\n", more); });
  };
  const Counted without = go_on({});
  const std::string saved = read_file(state);
  const Counted with = go_on({"--save-state", state});
  CHECK(with.outcome.status == 0);
  CHECK(with.outcome.output == without.outcome.output);
  CHECK(read_file(state) != saved);
  // A conversation that begins otherwise is computed from where it differs.
  CHECK(script("other\n", {"-n", "9", "--save-state", state}).output == script("other\n", {"-n", "9"}).output);
}

TEST_CASE("a chat's state is saved when Ctrl-C ends it") {
  const TemporaryDirectory directory;
  const std::string state = (directory.path() / "state").string();
  const std::string messages = directory.write("talk.json", R"([{"role":"user","content":"hello"}])");
  const int status = status_of_process(
      [&] {
        int calls = 0;
        on_forward = [&](auto) {
          if (++calls == 4) std::raise(SIGINT);
        };
        return status_of(chat_words({"--messages", messages, "--save-state", state}), talking_program());
      },
      directory.path());
  CHECK(status == 130);
  CHECK(std::filesystem::file_size(state) > 100);
  CHECK(script("", {"--messages", messages, "-n", "9", "--save-state", state}).output ==
        script("", {"--messages", messages, "-n", "9"}).output);
  directory.write("state", "x");
  const Outcome bad = script("hello\n", {"--save-state", state});
  CHECK(bad.status == 1);
  CHECK(bad.output.empty());
  CHECK(contains(bad.errors, state + ": 1 bytes are no saved slot"));
  CHECK(script("hello\n", {"--save-state", "/nowhere/state"}).status == 2);
}
