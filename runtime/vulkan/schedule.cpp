#include "runtime/vulkan/schedule.hpp"
#include "runtime/error.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace monomorph::vulkan {
namespace {

[[noreturn]] void contradiction(const Kernel& kernel, const std::string& what) {
  throw Error(ErrorKind::internal, fmt::format("kernel {}: {}", kernel.name, what));
}

std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

/// The rows at which the dispatch is cut: where a slice of a weight that splits begins, 0 and `rows` included.
std::vector<std::int64_t> cuts(const ScheduleInput& input, const Kernel& kernel, const Dispatch& dispatch) {
  const std::int64_t stored_rows = dispatch.rows * dispatch.banks;
  std::vector<std::int64_t> cuts{0, stored_rows};
  for (std::size_t b = 0; b < kernel.bindings.size(); ++b) {
    if (!kernel.bindings[b].splits) continue;
    const std::int32_t stored = dispatch.arguments[b].stored;
    if (stored < 0) contradiction(kernel, fmt::format("{} splits but is no weight", kernel.bindings[b].name));
    const auto slices = input.weights.of(stored);
    if (slices.back().first_row + slices.back().rows != stored_rows) {
      contradiction(kernel, fmt::format("{} has {} rows, the dispatch {}", kernel.bindings[b].name,
                                        slices.back().first_row + slices.back().rows, stored_rows));
    }
    for (const Slice& slice : slices) cuts.push_back(slice.first_row);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

/// The greatest number of rows one dispatch may have: a multiple of what keeps every splitting weight's offset aligned.
std::int64_t row_limit(const ScheduleInput& input, const Kernel& kernel, const Dispatch& dispatch,
                       std::int64_t rows_per_group) {
  const std::int64_t most = input.limits.max_workgroup_count_x * rows_per_group;
  if (dispatch.rows <= most) return dispatch.rows;
  std::int64_t granule = rows_per_group;
  for (std::size_t b = 0; b < kernel.bindings.size(); ++b) {
    if (!kernel.bindings[b].splits) continue;
    const std::int64_t stride = input.weights.row_bytes[static_cast<std::size_t>(dispatch.arguments[b].stored)];
    const std::int64_t alignment = LayoutLimits::of(input.limits).alignment;
    granule = std::lcm(granule, alignment / std::gcd(alignment, stride));
  }
  if (granule > most) {
    throw Error(ErrorKind::device,
                fmt::format("kernel {}: {} rows need more than the {} workgroups this device takes, and "
                            "cannot be cut finer than {} rows",
                            kernel.name, dispatch.rows, input.limits.max_workgroup_count_x, granule));
  }
  return most / granule * granule;
}

Place weight_place(const ScheduleInput& input, const Kernel& kernel, const Binding& binding, std::int32_t stored,
                   std::int64_t first_row, std::int64_t rows) {
  if (static_cast<std::size_t>(stored) + 1 >= input.weights.first_slice.size()) {
    contradiction(kernel, fmt::format("{} names weight {}, which does not exist", binding.name, stored));
  }
  const auto slices = input.weights.of(stored);
  if (!binding.splits) {
    if (slices.size() != 1) {
      throw Error(ErrorKind::device,
                  fmt::format("kernel {}: {} must be bound whole, and this device binds at most {} bytes at once",
                              kernel.name, binding.name, input.limits.max_storage_buffer_range));
    }
    return {slices[0].shard, slices[0].offset, slices[0].bytes};
  }
  const auto slice = std::find_if(slices.begin(), slices.end(), [&](const Slice& s) {
    return first_row >= s.first_row && first_row + rows <= s.first_row + s.rows;
  });
  const std::int64_t stride = input.weights.row_bytes[static_cast<std::size_t>(stored)];
  return {slice->shard, slice->offset + (first_row - slice->first_row) * stride, rows * stride};
}

void add_commands(const ScheduleInput& input, const Dispatch& dispatch, std::size_t index, Schedule& schedule) {
  if (dispatch.kernel < 0 || static_cast<std::size_t>(dispatch.kernel) >= input.program.kernels.size()) {
    throw Error(ErrorKind::internal,
                fmt::format("dispatch {} names kernel {}, which does not exist", index, dispatch.kernel));
  }
  const Kernel& kernel = input.program.kernels[static_cast<std::size_t>(dispatch.kernel)];
  if (dispatch.arguments.size() != kernel.bindings.size()) {
    contradiction(kernel,
                  fmt::format("{} arguments for {} bindings", dispatch.arguments.size(), kernel.bindings.size()));
  }
  if (dispatch.rows < 1 || dispatch.per_row < 1 || dispatch.banks < 1) contradiction(kernel, "no rows");

  std::vector<ByteAccess> accesses;
  for (std::size_t b = 0; b < kernel.bindings.size(); ++b) {
    if (dispatch.arguments[b].stored >= 0) {
      if (kernel.bindings[b].access != Access::read) contradiction(kernel, "it writes to a weight");
      continue;
    }
    const Place place = place_of(input.weights, input.arenas, dispatch.arguments[b].view);
    const Access access = kernel.bindings[b].access;
    accesses.push_back({place.buffer, place.offset, place.bytes, access != Access::write, access != Access::read});
  }

  const Tile& tile = input.tiles[static_cast<std::size_t>(dispatch.kernel)];
  const std::int64_t most_runs = std::min(schedule.rows, input.program.max_batch);
  std::int64_t groups_y = dispatch.count == Count::banks  ? dispatch.banks
                          : dispatch.count == Count::runs ? most_runs * divide_up(dispatch.per_row, tile.tokens)
                                                          : divide_up(dispatch.counted(schedule.rows), tile.tokens);
  // Tiles of attention never cross runs, of which each may leave one less than full.
  if (kernel.kind == KernelKind::attention) groups_y += most_runs - 1;
  if (groups_y > input.limits.max_workgroup_count_y) {
    throw Error(ErrorKind::device,
                fmt::format("kernel {}: {} rows at once are too many for this device; generate with a "
                            "smaller engine.prefill_chunk",
                            kernel.name, schedule.rows));
  }
  const std::int64_t per_group = rows_per_workgroup(kernel.kind, tile, input.facts);
  const std::int64_t limit = per_group == 0 ? dispatch.rows : row_limit(input, kernel, dispatch, per_group);
  // Each slice of banks has the grid of a whole one: workgroups look for their rows in it.
  const bool banked = dispatch.banks > 1;
  if (banked && limit < dispatch.rows) {
    throw Error(ErrorKind::device,
                fmt::format("kernel {}: {} rows of a bank need more workgroups than this device takes", kernel.name,
                            dispatch.rows));
  }
  const std::vector<std::int64_t> bounds = cuts(input, kernel, dispatch);
  for (std::size_t c = 0; c + 1 < bounds.size(); ++c) {
    const std::int64_t step = banked ? bounds[c + 1] - bounds[c] : limit;
    for (std::int64_t row = bounds[c]; row < bounds[c + 1]; row += step) {
      Command command{dispatch.kernel,
                      row,
                      std::min(step, bounds[c + 1] - row),
                      1,
                      groups_y,
                      {},
                      accesses,
                      dispatch.per_row,
                      dispatch.banks,
                      dispatch.rows};
      if (per_group != 0) command.groups_x = divide_up(banked ? dispatch.rows : command.row_count, per_group);
      for (std::size_t b = 0; b < kernel.bindings.size(); ++b) {
        const Argument& argument = dispatch.arguments[b];
        command.arguments.push_back(argument.stored < 0 ? place_of(input.weights, input.arenas, argument.view)
                                                        : weight_place(input, kernel, kernel.bindings[b],
                                                                       argument.stored, row, command.row_count));
        if (banked && kernel.bindings[b].name == choice_binding) command.choice = command.arguments.back();
      }
      schedule.commands.push_back(std::move(command));
    }
  }
}

}  // namespace

Place place_of(const WeightLayout& weights, const ArenaLayout& arenas, const BufferView& view) {
  const std::size_t piece = arenas.piece_of(view);
  return {weights.shard_bytes.size() + piece, view.offset - arenas.pieces[piece].offset, view.bytes};
}

Schedule make_schedule(const ScheduleInput& input, const Phase& phase, std::int64_t rows) {
  Recorder recorder;
  phase.record(recorder);
  Schedule schedule;
  schedule.rows = rows;
  std::size_t ends = 0;
  for (std::size_t i = 0; i <= recorder.dispatches.size(); ++i) {
    for (;
         ends < recorder.layer_ends.size() && recorder.layer_ends[ends].dispatch_count == static_cast<std::int64_t>(i);
         ++ends) {
      const Recorder::LayerEnd& end = recorder.layer_ends[ends];
      schedule.layer_ends.push_back(
          {end.layer, schedule.commands.size(), place_of(input.weights, input.arenas, end.hidden_states)});
    }
    if (i < recorder.dispatches.size()) add_commands(input, recorder.dispatches[i], i, schedule);
  }
  return schedule;
}

}  // namespace monomorph::vulkan
