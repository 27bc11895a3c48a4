#include "runtime/cpu/views.hpp"

#include <algorithm>

#include "runtime/engine/validate.hpp"

namespace monomorph::cpu {

MeasuredCpuEngine::MeasuredCpuEngine(const Program& program, HostWeights weights, Quantized quantized,
                                     const LoadOptions& options)
    : CpuEngine(program, std::move(weights), quantized, options), totals_(program) {}

/// How many entries of the first `rows` rows of a pass had each bank; empty where none is chosen.
std::vector<std::int64_t> MeasuredCpuEngine::entries_of_bank(const Way& way, std::size_t step,
                                                             std::int64_t rows) const {
  const Dispatch& dispatch = way.recorder.dispatches[step];
  const Kernel& kernel = program_.kernels[static_cast<std::size_t>(dispatch.kernel)];
  const auto binding = std::ranges::find(kernel.bindings, choice_binding, &Binding::name);
  if (dispatch.banks == 1 || binding == kernel.bindings.end()) return {};
  const auto at = static_cast<std::size_t>(binding - kernel.bindings.begin());
  return count_entries(reinterpret_cast<const float*>(way.steps[step].arguments[at].data),
                       dispatch.arguments[at].view.bytes / 4 / program_.prefill_chunk, rows, dispatch.per_row,
                       dispatch.banks);
}

void MeasuredCpuEngine::has_run(const Way& way, std::size_t step, const Work& work) {
  const auto now = std::chrono::steady_clock::now();
  const Dispatch& dispatch = way.recorder.dispatches[step];
  totals_.add(dispatch.kernel,
              {dispatch.rows * dispatch.banks, dispatch.counted(work.rows), work.runs, dispatch.banks, 0, dispatch.rows,
               entries_of_bank(way, step, work.rows)},
              std::chrono::duration<double>(now - since_).count());
  since_ = std::chrono::steady_clock::now();
}

std::vector<std::vector<float>> ProbedCpuEngine::probe(std::span<const Run> runs) {
  validate_runs(*this, runs, 1);
  for (const Run& run : runs) {
    each_outdated(run, [&](const Run& anew) { probe({&anew, 1}); });
  }
  layers_.assign(static_cast<std::size_t>(marked_layers(Stage::layers)), {});
  run_layers(runs);
  return std::move(layers_);
}

std::vector<std::vector<float>> ProbedCpuEngine::probe_sources(std::span<const Source> sources) {
  layers_.assign(static_cast<std::size_t>(marked_layers(Stage::encode)), {});
  encode(sources);
  return std::move(layers_);
}

void ProbedCpuEngine::has_run(const Way& way, std::size_t step, const Work& work) {
  const auto& ends = way.recorder.layer_ends;
  for (std::size_t layer = 0; layer < ends.size() && layer < layers_.size(); ++layer) {
    if (ends[layer].dispatch_count != static_cast<std::int64_t>(step) + 1) continue;
    const std::int64_t columns = work.part == Part::encode ? program_.encoder_hidden_size : program_.hidden_size;
    const std::vector<float> states = without_padding(storage().at(ends[layer].hidden_states), work.rows, columns);
    layers_[layer].insert(layers_[layer].end(), states.begin(), states.end());
  }
}

}  // namespace monomorph::cpu
