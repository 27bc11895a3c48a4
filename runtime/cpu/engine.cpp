#include "runtime/cpu/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/cpu/cores.hpp"
#include "runtime/engine/held_rows.hpp"
#include "runtime/engine/sampler.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/error.hpp"
#include "runtime/weights/fingerprint.hpp"

namespace monomorph::cpu {
namespace {

Pass pass_of(const HostView& host) {
  const HostView::Counts& counts = host.counts();
  return {counts.token_count, counts.head_rows, host.slots(), host.rows(), host.runs().first(counts.run_count),
          host.tokens()};
}

}  // namespace

CpuEngine::CpuEngine(const Program& program, HostWeights weights, Quantized quantized, const LoadOptions& options)
    : PassEngine(program, options.profile, {.most_draws = 1}),
      weights_(std::move(weights)),
      fingerprint_(fingerprint(weights_)),
      level_(best_level()),
      storage_(program, weights_, quantized, level_, options.progress),
      encode_(make_way(program, storage_, Stage::encode)),
      layers_(make_way(program, storage_, Stage::layers)),
      head_(make_way(program, storage_, Stage::head)),
      invariant_(options.invariant),
      threads_(options.threads > 0 ? options.threads : usable_cores()),
      watched_(options.profile || options.probe_layers) {
  check_host_views(program);
  std::vector<AngleRows> angles;
  for (const RotaryAngles& each : program.rotary_angles) angles.push_back({storage_.at(each.view), angle_stride(each)});
  set_host({program, storage_.at(program.step), storage_.at(program.output), std::move(angles)});
}

void CpuEngine::submit(std::span<const Work> work) {
  for (const Work& each : work) {
    switch (each.part) {
      case Part::encode:
        run(encode_, each);
        break;
      case Part::layers:
        run(layers_, each);
        break;
      case Part::head:
        run(head_, each);
        break;
      case Part::sample:
        draw(each.rows);
        break;
      case Part::download:  // it lies before the host
        break;
      case Part::step:
      case Part::block:
        throw Error(ErrorKind::internal, "this engine draws one token a pass");
    }
  }
}

void CpuEngine::run(const Way& way, const Work& work) {
  const Pass pass = pass_of(host());
  if (watched_) will_run();
  Pool::of_process().run(threads_, [&](Worker& worker) {
    for (std::size_t i = 0; i < way.steps.size(); ++i) {
      const Step& step = way.steps[i];
      if (step.waits || watched_) worker.wait();
      const Call call{pass, level_, invariant_, step.arguments, way.recorder.dispatches[i].rows};
      const auto [begin, end] = worker.share(step.function.units(call));
      if (begin < end) step.function.run(call, begin, end);
      if (!watched_) continue;
      worker.wait();
      if (worker.index() == 0) has_run(way, i, work);
    }
  });
}

/// What shaders/sample.glsl does, for the first draw of a submission.
void CpuEngine::draw(std::int64_t draws) {
  Pool::of_process().run(std::min(threads_, draws), [&](Worker& worker) {
    const auto [begin, end] = worker.share(draws);
    for (std::int64_t row = begin; row < end; ++row) {
      const std::uint32_t index = host().rows()[static_cast<std::size_t>(row)].slot;
      StepSlot& slot = host().slots()[index];
      const std::span<const float> logits = host().output(row);
      if (!are_finite(logits)) {
        slot.wrong = slot.done = 1;
        continue;
      }
      const std::uint32_t token = sample_token(logits, slot, slot.next_position);
      host().drawn(index)[0] = token;
      slot.drawn = 1;
      const std::span<const std::uint32_t> stop_tokens(slot.eos_tokens, slot.eos_count);
      if (slot.next_position >= slot.stop_position || std::ranges::count(stop_tokens, token) > 0) slot.done = 1;
      ++slot.next_position;
    }
  });
}

std::vector<float> CpuEngine::read_hidden_states(std::int64_t rows) {
  return without_padding(storage_.at(program_.hidden_states), rows, program_.hidden_size);
}

std::vector<std::span<std::byte>> CpuEngine::rows_of(const HeldStates& held, std::int64_t slot) const {
  std::vector<std::span<std::byte>> all;
  for (const HeldRows& rows : held_rows(program_, held, slot)) {
    all.emplace_back(storage_.at(rows.layer) + rows.offset, static_cast<std::size_t>(rows.bytes));
  }
  return all;
}

void CpuEngine::copy_states(const HeldStates& from, std::int64_t to) {
  const auto sources = rows_of(from, from.slot), targets = rows_of(from, to);
  for (std::size_t i = 0; i < sources.size(); ++i) std::ranges::copy(sources[i], targets[i].begin());
}

std::vector<std::byte> CpuEngine::save_states(const HeldStates& held) {
  std::vector<std::byte> bytes;
  for (const std::span<std::byte> rows : rows_of(held, held.slot)) bytes.insert(bytes.end(), rows.begin(), rows.end());
  return bytes;
}

void CpuEngine::restore_states(const HeldStates& held, std::span<const std::int32_t>, std::span<const std::int32_t>,
                               std::span<const std::byte> bytes) {
  validate_saved_bytes(program_, held, std::ssize(bytes));
  for (const std::span<std::byte> rows : rows_of(held, held.slot)) {
    std::ranges::copy(bytes.first(rows.size()), rows.begin());
    bytes = bytes.subspan(rows.size());
  }
}

}  // namespace monomorph::cpu
