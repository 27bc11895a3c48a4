// Single elements of a row of f16, read as 32-bit words.
uint word_f16(uint column) { return column / 2; }
float element_f16(uint word, uint column) { return unpackHalf2x16(word)[column % 2]; }
