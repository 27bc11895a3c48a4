#include "runtime/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <new>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/output.hpp"

namespace monomorph {
namespace {

using namespace cli;

/// The library's own reading takes an empty word for 0, and bends what does not fit.
template <class Number>
std::string number_complaint(const std::string& word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? "" : "'" + word + "' is no number that fits here";
}
const CLI::Validator whole_number(number_complaint<std::uint64_t>, "UINT");
const CLI::Validator real_number(number_complaint<float>, "FLOAT");

void add_engine_options(CLI::App& command, EngineChoice& choice) {
  CLI::Option_group& source = *command.add_option_group("weights");
  source.add_option("--weights", choice.weights,
                    "a .safetensors file, or a directory with one or with an index of shards");
  source.add_flag("--random-weights", choice.random_weights, "random weights, in place of a checkpoint");
  source.require_option(1);
  command.add_option("--random-seed", choice.random_seed, "seed of the random weights")->check(whole_number);
  command.add_option("--device", choice.device, "index or part of the name of a Vulkan device, or cpu: the reference");
}

/// The commands with their options; the one that was given runs when the arguments have been parsed.
struct Commands {
  RunOptions run;
  LogitsOptions logits;
  BenchOptions bench;
  VerifyOptions verify;
  InfoOptions info;
  bool devices_json = false;
  std::string prompt;

  void add_run(CLI::App& app, const Program& program) {
    CLI::App* const command = app.add_subcommand("run", "continue a prompt");
    add_engine_options(*command, run.engine);
    CLI::Option_group& what = *command->add_option_group("prompt");
    CLI::Option* const text = what.add_option("--prompt", prompt, "text to continue");
    what.add_option("--tokens", run.tokens, "token ids to continue: 1,2,3");
    what.require_option(1);
    command->add_option("--tokenizer", run.tokenizer, "tokenizer.json; default: the one beside the weights");
    command->add_option("-n,--count", run.count, "tokens to draw")->capture_default_str();
    command->add_option("--temperature", run.sampling.temperature, "0: always the likeliest token")
        ->check(real_number)
        ->capture_default_str();
    command->add_option("--top-k", run.sampling.top_k, "draw from the k likeliest; 0: from all")
        ->check(whole_number)
        ->capture_default_str();
    command->add_option("--top-p", run.sampling.top_p, "draw from the likeliest that reach this share")
        ->check(real_number)
        ->capture_default_str();
    command->add_option("--seed", run.sampling.seed, "the same draws for the same seed")
        ->check(whole_number)
        ->capture_default_str();
    command->callback([this, text, &program] {
      if (text->count() > 0) run.prompt = prompt;
      cli::run(program, run);
    });
  }

  void add_logits(CLI::App& app, const Program& program) {
    CLI::App* const command = app.add_subcommand("logits", "write the logits of every token to a .npy file");
    add_engine_options(*command, logits.engine);
    command->add_option("--tokens", logits.tokens, "token ids: 1,2,3")->required();
    const std::map<std::string, LogitsMode> modes = {{"prefill", LogitsMode::prefill}, {"decode", LogitsMode::decode}};
    command->add_option("--mode", logits.mode, "prefill (many tokens at once) or decode (one by one)")
        ->transform(CLI::CheckedTransformer(modes));
    command->add_option("-o,--output", logits.output, "float32 [tokens, vocab_size]")->required();
    command->callback([this, &program] { cli::logits(program, logits); });
  }

  void add_bench(CLI::App& app, const Program& program) {
    CLI::App* const command = app.add_subcommand("bench", "measure prefill and decode");
    add_engine_options(*command, bench.engine);
    command->add_option("-p,--prompt", bench.prompt, "tokens of prefill; default: 512, or what the sequence holds");
    command->add_option("-n,--count", bench.count, "tokens of decode; default: 128, or what the sequence holds");
    command->add_option("-r,--repetitions", bench.repetitions, "the median of these is reported")
        ->capture_default_str();
    command->add_flag("--profile", bench.profile, "also time each kernel on the device");
    command->add_flag("--json", bench.json, "for programs");
    command->callback([this, &program] { cli::bench(program, bench); });
  }

  void add_verify(CLI::App& app, const Program& program) {
    CLI::App* const command = app.add_subcommand("verify", "compare the device with the reference, layer by layer");
    add_engine_options(*command, verify.engine);
    command->add_option("-p,--prompt", verify.prompt, "tokens of prefill")->capture_default_str();
    command->add_option("-n,--count", verify.count, "tokens of decode")->capture_default_str();
    command->add_option("--tolerance", verify.tolerance, "relative L2; default: 1e-4 with an f32 cache, 5e-3 with f16");
    command->callback([this, &program] { cli::verify(program, verify); });
  }

  void add_queries(CLI::App& app, const Program& program) {
    CLI::App* const list = app.add_subcommand("devices", "list the Vulkan devices");
    list->add_flag("--json", devices_json, "for programs");
    list->callback([this] { cli::devices(devices_json); });
    CLI::App* const about = app.add_subcommand("info", "what this engine is, to the byte");
    about->add_option("--device", info.device, "index or part of a name; default: the one an engine would take");
    about->add_flag("--json", info.json, "for programs");
    about->callback([this, &program] { cli::info(program, info); });
  }
};

int parse_and_run(int argc, char** argv, const Program& program) {
  CLI::App app(fmt::format("The inference engine of {}.", program.name));
  app.name(std::string(program.name));
  Commands commands;
  commands.add_run(app, program);
  commands.add_logits(app, program);
  commands.add_bench(app, program);
  commands.add_verify(app, program);
  commands.add_queries(app, program);
  try {
    app.parse(argc, argv);
    // Not left to the library, which would say this of a misspelt command too.
    if (app.get_subcommands().empty()) {
      print_error("a subcommand is required\n" + app.help());
      return static_cast<int>(ErrorKind::environment);
    }
  } catch (const CLI::ParseError& error) {
    // Help is asked for and goes to standard output; the rest is a mistake of usage.
    return app.exit(error, std::cout, std::cerr) == 0 ? 0 : static_cast<int>(ErrorKind::environment);
  }
  return 0;
}

int fail(const Program& program, ErrorKind kind, const std::string& message) {
  print_error(fmt::format("{}: error: {}\n", program.name, message));
  return static_cast<int>(kind);
}

}  // namespace

int run_command_line(int argc, char** argv, const Program& program) {
  try {
    const InterruptGuard guard;
    return parse_and_run(argc, argv, program);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) {
      return fail(program, error.kind(), fmt::format("a fault of the engine, please report it: {}", error.what()));
    }
    return fail(program, error.kind(), error.what());
  } catch (const Interrupted&) {
    // The guard is gone: the process ends as the shell expects of one that was interrupted.
    print_error("interrupted\n");
    std::raise(SIGINT);
    return static_cast<int>(ErrorKind::environment);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(program, ErrorKind::environment, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return fail(program, ErrorKind::environment, "the host has too little memory");
  } catch (const std::exception& error) {
    return fail(program, ErrorKind::internal, fmt::format("a fault of the engine, please report it: {}", error.what()));
  }
}

}  // namespace monomorph
