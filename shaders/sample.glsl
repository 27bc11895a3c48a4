// Draws the next token of each slot and makes it the next pass's input: one workgroup a draw, any workgroup and subgroup
// size. runtime/engine/sampler.hpp says what is computed, and is its twin on the host: both draw the same token, bit for bit,
// because after order_key and mass (correctly rounded f32 additions and multiplications) everything is integers.
//
// Reads the constants vocab_size (at most 2^20), parts, logits_stride, decode_steps and workgroup_size (64 to 256), and the
// buffers logits, likeliest (shaders/sample_scan.glsl) and the step. A little over 2 KiB of shared memory.

uint draw;          // of this workgroup
StepSlot settings;  // of its slot, as the pass found it
float logit_of(uint token) { return logits[draw * logits_stride + token]; }

// Sums over the vocabulary of 24-bit masses, exact in 32-bit words: the lower and the upper 12 bits apart. A slot is one
// invocation's or one bin of a histogram's.
shared uint sample_low[256];
shared uint sample_high[256];
// What invocation 0 found in them; the others wait, since a walk by all of them costs drivers on a CPU as many times more.
shared uint sample_slot;
shared uvec2 sample_rest;

const uint mass_one = 16777215u;

// 64-bit unsigned integers: x the lower word, y the upper.
uvec2 add_wide(uvec2 a, uvec2 b) {
  uint carry;
  const uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}
uvec2 subtract_wide(uvec2 a, uvec2 b) {
  uint borrow;
  const uint low = usubBorrow(a.x, b.x, borrow);
  return uvec2(low, a.y - b.y - borrow);
}
bool less_wide(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }
uvec2 multiply_wide(uint a, uint b) {
  uvec2 product;
  umulExtended(a, b, product.y, product.x);
  return product;
}

/// What slot `i` holds.
uvec2 slot_sum(uint i) { return add_wide(uvec2(sample_low[i], 0u), uvec2(sample_high[i] << 12, sample_high[i] >> 20)); }

/// exp(below * inverse_temperature) in units of 2^-24; below <= 0. `precise`: no fused or reordered operation.
uint mass_below(float below, float inverse_temperature) {
  precise const float scaled = below * inverse_temperature;
  precise const float exponent = scaled * 1.44269504;
  if (!(exponent > -26.0)) return 0u;
  if (exponent > -1e-8) return mass_one;  // drivers differ on subnormal numbers
  precise const float whole = floor(exponent);
  precise const float x = exponent - whole;
  precise float power = 0.000216129236;
  power = power * x + 0.00124678435;
  power = power * x + 0.00967545155;
  power = power * x + 0.0554852821;
  power = power * x + 0.240229309;
  power = power * x + 0.693147063;
  power = power * x + 1.0;
  const uint shift = uint(-whole);
  return min((uint(power * 16777216.0) + (1u << (shift - 1u))) >> shift, mass_one);
}

/// The largest logit.
struct Likeliest {
  uint key;
  uint token;  // the lowest id where several are
  float logit;
};

uint least_mass = 0u;  // of a token that counts: min-p is asked for after top-k and top-p

/// The mass of a token, 0 below the key `lowest` and below least_mass.
uint mass_of(uint token, Likeliest first, uint lowest) {
  const float logit = logit_of(token);
  const uint key = order_key(logit);
  if (key == 0u || key < lowest) return 0u;
  // Not by the difference where it may be inf - inf.
  const uint mass = key == first.key ? mass_one : mass_below(logit - first.logit, settings.inverse_temperature);
  return mass < least_mass ? 0u : mass;
}

/// Of what the scan left, and whether a logit was no finite number. Every invocation gets them.
Likeliest find_likeliest(out bool wrong) {
  if (gl_LocalInvocationIndex == 0u) {
    uvec4 best = likeliest[draw * parts];
    for (uint part = 1u; part < parts; ++part) {
      const uvec4 other = likeliest[draw * parts + part];
      best.z |= other.z;
      if (other.x > best.x || (other.x == best.x && other.y < best.y)) best.xy = other.xy;
    }
    sample_rest = best.xy;
    sample_slot = best.z;
  }
  barrier();
  wrong = sample_slot != 0u;
  const Likeliest first = Likeliest(sample_rest.x, sample_rest.y, logit_of(sample_rest.y));
  barrier();
  return first;
}

