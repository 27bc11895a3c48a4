// f32 weights: a block is 16 bytes, four elements.
const uint block_elements = 4;

struct Block {
  vec4 elements;
};

Block decode_block(uvec4 words) { return Block(uintBitsToFloat(words)); }
Block block_of(vec4 first, vec4 last) { return Block(first); }
float dot_block(Block a, Block b) { return dot(a.elements, b.elements); }

vec4 block_quad(Block b, uint quad) { return b.elements; }
Block broadcast_block(Block b, uint lane) { return Block(subgroupBroadcast(b.elements, lane)); }
