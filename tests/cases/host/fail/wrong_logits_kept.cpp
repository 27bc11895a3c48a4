#include "tiny/forward.hpp"

float host(tiny::Sequence& sequence) {
  // expect: these are vocab (2048) logits; 32000 is required here
  const std::span<const float, 32000> logits = sequence.decode(1);
  return logits[0];
}
