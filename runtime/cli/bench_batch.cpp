#include "runtime/cli/bench_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "runtime/cli/bench_phases.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/sources.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/engine/submission.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// What one pass has of a slot's prompt.
struct Piece {
  std::int64_t slot, position, rows;
  bool last;  ///< its prompt ends there
};
using Pass = std::vector<Piece>;

/// What is measured of each sequence.
struct Extent {
  std::int64_t batch, depth, prompt;  ///< sequences; tokens that stand before; tokens of prefill
  std::int64_t first_step, count;     ///< where the first measured step of decode stands; how many there are
};

/// Prompts one after the other, in passes that are full.
std::vector<Pass> prefill_passes(const Program& program, const Extent& extent) {
  std::vector<Pass> passes;
  std::int64_t room = 0;
  for (std::int64_t slot = 0; slot < extent.batch; ++slot) {
    for (std::int64_t done = 0; done < extent.prompt;) {
      // A text in one pass is not cut.
      if (room == 0 || (program.one_pass && extent.prompt > room)) {
        passes.emplace_back();
        room = program.prefill_chunk;
      }
      const std::int64_t rows = std::min(extent.prompt - done, room);
      passes.back().push_back({slot, extent.depth + done, rows, done + rows == extent.prompt});
      done += rows;
      room -= rows;
    }
  }
  return passes;
}

/// The head's weights, once for as many rows as it serves.
std::int64_t head_bytes(const Program& program, std::int64_t rows) {
  return (rows + program.head_rows - 1) / program.head_rows * bytes_read(program, Stage::head, 1, 0);
}

std::int64_t prefill_bytes(const Program& program, const Extent& extent) {
  std::int64_t bytes = 0;
  for (const Pass& pass : prefill_passes(program, extent)) {
    std::vector<Stretch> stretches;
    for (const Piece& piece : pass) stretches.push_back({piece.rows, piece.position});
    bytes += bytes_read(program, Stage::layers, stretches);
    bytes +=
        head_bytes(program, std::count_if(pass.begin(), pass.end(), [](const Piece& piece) { return piece.last; }));
  }
  return bytes;
}

std::int64_t decode_bytes(const Program& program, const Extent& extent) {
  std::int64_t bytes = 0;
  for (std::int64_t step = 0; step < extent.count; ++step) {
    for (std::int64_t first = 0; first < extent.batch; first += program.prefill_chunk) {
      const std::int64_t rows = std::min(extent.batch - first, program.prefill_chunk);
      const std::vector<Stretch> stretches(static_cast<std::size_t>(rows), {1, extent.first_step + step});
      bytes += bytes_read(program, Stage::layers, stretches) + head_bytes(program, rows);
    }
  }
  return bytes;
}

/// The work of each phase over the slots that a batch has.
class BatchWork {
 public:
  BatchWork(Engine& engine, const Extent& extent) : engine_(engine), extent_(extent) {
    const std::int64_t each = extent.depth + extent.prompt;
    const std::vector<std::int32_t> all = test_tokens(extent.batch * each, engine.program().vocab_size);
    for (std::int64_t slot = 0; slot < extent.batch; ++slot) {
      tokens_.emplace_back(all.begin() + slot * each, all.begin() + (slot + 1) * each);
    }
    engine.watch_prompts([](std::int64_t, std::int64_t) { check_interrupt(); });
    encode_test_sources(engine, extent.batch);
  }

  double prefill() {
    begin_at(extent_.depth);
    const auto start = Clock::now();
    for (const Pass& pass : prefill_passes(engine_.program(), extent_)) {
      runs_.clear();
      for (const Piece& piece : pass) {
        Run run{piece.slot, part(piece.slot, piece.position, piece.rows), piece.last ? Logits::last : Logits::none};
        run.length = extent_.depth + extent_.prompt;
        runs_.push_back(run);
      }
      engine_.step(runs_, 1, [this](std::size_t, std::int64_t, std::span<const float> logits) {
        validate_logits(engine_.program(), logits);
      });
      check_interrupt();
    }
    return seconds_since(start);
  }

