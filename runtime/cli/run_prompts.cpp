// `run --prompts`: the lines of a file as requests of a batch, and their answers in the order of the lines.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>

#include "runtime/cli/asked.hpp"
#include "runtime/cli/commands.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/prompt_lines.hpp"
#include "runtime/cli/refuse_given.hpp"
#include "runtime/engine/batch.hpp"
#include "runtime/engine/beam_search.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/tokenizer/text_stream.hpp"

namespace monomorph::cli {
namespace {

/// Answers that are kept while one before them is drawn; until then no further line is read.
constexpr std::size_t most_kept = 10'000;

/// Answers as they come, written in the order of their lines: one waits until all before it are there.
class Answers {
 public:
  explicit Answers(const Input& input) : bytes_(input.bytes()) {}

  /// The place of a line that is asked now.
  std::int64_t ask() { return asked_++; }
  void answer(std::int64_t place, const PromptLines::Line& line, const Json& answer) {
    errors_ += answer.contains("error") ? 1 : 0;
    ready_[place] = {line.end, answer.dump_repaired() + "\n"};
    for (auto next = ready_.begin(); next != ready_.end() && next->first == written_; next = ready_.erase(next)) {
      write(next->second);
      ++written_;
    }
  }
  /// Those that are there, whatever is missing between them.
  void write_rest() {
    for (const auto& [place, answer] : ready_) write(answer);
    ready_.clear();
  }
  /// Throws Interrupted after Ctrl-C.
  void progress() {
    if (!bar_) bar_.emplace("answering", bytes_ ? Progress::Shows::share : Progress::Shows::count);
    bytes_ ? bar_->update(done_, *bytes_) : bar_->update(written_, asked_);
  }
  bool are_many() const { return ready_.size() >= most_kept; }
  std::int64_t asked() const { return asked_; }
  std::int64_t errors() const { return errors_; }

 private:
  struct Answer {
    std::int64_t end = 0;
    std::string text;
  };
  void write(const Answer& answer) {
    bar_.reset();  // answers may go to the same terminal
    print(answer.text);
    done_ = answer.end;
  }

  std::optional<std::int64_t> bytes_;  ///< of all lines, where that is known
  std::optional<Progress> bar_;
  std::map<std::int64_t, Answer> ready_;
  std::int64_t asked_ = 0, written_ = 0, errors_ = 0, done_ = 0;
};

/// {"index": 0} and the line's id where it has one.
Json beginning(std::int64_t index, const Json& id, bool has_id) {
  Json answer = Json::object({{"index", index}});
  if (has_id) answer["id"] = id;
  return answer;
}

/// What is drawn for a line.
struct Answering {
  std::int64_t place = 0;
  PromptLines::Line line;
  Json answer;
  std::optional<TextStream> text;
  std::string shown;
};

const char* reason_of(const Answering& asked, const Engine::Generation& generation) {
  if (generation.stopped || (asked.text && asked.text->stopped())) return "stop";
  return generation.full ? "full" : "length";
}

/// Lines that become requests.
class Prompts {
 public:
  Prompts(Engine& engine, const std::optional<Tokenizer>& tokenizer, GenerationConfig drawing, PromptSettings settings,
          PromptLines& lines)
      : engine_(engine),
        tokenizer_(tokenizer),
        drawing_(std::move(drawing)),
        settings_(std::move(settings)),
        lines_(lines),
        batch_(engine),
        answers_(lines_.input()) {}

  void run() {
    try {
      do {
        answers_.progress();
        ask();
      } while (batch_.tick() || !lines_.ended());
    } catch (...) {
      answers_.write_rest();
      throw;
    }
  }
  const Answers& answers() const { return answers_; }
  std::int64_t read() const { return read_; }
  std::int64_t drawn() const { return drawn_; }

 private:
  /// As many lines as wait for a slot; waits for one where there is nothing else to do.
  void ask() {
    while (static_cast<std::int64_t>(batch_.waiting()) < engine_.program().max_batch && !answers_.are_many()) {
      const bool idle = batch_.waiting() + batch_.running() == 0;
      const std::optional<PromptLines::Line> line = lines_.next(idle);
      if (!line) return;
      ask(*line);
      answers_.progress();  // lines that are refused wait for nothing
    }
  }

  void ask(const PromptLines::Line& line) {
    const std::int64_t place = answers_.ask();
    Json answer = beginning(line.index, {}, false);
    try {
      const Json value = parse_prompt_line(line.text);
      if (const Json* const id = value.find("id")) answer = beginning(line.index, *id, true);
      ask(place, line, answer, read_prompt_line(value, settings_, tokenizer_));
    } catch (const Error& error) {
      answer["error"] = error.what();
      answers_.answer(place, line, answer);
    }
  }

