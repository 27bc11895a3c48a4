#include <fmt/format.h>

#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "runtime/chat/generation_config.hpp"
#include "runtime/chat/session.hpp"
#include "runtime/cli/commands.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/line_editor.hpp"
#include "runtime/cli/log_probabilities.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/prompt_file.hpp"
#include "runtime/cli/saved_slot.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/formats/atomic_file.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/nearest.hpp"
#include "runtime/tokenizer/text_stream.hpp"

namespace monomorph::cli {
namespace {

constexpr const char* remedies =
    "/reset begins a new conversation, /load FILE takes a shorter one, and an engine built with a longer "
    "engine.max_sequence_length holds more";

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// An engine's slots from this one on.
std::vector<std::int64_t> slots_from(std::int64_t first, const Engine& engine) {
  std::vector<std::int64_t> slots;
  for (std::int64_t slot = first; slot < engine.program().max_batch; ++slot) slots.push_back(slot);
  return slots;
}

/// The conversation at a terminal, or of a script. To somebody at a terminal a mistake is said, and the conversation
/// goes on as it was before; a script ends with it.
class Chat {
 public:
  /// `script`: nobody is there to ask. `on_answer` sees each answer that is kept.
  Chat(Engine& engine, const Tokenizer& tokenizer, ChatSettings settings, bool script,
       std::function<void(const Answer&)> on_answer)
      : program_(engine.program()),
        session_(engine, tokenizer, std::move(settings), 0, slots_from(1, engine)),
        on_answer_(std::move(on_answer)),
        script_(script) {
    engine.watch_prompts([this](std::int64_t done, std::int64_t total) {
      if (!reading_ || done == total) return check_interrupt();  // a bar for those that take more than a chunk
      reading_->update(done, total);
    });
  }

  /// Answers what is not answered yet.
  void begin(Conversation conversation) {
    session_.set_conversation(std::move(conversation));
    if (session_.conversation().asked())
      guarded([&] { turn([&](const OnText& on_text) { return session_.answer(on_text); }, false); });
  }

  /// Reads messages and commands until the input or /quit ends it.
  void read(Lines& lines) {
    if (!script_) note("/help lists the commands, Ctrl-C ends an answer, Ctrl-D the chat");
    while (!ended_) {
      const std::optional<std::string> message = next_message(lines);
      if (!message) return;
      if (!trimmed(*message).empty()) guarded([&] { act(*message); });
    }
  }

  /// Throws what the engine has failed by.
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Command {
    std::string name, argument, about;
    void (Chat::*run)(const std::string& argument);
  };
  static const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        {"/system", "[TEXT]", "sets the system message, or shows it; - removes it", &Chat::system},
        {"/regenerate", "", "draws the last answer anew", &Chat::regenerate},
        {"/save", "FILE", "writes the messages as JSON", &Chat::save},
        {"/load", "FILE", "goes on with the messages of such a file", &Chat::load},
        {"/reset", "", "begins a new conversation; the system message stays", &Chat::reset},
        {"/help", "", "shows this", &Chat::help},
        {"/quit", "", "ends the chat", &Chat::quit},
    };
    return all;
  }

  void note(const std::string& text) const { print_error(fmt::format("{}: {}\n", program_.name, text)); }

  void guarded(const std::function<void()>& work) {
    try {
      work();
    } catch (const Interrupted&) {
      if (script_) throw;
      note("interrupted; the conversation is as it was before");
    } catch (const std::exception& error) {
      if (script_) throw;
      note(fmt::format("error: {}", error.what()));
      if (failure_) note("no more answers can be given; /save FILE keeps the conversation");
    }
  }

  /// Lines up to one that does not end in a backslash; nothing at the end of the input.
  std::optional<std::string> next_message(Lines& lines) {
    std::string message;
    const char* prompt = "> ";
    while (true) {
      Line line = lines.read(prompt);
      const bool again = std::exchange(thrown_away_, line.kind == Line::Kind::interrupted);
      if (line.kind == Line::Kind::end) return message.empty() ? std::nullopt : std::optional(message);
      if (line.kind == Line::Kind::text) {
        const bool continued = line.text.ends_with('\\');
        if (continued) line.text.back() = '\n';
        message += line.text;
        if (!continued) return message;
        prompt = "... ";
        continue;
      }
      if (line.kind == Line::Kind::invalid) {
        guarded([&] {
          throw Error(ErrorKind::rejected,
                      fmt::format("the line is not UTF-8; {} not sent", message.empty() ? "it is" : "the message is"));
        });
      } else if (again && line.text.empty()) {
        note("ended by Ctrl-C");
        return std::nullopt;
      } else {
        note("Ctrl-C once more ends the chat");
      }
      message.clear();
      prompt = "> ";
    }
  }

