// LimitOverrides from the environment, so that a test of a whole program runs the ways of another device's kernels.
//
// MONOMORPH_TEST_LIMITS=type=discrete,max_tile_rows=8: fields of LimitOverrides by name, each with a number; `type`
// with discrete, integrated, virtual or cpu; `staging` and `separate_buffers` with 0 or 1. For tests alone: answers are
// the same on every device.
#pragma once

#include <string_view>

#include "runtime/engine/device_info.hpp"

namespace monomorph {

/// What `text` says, in place of what `overrides` had. Throws Error(environment) where it says anything else than that.
LimitOverrides read_test_limits(std::string_view text, LimitOverrides overrides = {});

/// The same of the variable; `overrides` themselves where it is not set or empty.
LimitOverrides with_test_limits(const LimitOverrides& overrides);

/// Limits, and the class, as tests have them.
void lower_limits(DeviceInfo& info, const LimitOverrides& overrides);

}  // namespace monomorph
