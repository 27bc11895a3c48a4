// `chat` as a script uses it. Each answer is held against that of a new process over the messages before it.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/runtime/cli/chat_command.hpp"
#include "tests/support/safetensors_writer.hpp"

using namespace monomorph;
using namespace monomorph::tests;
using nlohmann::ordered_json;

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

TEST_CASE("a chat draws as the generation_config.json beside its weights says, but for what options say") {
  const TemporaryDirectory directory;
  directory.write("model.safetensors", safetensors({{"embed", "F16", {counting_vocab_size, 8}, ""}}));
  directory.write("generation_config.json", R"({"do_sample": true, "temperature": 0.9, "top_k": 3, "stop_words": []})");
  const Program program = talking_program_with_weights();
  const auto answer = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--seed", "3", "-n", "30"});
    return script_of(
        {"chat", "--weights", directory.path().string(), "--device", "reference", "--tokenizer", talking_tokenizer},
        "hello\n", more, program);
  };
  const auto expected = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--seed", "3", "-n", "30"});
    return script("hello\n", more).output;
  };
  const Outcome outcome = answer({});
  CHECK(outcome.status == 0);
  CHECK(outcome.output == expected({"--temperature", "0.9", "--top-k", "3"}));
  CHECK(outcome.output != expected({}));
  CHECK(
      contains(outcome.errors, "talking: draws as " + directory.path().string() +
                                   "/generation_config.json says, temperature 0.9, top-k 3; options go before it; not "
                                   "known there: stop_words\n"));
  CHECK(answer({"--temperature", "0"}).output == expected({}));
  CHECK(answer({"--temperature", "5"}).output == expected({"--temperature", "5", "--top-k", "3"}));
  const Outcome without = answer({"--ignore-config"});
  CHECK(without.output == expected({}));
  CHECK_FALSE(contains(without.errors, "generation_config"));
  directory.write("generation_config.json", R"({"num_beams": 2})");
  CHECK(answer({}).status == 1);
  CHECK(answer({"--ignore-config"}).status == 0);
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
    ::_exit(status_of(chat_words(more), talking_program()));
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
