// A cache of f32: a pair is two words, a quad four.
uvec2 pack_f32_pair(vec2 values) { return floatBitsToUint(values); }
vec4 unpack_f32_quad(uvec4 words) { return uintBitsToFloat(words); }
