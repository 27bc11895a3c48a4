//! matrices = { type = "uint", sample = 2, is = "matrices multiplied with the same input" }
//! first_bias = { type = "bool", sample = true, is = "the first matrix has a bias" }
//! second_bias = { type = "bool", sample = true, is = "the second matrix has a bias" }
//! sum_count = { sample = 2 }
//! buffer.second_weights = { view = "uvec4", words = "quantized", when = "matrices == 2", is = "rows of the second matrix" }
//! buffer.bias = { view = "float", when = "first_bias", is = "rows of the matrix" }
//! buffer.second_bias_vector = { view = "float", when = "second_bias", is = "rows of the second matrix" }
//! banks = { type = "uint", sample = 4, is = "banks of rows", when = "banked" }
//! bank_rows = { type = "uint", sample = 17, is = "rows of a bank", when = "banked" }
//! choices = { type = "uint", sample = 2, is = "entries of a row: banks that are multiplied with it", when = "banked" }
//! chosen = { type = "bool", sample = true, is = "a choice says which those are; else the nth entry has the nth bank", when = "banked" }
//! choice_stride = { type = "uint", sample = 4, is = "floats from one row of choices to the next", when = "banked and chosen" }
//! choice_column = { type = "uint", sample = 0, is = "of the first choice", when = "banked and chosen" }
//! buffer.choice = { view = "float", when = "banked and chosen", is = "rows x choices, whole numbers" }
//% if banked
uint bank;                // that is multiplied
uint bank_begin, bank_end;  // those of its rows that lie in the bound slice

bool take_bank(uint which) {
  bank = which;
  const uint first = bank * bank_rows;
  const uint begin = max(first, first_row), end = min(first + bank_rows, first_row + row_count);
  if (begin >= end) return false;
  bank_begin = begin - first;
  bank_end = end - first;
  return true;
}
uint begin_row() { return bank_begin; }
uint end_row() { return bank_end; }
uint stored_row(uint row) { return bank * bank_rows + row - first_row; }

uint bank_of(uint entry) {
//% if chosen
  return min(uint(choice[entry / choices * choice_stride + choice_column + entry % choices]), banks - 1);
//% else
  return entry % choices;
//% end
}
//% else
uint begin_row() { return 0; }
uint end_row() { return row_count; }
uint stored_row(uint row) { return row; }
//% end
//% include "weight_parts.glsl"
//% include "epilogue.glsl"

void store(uint entry, uint row, float totals[matrices]) {
//% if banked
  const uint pass_row = entry / choices, column = entry % choices * bank_rows + row, bias_row = bank * bank_rows + row;
//% else
  const uint pass_row = entry, column = first_row + row, bias_row = column;
//% end
  float first = totals[0];
//% if first_bias
  first += bias[bias_row];
//% end
//% if matrices == 2
  float second = totals[1];
//% if second_bias
  second += second_bias_vector[bias_row];
//% end
  write_output(pass_row, column, first, second);
//% else
  write_output(pass_row, column, first);
//% end
}

