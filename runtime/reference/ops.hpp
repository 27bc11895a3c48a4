// The vocabulary of the emitted reference: everything its forward pass calls. tests/runtime/reference/ has two
// models written in it by hand.
#pragma once

#include "runtime/reference/attention.hpp"
#include "runtime/reference/convolution.hpp"
#include "runtime/reference/elementwise.hpp"
#include "runtime/reference/matrices.hpp"
#include "runtime/reference/mixtures.hpp"
#include "runtime/reference/norms.hpp"
#include "runtime/reference/recurrence.hpp"
#include "runtime/reference/weighted_mean.hpp"
