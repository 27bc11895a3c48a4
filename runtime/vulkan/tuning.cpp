#include "runtime/vulkan/tuning.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "runtime/enumerators.hpp"
#include "runtime/error.hpp"

namespace monomorph::vulkan {
namespace {

/// Rows of a pass that matvec_few takes at once.
constexpr std::int64_t gpu_few_rows = 8, cpu_few_rows = 16;
/// Matrix rows of a lane on CPU drivers: their sums, of two matrices, fit into the shared memory that every device has.
constexpr std::int64_t most_few_rows_of_lane = 16;
/// Rows of a pass beyond which tiles of many rows are faster. On an H100 two tiles of eight take 0.7 of the time.
constexpr std::int64_t gpu_most_few = 16, cpu_most_few = 32;

struct Choice {
  KernelKind kind;
  Tile gpu, cpu;
};

// On CPU drivers a load costs the same at any width and once a lane: many rows a subgroup, tokens across lanes.
// clang-format off
constexpr Choice table[] = {
    // kind                   GPU: workgroup, rows, tokens     CPU driver
    {KernelKind::gather,      {128, 1, 1},                     {128, 1, 1}},
    {KernelKind::norm,        {128, 1, 1},                     {128, 1, 1}},
    {KernelKind::map,         {128, 1, 1},                     {128, 1, 1}},
    {KernelKind::matvec,      {128, 4, 1},                     {8, 128, 1}},
    {KernelKind::matvec_few,  {128, 2, gpu_few_rows},          {8, 64, cpu_few_rows}},
    {KernelKind::matmul,      {128, gpu_matmul_rows, 32},      {8, 8, 32}},
    {KernelKind::heads,       {128, 1, 1},                     {32, 1, 1}},
    {KernelKind::attention,   {gpu_attention_workgroup, 1, 8}, {128, 1, 8}},
    {KernelKind::recurrence,  {64, 1, 64},                     {32, 1, 64}},
    {KernelKind::sample_scan, {128, 1, 1},                     {128, 1, 1}},
    {KernelKind::sample,      {128, 1, 1},                     {128, 1, 1}},
};
// clang-format on

constexpr bool in_order_of_kinds() {
  for (std::size_t i = 0; i < std::size(table); ++i) {
    if (table[i].kind != static_cast<KernelKind>(i)) return false;
  }
  return std::size(table) == enumerator_count<KernelKind>();
}
static_assert(in_order_of_kinds(), "every kind of kernel has a row");

constexpr std::uint32_t vendor_intel = 0x8086;

std::int64_t round_up(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

}  // namespace

Tile tile(KernelKind kind, std::int64_t most_tokens, const DeviceFacts& facts, std::int64_t lanes) {
  const Choice& choice = table[static_cast<std::size_t>(kind)];
  Tile result = facts.type == DeviceType::cpu ? choice.cpu : choice.gpu;
  // Halved rather than cut, so that it stays a multiple of the subgroup size.
  while (result.workgroup_size > std::max<std::int64_t>(facts.max_workgroup_invocations, 1)) {
    result.workgroup_size /= 2;
  }
  result.workgroup_size = std::max(result.workgroup_size, facts.subgroup_size);
  // A recurrence's columns: as many as its workgroup has lanes for.
  if (kind == KernelKind::recurrence) result.tokens = result.workgroup_size / std::min(lanes, facts.subgroup_size);
  result.rows = std::min(result.rows, facts.max_tile_rows);
  result.tokens = std::min({result.tokens, std::max<std::int64_t>(most_tokens, 1), facts.max_tile_tokens});
  // A matvec's epilogue gives each of its rows a lane; on CPU drivers, in groups of as many rows as there are lanes.
  if (kind == KernelKind::matvec || kind == KernelKind::matvec_few) {
    result.rows = facts.type == DeviceType::cpu ? round_up(result.rows, facts.subgroup_size)
                                                : std::min(result.rows, facts.subgroup_size);
  }
  if (kind == KernelKind::matvec_few && facts.type == DeviceType::cpu) {
    result.rows = std::min(result.rows, most_few_rows_of_lane * facts.subgroup_size);
  }
  if (kind == KernelKind::matmul) {
    // A lane is a token and a subgroup a band of rows: the tile is whole lanes and whole bands. Where lanes share what
    // they load, a band has a row for each of them.
    const std::int64_t subgroups = result.workgroup_size / facts.subgroup_size;
    const std::int64_t least_rows = facts.type == DeviceType::cpu ? result.workgroup_size : subgroups;
    result.tokens = round_up(result.tokens, facts.subgroup_size);
    result.rows = round_up(result.rows, least_rows);
    while (shared_memory_bytes(kind, result) > facts.max_shared_memory && result.rows % (2 * least_rows) == 0) {
      result.rows /= 2;
    }
  }
  return result;
}

std::int64_t shared_memory_bytes(KernelKind kind, const Tile& tile) {
  constexpr std::int64_t guaranteed = 16384;
  if (kind != KernelKind::matmul) return guaranteed;
  constexpr std::int64_t step_bytes = 32 * 4, most_matrices = 2, entry_bytes = 4;
  return step_bytes * (most_matrices * tile.rows + tile.tokens) + entry_bytes * tile.tokens;
}

std::vector<Tile> choose_tiles(const Program& program, const DeviceFacts& facts, bool invariant) {
  std::vector<std::int64_t> most_tokens(program.kernels.size(), 1), of_a_token(program.kernels.size(), 1);
  for (const Phase& phase : program.phases) {
    Recorder recorder;
    phase.record(recorder);
    for (const Dispatch& dispatch : recorder.dispatches) {
      std::int64_t& most = most_tokens.at(static_cast<std::size_t>(dispatch.kernel));
      most = std::max(most, dispatch.counted(phase.max_rows));
      of_a_token[static_cast<std::size_t>(dispatch.kernel)] = dispatch.per_row;
    }
  }
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < most_tokens.size(); ++i) {
    const Kernel& kernel = program.kernels[i];
    tiles.push_back(tile(kernel.kind, std::min(most_tokens[i], kernel.max_tile_tokens), facts, kernel.lanes));
    if (!invariant || kernel.kind != KernelKind::attention) continue;
    while (of_a_token[i] % tiles.back().tokens != 0) --tiles.back().tokens;
  }
  return tiles;
}

const Phase& choose_phase(const Program& program, Stage stage, std::int64_t rows, const DeviceFacts& facts,
                          bool invariant) {
  const Phase* vector = phase_of(program, stage, Lowering::vector);
  const Phase* few = phase_of(program, stage, Lowering::few);
  const Phase* tiles = phase_of(program, stage, Lowering::tiles);
  const Phase* chosen = tiles == nullptr ? vector : tiles;
  if (invariant) {
    chosen = phase_of_any_rows(program, stage);
  } else if (rows == 1 && vector != nullptr) {
    chosen = vector;
  } else if (few != nullptr &&
             (tiles == nullptr || rows <= (facts.type == DeviceType::cpu ? cpu_most_few : gpu_most_few))) {
    chosen = few;
  }
  if (chosen == nullptr) throw Error(ErrorKind::internal, fmt::format("the program has no phase for {} rows", rows));
  return *chosen;
}

std::array<std::uint32_t, 5> specialization_constants(const Tile& tile, const DeviceFacts& facts) {
  const bool slow_loads = facts.type == DeviceType::cpu;
  return {static_cast<std::uint32_t>(tile.workgroup_size), static_cast<std::uint32_t>(facts.subgroup_size),
          static_cast<std::uint32_t>(tile.rows), static_cast<std::uint32_t>(tile.tokens), slow_loads ? 1u : 0u};
}

std::int64_t rows_per_workgroup(KernelKind kind, const Tile& tile, const DeviceFacts& facts) {
  if (kind == KernelKind::gather) return 0;
  if (kind == KernelKind::matvec || kind == KernelKind::matvec_few)
    return tile.workgroup_size / facts.subgroup_size * tile.rows;
  return tile.rows;
}

std::int64_t preferred_subgroup_size(std::uint32_t vendor, std::int64_t usual, std::int64_t least,
                                     std::int64_t greatest) {
  // Intel's usual size is the widest; 16 keeps registers free. Elsewhere 32 is native where it exists (wave32 of RDNA).
  const std::int64_t wanted = vendor == vendor_intel ? 16 : 32;
  if (least == greatest) return usual;
  return std::clamp(wanted, least, greatest);
}

}  // namespace monomorph::vulkan
