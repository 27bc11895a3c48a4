// An engine that computes passes: runs of several slots at once, through the stages of the program, over arenas that
// the plan laid out. What a pass holds, which rows of it are wanted and what was drawn is the same for every device; a
// device computes the parts that it is handed.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "runtime/engine/host_view.hpp"
#include "runtime/engine/kernel_totals.hpp"

namespace monomorph {

class PassEngine : public Engine {
 protected:
  struct Passes {
    std::int64_t block = 1;       ///< that a part of decoded tokens has at most
    std::int64_t most_draws = 1;  ///< of a slot, that a submission may have
  };
  /// `told`: each part is told the runs that it is over, and stands alone, so that it can be measured.
  PassEngine(const Program& program, bool told, const Passes& passes);

  enum class Part : std::uint32_t {
    encode,    ///< sources of `rows` tokens
    layers,    ///< embedding and layers of `rows` tokens
    head,      ///< what the head gives of `rows` rows
    sample,    ///< a token drawn for each of `rows` slots
    step,      ///< a decoded token of each of `rows` slots: layers, head, sample
    block,     ///< the same `block` times
    download,  ///< the host sees what was drawn, and what the head gave of `rows` rows
  };
  struct Work {
    Part part;
    std::int64_t rows;
    std::vector<PassRun> runs{};  ///< of the pass, where parts are told them
  };
  /// Computes the parts, in order, and waits. The step is as host() has it; the first angle_rows() rows of all angles
  /// are written.
  virtual void submit(std::span<const Work> work) = 0;

  std::span<const Drawn> run_step(std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits) override;
  void run_encode(std::span<const Source> sources) override;
  /// Runs, which have been judged, as one pass whose logits nobody wants; gives the pass's rows. Throws
  /// Error(rejected) where they are too many for one.
  std::int64_t run_layers(std::span<const Run> runs);

  /// The device says where it is, once it has made it.
  void set_host(HostView host) { host_ = std::move(host); }
  const HostView& host() const { return host_; }
  std::int64_t angle_rows() const { return angle_rows_; }
  const Passes& passes() const { return passes_; }

 private:
  /// Writes a pass over these runs; each that draws has `draws` tokens drawn in the submission.
  void write_pass(std::span<const Run> runs, std::int64_t draws);
  void write_run(const Run& run, std::int64_t drawn);
  void write_angles(const Run& run, std::int64_t drawn);
  void write_wanted(std::span<const StepRow> rows, std::int64_t draws);
  std::vector<PassRun> runs_of_pass() const { return told_ ? pass_ : std::vector<PassRun>{}; }
  void run_passes(std::size_t index, std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits);
  void run_pass(std::size_t index, std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits,
                std::span<std::vector<std::int32_t>> tokens);
  void run_all_logits(std::size_t index, const Run& run, std::int64_t first_row, const OnLogits& on_logits);
  void run_last(std::size_t index, std::span<const Run> runs, std::int64_t draws, const OnLogits& on_logits);
  std::span<const std::int32_t> take_drawn(const Run& run, std::vector<std::int32_t>& tokens);

  HostView host_;
  const bool told_;
  const Passes passes_;
  std::vector<Work> work_;
  std::vector<std::vector<std::int32_t>> tokens_;  ///< drawn, by run of a step
  std::vector<Drawn> drawn_;
  std::vector<float> frequencies_;
  // Of the pass at hand:
  std::vector<PassRun> pass_;                                ///< its runs
  std::int64_t angle_rows_ = 0;                              ///< written for it and those ahead
  std::vector<PassRun> further_;                             ///< the runs of the passes ahead
  std::vector<StepRow> wanted_;                              ///< rows whose logits are wanted
  std::vector<std::pair<std::size_t, std::int64_t>> shown_;  ///< runs that show logits, and their rows of them
};

}  // namespace monomorph
