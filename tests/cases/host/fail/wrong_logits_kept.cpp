#include "tiny/engine.hpp"

float host(tiny::Engine& engine) {
  // expect: these are vocab (2048) logits; 32000 is required here
  const std::span<const float, 32000> logits = engine.decode(1);
  return logits[0];
}