  void ask(std::int64_t place, const PromptLines::Line& line, const Json& answer, PromptLine prompt) {
    const auto asked = std::make_shared<Answering>(Answering{place, line, answer, {}, {}});
    if (tokenizer_) asked->text.emplace(*tokenizer_, prompt.settings.stop_strings);
    if (prompt.begins_answer) prompt.tokens.insert(prompt.tokens.begin(), start_of_answer(engine_.program()));
    const std::int64_t count = drawing_.count(prompt.settings.count, prompt.tokens.size());
    if (drawing_.searches()) return search(*asked, prompt, count);
    const auto size = static_cast<std::int64_t>(prompt.tokens.size() + prompt.source.size());
    batch_.add({.prompt = std::move(prompt.tokens),
                .source = std::move(prompt.source),
                .count = count,
                .sampling = prompt.settings.sampling,
                .token =
                    [this, asked](std::int32_t token) {
                      if (asked->text && !engine_.is_stop_token(token)) asked->shown += asked->text->push(token);
                      return !asked->text || !asked->text->stopped();
                    },
                .finished = [this, asked](const BatchResult& result) { finish(*asked, result); }});
    read_ += size;
  }

  /// Beams take all slots: lines are answered one after the other.
  void search(Answering& asked, const PromptLine& prompt, std::int64_t count) {
    if (!prompt.settings.stop_strings.empty()) {
      throw Error(ErrorKind::rejected, fmt::format("\"stop\" {}", drawn_alone));
    }
    engine_.reset();
    if (!std::ranges::equal(engine_.source(), prompt.source)) engine_.encode(prompt.source);
    const std::vector<Beam> beams = search_beams(engine_, prompt.tokens, count, prompt.settings.sampling,
                                                 drawing_.search, [&](std::int64_t) { answers_.progress(); });
    read_ += std::ssize(prompt.tokens) + std::ssize(prompt.source);
    Engine::Generation best;
    if (!beams.empty()) {
      best.tokens = beams.front().tokens;
      best.stopped = beams.front().stopped;
      asked.answer["score"] = beams.front().score;
    }
    for (const std::int32_t token : best.tokens) {
      if (asked.text && !engine_.is_stop_token(token)) asked.shown += asked.text->push(token);
    }
    best.full = !best.stopped && std::ssize(best.tokens) < count;
    finish(asked, best);
  }

  void finish(Answering& asked, const Engine::Generation& generation) {
    drawn_ += static_cast<std::int64_t>(generation.tokens.size());
    if (asked.text) asked.answer["text"] = asked.shown + asked.text->finish();
    asked.answer["tokens"] = generation.tokens;
    asked.answer["finish"] = reason_of(asked, generation);
    answers_.answer(asked.place, asked.line, asked.answer);
  }
  void finish(Answering& asked, const BatchResult& result) {
    if (!result.error) return finish(asked, result.generation);
    drawn_ += static_cast<std::int64_t>(result.generation.tokens.size());
    asked.answer["error"] = result.error->what();
    answers_.answer(asked.place, asked.line, asked.answer);
  }

  Engine& engine_;
  const std::optional<Tokenizer>& tokenizer_;
  const GenerationConfig drawing_;
  const PromptSettings settings_;
  PromptLines& lines_;
  Batch batch_;
  Answers answers_;
  std::int64_t read_ = 0, drawn_ = 0;
};

}  // namespace

void run_prompts(const Program& program, const RunOptions& options) {
  if (options.source.named()) {
    throw Error(ErrorKind::environment,
                "lines of --prompts have sources of their own; leave --source or --prompts out");
  }
  refuse_given(
      {{"--log-probabilities", !options.log_probabilities.empty()}, {"--prompt-cache", !options.prompt_cache.empty()}},
      "is of one prompt; leave it or --prompts out");
  const GenerationConfig drawing = drawing_of(program, options.engine, options.sampling, options.search);
  const PromptSettings settings{options.count, drawing.sampling, options.stop_strings};
  // What the command says is judged here, and not once a line.
  if (drawing.searches()) refuse_given({{"--stop", !settings.stop_strings.empty()}}, drawn_alone);
  validate_stop_strings(settings.stop_strings);
  const std::int32_t any = 0;
  validate_generation(program, 0, 0, {&any, 1}, drawing.count(settings.count, 1), settings.sampling);
  if (!options.engine.random_weights) find_checkpoint(options.engine.weights);
  PromptLines lines(*options.prompts);
  const std::optional<Tokenizer> tokenizer = find_tokenizer(program, options.tokenizer, options.engine);
  require_text(tokenizer, settings.stop_strings);
  Compilation compilation;
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::plain, &compilation);
  const auto start = std::chrono::steady_clock::now();
  Prompts prompts(*engine, tokenizer, drawing, settings, lines);
  prompts.run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::int64_t asked = prompts.answers().asked(), errors = prompts.answers().errors();
  print_error(fmt::format("{}{} of {} prompts answered: {} tokens read and {} drawn in {:.3f} s, {} drawn\n",
                          describe(compilation), asked - errors, asked, prompts.read(), prompts.drawn(), seconds,
                          token_rate(static_cast<double>(prompts.drawn()), seconds)));
  if (errors != 0) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: {} of {} lines were not answered; \"error\" in their answers tells why",
                            lines.input().name(), errors, asked));
  }
}

}  // namespace monomorph::cli
