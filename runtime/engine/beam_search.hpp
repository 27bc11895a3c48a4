// Beam search: the likeliest sequences rather than the likeliest token, as transformers' generate has it with num_beams
// (Graves 2012; the division by length: Wu et al. 2016). Each beam has a slot of the engine, and all of them a pass.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/engine/engine.hpp"

namespace monomorph {

/// When the search ends before its last token, once as many sequences have ended as there are beams.
enum class EarlyStopping : std::uint8_t {
  no,     ///< once the best beam, ended at its present length, would not come among them
  yes,    ///< at once
  never,  ///< once the best beam would not, even if no later token took anything from it
};

struct BeamSearch {
  std::int64_t beams = 4;    ///< at least one, and no more than the program has slots
  float length_penalty = 1;  ///< a score is divided by the number of drawn tokens to the power of this
  EarlyStopping early_stopping = EarlyStopping::no;
};

/// A sequence that has ended.
struct Beam {
  std::vector<std::int32_t> tokens;  ///< drawn, the stop token included
  double score = 0;      ///< the sum of their log-probabilities, after penalties and constraints, divided as said
  bool stopped = false;  ///< ended by a stop token, and not by its length
};

/// What validate_generation rejects, too few slots, and what draws at random.
void validate_beam_search(const Program& program, const BeamSearch& search, const Sampling& sampling);

/// Appends `prompt` to slot 0 and gives the best sequences of up to `count` tokens that may follow, the best first, at
/// most as many as there are beams. The source that slot 0 answers to is read by nobody again. `watcher` is told after
/// each pass how many tokens the beams have; what it throws ends the search. The slots are reset in the end. Throws
/// Error(rejected) for what Engine::generate rejects, and what validate_beam_search does.
std::vector<Beam> search_beams(Engine& engine, std::span<const std::int32_t> prompt, std::int64_t count,
                               const Sampling& sampling, const BeamSearch& search,
                               const std::function<void(std::int64_t drawn)>& watcher = {});

}  // namespace monomorph
