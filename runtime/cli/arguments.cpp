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

/// What may stand after `command`: its options, those of its groups, the commands below it.
std::vector<std::string> known_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
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

}  // namespace

std::optional<int> read_arguments(CLI::App& app, std::vector<std::string> words) {
  app.require_subcommand(1);
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
