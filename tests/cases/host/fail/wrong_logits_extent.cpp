#include "tiny/engine.hpp"

std::int32_t likeliest(tiny::Logits logits);

std::int32_t host(std::span<const float, 100> logits) {
  // expect: likeliest: these are 100 logits; vocab (2048) is required here
  return likeliest(logits);
}
