#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "runtime/cli/bench_batch.hpp"
#include "runtime/cli/bench_phases.hpp"
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

/// `asked`, or `usual` where the sequence holds as much after `before` tokens.
std::int64_t tokens_of(const std::optional<std::int64_t>& asked, std::int64_t usual, const Program& program,
                       std::int64_t before, const char* option) {
  const std::int64_t room = program.max_sequence_length - before;
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

/// Of such a model prefill alone is measured.
bool draws_nothing(const Program& program) { return program.one_pass || program.pooling != Pooling::none; }

/// Where the first measured step of decode stands: a token at least is before it.
std::int64_t first_step(const BenchOptions& options) { return std::max<std::int64_t>(options.depth, 1); }

/// The work of each phase, alone, after `depth` tokens: prefill of the others of `tokens`; decode after one more where
/// there would be none.
class Work {
 public:
  Work(Engine& engine, std::vector<std::int32_t> tokens, std::int64_t depth, std::int64_t first_step,
       std::int64_t count)
      : engine_(engine), tokens_(std::move(tokens)), depth_(depth), first_step_(first_step), count_(count) {
    engine.watch_prompts([](std::int64_t, std::int64_t) { check_interrupt(); });
    encode_test_sources(engine, 1);
  }

  /// Takes the sequence to where it has so many tokens; what it has of them stays.
  void begin_at(std::int64_t position) {
    const std::int64_t kept = engine_.rewind(0, std::min(engine_.position(), position));
    if (kept == position) return;
    const auto wanted = std::span(tokens_).first(static_cast<std::size_t>(position));
    engine_.prefill(wanted.subspan(static_cast<std::size_t>(kept)));
  }

  double prefill() {
    begin_at(depth_);
    const auto start = std::chrono::steady_clock::now();
    engine_.prefill(std::span(tokens_).subspan(static_cast<std::size_t>(depth_)));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  /// The first token is drawn at the end of the prompt's pass, so one more is drawn than steps are measured.
  double decode() {
    if (draws_nothing(engine_.program())) return 0;
    begin_at(first_step_ - 1);
    const auto token = [](std::int32_t) {
      check_interrupt();
      return true;
    };
    const auto last = std::span(tokens_).subspan(static_cast<std::size_t>(first_step_ - 1), 1);
    return engine_.generate(last, count_ + 1, {}, token).decode_seconds;
  }

 private:
  Engine& engine_;
  std::vector<std::int32_t> tokens_;
  std::int64_t depth_, first_step_, count_;
};

/// Weights once a chunk, and what its tokens see of the states once.
std::int64_t prefill_bytes(const Program& program, std::int64_t depth, std::int64_t tokens) {
  std::int64_t bytes = bytes_read(program, Stage::head, 1, 0);
  for (std::int64_t begin = 0; begin < tokens; begin += program.prefill_chunk) {
    const std::int64_t end = std::min(begin + program.prefill_chunk, tokens);
    bytes += bytes_read(program, Stage::layers, end - begin, depth + begin);
  }
  return bytes;
}

/// Steps from position `first` on, each reading the weights and the states up to itself.
std::int64_t decode_bytes(const Program& program, std::int64_t first, std::int64_t steps) {
  std::int64_t bytes = steps * bytes_read(program, Stage::head, 1, 0);
  for (std::int64_t step = 0; step < steps; ++step) bytes += bytes_read(program, Stage::layers, 1, first + step);
  return bytes;
}

void measure(const Program& program, const BenchOptions& options, const std::vector<std::int32_t>& tokens,
             BenchFigures& figures) {
  Compilation compilation;
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::plain, &compilation);
  print_error(describe(compilation));
  Work work(*engine, tokens, options.depth, first_step(options), figures.decode.tokens);
  Progress progress("measuring");
  const std::int64_t total = 2 * (options.repetitions + 1);
  std::int64_t done = 0;
  measure_phases(work, options.repetitions, [&] { progress.update(++done, total); }, figures.prefill, figures.decode);
}

void profile(const Program& program, const BenchOptions& options, const std::vector<std::int32_t>& tokens,
             BenchFigures& figures) {
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::profiled);
  auto& profiled = dynamic_cast<ProfiledEngine&>(*engine);
  Work work(*engine, tokens, options.depth, first_step(options), figures.decode.tokens);
  Work first(*engine, tokens, options.depth, first_step(options), 0);
  const auto measured = [&](std::int64_t position, auto&& run) {
    work.begin_at(position);
    profiled.reset_profile();
    run();
    return profiled.profile();
  };
  figures.read_bandwidth = profiled.read_bandwidth();
  work.prefill();
  work.decode();
  figures.prefill.kernels = measured(options.depth, [&] { work.prefill(); });
  if (figures.decode.tokens == 0) return;
  // A decode begins with the pass of its first token, through the kernels of prefill: not what is asked about.
  const std::int64_t last = first_step(options) - 1;
  const std::vector<KernelProfile> beginning = measured(last, [&] { first.decode(); });
  figures.decode.kernels = difference(measured(last, [&] { work.decode(); }), beginning);
}

}  // namespace

void bench(const Program& program, const BenchOptions& options) {
  if (options.repetitions < 1 || options.repetitions > most_repetitions) {
    throw Error(ErrorKind::environment,
                fmt::format("--repetitions {}: 1 to {} are measured", options.repetitions, most_repetitions));
  }
  if (options.depth < 0 || options.depth >= program.max_sequence_length) {
    throw Error(ErrorKind::rejected,
                fmt::format("--depth {}: the sequence holds {} tokens, and what is measured follows", options.depth,
                            program.max_sequence_length));
  }
  if (draws_nothing(program) && (options.depth > 0 || options.count)) {
    throw Error(ErrorKind::environment, fmt::format("{} reads texts and draws nothing: leave {} out", program.name,
                                                    options.count ? "--count" : "--depth"));
  }
  validate_batches(program, options.batches);
  if (options.profile && options.engine.reference()) {
    throw Error(ErrorKind::environment, "--profile is of a device with kernels, and the reference has none");
  }
  // A model that happens to draw a stop token would be measured over fewer steps.
  Program endless = program;
  endless.eos_tokens = {};

  BenchFigures figures;
  figures.model = program.name;
  figures.device = options.engine.reference() ? "the reference" : find_device(program, options.engine.device).name;
  figures.depth = options.depth;
  figures.prefill.tokens = tokens_of(options.prompt, 512, program, options.depth, "--prompt");
  if (!draws_nothing(program)) {
    figures.decode.tokens = tokens_of(options.count, 128, program, first_step(options), "--count");
  }
  if (!options.batches.empty()) {
    measure_batches(endless, options, figures);
    print(options.json ? bench_json(figures) : bench_text(figures));
    return;
  }
  figures.prefill.bytes = prefill_bytes(program, options.depth, figures.prefill.tokens);
  figures.decode.bytes = decode_bytes(program, first_step(options), figures.decode.tokens);
  figures.prefill.flops = program.flops_per_token * figures.prefill.tokens;
  figures.decode.flops = program.flops_per_token * figures.decode.tokens;

  const std::vector<std::int32_t> tokens = test_tokens(options.depth + figures.prefill.tokens, program.vocab_size);
  measure(endless, options, tokens, figures);
  if (options.profile) profile(endless, options, tokens, figures);
  print(options.json ? bench_json(figures) : bench_text(figures));
}

}  // namespace monomorph::cli
