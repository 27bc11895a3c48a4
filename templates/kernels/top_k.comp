//! columns = { type = "uint", sample = 12, is = "scores of a row" }
//! choices = { type = "uint", sample = 3, is = "how many of them are chosen" }
//! biased = { type = "bool", sample = true, is = "something is added to the scores to choose by" }
//! grouped = { type = "bool", sample = true, is = "those of the best groups alone compete" }
//! groups = { type = "uint", sample = 4, is = "groups of neighbouring scores", when = "grouped" }
//! groups_kept = { type = "uint", sample = 2, is = "how many of them compete", when = "grouped" }
//! group_score = { type = "choice", values = ["max", "top2_sum"], sample = "top2_sum", is = "what a group is worth", when = "grouped" }
//! scores_stride = { type = "uint", sample = 12, is = "floats from one row of scores to the next" }
//! scores_column = { type = "uint", sample = 0, is = "of the first score" }
//! chosen_stride = { type = "uint", sample = 4, is = "floats from one row of choices to the next" }
//! chosen_column = { type = "uint", sample = 0, is = "of the first choice" }
//! buffer.scores = { view = "float", is = "rows x columns" }
//! buffer.selection_bias = { view = "float", when = "biased", is = "columns" }
//! buffer.chosen = { view = "float", is = "rows x choices, whole numbers" }
//% include "preamble.glsl"
//% include "stage.glsl"

uint row_scores;  // where the row's scores begin

float score_of(uint column) {
//% if biased
  return scores[row_scores + column] + selection_bias[column];
//% else
  return scores[row_scores + column];
//% end
}

/// Keys as whole numbers are in the order of what they are of; that of what is no number is the largest.
uint order_key(float value) {
  if (isnan(value)) return 0xFFFFFFFFu;
  const uint bits = floatBitsToUint(value == 0.0 ? 0.0 : value);  // -0 is 0
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

//% if grouped
const uint group_size = columns / groups;
uint kept[(groups + 31) / 32];  // as bits

bool competes(uint column) { return (kept[column / group_size / 32] >> column / group_size % 32 & 1u) != 0; }

//% if group_score == max
float worth_of(uint group) {
  float best = score_of(group * group_size);
  for (uint i = 1; i < group_size; ++i) {
    const float score = score_of(group * group_size + i);
    if (order_key(score) > order_key(best)) best = score;
  }
  return best;
}
//% else
float worth_of(uint group) {
  float best = score_of(group * group_size), second = score_of(group * group_size + 1);
  if (order_key(second) > order_key(best)) {
    const float other = best;
    best = second;
    second = other;
  }
  for (uint i = 2; i < group_size; ++i) {
    const float score = score_of(group * group_size + i);
    if (order_key(score) > order_key(best)) {
      second = best;
      best = score;
    } else if (order_key(score) > order_key(second)) {
      second = score;
    }
  }
  return best + second;
}
//% end

/// Keeps the best groups: the largest first, of equal ones the first. Each invocation has some of them.
void choose_groups() {
  [[unroll]] for (uint i = 0; i < (groups + 31) / 32; ++i) kept[i] = 0;
  for (uint n = 0; n < groups_kept; ++n) {
    uint best = 0, place = groups;
    for (uint group = gl_SubgroupInvocationID; group < groups; group += gl_SubgroupSize) {
      if ((kept[group / 32] >> group % 32 & 1u) != 0) continue;
      const uint key = order_key(worth_of(group));
      if (place == groups || key > best) {
        best = key;
        place = group;
      }
    }
    const uint most = subgroupMax(place == groups ? 0 : best);
    const uint first = subgroupMin(place != groups && best == most ? place : groups);
    kept[first / 32] |= 1u << first % 32;
  }
}
//% else
bool competes(uint column) { return true; }
void choose_groups() {}
//% end

// The first subgroup finds one choice after the other: the largest of what comes after the last one in the order of keys
// and then of columns.
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use() || gl_SubgroupID != 0) return;
  row_scores = pass_row * scores_stride + scores_column;
  choose_groups();
  uint last_key = 0xFFFFFFFFu, last = 0;
  for (uint choice = 0; choice < choices; ++choice) {
    uint best = 0, place = columns;
    for (uint column = gl_SubgroupInvocationID; column < columns; column += gl_SubgroupSize) {
      if (!competes(column)) continue;
      const uint key = order_key(score_of(column));
      const bool left = choice == 0 || key < last_key || (key == last_key && column > last);
      if (left && (place == columns || key > best)) {
        best = key;
        place = column;
      }
    }
    last_key = subgroupMax(place == columns ? 0 : best);
    last = subgroupMin(place != columns && best == last_key ? place : columns);
    if (subgroupElect()) chosen[pass_row * chosen_stride + chosen_column + choice] = float(last);
  }
}
