// `chat` as a script and as somebody at a terminal uses it. Each answer is held against that of a new process over the
// messages before it.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/runtime/chat/talking_program.hpp"
#include "tests/runtime/cli/command.hpp"
#include "tests/runtime/cli/terminal_process.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

using nlohmann::ordered_json;

std::vector<std::string> words(std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"chat", "--random-weights", "--device", "cpu", "--tokenizer", talking_tokenizer};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// The command with a text for its standard input.
Outcome script(const std::string& input, std::vector<std::string> more = {},
               const Program& program = talking_program()) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("input", input);
  const int before = ::dup(STDIN_FILENO);
  const int file = ::open(path.c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  const Outcome outcome = command(words(std::move(more)), program);
  ::dup2(before, STDIN_FILENO);
  ::close(file);
  ::close(before);
  return outcome;
}

/// What a new process answers to messages.
std::string answer_to(const ordered_json& messages, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"--messages", "-"};
  all.insert(all.end(), more.begin(), more.end());
  const Outcome outcome = script(messages.dump(), all);
  CHECK(outcome.status == 0);
  return outcome.output.substr(0, outcome.output.size() - 1);
}

/// Every answer in a file of messages is what a new process says at its place; one that was broken off is its
/// beginning.
void check_answers(const std::filesystem::path& path, const std::vector<std::string>& more = {},
                   std::size_t broken_off = 0) {
  const ordered_json messages = ordered_json::parse(read_file(path));
  ordered_json before = ordered_json::array();
  for (const ordered_json& message : messages) {
    if (message["role"] == "assistant") {
      INFO(before.dump());
      const std::string whole = answer_to(before, more);
      const auto text = message["content"].get<std::string>();
      if (before.size() == broken_off) {
        CHECK(text.size() < whole.size());
        CHECK(whole.starts_with(text));
      } else {
        CHECK(text == whole);
      }
    }
    before.push_back(message);
  }
}

/// A chat at a terminal; standard output is a file. Not run where the machine has no pseudo terminals.
struct TerminalChat {
  explicit TerminalChat(std::vector<std::string> more = {}, bool slow = false,
                        const Program& program = talking_program(), const std::string& editrc = "")
      : process(
            [&] {
              ::setenv("XDG_STATE_HOME", (directory.path() / "state").c_str(), 1);
              ::setenv("HOME", directory.path().c_str(), 1);
              directory.write(".editrc", editrc);
              if (slow) on_forward = [](auto) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
              return status_of(words(more), program);
            },
            directory.path() / "out") {
    if (process.runs()) REQUIRE(process.wait_for("> "));
  }

  /// Types a line and waits for the next prompt.
  void line(const std::string& text) {
    process.type(text + "\n");
    if (!process.wait_for("\r\n") || !process.wait_for("> ")) FAIL("no prompt after ", text, ": ", process.shown());
  }
  std::string output() const { return read_file(directory.path() / "out"); }
  std::string file(const std::string& name) const { return (directory.path() / name).string(); }

  TemporaryDirectory directory;
  TerminalProcess process;
};

std::string lines_of(const std::filesystem::path& path) {
  std::string lines;
  for (const ordered_json& message : ordered_json::parse(read_file(path))) {
    if (message["role"] == "assistant") lines += message["content"].get<std::string>() + "\n";
  }
  return lines;
}

void without_terminals() { MESSAGE("this machine has no pseudo terminals: a chat at one is not tried"); }

}  // namespace

TEST_CASE("of a script's lines each is a message, and each answer a line on standard output") {
  const TemporaryDirectory directory;
  const std::string saved = (directory.path() / "talk.json").string();
  const Outcome outcome = script("hello\n\nand \\\nthen\n//slash\n/save " + saved + "\nlast", {"-n", "9"});
  CHECK(outcome.status == 0);
  const ordered_json messages = ordered_json::parse(read_file(saved));
  REQUIRE(messages.size() == 6);
  CHECK(messages[0]["content"] == "hello");
  CHECK(messages[2]["content"] == "and \nthen");
  CHECK(messages[4]["content"] == "/slash");
  check_answers(saved, {"-n", "9"});
  CHECK(outcome.output.starts_with(lines_of(saved)));
  CHECK(std::count(outcome.output.begin(), outcome.output.end(), '\n') == 4);
  CHECK_FALSE(contains(outcome.errors, "> "));
  CHECK(contains(outcome.errors, "talking: saved 6 messages\n"));
}

