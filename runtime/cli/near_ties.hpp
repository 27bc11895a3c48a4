// Near ties of a mixture's choices: which of two experts a token has, rounding may decide.
//
// A hidden state that is off by a share of itself moves each score by about that share of what the row's scores are. So
// a sound device may choose otherwise than the reference where the margin, as a share of the row's largest score, is at
// most the layer's tolerance; what it chose gives another hidden state, and keys and values that later tokens see. Of
// 64 random experts, with an f16 cache, that happens to about one of 300 choices, by margins up to a quarter of the
// tolerance. The reference is then asked to make the choice as the device did, and everything is compared with that, by
// the same tolerance: no row is left out. Scores that are equal tie on every device alike, and are never turned.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/cli/verify_report.hpp"
#include "runtime/reference/choices.hpp"

namespace monomorph::cli {

/// [layers][tokens x hidden_size], of a device and of the reference.
using DeviceLayers = std::vector<std::vector<float>>;
using ReferenceLayers = std::vector<std::vector<double>>;

/// What the reference's pass gives; where rows differ from the device's by more than `tolerance` says and a choice of
/// the row nearly ties, what it gives with that choice made the other way, if the row then agrees: one choice of a row
/// in a layer, so that a row which needs two of them is told as a difference. `pass` computes it, at `position`, with
/// `choices`, whose `turned` keeps what the device chose. `told` counts them.
ReferenceLayers pass_as_device(const DeviceLayers& device, std::int64_t hidden_size, std::int64_t position,
                               const std::function<double(std::int64_t layers)>& tolerance, reference::Choices& choices,
                               const std::function<ReferenceLayers()>& pass, NearTies& told);

}  // namespace monomorph::cli
