// What Q4_K and Q5_K have for every 256 elements, in 16 bytes: f16 scales of scales and of minima; for every 32 a scale
// and a minimum of six bits.
uvec4 read_scales(uint matrix, uint row, uint unit) { return weight_quad(matrix, row, scale_plane / 4 + unit / 8); }

void set_scales(uvec4 header, uint unit, inout Unit result) {
  const uint in_block = unit % 8;
  const uint low = (in_block < 4 ? header.y : header.z) >> 8 * (in_block % 4);
  const vec2 scales = unpackHalf2x16(header.x) * vec2(six_bits(low, header.w >> 4 * in_block));
  result.scales[0] = scales.x;
  result.minima[0] = scales.y;
}
