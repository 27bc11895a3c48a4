// Rows of a matrix that a workgroup multiplies, of those that its place in the grid names. The including kernel gives
// begin_row() and end_row().

/// A row that is multiplied: the nearest one of a row outside, whose product is not stored.
uint multiplied_row(uint row) { return clamp(row, begin_row(), end_row() - 1); }
bool stores_row(uint row) { return row >= begin_row() && row < end_row(); }
