//! key_dim = { type = "uint", sample = 5, is = "rows of a head's matrix" }
//! most_lanes = { type = "uint", sample = 1, is = "lanes that share a column of a matrix where a subgroup has as many" }
//! value_dim = { type = "uint", sample = 25, is = "columns of a head's matrix" }
//! has_state = { type = "bool", sample = true, is = "a state is read and written" }
//! state_dtype = { type = "choice", values = ["f32"], sample = "f32", is = "that it is kept as" }
//! state_stride = { type = "uint", sample = 128, is = "floats from one copy of all matrices to the next" }
//! has_keys = { type = "bool", sample = true, is = "there are queries and keys; without them both are 1" }
//! removes = { type = "bool", sample = true, is = "a part of what the matrix has is removed" }
//! removes_keys = { type = "bool", sample = false, is = "what the keys read is removed", when = "removes" }
//! erased_beside = { type = "bool", sample = true, is = "what is erased stands behind what all heads remove", when = "removes" }
//! has_rates = { type = "bool", sample = true, is = "what is removed has a rate of each head" }
//! rates_stride = { type = "uint", sample = 4, is = "floats from one row of rates to the next", when = "has_rates" }
//! rates_column = { type = "uint", sample = 0, is = "of the first head", when = "has_rates" }
//! removed_first = { type = "bool", sample = false, is = "what is removed is read before the matrix decays", when = "removes" }
//! normalized = { type = "bool", sample = false, is = "what a token adds is multiplied by what its decay leaves room for" }
//! has_bonus = { type = "bool", sample = true, is = "queries read the matrix as it was, and the token by a bonus" }
//! queries_heads = { type = "uint", sample = 1, is = "heads that share their queries", when = "has_keys" }
//! queries_stride = { type = "uint", sample = 12, is = "floats from one row of queries to the next", when = "has_keys" }
//! queries_column = { type = "uint", sample = 0, is = "of the first head", when = "has_keys" }
//! keys_heads = { type = "uint", sample = 1, is = "heads that share their keys", when = "has_keys" }
//! keys_stride = { type = "uint", sample = 12, is = "floats from one row of keys to the next", when = "has_keys" }
//! keys_column = { type = "uint", sample = 0, is = "of the first head", when = "has_keys" }
//! values_stride = { type = "uint", sample = 52, is = "floats from one row of values to the next" }
//! values_column = { type = "uint", sample = 0, is = "of the first head" }
//! removed_heads = { type = "uint", sample = 1, is = "heads that share what is removed", when = "removes and not removes_keys" }
//! removed_stride = { type = "uint", sample = 12, is = "floats from one row of it to the next", when = "removes and not removes_keys" }
//! removed_column = { type = "uint", sample = 0, is = "of the first head", when = "removes and not removes_keys" }
//! heads = { type = "uint", sample = 4, is = "heads, of each of which something is erased", when = "removes and erased_beside" }
//! decay_by = { type = "choice", values = ["none", "constant", "head", "key", "element"], sample = "key", is = "what has a decay of its own; constant: each head, the same one always" }
//! log_decay = { type = "text", sample = "-a", is = "its logarithm, of some numbers", when = "decay_by != none and decay_by != constant" }
//! decay_parameters = { type = "text", sample = "float head, float a", is = "these numbers", when = "decay_by != none and decay_by != constant" }
//! decay_of_head = { type = "bool", sample = true, is = "the head's number is one of them, the first", when = "decay_by != none and decay_by != constant" }
//! decay_numbers = { type = "list", fields = ["buffer", "row", "column", "head", "key", "value", "comma"], is = "where they lie", when = "decay_by != none and decay_by != constant", sample = [
//!   { buffer = "decay0", row = 12, column = 0, head = 5, key = 1, value = 0, comma = ", " } ] }
//! losses = { type = "list", fields = ["loss"], is = "of each head, the part of an element that goes", when = "decay_by == constant", sample = [ { loss = -0.5 }, { loss = -0.25 } ] }
//! has_decay0 = { type = "bool", sample = true, is = "there is one" }
//! has_decay1 = { type = "bool", sample = false, is = "there is a second one" }
//! buffer.state = { views = { f32 = "float" }, by = "state_dtype", is = "slots x copies x heads x value x key" }
//! buffer.queries = { view = "float", when = "has_keys", is = "rows x heads x key" }
//! buffer.keys = { view = "float", when = "has_keys", is = "rows x heads x key" }
//! buffer.removed = { view = "float", when = "removes and not removes_keys", is = "rows x heads x key, or twice as many" }
//! buffer.rates = { view = "float", when = "has_rates", is = "rows x heads" }
//! buffer.values = { view = "float", is = "rows x heads x value" }
//! buffer.bonus = { view = "float", when = "has_bonus", is = "heads x key" }
//! buffer.decay0 = { view = "float", when = "has_decay0", is = "what the decay is of" }
//! buffer.decay1 = { view = "float", when = "has_decay1", is = "what the decay is of" }
//% include "preamble.glsl"
#extension GL_KHR_shader_subgroup_shuffle : require
//% include "stage.glsl"
//% include "state_parts.glsl"
#include "state_copies.glsl"
//% include "epilogue.glsl"

