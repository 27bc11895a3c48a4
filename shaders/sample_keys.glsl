// How logits are compared, for the scan and for the draw.

/// Unsigned integers in the order of the floats: NaN is 0, -0 is 0's.
uint order_key(float logit) {
  const uint bits = floatBitsToUint(logit);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0u;
  if (bits == 0x80000000u) return 0x80000000u;
  return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}
