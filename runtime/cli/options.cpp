#include "runtime/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>
#include <limits>
#include <type_traits>

#include "runtime/cli/arguments.hpp"
#include "runtime/cli/commands.hpp"

namespace monomorph::cli {
namespace {

/// The library's own reading bends what is too large, takes 010 for eight and an empty word for 0.
template <class Number>
Number read_number(const std::string& option, const std::string& word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size()) return value;
  using Limits = std::numeric_limits<Number>;
  throw CLI::ValidationError(
      option, std::is_integral_v<Number>
                  ? fmt::format("'{}' is no whole number from {} to {}", word, Limits::lowest(), Limits::max())
                  : fmt::format("'{}' is no number that fits here", word));
}

/// An option "-n,--count" of one number; `Value` is `Number`, or an optional one.
template <class Number, class Value>
CLI::Option* add_number(CLI::App& command, const std::string& names, Value& value, const std::string& about) {
  const std::string name = names.substr(names.find(',') + 1);
  CLI::Option* const option = command.add_option_function<std::string>(
      names, [name, &value](const std::string& word) { value = read_number<Number>(name, word); }, about);
  if constexpr (std::is_same_v<Number, Value>) option->default_str(fmt::format("{}", value));
  return option->type_name(std::is_floating_point_v<Number> ? "FLOAT" : std::is_signed_v<Number> ? "INT" : "UINT");
}

void add_engine_options(CLI::App& command, EngineChoice& choice) {
  CLI::Option_group& source = *command.add_option_group("weights");
  CLI::Option* const weights = source.add_option(
      "--weights", choice.weights, "a .safetensors or .gguf file, or a directory with one or with an index of shards");
  source.add_flag("--random-weights", choice.random_weights, "random weights, in place of a checkpoint");
  source.require_option(1);
  command
      .add_flag("--ignore-config", choice.ignore_config,
                "take the weights whatever config.json and generation_config.json beside them say")
      ->needs(weights);
  add_number<std::uint64_t>(command, "--random-seed", choice.random_seed, "seed of the random weights");
  command.add_flag("--invariant", choice.invariant,
                   "what a sequence gives depends on its tokens alone, bit for bit, whatever runs beside it; slower");
  command.add_option("--device", choice.device,
                     "index of a device (digits alone), a part of its name, vulkan: the best of Vulkan's, cpu, or "
                     "reference: plain loops in double; default: the best GPU, or else cpu");
  add_number<std::int64_t>(command, "--threads", choice.threads,
                           "of the device cpu; default: one for each physical core that it may use");
}

/// Not read into the optional itself, which the library leaves empty for an empty text.
void add_text(CLI::App& command, const char* name, std::optional<std::string>& value, const char* about) {
  command.add_option_function<std::string>(name, [&value](const std::string& given) { value = given; }, about);
}

void add_tokenizer(CLI::App& command, std::string& path) {
  command.add_option("--tokenizer", path,
                     "tokenizer.json, tokenizer.model or .gguf; default: in the weights or beside them");
}

void add_sampling_options(CLI::App& command, SamplingChoice& sampling) {
  add_number<float>(command, "--temperature", sampling.temperature,
                    "0: always the likeliest token, which is the default");
  add_number<std::uint32_t>(command, "--top-k", sampling.top_k, "draw from the k likeliest; 0, the default: from all");
  add_number<float>(command, "--top-p", sampling.top_p,
                    "draw from the likeliest that reach this share; default: 1, all");
  add_number<float>(command, "--min-p", sampling.min_p,
                    "of these, from those this share as likely as the likeliest; default: 0, all");
  add_number<float>(command, "--repetition-penalty", sampling.repetition_penalty,
                    "divides logits of tokens in the sequence, multiplies negative ones; default: 1");
  add_number<float>(command, "--presence-penalty", sampling.presence_penalty,
                    "taken from logits of drawn tokens, once; -2 to 2; default: 0");
  add_number<float>(command, "--frequency-penalty", sampling.frequency_penalty, "the same for each time one was drawn");
  add_number<std::int64_t>(
      command, "--no-repeat-ngram-size", sampling.no_repeat_ngram_size,
      "no so many tokens in a row are drawn that stand there already; 0, the default: they may be");
  add_number<std::int64_t>(command, "--min-new-tokens", sampling.min_new_tokens,
                           "no stop token before so many are drawn; default: 0");
  add_number<std::uint64_t>(command, "--seed", sampling.seed, "the same draws for the same seed; default: 0");
}

void add_search_options(CLI::App& command, SearchChoice& search) {
  add_number<std::int64_t>(command, "--beams", search.beams,
                           "search for the likeliest sequence with so many, a slot each; default: 1, none");
  add_number<float>(command, "--length-penalty", search.length_penalty,
                    "a beam's score is divided by its length to the power of this; default: 1");
  command
      .add_option_function<std::string>(
          "--early-stopping",
          [&search](const std::string& word) {
            search.early_stopping = word == "no"    ? EarlyStopping::no
                                    : word == "yes" ? EarlyStopping::yes
                                                    : EarlyStopping::never;
          },
          "end once as many beams have stopped: yes; no, the default: once the others would not come among them as "
          "they are; never: once they cannot")
      ->check(CLI::IsMember({"no", "yes", "never"}));
}

/// What `run` and `chat` share: how tokens are drawn, what ends the text, and what is told of each.
void add_drawing(CLI::App& command, SamplingChoice& sampling, std::vector<std::string>& stop_strings,
                 std::string& log_probabilities) {
  add_sampling_options(command, sampling);
  command.add_option("--stop", stop_strings, "text that ends the answer and is not shown; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--log-probabilities", log_probabilities,
                     "a file for one JSON line a drawn token: id, text, log_probability");
}

void add_denoising(CLI::App& command, DenoiseChoice& denoise) {
  CLI::Option* const wanted =
      command.add_flag("--denoise", denoise.wanted,
                       "put -n masks behind the prompt, and find their tokens in passes over the whole text");
  add_number<std::int64_t>(command, "--steps", denoise.steps, "passes that find them; default: one a token")
      ->needs(wanted);
  add_number<std::int64_t>(command, "--block-length", denoise.block_length,
                           "tokens of a block, which is full before the next begins; default: all")
      ->needs(wanted);
  command
      .add_option("--remasking", denoise.remasking,
                  "which tokens a pass keeps: those of the highest probability, or any; default: low_confidence")
      ->check(CLI::IsMember({"low_confidence", "random"}))
      ->needs(wanted);
  add_number<double>(command, "--guidance", denoise.guidance,
                     "scale of classifier-free guidance by the text without its prompt; default: 0, none")
      ->needs(wanted);
}

/// The commands with their options; `chosen` is the call that the words asked for.
struct Commands {
  const Program& program;
  std::function<void()> chosen{};
  RunOptions run{};
  ChatOptions chat{};
  EmbedOptions embed{};
  RankOptions rank{};
  LogitsOptions logits{};
  BenchOptions bench{};
  VerifyOptions verify{};
  InfoOptions info{};
  bool devices_json = false;
  std::string mode = "prefill";

