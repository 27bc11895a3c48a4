// f16 weights: a block is 16 bytes, eight elements, unpacked exactly from 32-bit words on every driver.
const uint block_elements = 8;

struct Block {
  vec4 low, high;
};

Block decode_block(uvec4 words) {
  return Block(vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y)),
               vec4(unpackHalf2x16(words.z), unpackHalf2x16(words.w)));
}
Block block_of(vec4 first, vec4 last) { return Block(first, last); }
float dot_block(Block a, Block b) { return dot(a.low, b.low) + dot(a.high, b.high); }

vec4 block_quad(Block b, uint quad) { return quad == 0 ? b.low : b.high; }
Block broadcast_block(Block b, uint lane) { return Block(subgroupBroadcast(b.low, lane), subgroupBroadcast(b.high, lane)); }