TEST_CASE("a script's lines may end as on Windows") {
  CHECK(script("/system brief\r\nhello \\\r\nyou\r\n\r\n/quit\r\n", {"-n", "9"}).output ==
        script("/system brief\nhello \\\nyou\n\n/quit\n", {"-n", "9"}).output);
}

TEST_CASE("messages from standard input are answered once") {
  const std::string messages = R"([{"role":"system","content":"brief"},{"role":"user","content":"hello"}])";
  const Outcome outcome = script(messages, {"--messages", "-", "-n", "5"});
  CHECK(outcome.status == 0);
  CHECK(outcome.output.size() == 6);
  CHECK(outcome.errors == "talking: the answer was ended after 5 tokens\n");
  const TemporaryDirectory directory;
  // In a file they begin the conversation.
  const std::string file = directory.write("talk.json", messages);
  CHECK(script("", {"--messages", file, "-n", "5"}).output == outcome.output);
  CHECK(script(R"([{"role":"user","content":"hello"}])", {"--messages", "-", "-n", "5", "--system", "brief"}).output ==
        outcome.output);
  CHECK(script(R"([{"role":"system","content":"long"},{"role":"user","content":"hello"}])",
               {"--messages", "-", "-n", "5", "--system", "brief"})
            .output == outcome.output);
  CHECK(script("hello\n", {"-n", "5", "--system", "brief"}).output == outcome.output);
}

TEST_CASE("tools and variables of the command line reach the template") {
  const TemporaryDirectory directory;
  const std::string tools = directory.write("tools.json", "[{\"type\": \"function\"}]");
  const std::string plain = script("hello\n", {"-n", "9"}).output;
  CHECK(script("hello\n", {"-n", "9", "--tools", tools}).output != plain);
  CHECK(script("hello\n", {"-n", "9", "--variable", "begin=\"So\""}).output != plain);
  CHECK(script("hello\n", {"-n", "9", "--variable", "other=1", "--variable", "begin=\"\""}).output == plain);
}

TEST_CASE("stop strings end answers, and log-probabilities of all of them are one file") {
  const std::string plain = script("hello\n", {"-n", "9"}).output;
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "p.jsonl").string();
  const std::vector<std::string> more = {"-n", "9", "--stop", plain.substr(3, 2), "--log-probabilities", file};
  const Outcome outcome = script("hello\nand then\n", more);
  CHECK(outcome.status == 0);
  CHECK(outcome.output.starts_with(plain.substr(0, 3) + "\n"));
  std::istringstream lines(read_file(file));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const ordered_json token = ordered_json::parse(line);
    CHECK(token["log_probability"] < 0);
    text += token["text"];
  }
  // What the stop string hides was drawn as well.
  CHECK(text.starts_with(plain.substr(0, 5)));
  CHECK(text.size() > 5);
}