  double decode() {
    if (extent_.count == 0) return 0;
    begin_at(extent_.first_step - 1);
    runs_.clear();
    for (std::int64_t slot = 0; slot < extent_.batch; ++slot) {
      engine_.set_sampling(slot, {}, extent_.first_step + extent_.count);
      runs_.push_back({slot, part(slot, extent_.first_step - 1, 1), Logits::none, true});
    }
    draw(1);  // the first drawn token of each has a pass that is not measured
    const auto start = Clock::now();
    for (std::int64_t done = 0; done < extent_.count;) {
      const std::int64_t ahead =
          passes_within(submission_seconds, pass_seconds_, std::min(engine_.most_ahead(), extent_.count - done));
      const auto step_start = Clock::now();
      draw(ahead);
      pass_seconds_ = seconds_since(step_start) / static_cast<double>(ahead);
      done += ahead;
    }
    return seconds_since(start);
  }

 private:
  /// Takes every sequence to where it has so many tokens; what it has of them stays.
  void begin_at(std::int64_t position) {
    for (std::int64_t slot = 0; slot < extent_.batch; ++slot) {
      const std::int64_t kept = engine_.rewind(slot, std::min(engine_.position(slot), position));
      if (kept < position) engine_.prefill(part(slot, kept, position - kept), slot);
    }
  }
  std::span<const std::int32_t> part(std::int64_t slot, std::int64_t begin, std::int64_t count) const {
    return std::span(tokens_[static_cast<std::size_t>(slot)])
        .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
  }
  /// A step of runs_, which become those of the tokens it draws.
  void draw(std::int64_t ahead) {
    drawn_.resize(runs_.size());
    const std::span<const Drawn> drawn = engine_.step(runs_, ahead);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (drawn[r].wrong) reject_logits(engine_.program());
      drawn_[r] = drawn[r].tokens.back();
      runs_[r].tokens = {&drawn_[r], 1};
    }
    check_interrupt();
  }

  Engine& engine_;
  const Extent extent_;
  std::vector<std::vector<std::int32_t>> tokens_;  ///< of each slot
  std::vector<Run> runs_;
  std::vector<std::int32_t> drawn_;  ///< of each run, the last
  double pass_seconds_ = 0;
};

}  // namespace

void validate_batches(const Program& program, const std::vector<std::int64_t>& batches) {
  for (const std::int64_t batch : batches) {
    if (batch < 1) {
      throw Error(ErrorKind::environment, fmt::format("--batch {}: at least one sequence is measured", batch));
    }
    if (batch > program.max_batch) {
      throw Error(ErrorKind::rejected,
                  fmt::format("--batch {}: {} has {} slot{}; build with --set engine.max_batch={}", batch, program.name,
                              program.max_batch, program.max_batch == 1 ? "" : "s", batch));
    }
  }
}

void measure_batches(const Program& program, const BenchOptions& options, BenchFigures& figures) {
  Compilation compilation;
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::plain, &compilation);
  print_error(describe(compilation));
  Progress progress("measuring");
  const std::int64_t total = 2 * (options.repetitions + 1) * static_cast<std::int64_t>(options.batches.size());
  std::int64_t done = 0;
  for (const std::int64_t batch : options.batches) {
    const Extent extent{batch, options.depth, figures.prefill.tokens, std::max<std::int64_t>(options.depth, 1),
                        figures.decode.tokens};
    BatchFigures& row = figures.batches.emplace_back();
    row.batch = batch;
    row.prefill.tokens = batch * extent.prompt;
    row.decode.tokens = batch * extent.count;
    row.prefill.bytes = prefill_bytes(program, extent);
    row.decode.bytes = decode_bytes(program, extent);
    row.prefill.flops = program.flops_per_token * row.prefill.tokens;
    row.decode.flops = program.flops_per_token * row.decode.tokens;
    for (std::int64_t slot = 0; slot < program.max_batch; ++slot) engine->reset(slot);
    BatchWork work(*engine, extent);
    measure_phases(work, options.repetitions, [&] { progress.update(++done, total); }, row.prefill, row.decode);
  }
}

}  // namespace monomorph::cli