  CLI::App& add(CLI::App& app, const char* name, const char* about, std::function<void()> call) {
    CLI::App& command = *app.add_subcommand(name, about);
    command.callback([this, call = std::move(call)] { chosen = call; });
    return command;
  }

  void add_run(CLI::App& app) {
    CLI::App& command = add(app, "run", "continue a prompt, or many at once", [this] {
      if (run.denoise.wanted) return cli::run_denoise(program, run);
      run.prompts ? cli::run_prompts(program, run) : cli::run(program, run);
    });
    add_engine_options(command, run.engine);
    CLI::Option_group& what = *command.add_option_group("prompt");
    add_text(what, "--prompt", run.prompt, "text to continue");
    add_text(what, "--prompt-file", run.prompt_file, "a file with the text to continue; -: standard input");
    what.add_option("--tokens", run.tokens, "token ids to continue: 1,2,3");
    add_text(what, "--prompts", run.prompts,
             "a file with a JSON object a line: prompt or tokens, and settings in place of these; -: standard input");
    const bool answers = program.max_source_length > 0;
    what.require_option(answers ? 0 : 1, 1);
    if (answers) {
      CLI::Option_group& source = *command.add_option_group("source");
      add_text(source, "--source", run.source.text, "text to answer to; a prompt is then what the answer begins with");
      source.add_option("--source-tokens", run.source.tokens, "token ids to answer to: 1,2,3");
      source.require_option(0, 1);
    }
    add_tokenizer(command, run.tokenizer);
    add_number<std::int64_t>(command, "-n,--count", run.count,
                             answers ? "most tokens to draw; default: as generation_config.json says, else 64"
                                     : "tokens to draw; default: 64");
    add_drawing(command, run.sampling, run.stop_strings, run.log_probabilities);
    add_search_options(command, run.search);
    add_denoising(command, run.denoise);
    command.add_option("--prompt-cache", run.prompt_cache,
                       "a file of what was computed of a prompt: of the next prompt what it begins with alike is not "
                       "computed again; written before tokens are drawn");
  }