  void act(const std::string& message) {
    if (message.starts_with('/') && !message.starts_with("//")) return command(message);
    const std::string text = message.substr(message.starts_with('/') ? 1 : 0);
    turn([&](const OnText& on_text) { return session_.say(text, on_text); }, true);
  }

  /// Shows an answer as it is drawn. `message`: it is the answer to one that was written just now.
  void turn(const std::function<Answer(const OnText&)>& draw, bool message) {
    const char* const taken_back = message ? "; the message was removed again" : "";
    if (failure_) throw Error(ErrorKind::environment, "the engine has failed");
    reading_.emplace("reading the conversation");
    bool begun = false;
    Answer answer;
    try {
      answer = draw([&](std::string_view text) {
        reading_.reset();
        begun = true;
        print(text);
        return !interrupted();
      });
    } catch (const Interrupted&) {
      reading_.reset();
      if (script_) throw;
      return note(fmt::format("interrupted before the answer began{}", taken_back));
    } catch (const Error& error) {
      reading_.reset();
      if (begun) print("\n");
      if (error.kind() != ErrorKind::rejected) {
        if (error.kind() != ErrorKind::environment) failure_ = std::current_exception();
        throw;
      }
      const bool full = dynamic_cast<const ConversationTooLong*>(&error) != nullptr;
      throw Error(error.kind(),
                  fmt::format("{}{}{}{}", error.what(), taken_back, full ? "; " : "", full ? remedies : ""));
    } catch (...) {
      reading_.reset();
      failure_ = std::current_exception();
      throw;
    }
    print("\n");
    on_answer_(answer);
    tell_end(answer, taken_back);
  }

  void tell_end(const Answer& answer, const char* taken_back) const {
    switch (answer.end) {
      case AnswerEnd::stop_token:
      case AnswerEnd::stop_string:
        return;
      case AnswerEnd::count:
        return note(fmt::format("the answer was ended after {} tokens", answer.generation.tokens.size()));
      case AnswerEnd::full:
        return note(
            fmt::format("the sequence is full: the conversation has reached max_sequence_length, {} tokens; the "
                        "answer so far stays; {}",
                        program_.max_sequence_length, remedies));
      case AnswerEnd::reader:
        if (script_) throw Interrupted();
        return note(answer.begun() ? "interrupted; the answer so far stays"
                                   : fmt::format("interrupted before the answer began{}", taken_back));
    }
  }

  // ---------------------------------------------------------------------------------------------------- commands

  void command(const std::string& line) {
    const std::size_t space = line.find_first_of(" \t\n");
    const std::string name = line.substr(0, space);
    const std::string argument = space == std::string::npos ? "" : trimmed(line.substr(space));
    std::vector<std::string> names;
    for (const Command& each : commands()) {
      names.push_back(each.name);
      if (each.name != name) continue;
      if (each.argument.empty() && !argument.empty()) {
        throw Error(
            ErrorKind::environment,
            fmt::format("nothing belongs after {}; a message that begins with a slash is written with two", name));
      }
      return (this->*each.run)(argument);
    }
    const std::string near = nearest(name, names);
    throw Error(
        ErrorKind::environment,
        fmt::format("there is no command {}{}; nothing was sent. /help lists the commands; a message that begins "
                    "with a slash is written with two",
                    name, near.empty() ? "" : fmt::format(", did you mean {}?", near)));
  }

  void system(const std::string& text) {
    Conversation conversation = session_.conversation();
    if (text.empty()) return note(conversation.system().value_or("there is no system message"));
    if (text == "-") {
      conversation.remove_system();
    } else {
      conversation.set_system(text);
    }
    session_.set_conversation(std::move(conversation));
  }

  void regenerate(const std::string&) {
    const Conversation& conversation = session_.conversation();
    if (!conversation.asked() && !conversation.answered()) {
      throw Error(ErrorKind::rejected, "there is no message to answer yet");
    }
    turn([&](const OnText& on_text) { return session_.regenerate(on_text); }, false);
  }

  static void need_file(const std::string& name, const std::string& path) {
    if (path.empty()) throw Error(ErrorKind::environment, fmt::format("{} needs the name of a file", name));
  }

