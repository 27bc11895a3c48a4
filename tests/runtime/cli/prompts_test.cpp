// `run --prompts`: many lines at once, each answered as `run` answers it alone.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "runtime/reference/reference_engine.hpp"
#include "runtime/tokenizer/tokenizer.hpp"
#include "tests/runtime/cli/command.hpp"
#include "tests/runtime/cli/terminal.hpp"
#include "tests/runtime/reference/example_programs.hpp"

using namespace monomorph;
using namespace monomorph::tests;
using Object = nlohmann::ordered_json;

namespace {

const std::string tokenizer_directory = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/gpt2";

Program program_of_slots(Program program = counting_program()) {
  program.max_batch = 4;
  return program;
}

struct Answered {
  Outcome outcome;
  std::vector<Object> answers;
};

Answered answer(const std::string& lines, std::vector<std::string> arguments = {},
                const Program& program = program_of_slots()) {
  const TemporaryDirectory directory;
  arguments.insert(arguments.begin(), {"run", "--random-weights", "--device", "reference", "--prompts",
                                       directory.write("prompts.jsonl", lines)});
  Answered answered{command(arguments, program), {}};
  std::istringstream output(answered.outcome.output);
  for (std::string line; std::getline(output, line);) answered.answers.push_back(Object::parse(line));
  return answered;
}

std::string error_of(const std::string& line, const std::vector<std::string>& arguments = {}) {
  const Answered answered = answer(line + "\n", arguments);
  CHECK(answered.outcome.status == 1);
  REQUIRE(answered.answers.size() == 1);
  return answered.answers[0].value("error", "");
}

}  // namespace

TEST_CASE("200 lines of unequal lengths, errors among them, are answered in order as each alone") {
  const Program program = program_of_slots(test::llama_program());
  ReferenceEngine alone(program, HostWeights::random(program, 0));
  std::mt19937 random(3);
  std::string lines;
  std::vector<Object> expected;
  for (int index = 0; index < 200; ++index) {
    Object line, answer;
    answer["index"] = index;
    const bool too_long = index % 17 == 16, unknown_token = index % 23 == 22;
    std::vector<std::int32_t> tokens(too_long ? 21 : 1 + random() % 16);
    for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random() % 37);
    if (unknown_token) tokens.back() = 37;
    line["tokens"] = tokens;
    const auto count = static_cast<std::int64_t>(random() % 12);
    Sampling sampling;
    if (index % 2 == 0) line["count"] = count;
    if (index % 3 == 0) {
      sampling = {.temperature = 2, .top_k = 20, .top_p = 0.875f, .seed = random(), .min_p = 0.0625f};
      line.update({{"temperature", 2}, {"top_k", 20}, {"top_p", 0.875}, {"seed", sampling.seed}, {"min_p", 0.0625}});
    }
    if (index % 5 == 0) {
      sampling.repetition_penalty = 1.25f;
      sampling.presence_penalty = sampling.frequency_penalty = 0.5f;
      line.update({{"repetition_penalty", 1.25}, {"presence_penalty", 0.5}, {"frequency_penalty", 0.5}});
    }
    if (index % 7 == 0) line["id"] = answer["id"] = {{"number", index}};
    lines += line.dump() + "\n";
    alone.reset();
    try {
      const auto drawn = alone.generate(tokens, index % 2 == 0 ? count : 9, sampling, nullptr);
      answer["tokens"] = drawn.tokens;
      answer["finish"] = drawn.stopped ? "stop" : drawn.full ? "full" : "length";
    } catch (const Error& error) {
      answer["error"] = error.what();
    }
    expected.push_back(answer);
  }
  const Answered answered = answer(lines, {"-n", "9"}, program);
  CHECK(answered.outcome.status == 1);
  CHECK(contains(answered.outcome.errors, "prompts.jsonl: 19 of 200 lines were not answered"));
  CHECK(contains(answered.outcome.errors, "181 of 200 prompts answered: "));
  REQUIRE(answered.answers.size() == 200);
  for (std::size_t i = 0; i < 200; ++i) CHECK(answered.answers[i] == expected[i]);
  for (const char* const reason : {"stop", "length", "full"}) {
    CHECK(std::any_of(expected.begin(), expected.end(),
                      [&](const Object& each) { return each.value("finish", "") == reason; }));
  }
}