  void add_chat(CLI::App& app) {
    CLI::App& command =
        add(app, "chat", "talk, by the model's own chat template", [this] { cli::chat(program, chat); });
    add_engine_options(command, chat.engine);
    add_tokenizer(command, chat.tokenizer);
    add_number<std::int64_t>(command, "-n,--count", chat.count, "most tokens of an answer; default: as many as fit");
    add_drawing(command, chat.sampling, chat.stop_strings, chat.log_probabilities);
    add_text(command, "--system", chat.system, "the system message");
    command.add_option("--messages", chat.messages,
                       "a JSON list of messages to begin with; -: standard input, of which the last is answered");
    command.add_option("--save-state", chat.save_state,
                       "a file of what was computed of a conversation, which is not computed again when --messages "
                       "begins with it; written when the chat ends, by Ctrl-C too");
    command.add_option("--tools", chat.tools, "a file with a JSON list of tools");
    command.add_option("--variable", chat.variables, "NAME=JSON, a further variable of the template; may be repeated")
        ->allow_extra_args(false);
  }

  void add_logits(CLI::App& app) {
    CLI::App& command = add(app, "logits", "write the logits of every token to a .npy file", [this] {
      logits.mode = mode == "decode" ? LogitsMode::decode : LogitsMode::prefill;
      cli::logits(program, logits);
    });
    add_engine_options(command, logits.engine);
    command.add_option("--tokens", logits.tokens, "token ids: 1,2,3")->required();
    if (program.max_source_length > 0) {
      command.add_option("--source-tokens", logits.source_tokens, "token ids of the source: 1,2,3")->required();
    }
    command.add_option("--types", logits.types, "of each of these tokens: 0,0,1; default: all are 0");
    command.add_option("--mode", mode, "many tokens at once, or one by one")
        ->check(CLI::IsMember({"prefill", "decode"}))
        ->capture_default_str();
    command.add_option("-o,--output", logits.output, "float32 [tokens, vocab_size]")->required();
  }

  void add_embed(CLI::App& app) {
    CLI::App& command = add(app, "embed", "write the vectors of texts", [this] { cli::embed(program, embed); });
    add_engine_options(command, embed.engine);
    CLI::Option_group& what = *command.add_option_group("texts");
    what.add_option("--text", embed.texts, "a text; may be repeated")->allow_extra_args(false);
    add_text(what, "--file", embed.file, "a file with a text a line; -: standard input");
    what.add_option("--tokens", embed.tokens, "token ids of one text: 1,2,3");
    what.require_option(1);
    command.add_option("--types", embed.types, "of each of these tokens: 0,0,1; default: all are 0");
    add_tokenizer(command, embed.tokenizer);
    command.add_flag("--truncate", embed.truncate, "texts that are too long lose their end; default: they are refused");
    command
        .add_option_function<std::string>(
            "--pooling", [this](const std::string& word) { embed.token_states = word == "none"; },
            "none: the hidden states of each token of one text, in place of its vector")
        ->check(CLI::IsMember({"none"}));
    command.add_option("-o,--output", embed.output,
                       ".npy, float32 [texts, size of a vector]; default: a JSON list a line on standard output");
  }

