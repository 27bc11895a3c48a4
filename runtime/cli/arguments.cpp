#include "runtime/cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>

#include "runtime/nearest.hpp"

namespace monomorph::cli {
namespace {

constexpr int usage_status = 2;

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// The names of an option, with their dashes.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

/// What may stand after `command`: its options, those of its groups, the commands below it.
std::vector<std::string> known_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* const option : command.get_options()) {
    const std::vector<std::string> names = names_of(*option);
    words.insert(words.end(), names.begin(), names.end());
  }
  for (const CLI::App* const below : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_name().empty()) {
      words.push_back(below->get_name());
      continue;
    }
    const std::vector<std::string> group = known_words(*below);
    words.insert(words.end(), group.begin(), group.end());
  }
  return words;
}

std::string unknown_word(const CLI::App& command, bool is_program, const std::string& word) {
  // Of --option=value the option is what was mistyped.
  const std::string name = is_option(word) ? word.substr(0, word.find('=')) : word;
  std::string small = name;
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::vector<std::string> known = known_words(command);
  std::string near = nearest(small, known);
  if (near.empty() && !is_option(word)) near = nearest("--" + small, known);
  return fmt::format("{}{}",
                     is_program ? fmt::format("there is no {} '{}'", is_option(word) ? "option" : "command", name)
                     : is_option(word) ? fmt::format("{} has no option '{}'", command.get_name(), name)
                                       : fmt::format("{} has no use for '{}'", command.get_name(), name),
                     near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

/// How an option stands in a word: "--count" in "--count=5", "-n" in "-n5"; empty where it does not.
std::string spelling_in(const std::string& word, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool long_name = name.starts_with("--");
    if (word == name || word.starts_with(name + "=") || (!long_name && word.starts_with(name))) return name;
  }
  return "";
}

/// An option of `command` that stands in `words` more than once though it has one value, as it is written there.
std::string repeated_option(const CLI::App& command, const std::vector<std::string>& words) {
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_items_expected_max() != 1) continue;
    std::vector<std::string> written;
    for (const std::string& word : words) {
      const std::string spelling = spelling_in(word, names_of(*option));
      if (!spelling.empty()) written.push_back(spelling);
    }
    if (written.size() < 2) continue;
    return written[0] == written[1] ? fmt::format("{} is given twice; keep one of them", written[0])
                                    : fmt::format("{} and {} are one option; keep one of them", written[0], written[1]);
  }
  for (const CLI::App* const group : command.get_subcommands([](const CLI::App* a) { return a->get_name().empty(); })) {
    if (const std::string found = repeated_option(*group, words); !found.empty()) return found;
  }
  return "";
}

}  // namespace

std::optional<int> read_arguments(CLI::App& app, std::vector<std::string> words) {
  app.require_subcommand(1);
  const std::vector<std::string> written = words;
  try {
    std::reverse(words.begin(), words.end());
    app.parse(words);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    // Help is asked for and goes to standard output; the rest is a mistake of usage.
    if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const CLI::App* const command = chosen.empty() ? nullptr : chosen.front();
    std::string complaint = error.what();
    if (command != nullptr && dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
      if (const std::string repeated = repeated_option(*command, written); !repeated.empty()) complaint = repeated;
    }
    if (command != nullptr && !command->remaining().empty()) {
      complaint = unknown_word(*command, false, command->remaining().front());
    }
    if (!app.remaining().empty()) complaint = unknown_word(app, true, app.remaining().front());
    const bool nothing = command == nullptr && app.remaining().empty();
    const std::string path = command == nullptr ? app.get_name() : app.get_name() + " " + command->get_name();
    std::cerr << fmt::format("{}: error: {}\n{}", app.get_name(), complaint,
                             nothing ? app.help() : path + " --help tells how it is used\n");
    return usage_status;
  }
}

}  // namespace monomorph::cli
