#include "runtime/engine/test_limits.hpp"
#include "runtime/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace monomorph {
namespace {

using Limit = std::optional<std::int64_t> LimitOverrides::*;

constexpr std::pair<std::string_view, Limit> limits[] = {
    {"max_storage_buffer_range", &LimitOverrides::max_storage_buffer_range},
    {"max_allocation_size", &LimitOverrides::max_allocation_size},
    {"max_workgroup_count_x", &LimitOverrides::max_workgroup_count_x},
    {"max_workgroup_invocations", &LimitOverrides::max_workgroup_invocations},
    {"max_shared_memory", &LimitOverrides::max_shared_memory},
    {"max_tile_rows", &LimitOverrides::max_tile_rows},
    {"max_tile_tokens", &LimitOverrides::max_tile_tokens},
    {"heap_bytes", &LimitOverrides::heap_bytes},
};

constexpr std::pair<std::string_view, DeviceType> types[] = {{"discrete", DeviceType::discrete},
                                                             {"integrated", DeviceType::integrated},
                                                             {"virtual", DeviceType::virtual_gpu},
                                                             {"cpu", DeviceType::cpu}};

/// False where `value` is none that the field has, or there is no such field.
bool set(LimitOverrides& overrides, std::string_view name, std::string_view value) {
  if (name == "type") {
    for (const auto& [word, type] : types) {
      if (word != value) continue;
      overrides.type = type;
      return true;
    }
    return false;
  }
  if (name == "staging" || name == "separate_buffers") {
    (name == "staging" ? overrides.staging : overrides.separate_buffers) = value == "1";
    return value == "0" || value == "1";
  }
  for (const auto& [word, limit] : limits) {
    if (word != name) continue;
    std::int64_t number = 0;
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
    overrides.*limit = number;
    return status == std::errc() && end == value.data() + value.size() && number > 0;
  }
  return false;
}

}  // namespace

LimitOverrides read_test_limits(std::string_view text, LimitOverrides overrides) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && set(overrides, part.substr(0, equals), part.substr(equals + 1))) continue;
    throw Error(
        ErrorKind::environment,
        fmt::format("MONOMORPH_TEST_LIMITS has '{}'; it is for tests, and takes NAME=VALUE,... of the fields of "
                    "LimitOverrides (runtime/engine/test_limits.hpp)",
                    part));
  }
  return overrides;
}

void lower_limits(DeviceInfo& info, const LimitOverrides& overrides) {
  const auto apply = [](std::int64_t& limit, const std::optional<std::int64_t>& to) {
    if (to) limit = std::min(limit, *to);
  };
  apply(info.limits.max_storage_buffer_range, overrides.max_storage_buffer_range);
  apply(info.limits.max_allocation_size, overrides.max_allocation_size);
  apply(info.limits.max_workgroup_count_x, overrides.max_workgroup_count_x);
  apply(info.limits.max_workgroup_invocations, overrides.max_workgroup_invocations);
  apply(info.limits.max_workgroup_size_x, overrides.max_workgroup_invocations);
  apply(info.limits.max_shared_memory, overrides.max_shared_memory);
  apply(info.limits.max_tile_rows, overrides.max_tile_rows);
  apply(info.limits.max_tile_tokens, overrides.max_tile_tokens);
  info.limits.separate_buffers = info.limits.separate_buffers || overrides.separate_buffers;
  for (MemoryHeap& heap : info.heaps) {
    apply(heap.bytes, overrides.heap_bytes);
    apply(heap.available, overrides.heap_bytes);
  }
  if (overrides.type) info.type = *overrides.type;
}

LimitOverrides with_test_limits(const LimitOverrides& overrides) {
  const char* text = std::getenv("MONOMORPH_TEST_LIMITS");
  return text == nullptr ? overrides : read_test_limits(text, overrides);
}

}  // namespace monomorph
