// A cache of q8_0: a row is its codes, a signed byte an element and a quad a word, and then an f16 scale for every 32
// elements, two a word; where their number is odd, the last half is 0. quantize_q8_0.glsl makes rows.

/// A quad of a row, given its word of codes and the word that has its scale: quad / 16 words after the last code.
vec4 unpack_q8_0_quad(uint codes, uint scales, uint quad) {
  const float scale = unpackHalf2x16(scales >> 16 * (quad / 8 & 1)).x;
  return scale * vec4(ivec4(uvec4(codes) << uvec4(24, 16, 8, 0)) >> 24);
}
