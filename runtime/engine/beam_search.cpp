#include "runtime/engine/beam_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "runtime/engine/penalties.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph {
namespace {

/// A beam that goes on: what follows its last token is in `log_probabilities`.
struct Open {
  std::int64_t slot = 0;
  std::vector<std::int32_t> drawn{};
  double score = 0;  ///< the sum, not divided
  std::vector<float> log_probabilities{};
};

/// A token that may follow a beam.
struct Candidate {
  double score = 0;
  std::size_t beam = 0;
  std::int32_t token = 0;
};

/// Orders the better before the worse; of equal ones the first beam's, then the lowest token.
bool is_better(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score > b.score;
  return std::pair(a.beam, a.token) < std::pair(b.beam, b.token);
}

/// The best `count` of what may follow any of the beams.
std::vector<Candidate> best_candidates(std::span<const Open> beams, std::size_t count) {
  std::vector<Candidate> best;  // a heap, the worst first
  for (std::size_t b = 0; b < beams.size(); ++b) {
    const std::vector<float>& row = beams[b].log_probabilities;
    for (std::size_t token = 0; token < row.size(); ++token) {
      const Candidate next{beams[b].score + row[token], b, static_cast<std::int32_t>(token)};
      if (std::isinf(next.score) || (best.size() == count && !is_better(next, best.front()))) continue;
      best.push_back(next);
      std::push_heap(best.begin(), best.end(), is_better);
      if (best.size() <= count) continue;
      std::pop_heap(best.begin(), best.end(), is_better);
      best.pop_back();
    }
  }
  std::sort_heap(best.begin(), best.end(), is_better);
  return best;
}

class Search {
 public:
  Search(Engine& engine, std::span<const std::int32_t> prompt, std::int64_t count, const Sampling& sampling,
         const BeamSearch& search)
      : engine_(engine), count_(count), sampling_(sampling), search_(search) {
    open_.push_back({});
    const std::span<const float> logits = engine_.prefill(prompt);
    const std::span<const std::int32_t> sequence = engine_.sequence();
    prompt_.assign(sequence.begin(), sequence.end());
    follow(open_.front(), logits);
  }

  std::int64_t drawn() const { return drawn_; }
  /// Draws a token more of each beam; false: the search has ended.
  bool advance() {
    const std::vector<Candidate> candidates = take_candidates();
    ++drawn_;
    if (candidates.empty() || !can_improve(candidates.front().score) || is_full_and_stops()) return false;
    give_slots(candidates);
    append();
    return true;
  }
  std::vector<Beam> take_ended() { return std::move(ended_); }

 private:
  std::size_t width() const { return static_cast<std::size_t>(search_.beams); }
  double divided(double score, std::int64_t tokens) const {
    return score / std::pow(static_cast<double>(tokens), search_.length_penalty);
  }

  /// What the beam's last token is followed by, of the logits there.
  void follow(Open& beam, std::span<const float> logits) const {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit - largest);
    const double subtracted = largest + std::log(sum);
    beam.log_probabilities.clear();
    for (const float logit : logits) beam.log_probabilities.push_back(static_cast<float>(logit - subtracted));

    std::vector<std::int32_t> sequence = prompt_;
    std::map<std::int64_t, std::int32_t> drawn;
    for (const std::int32_t token : beam.drawn) {
      drawn[std::ssize(sequence)] = token;
      sequence.push_back(token);
    }
    penalize(sampling_, sequence, drawn, beam.log_probabilities);
    const std::int64_t count = std::ssize(beam.drawn);
    constrain(sampling_.constraints, {sequence, engine_.source(), count, count + 1 >= count_},
              engine_.program().eos_tokens, beam.log_probabilities);
  }

