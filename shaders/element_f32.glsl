// Single elements of a row of f32, read as 32-bit words.
uint word_f32(uint column) { return column; }
float element_f32(uint word, uint column) { return uintBitsToFloat(word); }