TEST_CASE("texts are continued as run continues them, by what the line says and else by what the command says") {
  const Tokenizer tokenizer = Tokenizer::load(tokenizer_directory);
  const auto drawn = [&](const std::string& prompt, std::int32_t count) {
    std::vector<std::int32_t> tokens;
    for (std::int32_t i = 1; i <= count; ++i) tokens.push_back(tokenizer.encode(prompt).back() + i);
    return tokens;
  };
  const std::string whole = tokenizer.decode(drawn("that nation", 12)), stop = whole.substr(whole.size() / 2, 3);
  const Answered answered = answer(R"({"prompt": "that nation"}
{"prompt": "that nation", "count": 5, "id": null}

{"prompt": "that nation", "stop": ")" + stop +
                                       R"("}
{"prompt": "that nation", "stop": ["none", ")" +
                                       stop + R"("]}
{"tokens": [97]}
{"prompt": "that nation", "stop": ")" + whole.substr(whole.size() - 1) +
                                       R"(never"})",
                                   {"-n", "12", "--tokenizer", tokenizer_directory});
  INFO(answered.outcome.errors);
  CHECK(answered.outcome.status == 0);
  REQUIRE(answered.answers.size() == 6);
  const auto expect = [&](std::size_t i, int index, const std::string& text, const char* finish) {
    CHECK(answered.answers[i]["index"] == index);  // the empty line counts
    CHECK(answered.answers[i]["text"] == text);
    CHECK(answered.answers[i]["finish"] == finish);
  };
  expect(0, 0, whole, "length");
  CHECK(answered.answers[0]["tokens"] == drawn("that nation", 12));
  CHECK_FALSE(answered.answers[0].contains("id"));
  expect(1, 1, tokenizer.decode(drawn("that nation", 5)), "length");
  CHECK(answered.answers[1]["id"].is_null());
  CHECK(answered.answers[1].contains("id"));
  expect(2, 3, whole.substr(0, whole.find(stop)), "stop");
  expect(3, 4, whole.substr(0, whole.find(stop)), "stop");
  expect(4, 5, tokenizer.decode(std::vector<std::int32_t>{98, 99}), "stop");  // token 100 ends it and has no text
  expect(5, 6, whole, "length");  // what might have begun a stop string was held back
  CHECK(answered.answers[2]["tokens"].size() < 12);
  CHECK(answered.answers[4]["tokens"] == std::vector<std::int32_t>{98, 99, 100});
  for (const auto& [index, words] :
       {std::pair<std::size_t, std::vector<std::string>>{0, {}}, {1, {"-n", "5"}}, {2, {"--stop", stop}}}) {
    std::vector<std::string> arguments = {"run",      "--random-weights", "--device",    "reference",
                                          "--prompt", "that nation",      "--tokenizer", tokenizer_directory};
    if (index != 1) arguments.insert(arguments.end(), {"-n", "12"});
    arguments.insert(arguments.end(), words.begin(), words.end());
    CHECK(command(arguments).output == answered.answers[index]["text"].get<std::string>() + "\n");
  }
}

TEST_CASE("a line that asks for what there is not is refused by name, and told what there is") {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {R"({"tokens": [1], "temprature": 1})", "there is no key \"temprature\"; did you mean \"temperature\"?"},
      {R"({"tokens": [1], "max_tokens": 1})", "there is no key \"max_tokens\"; known are count, temperature"},
      {R"({"tokens": [1], "top_k": 1.5})", "\"top_k\": 1.5 is no whole number from 0 to 4294967295"},
      {R"({"tokens": [1], "top_k": -1})", "\"top_k\": -1 is no whole number from 0"},
      {R"({"tokens": [1], "seed": 18446744073709551616})", "\"seed\": 1.8446744073709552e+19 is no whole number"},
      {R"({"tokens": [1], "count": true})", "\"count\": true is no whole number"},
      {R"({"tokens": [1], "count": -1})", "-1 tokens cannot be generated"},
      {R"({"tokens": [1], "count": 9223372036854775808})", "\"count\": 9223372036854775808 is no whole number"},
      {R"({"tokens": [1], "temperature": "1"})", "\"temperature\": \"1\" is no number"},
      {R"({"tokens": [1], "temperature": 1e300})", "\"temperature\": 1e+300 is no number that fits here"},
      {R"({"tokens": [1], "top_p": 0})", "top_p 0 is not above 0"},
      {R"({"tokens": [1, "2"]})", "\"tokens\": \"2\" is no whole number"},
      {R"({"tokens": "1,2"})", "\"tokens\": \"1,2\" is no list of token ids"},
      {R"({"tokens": [430]})", "token 430 (number 1 of 1) is outside the vocabulary"},
      {R"({"tokens": []})", "no tokens were given"},
      {R"({"tokens": [1], "prompt": "x"})", "this one both; leave one out"},
      {R"({"count": 1})", "this one neither; give one"},
      {R"({"prompt": 7})", "\"prompt\": 7 is no text"},
      {R"({"prompt": ""})", "\"prompt\" has no tokens"},
      {R"({"prompt": "x", "stop": ""})", "a stop string is empty"},
      {R"({"prompt": "x", "stop": [1]})", "\"stop\": 1 is no text"},
      {R"({"prompt": "x", "stop": {}})", "\"stop\": {} is no text or list of texts"},
      {R"([1])", "the line is no object, but of type array; write {\"prompt\""},
      {R"({"prompt": "x")", "the line is no JSON: parse error at column "},
      {"{\"prompt\": \"\xff\"}", "the line is no JSON: parse error at column "},
  };
  std::string lines;
  for (const auto& [line, message] : refused) lines += line + "\n";
  const Answered answered = answer(lines + R"({"tokens": [3], "count": 2})", {"--tokenizer", tokenizer_directory});
  CHECK(answered.outcome.status == 1);
  REQUIRE(answered.answers.size() == refused.size() + 1);
  for (std::size_t i = 0; i < refused.size(); ++i) {
    CAPTURE(refused[i].first);
    CHECK(answered.answers[i]["index"] == i);
    CHECK(answered.answers[i].size() == 2);
    const std::string error = answered.answers[i].value("error", "");
    CAPTURE(error);
    CHECK(contains(error, refused[i].second));
  }
  CHECK(answered.answers.back()["tokens"] == std::vector{4, 5});
  // Without a tokenizer there is no text; what a line was called is in its answer, whatever is wrong with it.
  CHECK(contains(error_of(R"({"prompt": "x"})"), "there is no tokenizer; name one with --tokenizer"));
  CHECK(contains(error_of(R"({"tokens": [1], "stop": "x"})"), "there is no tokenizer"));
  CHECK(answer(R"({"id": 7, "tokens": 1})").answers[0]["id"] == 7);
}

