#include "runtime/vulkan/tuning.hpp"

#include <algorithm>

namespace monomorph::vulkan {
namespace {

struct Choice {
  KernelKind kind;
  Tile gpu, cpu;
};

// On CPU drivers a load costs the same at any width and once a lane: many rows a subgroup, tokens across lanes.
constexpr Choice table[] = {
    // kind                    GPU: workgroup, rows, tokens    CPU driver
    {KernelKind::embed,        {128, 1, 1},                    {128, 1, 1}},
    {KernelKind::norm,         {128, 1, 1},                    {128, 1, 1}},
    {KernelKind::matvec,       {128, 4, 1},                    {128, 8, 1}},
    {KernelKind::matmul,       {128, 32, 32},                  {128, 32, 32}},
    {KernelKind::heads,        {128, 1, 1},                    {128, 1, 1}},
    {KernelKind::attention,    {128, 1, 1},                    {128, 1, 1}},
    {KernelKind::sample,       {128, 1, 1},                    {128, 1, 1}},
};

constexpr std::uint32_t vendor_intel = 0x8086;

}  // namespace

Tile tile(KernelKind kind, const DeviceFacts& facts) {
  const Choice& choice = *std::find_if(std::begin(table), std::end(table), [&](const Choice& c) { return c.kind == kind; });
  Tile result = facts.type == DeviceType::cpu ? choice.cpu : choice.gpu;
  // Halved rather than cut, so that it stays a multiple of the subgroup size.
  while (result.workgroup_size > facts.max_workgroup_invocations && result.workgroup_size > 1) result.workgroup_size /= 2;
  result.workgroup_size = std::max(result.workgroup_size, facts.subgroup_size);
  return result;
}

std::int64_t rows_per_workgroup(KernelKind kind, const Tile& tile, const DeviceFacts& facts) {
  if (kind == KernelKind::embed) return 0;
  if (kind == KernelKind::matvec) return tile.workgroup_size / facts.subgroup_size * tile.rows;
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