TEST_CASE("what is wrong before a chat begins is said, and nothing is answered") {
  const TemporaryDirectory directory;
  const std::string bad = directory.write("bad.json", "[{\"role\":\"user\"}]");
  Program none = talking_program();
  none.chat_template = nullptr;
  none.chat_refusal = "line 2 calls itself";
  const std::vector<std::tuple<std::string, std::vector<std::string>, int, std::string>> cases = {
      {"", {"-n", "0"}, 1, "--count 0"},
      {"", {"--temperature", "-1"}, 1, "temperature"},
      {"", {"--stop", ""}, 1, "stop string"},
      {"", {"--log-probabilities", "/nowhere/p"}, 2, "/nowhere/p"},
      {"", {"--messages", "/nowhere"}, 2, "/nowhere: cannot open"},
      {"", {"--messages", bad}, 1, "bad.json: message 1: \"content\" is missing"},
      {"", {"--tools", bad + "x"}, 2, "cannot open"},
      {"", {"--variable", "x"}, 2, "--variable x: a name and a value belong here; write NAME=JSON"},
      {"", {"--variable", "tools=[]"}, 2, "--variable tools: the chat itself says what this is"},
      {"", {"--system", "\xff"}, 1, "the system message is not UTF-8"},
      {"", {"--temperature", "1e7"}, 1, "from 1e-6 to 1e6"},
      {"[]", {"--messages", "-"}, 1, "standard input: the messages end with no message to answer"},
      {R"([{"role":"assistant","content":""}])", {"--messages", "-"}, 1, "no message to answer"},
      {R"([{"role":"system","content":""}])", {"--messages", "-"}, 1, "no message to answer"},
      {"x", {"--messages", "-"}, 1, "standard input: this is no JSON"},
      {R"([{"role":"user","content":"a"},{"role":"user","content":"b"}])", {"--messages", "-"}, 1, "must alternate"},
  };
  for (const auto& [input, more, status, expected] : cases) {
    const Outcome outcome = script(input, more);
    INFO(expected, " in: ", outcome.errors);
    CHECK(outcome.status == status);
    CHECK(contains(outcome.errors, "talking: error: "));
    CHECK(contains(outcome.errors, expected));
    CHECK(outcome.output.empty());
  }
  const Outcome outcome = script("hello\n", {}, none);
  CHECK(outcome.status == 1);
  CHECK(outcome.errors ==
        "talking: error: talking has no chat template that runs: line 2 calls itself; write the "
        "prompt yourself, with `run --prompt`\n");
}

TEST_CASE("a script ends with its first mistake") {
  const std::vector<std::tuple<std::string, int, std::string>> cases = {
      {"/nothing\n", 2, "there is no command /nothing; nothing was sent"},
      {"/rest\n", 2, "did you mean /reset?"},
      {"/load /nowhere\n", 2, "/nowhere: cannot open"},
      {"/save\n", 2, "/save needs the name of a file"},
      {"/quit smoking\n", 2, "nothing belongs after /quit"},
      {"/regenerate\n", 1, "there is no message to answer yet"},
      {"caf\xe9\n", 1, "the line is not UTF-8"},
      {std::string(900, 'x') + "\n", 1, "max_sequence_length is 200; the message was removed again; /reset begins"},
  };
  for (const auto& [input, status, expected] : cases) {
    const Outcome outcome = script("hello\n" + input + "never\n", {"-n", "3"});
    const Outcome first = script(input + "never\n", {"-n", "3"});
    INFO(expected, " in: ", first.errors);
    CHECK(first.status == status);
    CHECK(contains(first.errors, expected));
    CHECK(first.output.empty());
    if (input == "/regenerate\n") continue;
    CHECK(outcome.status == status);
    CHECK(std::count(outcome.output.begin(), outcome.output.end(), '\n') == 1);
  }
}

TEST_CASE("a script's commands change the conversation") {
  const TemporaryDirectory directory;
  const std::string one = (directory.path() / "one.json").string(), two = (directory.path() / "two.json").string();
  const Outcome outcome = script("/system brief\nhello\n/save " + one + "\n/reset\n/system\nother\n/load " + one +
                                     "\nmore\n/save " + two + "\n/system -\n/system\n/help\n/quit\nnever\n",
                                 {"-n", "7"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.errors, "a new conversation; the system message stays\ntalking: brief\n"));
  CHECK(contains(outcome.errors, "talking: loaded 3 messages\n"));
  CHECK(contains(outcome.errors, "talking: there is no system message\n"));
  CHECK(contains(outcome.errors, "  /load FILE        goes on with the messages of such a file\n"));
  check_answers(one, {"-n", "7"});
  check_answers(two, {"-n", "7"});
  CHECK(ordered_json::parse(read_file(two)).size() == 5);
  CHECK(std::count(outcome.output.begin(), outcome.output.end(), '\n') == 3);
}