  void save(const std::string& path) {
    need_file("/save", path);
    write_file(path, session_.conversation().json(true) + "\n");
    note(fmt::format("saved {} messages", session_.conversation().size()));
  }

  void load(const std::string& path) {
    need_file("/load", path);
    // "-" is a file like any other here: standard input is what is written.
    session_.set_conversation(Conversation::parse(read_prompt_file(path == "-" ? "./-" : path), path));
    note(fmt::format("loaded {} messages{}", session_.conversation().size(),
                     session_.conversation().asked() ? "; /regenerate answers the last of them" : ""));
  }

  void reset(const std::string&) {
    Conversation conversation = session_.conversation();
    conversation.reset();
    session_.set_conversation(std::move(conversation));
    note(session_.conversation().empty() ? "a new conversation" : "a new conversation; the system message stays");
  }

  void help(const std::string&) {
    std::string text;
    for (const Command& each : commands()) {
      text += fmt::format("  {:<17} {}\n", fmt::format("{} {}", each.name, each.argument), each.about);
    }
    print_error(text +
                "  //TEXT            sends /TEXT\n"
                "  TEXT\\             goes on in the next line\n");
  }

  void quit(const std::string&) { ended_ = true; }

  const Program& program_;
  ChatSession session_;
  std::function<void(const Answer&)> on_answer_;
  const bool script_;
  std::optional<Progress> reading_;
  bool thrown_away_ = false;  ///< the last line was, by Ctrl-C
  bool ended_ = false;
  std::exception_ptr failure_;  ///< of the device or the engine: nothing is drawn any more
};

/// As the options say, else the generation_config.json beside the weights, which is told.
Sampling sampling_of(const Program& program, const ChatOptions& options) {
  const GenerationConfig configured = configured_drawing(program, options.engine);
  if (configured.searches()) {
    throw Error(ErrorKind::rejected,
                fmt::format("generation_config.json beside the weights asks for {} beams, of which the best is known "
                            "at the end alone, and a chat shows what it draws; --ignore-config draws without the file",
                            configured.search.beams));
  }
  Sampling sampling = options.sampling.over(configured.sampling);
  sampling.log_probabilities = !options.log_probabilities.empty();
  return sampling;
}

}  // namespace

void chat(const Program& program, const ChatOptions& options) {
  require_logits(program);
  need_chat_template(program);
  validate_sampling(options.sampling.over({}));
  validate_stop_strings(options.stop_strings);
  ChatSettings settings;
  settings.stop_strings = options.stop_strings;
  if (options.count) settings.count = *options.count;
  if (settings.count < 1) {
    throw Error(ErrorKind::rejected, fmt::format("--count {}: an answer has at least one token", settings.count));
  }
  settings.variables = parse_variables(options.variables);
  if (!options.tools.empty()) settings.tools = parse_tools(read_prompt_file(options.tools), options.tools);
  const bool once = options.messages == "-";
  Conversation conversation;
  if (!options.messages.empty()) {
    conversation = Conversation::parse(read_prompt_file(options.messages), once ? "standard input" : options.messages);
  }
  if (options.system) conversation.set_system(*options.system);
  if (once && !conversation.asked()) {
    throw Error(ErrorKind::rejected, "standard input: the messages end with no message to answer");
  }
  // Weights that are not there are the first thing to say: the tokenizer is looked for beside them.
  if (!options.engine.random_weights) find_checkpoint(options.engine.weights);
  settings.sampling = sampling_of(program, options);
  const std::optional<Tokenizer> tokenizer(open_tokenizer(program, options.tokenizer, options.engine));
  std::optional<LogProbabilitiesFile> log_probabilities;
  if (settings.sampling.log_probabilities) log_probabilities.emplace(options.log_probabilities);
  SavedSlot state(options.save_state);

  Compilation compilation;
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::plain, &compilation);
  print_error(describe(compilation));
  state.restore(*engine);
  Chat chat(*engine, *tokenizer, std::move(settings), once || !at_terminal(), [&](const Answer& answer) {
    if (log_probabilities) log_probabilities->append(answer.generation, tokenizer);
  });
  const auto save = [&] {
    if (engine->position() > 0) state.save(*engine);
  };
  try {
    chat.begin(std::move(conversation));
    if (!once) chat.read(*open_lines());
  } catch (const Interrupted&) {
    save();
    throw;
  }
  if (log_probabilities) log_probabilities->commit();
  chat.rethrow_failure();
  save();
}

}  // namespace monomorph::cli
