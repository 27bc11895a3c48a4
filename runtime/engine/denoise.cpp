#include "runtime/engine/denoise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/engine/philox.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph {
namespace {

[[noreturn]] void reject(const std::string& message) { throw Error(ErrorKind::rejected, message); }

/// What random numbers are for is the last word of their counter; a token that a sampler draws has 0.
enum Purpose : std::uint32_t { gumbel_noise = 1, random_remasking = 2 };

/// A token that a pass found for the mask at a position of the text.
struct Found {
  std::int64_t position;
  std::int32_t token;
  double confidence;
};

/// Adds temperature times Gumbel noise, -log(-log u), to each logit. The numbers u of tokens 2n and 2n + 1 are those of
/// the counter (position, step, n).
void add_noise(const Denoising& how, std::int64_t position, std::int64_t step, std::span<double> logits) {
  const auto at = static_cast<std::uint32_t>(position), pass = static_cast<std::uint32_t>(step);
  const double temperature = how.temperature;
  for (std::size_t token = 0; token < logits.size(); token += 2) {
    const auto [even, odd] =
        uniform_pair(philox(how.seed, {at, pass, static_cast<std::uint32_t>(token / 2), gumbel_noise}));
    logits[token] -= temperature * std::log(-std::log(even));
    if (token + 1 < logits.size()) logits[token + 1] -= temperature * std::log(-std::log(odd));
  }
}

double softmax_at(std::span<const double> logits, std::size_t token) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  return std::exp(logits[token] - largest) / sum;
}

Found find_token(const Denoising& how, std::int64_t position, std::int64_t step, std::span<const double> logits) {
  std::size_t token = 0;
  if (how.temperature == 0) {
    token = static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  } else {
    std::vector<double> noisy(logits.begin(), logits.end());
    add_noise(how, position, step, noisy);
    token = static_cast<std::size_t>(std::max_element(noisy.begin(), noisy.end()) - noisy.begin());
  }
  Found found{position, static_cast<std::int32_t>(token), 0};
  if (how.remasking == Remasking::low_confidence) {
    found.confidence = softmax_at(logits, token);
  } else {
    const auto at = static_cast<std::uint32_t>(position), pass = static_cast<std::uint32_t>(step);
    found.confidence = uniform_pair(philox(how.seed, {at, pass, 0, random_remasking})).first;
  }
  return found;
}

/// A text that becomes one without masks, in one slot of an engine.
class MaskedText {
 public:
  MaskedText(Engine& engine, std::span<const std::int32_t> prompt, const Denoising& how, std::int64_t slot)
      : engine_(engine), how_(how), slot_(slot), mask_(engine.program().mask_token), prompt_(prompt.size()) {
    text_.assign(prompt.begin(), prompt.end());
    text_.resize(prompt.size() + static_cast<std::size_t>(how.length), mask_);
  }

  /// One step: of what a pass finds for the masks before `end`, the surest `kept` stay, of equal ones the first.
  void step(std::int64_t index, std::int64_t end, std::int64_t kept) {
    std::vector<Found> found = find_tokens(index, end);
    std::ranges::stable_sort(found, std::ranges::greater{}, &Found::confidence);
    found.resize(std::min(found.size(), static_cast<std::size_t>(kept)));
    for (const Found& each : found) text_[static_cast<std::size_t>(each.position)] = each.token;
  }

  std::vector<std::int32_t> answer() const {
    return {text_.begin() + static_cast<std::ptrdiff_t>(prompt_), text_.end()};
  }

 private:
  bool is_mask(std::int64_t position) const { return text_[static_cast<std::size_t>(position)] == mask_; }

  /// In the order of their positions.
  std::vector<Found> find_tokens(std::int64_t index, std::int64_t end) {
    const std::int64_t first = std::find(text_.begin(), text_.end(), mask_) - text_.begin();
    std::vector<std::vector<float>> without_prompt;
    if (how_.guidance > 0) {
      std::vector<std::int32_t> masked = text_;
      std::fill_n(masked.begin(), prompt_, mask_);
      pass(masked, first, end, [&](std::int64_t, std::span<const float> logits) {
        without_prompt.emplace_back(logits.begin(), logits.end());
      });
    }
    std::vector<Found> found;
    std::vector<double> guided;
    pass(text_, first, end, [&](std::int64_t position, std::span<const float> logits) {
      guided.assign(logits.begin(), logits.end());
      if (how_.guidance > 0) {
        const std::vector<float>& others = without_prompt[found.size()];
        for (std::size_t i = 0; i < guided.size(); ++i) {
          guided[i] = others[i] + (how_.guidance + 1) * (guided[i] - others[i]);
        }
      }
      found.push_back(find_token(how_, position, index, guided));
    });
    return found;
  }

