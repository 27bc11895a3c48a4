// A cache of f16: a pair is one word, a quad two. Values beyond f16's range are clamped, since packHalf2x16 of them is
// infinite on some drivers and not a number on others.
uint pack_pair(vec2 values) { return packHalf2x16(clamp(values, -65504.0, 65504.0)); }
vec4 unpack_quad(uvec2 words) { return vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y)); }
