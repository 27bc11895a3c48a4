// `chat` as somebody at a terminal uses it. Each answer is held against that of a new process over the messages before
// it.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/runtime/cli/chat_command.hpp"
#include "tests/runtime/cli/terminal_process.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

using nlohmann::ordered_json;

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
              return status_of(chat_words(more), program);
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

void without_terminals() { MESSAGE("this machine has no pseudo terminals: a chat at one is not tried"); }

}  // namespace

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
        return status_of(chat_words(), endless);
      },
      directory.path() / "out");
  if (!process.runs()) return without_terminals();
  REQUIRE(process.wait_for("> "));
  process.type("hello\n");
  for (int i = 0; i < 2000 && read_file(began).empty(); ++i) ::usleep(5000);
  CHECK(process.keeps_input_at_signals());
  process.type("\x03");
  ::usleep(100000);
  process.type("\x03");
  CHECK(process.status() == 130);
  CHECK_FALSE(process.keeps_input_at_signals());
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

TEST_CASE("what is pasted is one message, whatever its lines and keys are") {
  for (const std::string editrc : {"", "bind -v\n"}) {
    TerminalChat chat({"-n", "5"}, false, talking_program(), editrc);
    if (!chat.process.runs()) return without_terminals();
    CHECK(contains(chat.process.shown(), "\x1b[?2004h"));
    chat.process.type("say \x1b[200~one\r/quit\r\tna\xc3\xafve \x03\x1b[A\r\r\x1b[201~!");
    chat.line("");
    chat.process.type("\x1b[200~bad \xe9\x1b[201~\n");
    REQUIRE(chat.process.wait_for("the line is not UTF-8; it is not sent"));
    REQUIRE(chat.process.wait_for("> "));
    const std::string saved = chat.file("talk.json");
    chat.line("/save " + saved);
    const ordered_json messages = ordered_json::parse(read_file(saved));
    REQUIRE(messages.size() == 2);
    CHECK(messages[0]["content"] == "say one\n/quit\n\tna\xc3\xafve \x03\x1b[A!");
    chat.process.type("\x04");
    CHECK(chat.process.status() == 0);
    CHECK(chat.process.shown().rfind("\x1b[?2004l") > chat.process.shown().rfind("\x1b[?2004h"));
  }
}

TEST_CASE("a line that is edited while the terminal is resized is drawn anew over itself, each time") {
  TerminalChat chat({"-n", "5"});
  if (!chat.process.runs()) return without_terminals();
  const std::string line(150, 'x');
  chat.process.type(line + "y");
  REQUIRE(chat.process.wait_for("xy"));
  // 2 + 151 columns end in the fourth row of 40, the sixth of 30, the second of 100, the first of 200.
  for (const auto& [columns, up] : {std::pair{40, "\x1b[3A"}, {30, "\x1b[5A"}, {100, "\x1b[1A"}, {200, ""}}) {
    CAPTURE(columns);
    chat.process.resize(static_cast<unsigned short>(columns));
    REQUIRE(chat.process.wait_for(std::string(up) + "\r\x1b[J"));
    REQUIRE(chat.process.wait_for("> xxx"));
    REQUIRE(chat.process.wait_for("xy"));
  }
  chat.line("");
  const std::string saved = chat.file("talk.json");
  chat.line("/save " + saved);
  CHECK(ordered_json::parse(read_file(saved))[0]["content"] == line + "y");
}

TEST_CASE("a resize is heard at whatever moment it comes") {
  TerminalChat chat({"-n", "5"});
  if (!chat.process.runs()) return without_terminals();
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    chat.process.type(i % 2 == 0 ? "x" : "\x7f");  // while the editor is busy with what was typed
    chat.process.resize(static_cast<unsigned short>(100 + i));
    REQUIRE(chat.process.wait_for("\r\x1b[J"));
  }
}

TEST_CASE("lines that are typed while an answer is drawn are there after Ctrl-C, and the terminal is given back") {
  TerminalChat chat({"-n", "30"}, true);
  if (!chat.process.runs()) return without_terminals();
  const std::string saved = chat.file("talk.json");
  chat.process.type("hello\n");
  REQUIRE(chat.process.wait_for_output(2));
  chat.process.type("/save " + saved + "\n");
  ::usleep(50000);
  chat.process.type("\x03");
  REQUIRE(chat.process.wait_for("interrupted; the answer so far stays"));
  REQUIRE(chat.process.wait_for("saved 2 messages"));
  REQUIRE(chat.process.wait_for("> "));
  chat.process.type("\x04");
  CHECK(chat.process.status() == 0);
  CHECK_FALSE(chat.process.keeps_input_at_signals());
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