// Lanes that share a column: each has its own elements of it in registers, every `lanes`th from its own on.
const uint lanes = most_lanes < subgroup_size ? most_lanes : subgroup_size;
const uint own_keys = (key_dim + lanes - 1) / lanes;
const bool whole = key_dim % lanes == 0;  // no lane has fewer than others

StepRun run;         // whose tokens change the matrix, one after the other
uint head;
uint lane;           // of those that share the column
uint column;
uint read, written;  // where the column lies as it was, and as it will be
bool begins;         // the sequence: the matrix was 0
bool writes;

float sum_of_lanes(float x) {
  [[unroll]] for (uint step = 1; step < lanes; step <<= 1) x += subgroupShuffleXor(x, step);
  return x;
}

/// The element of the column that the lane has as its nth. Past the column's end it is the last one, and adds nothing.
uint key_of(uint n) { return whole ? n * lanes + lane : min(n * lanes + lane, key_dim - 1); }
bool is_key(uint n) { return whole || n * lanes + lane < key_dim; }

//% if decay_by == constant
const float losses[] = float[](
//% for each in losses
    ${each.loss},
//% end
    0.0);  // ends the list
//% elif decay_by != none
float log_decay(${decay_parameters}) { return ${log_decay}; }
/// The part of an element that goes, below 0: what decays slowly keeps more digits than it would of the part that stays.
float loss_at(uint pass_row, uint key) {
  return safe_expm1(log_decay(
//% if decay_of_head
      float(head)
//% end
//% for number in decay_numbers
      ${number.comma}${number.buffer}[pass_row * ${number.row} + ${number.column} + head * ${number.head} + key * ${number.key} + column * ${number.value}]
//% end
  ));
}
//% end

//% if normalized
/// sqrt(1 - decay^2), of what goes by the decay.
float gain_of(float loss) { return sqrt(-loss * (2.0 + loss)); }
//% end