TEST_CASE("what the command itself says is judged before any line") {
  const auto refused = [](const std::vector<std::string>& words, int status, const std::string& message) {
    const Answered answered = answer("{\"tokens\": [1]}\n", words);
    INFO(answered.outcome.errors);
    CHECK(answered.outcome.status == status);
    CHECK(contains(answered.outcome.errors, message));
    CHECK(answered.outcome.output.empty());
  };
  refused({"--top-p", "2"}, 1, "top_p 2 ");
  refused({"-n", "-1"}, 1, "-1 tokens");
  refused({"--stop", "x"}, 1, "there is no tokenizer");
  refused({"--log-probabilities", "x"}, 2, "leave it or --prompts out");
  refused({"--prompt-cache", "x"}, 2, "leave it or --prompts out");
  refused({"--tokens", "1"}, 2, "");
  const std::vector<std::string> missing = {"run",       "--random-weights", "--device",
                                            "reference", "--prompts",        "/nowhere"};
  CHECK(command(missing).status == 2);
  CHECK(contains(command(missing).errors, "/nowhere: cannot open"));
  const Answered nothing = answer("\n \r\n");
  CHECK(nothing.outcome.status == 0);
  CHECK(nothing.outcome.output.empty());
}

TEST_CASE("from standard input a line is answered before the next has come") {
  const TemporaryDirectory directory;
  const std::string output = (directory.path() / "out").string();
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const int before = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  bool in_time = true;
  std::thread writer([&] {
    const auto write = [&](const std::string& text) {
      in_time = in_time && ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    };
    write("{\"tokens\": [3], \"count\": 1}\n{\"tokens\": [5], \"co");
    for (int wait = 0; wait < 3000 && !contains(read_file(output), "\n"); ++wait) ::usleep(10000);
    in_time = in_time && contains(read_file(output), "[4]");
    write("unt\": 1}");
    ::close(ends[1]);
  });
  const Outcome outcome =
      command({"run", "--random-weights", "--device", "reference", "--prompts", "-"}, program_of_slots(), output);
  writer.join();
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(ends[0]);
  CHECK(outcome.status == 0);
  CHECK(in_time);
  CHECK(read_file(output) ==
        "{\"index\":0,\"tokens\":[4],\"finish\":\"length\"}\n"
        "{\"index\":1,\"tokens\":[6],\"finish\":\"length\"}\n");
}

TEST_CASE("a terminal is told how far the prompts are, in a line that is wiped") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("prompts.jsonl", "{\"tokens\": [3]}\n{\"tokens\": [5]}\n");
  const std::optional<std::string> shown = on_terminal([&] {
    CHECK(status_of({"run", "--random-weights", "--device", "reference", "--prompts", path}, program_of_slots()) == 0);
  });
  if (!shown) return;
  CHECK(contains(*shown, "\ranswering ["));
  CHECK(contains(*shown, "  0%"));
  CHECK(shown->rfind("\r\x1b[K") > shown->rfind("answering"));
  CHECK(contains(*shown, "2 of 2 prompts answered: 2 tokens read and "));
}
