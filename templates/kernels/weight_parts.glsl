//! dtype = { type = "choice", values = ["f32", "f16", "bf16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k", "iq4_nl", "iq4_xs", "mxfp4"], sample = "bf16", is = "of the weights" }
//! quantized = { type = "bool", sample = false, is = "elements of the weights share scales" }
//! row_quads = { type = "uint", sample = 9, is = "groups of 16 bytes from one row of the weights to the next" }
//! row_units = { type = "uint", sample = 9, is = "units of a row: what a lane decodes at once" }
//! high_plane = { type = "uint", sample = 0, is = "32-bit words of a row before the high bits of its codes", when = "quantized" }
//! scale_plane = { type = "uint", sample = 0, is = "words before scales of units", when = "quantized" }
//! block_plane = { type = "uint", sample = 0, is = "words before scales of blocks", when = "quantized" }
//! buffer.weights = { view = "uvec4", words = "quantized", is = "rows of the matrix, in groups of 16 bytes" }
//% if matrices == 2
uvec4 weight_quad(uint matrix, uint row, uint quad) {
  return matrix == 0 ? weights[stored_row(row) * row_quads + quad] : second_weights[stored_row(row) * row_quads + quad];
}
//% else
uvec4 weight_quad(uint matrix, uint row, uint quad) { return weights[stored_row(row) * row_quads + quad]; }
//% end
//% if quantized
//% if matrices == 2
uint weight_word(uint matrix, uint row, uint word) {
  const uint at = 4 * stored_row(row) * row_quads + word;
  return matrix == 0 ? weights_words[at] : second_weights_words[at];
}
//% else
uint weight_word(uint matrix, uint row, uint word) { return weights_words[4 * stored_row(row) * row_quads + word]; }
//% end
//% end
#include "format_${dtype}.glsl"

