#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "runtime/cli/bench_report.hpp"
#include "runtime/cli/commands.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/token_list.hpp"

namespace monomorph::cli {
namespace {

constexpr std::int64_t most_repetitions = 1'000'000;

/// `asked`, or `usual` where the sequence holds as much.
std::int64_t tokens_of(const std::optional<std::int64_t>& asked, std::int64_t usual, std::int64_t room,
                       const char* option) {
  if (!asked) return std::min(usual, room);
  if (*asked < 1)
    throw Error(ErrorKind::environment, fmt::format("{} {}: at least one token is measured", option, *asked));
  if (*asked > room) {
    throw Error(ErrorKind::rejected, fmt::format("{} {}: the sequence holds {}; ask for fewer, or build with a longer "
                                                 "engine.max_sequence_length",
                                                 option, *asked, room));
  }
  return *asked;
}

/// The work of each phase, alone: prefill from an empty sequence; decode after one token.
class Work {
 public:
  Work(Engine& engine, std::vector<std::int32_t> prompt, std::int64_t count)
      : engine_(engine), prompt_(std::move(prompt)), count_(count) {
    engine.watch_prompts([](std::int64_t, std::int64_t) { check_interrupt(); });
  }

  double prefill() {
    engine_.reset();
    const auto start = std::chrono::steady_clock::now();
    engine_.prefill(prompt_);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  /// The first token is drawn at the end of the prompt's pass, so one more is drawn than steps are measured.
  double decode() {
    engine_.reset();
    const auto token = [](std::int32_t) {
      check_interrupt();
      return true;
    };
    return engine_.generate(std::span(prompt_).first(1), count_ + 1, {}, token).decode_seconds;
  }

 private:
  Engine& engine_;
  std::vector<std::int32_t> prompt_;
  std::int64_t count_;
};

/// Weights once a chunk, and what its tokens see of the states once.
std::int64_t prefill_bytes(const Program& program, std::int64_t tokens) {
  std::int64_t bytes = bytes_read(program, Stage::head, 1, 0);
  for (std::int64_t begin = 0; begin < tokens; begin += program.prefill_chunk) {
    const std::int64_t end = std::min(begin + program.prefill_chunk, tokens);
    bytes += bytes_read(program, Stage::layers, end - begin, begin);
  }
  return bytes;
}

/// Steps at positions 1 to `steps`, each reading the weights and the states up to itself.
std::int64_t decode_bytes(const Program& program, std::int64_t steps) {
  std::int64_t bytes = steps * bytes_read(program, Stage::head, 1, 0);
  for (std::int64_t step = 1; step <= steps; ++step) bytes += bytes_read(program, Stage::layers, 1, step);
  return bytes;
}

void measure(const Program& program, const BenchOptions& options, const std::vector<std::int32_t>& prompt,
             BenchFigures& figures) {
  Compilation compilation;
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::plain, &compilation);
  print_error(describe(compilation));
  Work work(*engine, prompt, figures.decode.tokens);
  Progress progress("measuring");
  const std::int64_t total = 2 * (options.repetitions + 1);
  std::int64_t done = 0;
  // Once unmeasured: drivers allocate at the first dispatch, and caches are cold.
  for (std::int64_t i = 0; i <= options.repetitions; ++i) {
    const double prefill = work.prefill();
    progress.update(++done, total);
    const double decode = work.decode();
    progress.update(++done, total);
    if (i == 0) continue;
    figures.prefill.seconds.push_back(prefill);
    figures.decode.seconds.push_back(decode);
  }
}

void profile(const Program& program, const BenchOptions& options, const std::vector<std::int32_t>& prompt,
             BenchFigures& figures) {
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::profiled);
  auto& profiled = dynamic_cast<ProfiledEngine&>(*engine);
  Work work(*engine, prompt, figures.decode.tokens);
  Work first(*engine, prompt, 0);
  const auto measured = [&](auto&& run) {
    profiled.reset_profile();
    run();
    return profiled.profile();
  };
  work.prefill();
  work.decode();
  figures.prefill.kernels = measured([&] { work.prefill(); });
  // A decode begins with the pass of its first token, through the kernels of prefill: not what is asked about.
  const std::vector<KernelProfile> beginning = measured([&] { first.decode(); });
  figures.decode.kernels = difference(measured([&] { work.decode(); }), beginning);
}

}  // namespace

void bench(const Program& program, const BenchOptions& options) {
  if (options.repetitions < 1 || options.repetitions > most_repetitions) {
    throw Error(ErrorKind::environment,
                fmt::format("--repetitions {}: 1 to {} are measured", options.repetitions, most_repetitions));
  }
  if (options.profile && options.engine.reference()) {
    throw Error(ErrorKind::environment, "--profile needs a Vulkan device; --device cpu is the reference");
  }
  // A model that happens to draw a stop token would be measured over fewer steps.
  Program endless = program;
  endless.eos_tokens = {};

  BenchFigures figures;
  figures.model = program.name;
  figures.device = options.engine.reference() ? "the CPU reference" : find_device(options.engine.device).name;
  figures.prefill.tokens = tokens_of(options.prompt, 512, program.max_sequence_length, "--prompt");
  figures.decode.tokens = tokens_of(options.count, 128, program.max_sequence_length - 1, "--count");
  figures.prefill.bytes = prefill_bytes(program, figures.prefill.tokens);
  figures.decode.bytes = decode_bytes(program, figures.decode.tokens);
  figures.prefill.flops = program.flops_per_token * figures.prefill.tokens;
  figures.decode.flops = program.flops_per_token * figures.decode.tokens;

  const std::vector<std::int32_t> prompt = test_tokens(figures.prefill.tokens, program.vocab_size);
  measure(endless, options, prompt, figures);
  if (options.profile) profile(endless, options, prompt, figures);
  print(options.json ? bench_json(figures) : bench_text(figures));
}

}  // namespace monomorph::cli
