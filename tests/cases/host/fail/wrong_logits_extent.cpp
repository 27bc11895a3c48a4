#include "tiny/forward.hpp"

std::int32_t host(std::span<const float, 100> logits) {
  // expect: likeliest: these are 100 logits; vocab (2048) is required here
  return tiny::likeliest(logits);
}
