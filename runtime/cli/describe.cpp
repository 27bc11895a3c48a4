#include "runtime/cli/describe.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace monomorph::cli {

std::string readable_bytes(double bytes) {
  static constexpr std::array<const char*, 5> units = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return unit == 0 ? fmt::format("{:.0f} {}", bytes, units[unit]) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string token_rate(double tokens, double seconds) {
  if (seconds <= 0) return "no time";
  const double rate = tokens / seconds;
  return rate < 1 ? fmt::format("{:.2g} tokens/s", rate) : fmt::format("{:.1f} tokens/s", rate);
}

std::int64_t bytes_read(const Program& program, Stage stage, std::int64_t rows, std::int64_t position) {
  const Stretch stretch{rows, position};
  return bytes_read(program, stage, {&stretch, 1});
}

std::int64_t bytes_read(const Program& program, Stage stage, std::span<const Stretch> stretches) {
  std::int64_t rows = 0;
  for (const Stretch& each : stretches) rows += each.rows;
  Recorder recorder;
  const bool tiles = stage == Stage::layers && rows > 1;
  if (const Phase* phase = phase_of(program, stage, tiles ? Lowering::tiles : Lowering::vector))
    phase->record(recorder);
  std::int64_t bytes = 0;
  std::map<std::int32_t, std::int64_t> keys;  // by kernel, which layers share
  for (const Dispatch& dispatch : recorder.dispatches) {
    const KernelCost& cost = program.kernels[static_cast<std::size_t>(dispatch.kernel)].cost;
    if (!keys.contains(dispatch.kernel)) {
      for (const Stretch& each : stretches) keys[dispatch.kernel] += cost.keys_of_any(each.position, each.rows);
    }
    const std::int64_t read = dispatch.rows * std::min(dispatch.banks, dispatch.counted(rows));
    bytes += cost.bytes(read, rows, keys[dispatch.kernel]);
  }
  return bytes;
}

}  // namespace monomorph::cli
