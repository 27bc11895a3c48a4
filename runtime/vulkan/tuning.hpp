// What suits which device: workgroup sizes and tiles by kind of kernel. The one place for such choices.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/engine/device_info.hpp"
#include "runtime/program/program.hpp"

namespace monomorph::vulkan {

/// Of a GPU: invocations of a workgroup of attention, and rows of a matmul's tile. The generator advises by them.
inline constexpr std::int64_t gpu_attention_workgroup = 128, gpu_matmul_rows = 32;

struct DeviceFacts {
  DeviceType type = DeviceType::other;
  std::int64_t subgroup_size = 1;  ///< as kernels will have it
  std::int64_t max_workgroup_invocations = 128;
  std::int64_t max_shared_memory = 16384;
  std::int64_t max_tile_rows = std::numeric_limits<std::int64_t>::max();  ///< as Limits says them
  std::int64_t max_tile_tokens = std::numeric_limits<std::int64_t>::max();
};

/// Specialization constants 0, 2 and 3 of a kernel.
struct Tile {
  std::int64_t workgroup_size;
  std::int64_t rows;    ///< per workgroup; of a matvec, per subgroup
  std::int64_t tokens;  ///< per workgroup
};

/// A tile has at most `most_tokens` tokens (a matmul's, rounded up to whole subgroups). `lanes`: Kernel::lanes.
Tile tile(KernelKind kind, std::int64_t most_tokens, const DeviceFacts& facts, std::int64_t lanes = 1);

/// What the kernel declares at most: of a matmul, decoded weights and inputs for 32 columns
/// (shaders/matmul_shared.glsl); other kernels keep within the 16 KiB that every device has.
std::int64_t shared_memory_bytes(KernelKind kind, const Tile& tile);

/// One for each kernel, by the dispatches that the program's phases make of it. `invariant`: a query row of attention
/// shares its tile with rows of its own token alone.
std::vector<Tile> choose_tiles(const Program& program, const DeviceFacts& facts, bool invariant = false);

/// The phase that serves passes of so many rows; `invariant`: the same for any number. Throws Error(internal) where the
/// program has none.
const Phase& choose_phase(const Program& program, Stage stage, std::int64_t rows, const DeviceFacts& facts,
                          bool invariant);

/// What a kernel is specialized with, by constant id (shaders/dispatch.glsl).
std::array<std::uint32_t, 5> specialization_constants(const Tile& tile, const DeviceFacts& facts);

/// Rows that one workgroup does; 0: all rows of the dispatch.
std::int64_t rows_per_workgroup(KernelKind kind, const Tile& tile, const DeviceFacts& facts);

/// The subgroup size to ask for, between the device's least and greatest, where sizes can be asked for.
std::int64_t preferred_subgroup_size(std::uint32_t vendor, std::int64_t usual, std::int64_t least,
                                     std::int64_t greatest);

}  // namespace monomorph::vulkan
