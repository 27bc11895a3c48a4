#include <array>

#include "tiny/engine.hpp"

std::int32_t likeliest(tiny::Logits logits);

std::int32_t host() {
  const std::array<float, 2047> logits{};
  // expect: likeliest: these are 2047 logits; vocab (2048) is required here
  return likeliest(logits);
}
