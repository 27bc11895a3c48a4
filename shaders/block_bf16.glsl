// bf16 weights: a block is 16 bytes, eight elements; a bf16 is the upper half of an f32.
const uint block_elements = 8;

struct Block {
  vec4 low, high;
};

vec4 decode_bf16(uvec2 words) {
  return uintBitsToFloat(uvec4(words.x << 16, words.x & 0xffff0000u, words.y << 16, words.y & 0xffff0000u));
}
Block decode_block(uvec4 words) { return Block(decode_bf16(words.xy), decode_bf16(words.zw)); }
Block block_of(vec4 first, vec4 last) { return Block(first, last); }
float dot_block(Block a, Block b) { return dot(a.low, b.low) + dot(a.high, b.high); }

vec4 block_quad(Block b, uint quad) { return quad == 0 ? b.low : b.high; }
Block broadcast_block(Block b, uint lane) { return Block(subgroupBroadcast(b.low, lane), subgroupBroadcast(b.high, lane)); }