  /// Sequences that end are kept where they are among the best; the best of the others go on, and are given.
  std::vector<Candidate> take_candidates() {
    // So many that enough go on even if a stop token is among what follows each.
    const std::size_t stop_tokens = engine_.program().eos_tokens.size();
    const std::vector<Candidate> candidates =
        best_candidates(open_, width() * std::max<std::size_t>(2, 1 + stop_tokens));
    std::vector<Candidate> going_on;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const bool stops = engine_.is_stop_token(candidates[c].token);
      if (!stops && drawn_ + 1 < count_) {
        going_on.push_back(candidates[c]);
      } else if (c < width()) {
        end(candidates[c], stops);
      }
    }
    going_on.resize(std::min(going_on.size(), width()));
    return going_on;
  }

  void end(const Candidate& candidate, bool stops) {
    Beam beam{open_[candidate.beam].drawn, divided(candidate.score, drawn_ + 1), stops};
    beam.tokens.push_back(candidate.token);
    const auto worse = std::find_if(ended_.begin(), ended_.end(), [&](const Beam& e) { return e.score < beam.score; });
    ended_.insert(worse, std::move(beam));
    ended_.resize(std::min(ended_.size(), width()));
  }

  bool is_full() const { return ended_.size() == width(); }
  bool is_full_and_stops() const { return is_full() && search_.early_stopping == EarlyStopping::yes; }
  /// Whether a beam of this score may come among those that have ended.
  bool can_improve(double score) const {
    if (!is_full()) return true;
    const bool to_the_end = search_.early_stopping == EarlyStopping::never && search_.length_penalty > 0;
    return divided(score, to_the_end ? count_ : drawn_) > ended_.back().score;
  }

  /// Each candidate becomes a beam: the first that follows an open one keeps its slot, others copy it.
  void give_slots(std::span<const Candidate> candidates) {
    std::vector<bool> keeps(width()), has_child(open_.size());
    for (const Candidate& next : candidates) {
      if (!has_child[next.beam]) keeps[static_cast<std::size_t>(open_[next.beam].slot)] = true;
      has_child[next.beam] = true;
    }
    std::vector<bool> kept(open_.size());
    std::vector<Open> beams;
    for (const Candidate& next : candidates) {
      const Open& before = open_[next.beam];
      Open beam{before.slot, before.drawn, next.score};
      if (kept[next.beam]) {
        const auto free = std::find(keeps.begin(), keeps.end(), false);
        *free = true;
        beam.slot = free - keeps.begin();
        engine_.copy(before.slot, beam.slot, engine_.position(before.slot));
      }
      kept[next.beam] = true;
      beam.drawn.push_back(next.token);
      beams.push_back(std::move(beam));
    }
    open_ = std::move(beams);
  }

  /// A pass over the last token of each beam.
  void append() {
    std::vector<Run> runs;
    for (const Open& beam : open_) runs.push_back({beam.slot, std::span(beam.drawn).last(1)});
    engine_.step(runs, 1, [&](std::size_t run, std::int64_t, std::span<const float> logits) {
      validate_logits(engine_.program(), logits);
      follow(open_[run], logits);
    });
  }

  Engine& engine_;
  const std::int64_t count_;
  const Sampling& sampling_;
  const BeamSearch& search_;
  std::vector<std::int32_t> prompt_;
  std::vector<Open> open_;   ///< the best first
  std::vector<Beam> ended_;  ///< the best first
  std::int64_t drawn_ = 0;   ///< tokens of each open beam
};

}  // namespace

void validate_beam_search(const Program& program, const BeamSearch& search, const Sampling& sampling) {
  const auto reject = [](const std::string& message) { throw Error(ErrorKind::rejected, message); };
  if (search.beams < 1) reject(fmt::format("{} beams find nothing; search with one or more", search.beams));
  if (search.beams > program.max_batch) {
    reject(
        fmt::format("{} beams need as many slots, and {} has {}; build with --set engine.max_batch={}, or search with "
                    "fewer beams",
                    search.beams, program.name, program.max_batch, search.beams));
  }
  if (!std::isfinite(search.length_penalty)) {
    reject(fmt::format("length_penalty {} is no finite number", search.length_penalty));
  }
  if (sampling.temperature != 0) {
    reject(fmt::format("beams are the likeliest sequences, and temperature {} draws at random; leave one out",
                       sampling.temperature));
  }
}

std::vector<Beam> search_beams(Engine& engine, std::span<const std::int32_t> prompt, std::int64_t count,
                               const Sampling& sampling, const BeamSearch& search,
                               const std::function<void(std::int64_t)>& watcher) {
  const Program& program = engine.program();
  validate_beam_search(program, search, sampling);
  validate_generation(program, 0, engine.position(), prompt, count, sampling);
  require_source(engine, 0);
  const std::int64_t end_of_prompt = engine.position() + std::ssize(prompt);
  count = drawable_tokens(program, end_of_prompt, count);
  if (count == 0) return {};
  Search beams(engine, prompt, count, sampling, search);
  while (beams.advance()) {
    if (watcher) watcher(beams.drawn());
  }
  for (std::int64_t slot = 0; slot < search.beams; ++slot) engine.reset(slot);
  return beams.take_ended();
}

}  // namespace monomorph