/// The first of `slots` slots, in either order, at which their sum passes `target`, or `slots` where it does not; what is
/// left of the target there.
uint pass_slots(uint slots, bool descending, inout uvec2 target) {
  barrier();  // the slots are written
  if (gl_LocalInvocationIndex == 0u) {
    uint i = 0u;
    for (; i < slots; ++i) {
      const uvec2 sum = slot_sum(descending ? slots - 1u - i : i);
      if (less_wide(target, sum)) break;
      target = subtract_wide(target, sum);
    }
    sample_slot = descending && i < slots ? slots - 1u - i : i;
    sample_rest = target;
  }
  barrier();
  target = sample_rest;
  return sample_slot;
}

/// The highest key such that the tokens from it upwards, counted or by their masses, pass `target` (which they do): found
/// digit by digit from a histogram of the keys that agree with the digits found so far.
uint find_threshold(bool by_mass, uvec2 target, Likeliest first, uint lowest) {
  uint prefix = 0u, known = 0u;
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (uint i = gl_LocalInvocationIndex; i < 256u; i += workgroup_size) {
      sample_low[i] = 0u;
      sample_high[i] = 0u;
    }
    barrier();
    for (uint token = gl_LocalInvocationIndex; token < vocab_size; token += workgroup_size) {
      const uint key = order_key(logit_of(token));
      if ((key & known) != prefix) continue;
      const uint weight = by_mass ? mass_of(token, first, lowest) : 1u;
      const uint digit = (key >> shift) & 255u;
      if ((weight & 4095u) != 0u) atomicAdd(sample_low[digit], weight & 4095u);
      if (weight > 4095u) atomicAdd(sample_high[digit], weight >> 12);
    }
    prefix |= pass_slots(256u, true, target) << shift;
    known |= 255u << shift;
  }
  return prefix;
}

/// Tokens that one invocation sums: a range of ids, so that slots are in the order of ids.
const uint tokens_per_slot = (vocab_size + workgroup_size - 1u) / workgroup_size;

/// Sums the masses from the key `lowest` upwards: each invocation's in its slot, and all of them.
uvec2 sum_masses(Likeliest first, uint lowest) {
  const uint begin = gl_LocalInvocationIndex * tokens_per_slot;
  uint low = 0u, high = 0u;
  for (uint token = begin; token < min(begin + tokens_per_slot, vocab_size); ++token) {
    const uint mass = mass_of(token, first, lowest);
    low += mass & 4095u;
    high += mass >> 12;
  }
  sample_low[gl_LocalInvocationIndex] = low;
  sample_high[gl_LocalInvocationIndex] = high;
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    sample_rest = uvec2(0u);
    for (uint i = 0u; i < workgroup_size; ++i) sample_rest = add_wide(sample_rest, slot_sum(i));
  }
  barrier();
  return sample_rest;
}

/// The token at which the sum of the masses, in the order of ids, passes `target`; sum_masses has filled the slots.
uint find_token(uvec2 target, Likeliest first, uint lowest) {
  const uint begin = pass_slots(workgroup_size, false, target) * tokens_per_slot;
  const uint end = min(begin + tokens_per_slot, vocab_size);
  for (uint base = begin; base < end; base += workgroup_size) {
    const uint token = base + gl_LocalInvocationIndex;
    sample_low[gl_LocalInvocationIndex] = token < end ? mass_of(token, first, lowest) : 0u;
    sample_high[gl_LocalInvocationIndex] = 0u;
    const uint slot = pass_slots(workgroup_size, false, target);
    if (slot < workgroup_size) return base + slot;
  }
  return first.token;
}

