// The command `chat` over the talking program, run in this process, and what a new one answers in its place.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/runtime/chat/talking_program.hpp"
#include "tests/runtime/cli/command.hpp"

namespace monomorph::tests {

/// The command line of a chat, with `more` behind it.
inline std::vector<std::string> chat_words(std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"chat",      "--random-weights", "--device",
                                  "reference", "--tokenizer",      talking_tokenizer};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// A command with a text for its standard input.
inline Outcome script_of(std::vector<std::string> words, const std::string& input, const std::vector<std::string>& more,
                         const Program& program) {
  words.insert(words.end(), more.begin(), more.end());
  const TemporaryDirectory directory;
  const std::string path = directory.write("input", input);
  const int before = ::dup(STDIN_FILENO);
  const int file = ::open(path.c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  const Outcome outcome = command(words, program);
  ::dup2(before, STDIN_FILENO);
  ::close(file);
  ::close(before);
  return outcome;
}

/// The same of a chat with random weights.
inline Outcome script(const std::string& input, const std::vector<std::string>& more = {},
                      const Program& program = talking_program()) {
  return script_of(chat_words(), input, more, program);
}

/// What a new process answers to messages.
inline std::string answer_to(const nlohmann::ordered_json& messages, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"--messages", "-"};
  all.insert(all.end(), more.begin(), more.end());
  const Outcome outcome = script(messages.dump(), all);
  CHECK(outcome.status == 0);
  return outcome.output.substr(0, outcome.output.size() - 1);
}

/// Every answer in a file of messages is what a new process says at its place; one that was broken off is its
/// beginning.
inline void check_answers(const std::filesystem::path& path, const std::vector<std::string>& more = {},
                          std::size_t broken_off = 0) {
  const nlohmann::ordered_json messages = nlohmann::ordered_json::parse(read_file(path));
  nlohmann::ordered_json before = nlohmann::ordered_json::array();
  for (const nlohmann::ordered_json& message : messages) {
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

/// The answers in a file of messages, a line each.
inline std::string lines_of(const std::filesystem::path& path) {
  std::string lines;
  for (const nlohmann::ordered_json& message : nlohmann::ordered_json::parse(read_file(path))) {
    if (message["role"] == "assistant") lines += message["content"].get<std::string>() + "\n";
  }
  return lines;
}

}  // namespace monomorph::tests
