// Logits of the vocabulary's extent, and a budget for the states that holds.
#include <array>

#include "tiny/engine.hpp"

static_assert(tiny::state_bytes <= std::int64_t{16} << 20, "the states are larger than 16 MiB");

std::int32_t likeliest(tiny::Logits logits);

std::int32_t next(tiny::Engine& engine, std::span<const std::int32_t> prompt) {
  const std::span<const float, tiny::vocab::size> logits = engine.prefill(prompt);
  std::array<float, tiny::vocab::size> scaled{};
  for (std::size_t token = 0; token < logits.size(); ++token) scaled[token] = logits[token] * 0.5F;
  return likeliest(scaled);
}
