// The likeliest token of one part of the vocabulary, a workgroup each, so that the whole device reads the logits: what it
// leaves is (order key, lowest id, 1 where a logit is no finite number, 0). Logits of draw i are row i. Parts do not depend on the
// workgroup's size, and the greatest key with the lowest id is the same in any order.
//
// Reads the constants vocab_size, parts, logits_stride and workgroup_size (at most 256), and the step.
const uint part_size = (vocab_size + parts - 1u) / parts;
shared uint scan_key[workgroup_size];
shared uint scan_token[workgroup_size];
shared uint scan_wrong[workgroup_size];

void main() {
  const uint draw = gl_WorkGroupID.y;
  if (pass.live == 0 || draw >= pass.draw_count) return;
  const uint part = first_row + gl_WorkGroupID.x;
  const uint lane = gl_LocalInvocationIndex;
  const uint begin = part * part_size, end = min(begin + part_size, vocab_size);
  uint key = 0u, token = min(begin + lane, vocab_size - 1u), wrong = 0u;
  for (uint i = begin + lane; i < end; i += workgroup_size) {
    const float logit = logits[draw * logits_stride + i];
    if ((floatBitsToUint(logit) & 0x7f800000u) == 0x7f800000u) wrong = 1u;
    const uint other = order_key(logit);
    if (other > key) {
      key = other;
      token = i;
    }
  }
  scan_key[lane] = key;
  scan_token[lane] = token;
  scan_wrong[lane] = wrong;
  barrier();
  if (lane != 0u) return;
  for (uint i = 1u; i < workgroup_size; ++i) {
    wrong |= scan_wrong[i];
    if (scan_key[i] < key || (scan_key[i] == key && scan_token[i] >= token)) continue;
    key = scan_key[i];
    token = scan_token[i];
  }
  likeliest[draw * parts + part] = uvec4(key, token, wrong, 0u);
}