TEST_CASE("interrupted, a script ends by the signal, with what was drawn of the answer on standard output") {
  const TemporaryDirectory directory;
  const std::string messages = directory.write("talk.json", R"([{"role":"user","content":"hello"}])");
  const std::string file = (directory.path() / "p.jsonl").string();
  const std::vector<std::string> more = {"--messages", messages, "--log-probabilities", file};
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);  // the tests have taken it
    int calls = 0;
    on_forward = [&](auto) {
      if (++calls == 4) std::raise(SIGINT);
    };
    const Redirection out(stdout, directory.path() / "out");
    const Redirection err(stderr, directory.path() / "err");
    ::_exit(status_of(words(more), talking_program()));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  const std::string drawn = read_file(directory.path() / "out"), whole = script("hello\n").output;
  CHECK(drawn == whole.substr(0, drawn.size() - 1) + "\n");
  CHECK(drawn.size() < whole.size());
  CHECK(drawn.size() > 1);
  CHECK(read_file(directory.path() / "err") == "talking: interrupted\n");
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("at a terminal: several turns, one broken off, one drawn anew, saved, and gone on with in a new process") {
  const std::vector<std::string> random = {"--temperature", "1", "--seed", "5", "-n", "30"};
  TerminalChat chat(random, true);
  if (!chat.process.runs()) return without_terminals();
  chat.line("/system Be br\xc3\xa9");
  chat.line("hello");
  const std::size_t before = chat.output().size();
  chat.process.type("and then\n");
  REQUIRE(chat.process.wait_for_output(before + 4));
  chat.process.type("\x03");
  REQUIRE(chat.process.wait_for("interrupted; the answer so far stays"));
  REQUIRE(chat.process.wait_for("> "));
  chat.line("go on");
  const std::string saved = chat.file("one.json");
  chat.line("/save " + saved);
  check_answers(saved, random, 4);
  CHECK(chat.output() == lines_of(saved));

  const std::string drawn_anew = chat.file("two.json");
  chat.line("/regenerate");
  chat.line("/regenerate");
  chat.line("/save " + drawn_anew);
  const ordered_json messages = ordered_json::parse(read_file(drawn_anew));
  REQUIRE(messages.size() == 7);
  ordered_json until(messages);
  until.erase(6);
  CHECK(messages[6]["content"] == answer_to(until, {"--temperature", "1", "--seed", "7", "-n", "30"}));
  chat.process.type("\x04");
  CHECK(chat.process.status() == 0);

  TerminalChat other(random);
  other.line("/load " + drawn_anew);
  other.line("goodbye");
  const std::string later = other.file("three.json");
  other.line("/save " + later);
  const ordered_json all = ordered_json::parse(read_file(later));
  REQUIRE(all.size() == 9);
  until = all;
  until.erase(8);
  CHECK(all[8]["content"] == answer_to(until, random));
  CHECK(other.output() == all[8]["content"].get<std::string>() + "\n");
  until.erase(7);
  CHECK(until == messages);
  other.process.type("/quit\n");
  CHECK(other.process.status() == 0);
}

TEST_CASE("a second Ctrl-C before an answer has ended ends the process") {
  Program endless = talking_program();
  endless.eos_tokens = {};
  const TemporaryDirectory directory;
  const std::string began = (directory.path() / "began").string();
  TerminalProcess process(
      [&] {
        int calls = 0;
        on_forward = [&](auto) {
          if (++calls < 4) return;
          std::ofstream(began) << "x";
          std::this_thread::sleep_for(std::chrono::seconds(20));
        };
        return status_of(words(), endless);
      },
      directory.path() / "out");
  if (!process.runs()) return without_terminals();
  REQUIRE(process.wait_for("> "));
  process.type("hello\n");
  for (int i = 0; i < 2000 && read_file(began).empty(); ++i) ::usleep(5000);
  process.type("\x03");
  ::usleep(100000);
  process.type("\x03");
  CHECK(process.status() == 130);
}

