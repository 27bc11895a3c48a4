#include "runtime/cpu/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/cpu/cores.hpp"
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

CpuEngine::CpuEngine(const Program& program, const HostWeights& weights, const LoadOptions& options)
    : PassEngine(program, options.profile, {.most_draws = 1}),
      storage_(program, weights, options.progress),
      encode_(make_way(program, storage_, Stage::encode)),
      layers_(make_way(program, storage_, Stage::layers)),
      head_(make_way(program, storage_, Stage::head)),
      threads_(options.threads > 0 ? options.threads : usable_cores()),
      watched_(options.profile || options.probe_layers),
      weights_(fingerprint(weights)) {
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
      const Call call{pass, step.arguments, step.dispatch->rows};
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

std::vector<float> CpuEngine::floats_of(const BufferView& view, std::int64_t rows, std::int64_t columns) const {
  std::vector<float> floats(static_cast<std::size_t>(rows * columns));
  const std::int64_t stride = row_bytes<f32>(columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(floats.data() + row * columns, storage_.at(view) + row * stride,
                static_cast<std::size_t>(columns) * sizeof(float));
  }
  return floats;
}

std::vector<float> CpuEngine::read_hidden_states(std::int64_t rows) {
  return floats_of(program_.hidden_states, rows, program_.hidden_size);
}

std::vector<std::span<std::byte>> CpuEngine::rows_of(const HeldStates& held, std::int64_t slot) const {
  std::vector<std::span<std::byte>> all;
  for (const StateTable& state : program_.states) {
    const EntryRange entries = held_entries(state, held);
    if (entries.count == 0) continue;
    for (std::int64_t layer = 0; layer < state.layers; ++layer) {
      std::byte* const first = storage_.at(state.view) + layer * state.stride;
      for (std::int64_t head = 0; head < state.heads; ++head) {
        all.emplace_back(first + state_row(state, slot, head, entries.first) * state.row_bytes,
                         static_cast<std::size_t>(entries.count * state.row_bytes));
      }
    }
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
