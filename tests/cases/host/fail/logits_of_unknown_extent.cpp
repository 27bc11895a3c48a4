#include <vector>

#include "tiny/engine.hpp"

std::int32_t likeliest(tiny::Logits logits);

std::int32_t host(const std::vector<float>& logits) {
  // expect: likeliest: this is 'std::vector<float>'; a span of vocab (2048) logits is required here
  return likeliest(logits);
}