TEST_CASE("a prompt that is broken off is no message of the conversation, which goes on") {
  TerminalChat chat({"-n", "9"}, true);
  if (!chat.process.runs()) return without_terminals();
  chat.line("hello");
  for (int i = 0; i < 2; ++i) {
    chat.process.type(std::to_string(i) + " xq xj xk xz jq jx qx qz vq vx zx wq wx kx kq jv jw jk jz zq zv zk\n");
    REQUIRE(chat.process.wait_for("reading the conversation"));
    chat.process.type("\x03");
    REQUIRE(chat.process.wait_for("interrupted before the answer began; the message was removed again"));
    REQUIRE(chat.process.wait_for("> "));
  }
  chat.line("and then");
  const std::string saved = chat.file("talk.json");
  chat.line("/save " + saved);
  CHECK(ordered_json::parse(read_file(saved)).size() == 4);
  check_answers(saved, {"-n", "9"});
}

TEST_CASE("a full sequence is said with what to do, and the conversation is kept") {
  Program endless = talking_program();
  endless.eos_tokens = {};
  TerminalChat chat({}, false, endless);
  if (!chat.process.runs()) return without_terminals();
  chat.process.type("hello\n");
  REQUIRE(chat.process.wait_for("the conversation has reached max_sequence_length, 200 tokens"));
  REQUIRE(chat.process.wait_for("the answer so far stays"));
  REQUIRE(chat.process.wait_for("> "));
  const std::string one = chat.file("one.json"), two = chat.file("two.json");
  chat.line("/save " + one);
  chat.process.type("more\n");
  REQUIRE(
      chat.process.wait_for("tokens, and max_sequence_length is 200; the message was removed again; /reset begins"));
  REQUIRE(chat.process.wait_for("> "));
  chat.line("/save " + two);
  CHECK(read_file(one) == read_file(two));
  chat.line("/reset");
  chat.process.type("more\n");
  REQUIRE(chat.process.wait_for("reached max_sequence_length"));
}

TEST_CASE("mistakes at a terminal are said, and the conversation goes on as it was") {
  TerminalChat chat({"-n", "5"});
  if (!chat.process.runs()) return without_terminals();
  chat.line("hello");
  const std::string bad = chat.directory.write("bad.json", "[{\"role\":\"user\",\"content\":\"\"},[]]");
  const std::string twice =
      chat.directory.write("twice.json", R"([{"role":"user","content":"a"},{"role":"user","content":"b"}])");
  const auto said = [&](const std::string& line, const std::string& expected) {
    chat.process.type(line + "\n");
    INFO(line, ": ", chat.process.shown());
    CHECK(chat.process.wait_for(expected));
    CHECK(chat.process.wait_for("> "));
  };
  said("/load " + bad, "bad.json: message 2 is a JSON array, not an object");
  said("/load /nowhere", "/nowhere: cannot open");
  said("/save /nowhere/x", "/nowhere/x");
  said("/what", "there is no command /what; nothing was sent");
  said("caf\xe9 au lait", "the line is not UTF-8; it is not sent");
  const std::string saved = chat.file("talk.json");
  said("/save " + saved, "saved 2 messages");
  said("/load " + twice, "loaded 2 messages; /regenerate answers the last of them");
  said("thrice", "roles must alternate: user after user; the message was removed again");
  said("/load " + saved, "loaded 2 messages");
  said("na\xc3\xafve", "naïve");
  said("/save " + saved, "saved 4 messages");
  check_answers(saved, {"-n", "5"});
  CHECK(ordered_json::parse(read_file(saved))[2]["content"] == "naïve");
}

