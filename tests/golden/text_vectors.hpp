// A golden of a model that gives vectors of texts, and no logits: hidden states of tokens, and the vectors.
#pragma once

#include <string>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "tests/golden/comparison.hpp"

namespace monomorph::golden {

/// Hidden states of the whole text, then those of each shorter one, whose last row is kept.
std::vector<Comparison> compare_token_states(const Golden& golden, Engine& engine);

/// What vectors differ by at worst, relative L2.
struct VectorDistances {
  double together = 0;      ///< of all texts at once, from the golden's
  double alone = 0;         ///< of each text alone, from the golden's
  double from_company = 0;  ///< of each text alone, from what it gives among the others
};
VectorDistances compare_vectors(const Golden& golden, Engine& engine);

}  // namespace monomorph::golden
