// Single elements of a row of bf16, read as 32-bit words: a bf16 is the upper half of an f32.
uint word_bf16(uint column) { return column / 2; }
float element_bf16(uint word, uint column) {
  return uintBitsToFloat(column % 2 == 0 ? word << 16 : word & 0xffff0000u);
}
