#include "runtime/engine/penalties.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace monomorph {

bool drawn_on_host(const Sampling& sampling) {
  return sampling.repetition_penalty != 1 || sampling.presence_penalty != 0 || sampling.frequency_penalty != 0 ||
         sampling.log_probabilities || sampling.constraints != Constraints{};
}

void penalize(const Sampling& sampling, std::span<const std::int32_t> sequence,
              const std::map<std::int64_t, std::int32_t>& drawn, std::span<float> logits) {
  std::vector<bool> stands(logits.size());
  for (const std::int32_t token : sequence) stands[static_cast<std::size_t>(token)] = true;
  std::vector<std::uint32_t> counts(logits.size());
  for (const auto& [position, token] : drawn) ++counts[static_cast<std::size_t>(token)];
  for (std::size_t id = 0; id < logits.size(); ++id) {
    float& logit = logits[id];
    if (stands[id]) logit = logit > 0 ? logit / sampling.repetition_penalty : logit * sampling.repetition_penalty;
    if (counts[id] == 0) continue;
    const float frequency = static_cast<float>(counts[id]) * sampling.frequency_penalty;
    logit -= frequency + sampling.presence_penalty;
  }
}

float log_probability(std::span<const float> logits, std::int32_t token) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return static_cast<float>(logits[static_cast<std::size_t>(token)] - largest - std::log(sum));
}

}  // namespace monomorph
