// Codes of four bits that are places in a table of levels.
Unit unit_of_levels(uint matrix, uint row, uint unit) {
  uvec4 codes[unit_quads];
  read_low_4(matrix, row, unit, codes);
  Unit result;
  [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) {
    const uvec4 code = codes[quad];
    result.codes[quad] = vec4(levels[code.x], levels[code.y], levels[code.z], levels[code.w]);
  }
  result.minima[0] = 0.0;
  return result;
}