TEST_CASE("Ctrl-C throws a line away, and twice it ends the chat; a line goes on after a backslash") {
  TerminalChat chat({"-n", "5"});
  if (!chat.process.runs()) return without_terminals();
  chat.process.type("thrown away\x03");
  REQUIRE(chat.process.wait_for("Ctrl-C once more ends the chat"));
  REQUIRE(chat.process.wait_for("> "));
  chat.process.type("one\\\n");
  REQUIRE(chat.process.wait_for("... "));
  chat.process.type("\x03");
  REQUIRE(chat.process.wait_for("Ctrl-C once more ends the chat"));
  REQUIRE(chat.process.wait_for("> "));
  chat.process.type("one\\\n");
  REQUIRE(chat.process.wait_for("... "));
  chat.line("two");
  const std::string saved = chat.file("talk.json");
  chat.line("/save " + saved);
  CHECK(ordered_json::parse(read_file(saved))[0]["content"] == "one\ntwo");
  // From outside it is the same.
  ::kill(chat.process.process(), SIGINT);
  REQUIRE(chat.process.wait_for("Ctrl-C once more ends the chat"));
  REQUIRE(chat.process.wait_for("> "));
  chat.process.type("\x03");
  CHECK(chat.process.wait_for("ended by Ctrl-C"));
  CHECK(chat.process.status() == 0);
}

TEST_CASE("where the device fails the conversation can be saved, and the process tells the failure") {
  Program program = talking_program();
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> {
    on_forward = [calls = 0](auto) mutable {
      if (++calls > 9) throw Error(ErrorKind::device, "the device is lost");
    };
    return std::make_unique<TalkingReference>();
  };
  TerminalChat chat({"-n", "5"}, false, program);
  if (!chat.process.runs()) return without_terminals();
  chat.line("hello");
  chat.process.type("and then\n");
  REQUIRE(chat.process.wait_for("error: the device is lost"));
  REQUIRE(chat.process.wait_for("/save FILE keeps the conversation"));
  REQUIRE(chat.process.wait_for("> "));
  chat.process.type("more\n");
  REQUIRE(chat.process.wait_for("error: the engine has failed"));
  REQUIRE(chat.process.wait_for("> "));
  const std::string saved = chat.file("talk.json");
  chat.line("/save " + saved);
  CHECK(ordered_json::parse(read_file(saved)).size() == 2);
  check_answers(saved, {"-n", "5"});
  chat.process.type("/quit\n");
  CHECK(chat.process.status() == static_cast<int>(ErrorKind::device));
}

TEST_CASE("a pipe that nobody writes to is waited for until Ctrl-C") {
  TerminalChat chat({"-n", "5"});
  if (!chat.process.runs()) return without_terminals();
  const std::string pipe = chat.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  chat.process.type("/load " + pipe + "\n");
  ::usleep(200000);
  chat.process.type("\x03");
  REQUIRE(chat.process.wait_for("interrupted; the conversation is as it was before"));
  REQUIRE(chat.process.wait_for("> "));
  chat.line("hello");
}

TEST_CASE("Ctrl-C throws a line away in vi's command mode as well") {
  TerminalChat chat({"-n", "5"}, false, talking_program(), "bind -v\n");
  if (!chat.process.runs()) return without_terminals();
  for (const bool from_outside : {false, true}) {
    chat.process.type("thrown away\x1b");
    ::usleep(200000);
    if (from_outside) {
      ::kill(chat.process.process(), SIGINT);
    } else {
      chat.process.type("\x03");
    }
    REQUIRE(chat.process.wait_for("Ctrl-C once more ends the chat"));
    REQUIRE(chat.process.wait_for("> "));
    chat.line("hello");
  }
}

TEST_CASE("lines are edited and remembered, in a file that the user alone can read") {
  TerminalChat chat({"-n", "5"});
  if (!chat.process.runs()) return without_terminals();
  chat.line("helloo\x7f");     // backspace
  chat.line("\x1b[A\x01oh ");  // the line before, from its beginning
  const std::string saved = chat.file("talk.json");
  chat.line("/save " + saved);
  const ordered_json messages = ordered_json::parse(read_file(saved));
  CHECK(messages[0]["content"] == "hello");
  CHECK(messages[2]["content"] == "oh hello");
  const std::string history = chat.file("state/monomorph/history");
  struct stat facts{};
  REQUIRE(::stat(history.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
  CHECK(contains(read_file(history), "hello\n"));
  CHECK(entries(chat.directory.path() / "state" / "monomorph") == 1);
  chat.process.type("\x04");
  CHECK(chat.process.status() == 0);
}