/// Philox4x32-10: 32 random bits of (seed, position).
uint random_bits(uint seed_low, uint seed_high, uint position) {
  uvec4 counter = uvec4(position, 0u, 0u, 0u);
  uvec2 key = uvec2(seed_low, seed_high);
  for (int round = 0; round < 10; ++round) {
    const uvec2 a = multiply_wide(0xd2511f53u, counter.x);
    const uvec2 b = multiply_wide(0xcd9e8d57u, counter.z);
    counter = uvec4(b.y ^ counter.y ^ key.x, b.x, a.y ^ counter.w ^ key.y, a.x);
    key += uvec2(0x9e3779b9u, 0xbb67ae85u);
  }
  return counter.x;
}

/// The token for `position`. Every invocation gets it.
uint sample_token(uint position, Likeliest first) {
  if (settings.inverse_temperature == 0.0 || first.key == 0u) return first.token;

  uint lowest = 0u;
  if (settings.top_k != 0u && settings.top_k < vocab_size) {
    lowest = find_threshold(false, uvec2(settings.top_k - 1u, 0u), first, 0u);
  }
  if (settings.top_p != 0u && settings.top_p < 16777216u) {
    // total * top_p / 2^24, the 44 bits of total in two parts of at most 24.
    const uvec2 total = sum_masses(first, lowest);
    const uvec2 lower = multiply_wide(total.x & 0xffffffu, settings.top_p);
    const uvec2 upper = multiply_wide((total.x >> 24) | (total.y << 8), settings.top_p);
    uvec2 wanted = add_wide(upper, uvec2((lower.x >> 24) | (lower.y << 8), 0u));
    // The first keys whose mass reaches `wanted` pass one less.
    if (wanted != uvec2(0u)) wanted = subtract_wide(wanted, uvec2(1u, 0u));
    lowest = max(lowest, find_threshold(true, wanted, first, lowest));
  }
  least_mass = settings.least_mass;
  const uvec2 total = sum_masses(first, lowest);

  const uint random = random_bits(settings.seed_low, settings.seed_high, position);
  const uvec2 target = add_wide(multiply_wide(total.y, random), uvec2(multiply_wide(total.x, random).y, 0u));
  return find_token(target, first, lowest);
}

/// Draw i of the pass: the token becomes row i of the next pass. The slot is done when the token is a stop token or when its
/// position is stop_position, so that there is no room to process it: its row then keeps its last position and writes
/// nothing. It is done as well, and nothing is drawn, where a logit is no finite number. No workgroup reads what another writes, so their order does not show.
void main() {
  draw = gl_WorkGroupID.y;
  const uint draws = pass.draw_count;
  if (draw >= draws) return;
  const uint slot = pass.rows[draw].slot;
  settings = pass.slots[slot];
  if (settings.done != 0u) return;  // not `live`, which other draws change
  const uint position = settings.next_position;
  bool wrong;
  const Likeliest first = find_likeliest(wrong);
  const uint token = sample_token(position, first);
  if (gl_LocalInvocationIndex != 0u) return;

  bool ends = wrong || position >= settings.stop_position;
  for (uint i = 0u; i < settings.eos_count; ++i) ends = ends || token == settings.eos_tokens[i];
  if (wrong) {
    pass.slots[slot].wrong = 1u;
  } else {
    pass.drawn[slot * decode_steps + settings.drawn] = token;
    pass.slots[slot].drawn = settings.drawn + 1u;
    pass.slots[slot].next_position = position + 1u;
  }
  pass.tokens[draw] = StepToken(token, ends ? position - 1u : position, slot, ends ? 0u : token_writes);
  pass.rows[draw] = StepRow(draw, slot);
  pass.runs[draw] = StepRun(draw, 1u);
  if (ends) {
    pass.slots[slot].done = 1u;
    atomicAdd(pass.live, 0xffffffffu);
  }
  if (draw == 0u) {
    pass.token_count = draws;
    pass.head_rows = draws;
    pass.run_count = draws;
  }
}