  void add_rank(CLI::App& app) {
    CLI::App& command = add(app, "rank", "order texts by how well they answer a query, by a cross-encoder's score",
                            [this] { cli::rank(program, rank); });
    add_engine_options(command, rank.engine);
    command.add_option("--query", rank.query, "the first text of each pair")->required();
    CLI::Option_group& what = *command.add_option_group("texts");
    what.add_option("--text", rank.texts, "a text; may be repeated")->allow_extra_args(false);
    add_text(what, "--file", rank.file, "a file with a text a line; -: standard input");
    what.require_option(1);
    add_tokenizer(command, rank.tokenizer);
    command.add_flag("--truncate", rank.truncate,
                     "pairs that are too long lose the end of the longer text; default: they are refused");
  }

  void add_bench(CLI::App& app) {
    CLI::App& command = add(app, "bench", "measure prefill and decode", [this] { cli::bench(program, bench); });
    add_engine_options(command, bench.engine);
    add_number<std::int64_t>(command, "-p,--prompt", bench.prompt,
                             "tokens of prefill; default: 512, or what the sequence holds");
    add_number<std::int64_t>(command, "-n,--count", bench.count,
                             "tokens of decode; default: 128, or what the sequence holds");
    add_number<std::int64_t>(command, "-d,--depth", bench.depth, "tokens that stand before what is measured");
    add_number<std::int64_t>(command, "-r,--repetitions", bench.repetitions, "the median of these is reported");
    CLI::Option* const batch =
        command
            .add_option_function<std::vector<std::string>>(
                "-b,--batch",
                [this](const std::vector<std::string>& words) {
                  for (const std::string& word : words) {
                    bench.batches.push_back(read_number<std::int64_t>("--batch", word));
                  }
                },
                "sequences at once, in slots of their own: 1,2,4 measures each; default: one alone")
            ->delimiter(',')
            ->type_name("INT");
    command
        .add_flag("--profile", bench.profile,
                  "also time each kernel on the device; on the CPU also how fast memory is read")
        ->excludes(batch);
    command.add_flag("--json", bench.json, "for programs");
  }

  void add_verify(CLI::App& app) {
    CLI::App& command = add(app, "verify", "compare the device with the reference, layer by layer",
                            [this] { cli::verify(program, verify); });
    add_engine_options(command, verify.engine);
    add_number<std::int64_t>(command, "-p,--prompt", verify.prompt, "tokens of prefill");
    add_number<std::int64_t>(command, "-n,--count", verify.count, "tokens of decode");
    add_number<double>(command, "--tolerance", verify.tolerance,
                       "relative L2 of every layer; default: by depth, widths and the cache's type");
  }

  void add_queries(CLI::App& app) {
    add(app, "devices", "list the devices that there are", [this] {
      cli::devices(program, devices_json);
    }).add_flag("--json", devices_json, "for programs");
    CLI::App& command = add(app, "info", "what this engine is, to the byte", [this] { cli::info(program, info); });
    command.add_option(
        "--device", info.device,
        "index (digits alone), part of a name, vulkan, cpu, or reference; default: the one an engine would take");
    command.add_flag("--json", info.json, "for programs");
  }
};

}  // namespace

int read_and_run(std::vector<std::string> words, const Program& program) {
  CLI::App app(fmt::format("The inference engine of {}.", program.name), std::string(program.name));
  app.set_version_flag("--version", fmt::format("{}, built by monomorph {} from the spec of hash {}", program.name,
                                                program.version, program.spec_hash));
  Commands commands{program};
  commands.add_run(app);
  commands.add_chat(app);
  commands.add_embed(app);
  commands.add_rank(app);
  commands.add_logits(app);
  commands.add_bench(app);
  commands.add_verify(app);
  commands.add_queries(app);
  if (const std::optional<int> status = read_arguments(app, std::move(words))) return *status;
  commands.chosen();
  return 0;
}

}  // namespace monomorph::cli