/// The column, from the run's first token to its last; `stored`: it is one of the matrix.
void go_through(bool stored) {
  float matrix[own_keys];
  [[unroll]] for (uint n = 0; n < own_keys; ++n) {
    matrix[n] = begins || !is_key(n) ? 0.0 : state[read + key_of(n)];
  }
  for (uint pass_row = run.first_row; pass_row < run.first_row + run.rows; ++pass_row) {
    const float value = values[pass_row * values_stride + values_column + head * value_dim + column];
//% if has_keys
    const uint from_queries = pass_row * queries_stride + queries_column + head / queries_heads * key_dim;
    const uint from_keys = pass_row * keys_stride + keys_column + head / keys_heads * key_dim;
//% end
//% if decay_by == head
    const float loss = loss_at(pass_row, 0);
//% elif decay_by == constant
    const float loss = losses[head];
//% end
    float seen = 0.0;
//% if removes
//% if not removes_keys
    const uint from_removed = pass_row * removed_stride + removed_column + head / removed_heads * key_dim;
//% end
    float gone = 0.0;
//% end
//% if normalized
    const bool first_of_all = begins && pass_row == run.first_row;
    float gains[own_keys];
//% end
    [[unroll]] for (uint n = 0; n < own_keys; ++n) {
      const uint key = key_of(n);
      const float before = matrix[n];
//% if decay_by == key or decay_by == element
      const float loss = loss_at(pass_row, key);
//% end
//% if decay_by != none
      matrix[n] += matrix[n] * loss;
//% end
//% if normalized
      gains[n] = first_of_all ? 1.0 : gain_of(loss);
//% end
//% if has_bonus
      seen += is_key(n) ? queries[from_queries + key] * (before + bonus[head * key_dim + key] * keys[from_keys + key] * value) : 0.0;
//% end
//% if removes
//% if removes_keys
      const float removed_here = keys[from_keys + key];
//% else
      const float removed_here = removed[from_removed + key];
//% end
//% if removed_first
      gone += removed_here * before;
//% else
      gone += removed_here * matrix[n];
//% end
//% end
    }
//% if removes
    gone = sum_of_lanes(gone);
//% if has_rates
    gone *= rates[pass_row * rates_stride + rates_column + head];
//% end
//% end
    [[unroll]] for (uint n = 0; n < own_keys; ++n) {
      const uint key = key_of(n);
//% if has_keys
      float added = keys[from_keys + key] * value;
//% else
      float added = value;
//% end
//% if normalized
      added *= gains[n];
//% end
//% if removes and removes_keys
      added -= keys[from_keys + key] * gone;
//% elif removes and erased_beside
      added -= removed[from_removed + heads * key_dim + key] * gone;
//% elif removes
      added -= removed[from_removed + key] * gone;
//% end
      matrix[n] += is_key(n) ? added : 0.0;
//% if has_keys and not has_bonus
      seen += queries[from_queries + key] * matrix[n];
//% elif not has_bonus
      seen += matrix[n];
//% end
    }
    seen = sum_of_lanes(seen);
    if (stored && lane == 0) write_output(pass_row, head * value_dim + column, seen);
  }
  if (!writes || !stored) return;
  [[unroll]] for (uint n = 0; n < own_keys; ++n) {
    if (is_key(n)) state[written + key_of(n)] = matrix[n];
  }
}

void main() {
  const uint tiles = (value_dim + tile_tokens - 1) / tile_tokens;
  const uint r = gl_WorkGroupID.y / tiles;
  if (pass.live == 0 || r >= pass.run_count) return;
  run = pass.runs[r];
  const StepToken token = pass.tokens[run.first_row];
  head = first_row + gl_WorkGroupID.x;
  begins = token.position == 0;
  writes = (token.flags & token_writes) != 0;
  const uint from = copy_read(token.slot), to = copy_written(token.slot);
  const uint first = gl_WorkGroupID.y % tiles * tile_tokens;
  const uint invocation = gl_SubgroupID * subgroup_size + gl_SubgroupInvocationID;
  lane = invocation % lanes;
  const uint columns = workgroup_size / lanes;  // at once
  for (uint done = 0; done < tile_tokens; done += columns) {
    const uint c = done + invocation / lanes;
    const bool stored = c < tile_tokens && first + c < value_dim;
    column = min(first + c, value_dim - 1);
    const uint place = (head * value_dim + column) * key_dim;
    read = state_row(token.slot, 0, from) * state_stride + place;
    written = state_row(token.slot, 0, to) * state_stride + place;
    go_through(stored);
  }
}
