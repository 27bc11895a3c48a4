//! value_dim = { type = "uint", sample = 25, is = "elements of a head" }
//! log_decay = { type = "text", sample = "-exp(x)", is = "the logarithm of what a token leaves of a weight, of x, a number of each element" }
//! has_state = { type = "bool", sample = true, is = "a state is read and written" }
//! state_dtype = { type = "choice", values = ["f32"], sample = "f32", is = "that it is kept as" }
//! state_stride = { type = "uint", sample = 76, is = "floats from one copy of all elements to the next" }
//! log_weights_stride = { type = "uint", sample = 52, is = "floats from one row of log_weights to the next" }
//! log_weights_column = { type = "uint", sample = 0, is = "of the first head" }
//! values_stride = { type = "uint", sample = 52, is = "floats from one row of values to the next" }
//! values_column = { type = "uint", sample = 0, is = "of the first head" }
//! buffer.state = { views = { f32 = "float" }, by = "state_dtype", is = "slots x copies x heads x value x 3" }
//! buffer.log_weights = { view = "float", is = "rows x heads x value" }
//! buffer.values = { view = "float", is = "rows x heads x value" }
//! buffer.decays = { view = "float", is = "heads x value" }
//! buffer.bonus = { view = "float", is = "heads x value" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "state_parts.glsl"
#include "state_copies.glsl"
//% include "epilogue.glsl"

// Both sums are kept without exp(exponent), their common factor.
struct Mean {
  float weighted, weights, exponent;
};

const float lowest = -3.0e38;
// Logarithms of decays. Above `slow` what goes has more digits than what stays; below `fast` the exponent takes the decay:
// so little is left that a rounding of the exponent does not matter.
const float slow = -0.5, fast = -20.0;
const float smallest = 1.0 / 1048576.0;  // sum of weights

float log_decay_of(float x) { return ${log_decay}; }

/// The mean with one value more, whose weight is exp(log_weight).
Mean with(Mean mean, float log_weight, float value) {
  const float exponent = max(mean.exponent, log_weight);
  const float past = exp(mean.exponent - exponent), now = exp(log_weight - exponent);
  return Mean(mean.weighted * past + now * value, mean.weights * past + now, exponent);
}

/// The mean whose weights have decayed. Where it can, it keeps its exponent, whose roundings would add up.
Mean decayed(Mean mean, float log_decay) {
  if (log_decay < fast) return Mean(mean.weighted, mean.weights, mean.exponent + log_decay);
  if (log_decay < slow) {
    const float left = exp(log_decay);
    return Mean(mean.weighted * left, mean.weights * left, mean.exponent);
  }
  const float loss = safe_expm1(log_decay);
  return Mean(mean.weighted + mean.weighted * loss, mean.weights + mean.weights * loss, mean.exponent);
}

void main() {
  const uint tiles = (value_dim + tile_tokens - 1) / tile_tokens;
  const uint r = gl_WorkGroupID.y / tiles;
  if (pass.live == 0 || r >= pass.run_count) return;
  const StepRun run = pass.runs[r];
  const StepToken token = pass.tokens[run.first_row];
  const uint head = first_row + gl_WorkGroupID.x;
  const uint from = copy_read(token.slot), to = copy_written(token.slot);
  const uint first = gl_WorkGroupID.y % tiles * tile_tokens;
  const uint end = min(first + tile_tokens, value_dim);
  for (uint element = first + gl_LocalInvocationIndex; element < end; element += workgroup_size) {
    const uint column = head * value_dim + element;
    const uint read = state_row(token.slot, 0, from) * state_stride + 3 * column;
    Mean mean = Mean(0.0, 0.0, lowest);
    if (token.position > 0) mean = Mean(state[read], state[read + 1], state[read + 2]);
    const float log_decay = log_decay_of(decays[column]);
    for (uint pass_row = run.first_row; pass_row < run.first_row + run.rows; ++pass_row) {
      const float log_weight = log_weights[pass_row * log_weights_stride + log_weights_column + column];
      const float value = values[pass_row * values_stride + values_column + column];
      const Mean seen = with(mean, log_weight + bonus[column], value);
      write_output(pass_row, column, seen.weighted / seen.weights);
      mean = with(decayed(mean, log_decay), log_weight, value);
      if (mean.weights < smallest) {
        mean = Mean(mean.weighted / mean.weights, 1.0, mean.exponent + log(mean.weights));
      }
    }
    if ((token.flags & token_writes) == 0) continue;
    const uint written = state_row(token.slot, 0, to) * state_stride + 3 * column;
    state[written] = mean.weighted;
    state[written + 1] = mean.weights;
    state[written + 2] = mean.exponent;
  }
}
