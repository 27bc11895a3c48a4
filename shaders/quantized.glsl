// Quantized weights: a unit is 32 elements, codes times scales less minima, in `unit_groups` groups of equal scale. A row
// on the device is its planes, one after another, each of whole words: the codes' low bits, their high bits, scales of
// units, scales of blocks. runtime/formats/quantized.cpp packs them; bits of neighbouring elements are neighbours.
//
// Including formats give unit_groups, has_minima and scale_units. Given to them: weight_quad(matrix, row, 16-byte quad),
// weight_word(matrix, row, word), and where planes begin in a row, in words: high_plane, scale_plane, block_plane.
const uint unit_quads = 8;
const uint group_quads = unit_quads / unit_groups;
#include "inputs.glsl"

struct Unit {
  vec4 codes[unit_quads];
  float scales[unit_groups];
  float minima[unit_groups];
};

/// A unit, given the scales as the device stores them of `scale_units` neighbouring units, from a multiple of that on.
Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales);
uvec4 read_scales(uint matrix, uint row, uint unit);

Unit read_unit(uint matrix, uint row, uint unit) { return read_unit(matrix, row, unit, read_scales(matrix, row, unit)); }

void sum_inputs(inout Inputs x) {
  if (!has_minima) return;
  [[unroll]] for (uint group = 0; group < unit_groups; ++group) {
    x.sums[group] = 0.0;
    [[unroll]] for (uint i = 0; i < group_quads; ++i) x.sums[group] += dot(x.quads[group * group_quads + i], vec4(1.0));
  }
}

float dot_unit(Unit unit, Inputs x) {
  float sum = 0.0;
  [[unroll]] for (uint group = 0; group < unit_groups; ++group) {
    float products = 0.0;
    [[unroll]] for (uint i = 0; i < group_quads; ++i) {
      const uint quad = group * group_quads + i;
      products += dot(unit.codes[quad], x.quads[quad]);
    }
    sum += unit.scales[group] * products;
    if (has_minima) sum -= unit.minima[group] * x.sums[group];
  }
  return sum;
}

vec4 unit_quad(Unit unit, uint quad) {
  const uint group = quad / group_quads;
  const vec4 scaled = unit.scales[group] * unit.codes[quad];
  return has_minima ? scaled - unit.minima[group] : scaled;
}

Unit broadcast_unit(Unit unit, uint lane) {
  Unit result;
  [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) result.codes[quad] = subgroupBroadcast(unit.codes[quad], lane);
  [[unroll]] for (uint group = 0; group < unit_groups; ++group) {
    result.scales[group] = subgroupBroadcast(unit.scales[group], lane);
    result.minima[group] = has_minima ? subgroupBroadcast(unit.minima[group], lane) : 0.0;
  }
  return result;
}

/// Four neighbouring codes of 1, 2 or 4 bits, the lowest of `bits`.
uvec4 four_of_1(uint bits) { return uvec4(bits) >> uvec4(0, 1, 2, 3) & 1; }
uvec4 four_of_2(uint bits) { return uvec4(bits) >> uvec4(0, 2, 4, 6) & 3; }
uvec4 four_of_4(uint bits) { return uvec4(bits) >> uvec4(0, 4, 8, 12) & 15; }

/// The unit's codes or their low bits, of 4 and 2 bits, and their high bits.
void read_low_4(uint matrix, uint row, uint unit, out uvec4 codes[unit_quads]) {
  const uvec4 words = weight_quad(matrix, row, unit);
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    codes[2 * i] = four_of_4(words[i]);
    codes[2 * i + 1] = four_of_4(words[i] >> 16);
  }
}
void read_low_2(uint matrix, uint row, uint unit, out uvec4 codes[unit_quads]) {
  [[unroll]] for (uint i = 0; i < 2; ++i) {
    const uint word = weight_word(matrix, row, 2 * unit + i);
    [[unroll]] for (uint j = 0; j < 4; ++j) codes[4 * i + j] = four_of_2(word >> 8 * j);
  }
}
void add_high_1(uint matrix, uint row, uint unit, uint shift, inout uvec4 codes[unit_quads]) {
  const uint word = weight_word(matrix, row, high_plane + unit);
  [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) codes[quad] |= four_of_1(word >> 4 * quad) << shift;
}
void add_high_2(uint matrix, uint row, uint unit, uint shift, inout uvec4 codes[unit_quads]) {
  [[unroll]] for (uint i = 0; i < 2; ++i) {
    const uint word = weight_word(matrix, row, high_plane + 2 * unit + i);
    [[unroll]] for (uint j = 0; j < 4; ++j) codes[4 * i + j] |= four_of_2(word >> 8 * j) << shift;
  }
}

/// Of a plane of bytes, of 16-bit numbers, of f16: the one at `index`, given its word.
uint byte_of(uint word, uint index) { return word >> 8 * (index % 4) & 255; }
uint short_of(uint word, uint index) { return word >> 16 * (index % 2) & 65535; }
float half_of(uint word, uint index) { return unpackHalf2x16(short_of(word, index)).x; }

/// Two numbers of six bits, whose low four stand in a byte and whose high two in four bits.
uvec2 six_bits(uint low, uint high) { return uvec2(low & 15 | (high & 3) << 4, low >> 4 & 15 | (high & 12) << 2); }

Unit unit_of(uvec4 codes[unit_quads], float zero) {
  Unit unit;
  [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) unit.codes[quad] = vec4(codes[quad]) - zero;
  [[unroll]] for (uint group = 0; group < unit_groups; ++group) unit.minima[group] = 0.0;
  return unit;
}