  /// One pass over a text; `take` sees the logits of each mask of [first, end), in order.
  void pass(std::span<const std::int32_t> text, std::int64_t first, std::int64_t end,
            const std::function<void(std::int64_t position, std::span<const float> logits)>& take) {
    engine_.reset(slot_);
    Run run{slot_, text, Logits::all};
    run.logits_from = first;
    run.logits_count = end - first;
    engine_.step({&run, 1}, 1, [&](std::size_t, std::int64_t position, std::span<const float> logits) {
      if (!is_mask(position)) return;
      validate_logits(engine_.program(), logits);
      take(position, logits);
    });
  }

  Engine& engine_;
  const Denoising& how_;
  const std::int64_t slot_;
  const std::int32_t mask_;
  const std::size_t prompt_;  ///< its tokens
  std::vector<std::int32_t> text_;
};

void require_masks(const Program& program) {
  require_logits(program);
  if (!program.one_pass) {
    reject(fmt::format(
        "{} goes on token by token, and finds no token where a mask stands; it generates, and `run` without "
        "--denoise draws its tokens",
        program.name));
  }
  if (program.mask_token >= 0) return;
  reject(
      fmt::format("{} names no mask token, which stands where a token is to be found; build it with "
                  "--set tokenizer.mask_token_id=ID",
                  program.name));
}

void validate_numbers(const Program& program, const Denoising& how) {
  if (how.length < 1 || how.length > program.max_sequence_length) {
    reject(fmt::format("{} tokens cannot be found: a text has 1 to {}, max_sequence_length of {}", how.length,
                       program.max_sequence_length, program.name));
  }
  if (how.block_length < 1 || how.length % how.block_length != 0) {
    reject(fmt::format("block_length {} does not divide the {} tokens to be found: blocks are equally long",
                       how.block_length, how.length));
  }
  const std::int64_t blocks = how.length / how.block_length;
  if (how.steps < 1 || how.steps % blocks != 0) {
    reject(fmt::format("{} steps are not the same number in each of {} blocks of {} tokens; give a multiple of {}",
                       how.steps, blocks, how.block_length, blocks));
  }
  Sampling sampling;
  sampling.temperature = how.temperature;
  validate_sampling(sampling);
  if (!(how.guidance >= 0 && std::isfinite(how.guidance))) {
    reject(fmt::format("guidance {} is not a number of at least 0 (0 guides nothing)", how.guidance));
  }
}

}  // namespace

std::vector<std::int64_t> kept_by_step(std::int64_t masks, std::int64_t steps) {
  std::vector<std::int64_t> kept(static_cast<std::size_t>(steps), masks / steps);
  for (std::int64_t step = 0; step < masks % steps; ++step) ++kept[static_cast<std::size_t>(step)];
  return kept;
}

void validate_denoising(const Program& program, std::span<const std::int32_t> prompt, const Denoising& how,
                        std::int64_t slot) {
  require_masks(program);
  validate_numbers(program, how);
  std::vector<std::int32_t> text(prompt.begin(), prompt.end());
  text.resize(prompt.size() + static_cast<std::size_t>(how.length), program.mask_token);
  validate_tokens(program, slot, 0, text);
  const auto mask = std::ranges::find(prompt, program.mask_token);
  if (mask == prompt.end()) return;
  reject(
      fmt::format("token {} of the prompt is the mask token, {}: masks are put behind the prompt, as many as tokens "
                  "are to be found",
                  mask - prompt.begin() + 1, program.mask_token));
}

std::vector<std::int32_t> denoise(Engine& engine, std::span<const std::int32_t> prompt, const Denoising& how,
                                  const std::function<void(std::int64_t, std::int64_t)>& watcher, std::int64_t slot) {
  validate_denoising(engine.program(), prompt, how, slot);
  MaskedText text(engine, prompt, how, slot);
  const std::int64_t steps = how.steps / (how.length / how.block_length);  // of a block
  const std::vector<std::int64_t> kept = kept_by_step(how.block_length, steps);
  for (std::int64_t step = 0; step < how.steps; ++step) {
    const std::int64_t end = std::ssize(prompt) + (step / steps + 1) * how.block_length;
    const std::int64_t count = kept[static_cast<std::size_t>(step % steps)];
    if (count > 0) text.step(step, end, count);
    if (watcher) watcher(step + 1, how.steps);
  }
  engine.reset(slot);
  return text.answer();
}

}  // namespace monomorph
