#include "runtime/engine/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace monomorph {
namespace {

[[noreturn]] void reject(const std::string& message) { throw Error(ErrorKind::rejected, message); }

/// What makes logits that are no finite numbers, and how the cause is found.
std::string causes_of_wrong_logits(const Program& program) {
  std::string expressions;
  if (*program.expressions != '\0') {
    expressions = fmt::format("an expression of the spec gives none for some values ({}), ", program.expressions);
  }
  return fmt::format(
      "{}the weights of {} have values that are no numbers, or its numbers overflow; `monomorph check "
      "SPEC --weights PATH --scan-nan` finds such weights",
      expressions, program.name);
}

/// Where tokens see those after them, logits say what stands at a token, and not what follows it.
void reject_next_token(const Program& program) {
  require_logits(program);
  if (!program.one_pass) return;
  if (program.mask_token >= 0) {
    reject(
        fmt::format("{} reads a text whole, and has no next token to draw: it finds the tokens that masks stand for; "
                    "`run --denoise` makes a text so",
                    program.name));
  }
  reject(
      fmt::format("{} reads a text whole, and has no next token to draw: its logits say what stands at each place "
                  "(`logits` writes them)",
                  program.name));
}

}  // namespace

void validate_slot(const Program& program, std::int64_t slot) {
  if (slot >= 0 && slot < program.max_batch) return;
  reject(fmt::format("slot {}: {} has {} of them, counted from 0; build with a larger engine.max_batch", slot,
                     program.name, program.max_batch));
}

void validate_tokens(const Program& program, std::int64_t slot, std::int64_t position,
                     std::span<const std::int32_t> tokens) {
  validate_slot(program, slot);
  if (tokens.empty()) reject("no tokens were given: a call needs at least one");
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || tokens[i] >= program.vocab_size) {
      reject(fmt::format("token {} (number {} of {}) is outside the vocabulary of {}: ids go from 0 to {}", tokens[i],
                         i + 1, tokens.size(), program.name, program.vocab_size - 1));
    }
  }
  if (program.one_pass && position != 0) {
    reject(
        fmt::format("{} reads a text whole, what comes after a token too: nothing can be appended to the {} tokens "
                    "of slot {}; reset it, and give the whole text",
                    program.name, position, slot));
  }
  if (program.one_pass && static_cast<std::int64_t>(tokens.size()) > program.prefill_chunk) {
    reject(
        fmt::format("{} reads a text whole, in one pass, and {} tokens are more than that has: engine.prefill_chunk "
                    "is {}",
                    program.name, tokens.size(), program.prefill_chunk));
  }
  const std::int64_t room = program.max_sequence_length - position;
  if (static_cast<std::int64_t>(tokens.size()) > room) {
    reject(
        fmt::format("{} tokens do not fit: position {} of max_sequence_length {} leaves room for {}; shorten the "
                    "prompt, or build with a longer engine.max_sequence_length",
                    tokens.size(), position, program.max_sequence_length, room));
  }
}

void require_sources(const Program& program) {
  if (program.max_source_length > 0) return;
  reject(fmt::format("{} reads no source: it continues a text", program.name));
}

void validate_source(const Program& program, const Source& source) {
  require_sources(program);
  validate_slot(program, source.slot);
  if (source.tokens.empty()) reject("no tokens were given: a source has at least one");
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    if (source.tokens[i] >= 0 && source.tokens[i] < program.vocab_size) continue;
    reject(fmt::format("token {} (number {} of {}) of the source is outside the vocabulary of {}: ids go from 0 to {}",
                       source.tokens[i], i + 1, source.tokens.size(), program.name, program.vocab_size - 1));
  }
  if (std::ssize(source.tokens) <= program.max_source_length) return;
  reject(fmt::format(
      "a source of {} tokens does not fit: max_source_length of {} is {}; shorten it, or build with a longer "
      "engine.max_source_length",
      source.tokens.size(), program.name, program.max_source_length));
}

void validate_sources(const Program& program, std::span<const Source> sources) {
  require_sources(program);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    validate_source(program, sources[i]);
    for (std::size_t other = 0; other < i; ++other) {
      if (sources[other].slot == sources[i].slot) {
        reject(fmt::format("slot {} is given two sources at once", sources[i].slot));
      }
    }
  }
}

void require_source(const Engine& engine, std::int64_t slot) {
  const Program& program = engine.program();
  if (program.max_source_length == 0 || !engine.source(slot).empty()) return;
  reject(fmt::format("{} answers to a source, and slot {} has none; encode one first", program.name, slot));
}

void validate_types(const Program& program, std::span<const std::int32_t> tokens, std::span<const std::int32_t> types) {
  if (types.empty()) return;
  if (program.token_types == 0) reject(fmt::format("tokens of {} have no types", program.name));
  if (types.size() != tokens.size()) {
    reject(fmt::format("{} types were given for {} tokens: each token has one", types.size(), tokens.size()));
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] >= 0 && types[i] < program.token_types && (types[i] == 0 || program.one_pass)) continue;
    reject(fmt::format("type {} (number {} of {}) is none of {}: types go from 0 to {}", types[i], i + 1, types.size(),
                       program.name, program.one_pass ? program.token_types - 1 : 0));
  }
}

void require_logits(const Program& program) {
  if (program.pooling == Pooling::none) return;
  reject(fmt::format("{} gives a vector of a text, and no logits: `embed` writes it", program.name));
}

void require_vectors(const Program& program) {
  if (program.pooling != Pooling::none) return;
  reject(
      fmt::format("{} gives logits, and no vector of a text; build it with a section [pooling], and `embed` writes "
                  "the text's vector",
                  program.name));
}

void validate_sampling(const Sampling& sampling) {
  // A smaller temperature would blow differences that f32 cannot represent alike on every device up to ones that
  // matter; the inverse of a very large one is so small that devices may take it for 0.
  const bool greedy = sampling.temperature == 0;
  if (!greedy && !(sampling.temperature >= 1e-6f && sampling.temperature <= 1e6f)) {
    reject(fmt::format("temperature {} is neither 0, which takes the likeliest token, nor a number from 1e-6 to 1e6",
                       sampling.temperature));
  }
  if (!(sampling.top_p > 0 && sampling.top_p <= 1)) {
    reject(fmt::format("top_p {} is not above 0 and at most 1 (1 keeps all tokens)", sampling.top_p));
  }
  if (!(sampling.min_p >= 0 && sampling.min_p < 1)) {
    reject(fmt::format("min_p {} is not at least 0 and below 1 (0 keeps all tokens)", sampling.min_p));
  }
  if (!(sampling.repetition_penalty > 0 && std::isfinite(sampling.repetition_penalty))) {
    reject(fmt::format("repetition_penalty {} is not a number above 0 (1 penalizes nothing)",
                       sampling.repetition_penalty));
  }
  for (const auto& [name, penalty] : {std::pair("presence_penalty", sampling.presence_penalty),
                                      std::pair("frequency_penalty", sampling.frequency_penalty)}) {
    if (!(std::abs(penalty) <= 2))
      reject(fmt::format("{} {} is not from -2 to 2 (0 penalizes nothing)", name, penalty));
  }
}

void validate_settings(const Program& program, std::int64_t slot, const Sampling& sampling,
                       std::int64_t stop_position) {
  validate_slot(program, slot);
  validate_sampling(sampling);
  validate_constraints(sampling.constraints, program.vocab_size);
  if (stop_position >= 1 && stop_position <= program.max_sequence_length) return;
  reject(fmt::format("a slot ends at a position from 1 to {}, max_sequence_length, not at {}",
                     program.max_sequence_length, stop_position));
}

void validate_saved_bytes(const Program& program, const HeldStates& held, std::int64_t bytes) {
  const std::int64_t expected = held_bytes(program.states, held);
  if (bytes == expected) return;
  throw Error(ErrorKind::rejected,
              fmt::format("the saved slot has {} bytes of states, and {} tokens have {}; append the tokens again",
                          bytes, held.position, expected));
}

bool are_finite(std::span<const float> logits) {
  return std::all_of(logits.begin(), logits.end(), [](float logit) { return std::isfinite(logit); });
}

void reject_logits(const Program& program) {
  reject(fmt::format("logits are no finite numbers: {}", causes_of_wrong_logits(program)));
}

void validate_logits(const Program& program, std::span<const float> logits) {
  const auto wrong = std::find_if(logits.begin(), logits.end(), [](float logit) { return !std::isfinite(logit); });
  if (wrong == logits.end()) return;
  reject(
      fmt::format("the logit of token {} is {}: {}", wrong - logits.begin(), *wrong, causes_of_wrong_logits(program)));
}

std::int64_t drawable_tokens(const Program& program, std::int64_t first_position, std::int64_t count) {
  return std::min(count, program.max_sequence_length - first_position + 1);
}

void validate_runs(const Engine& engine, std::span<const Run> runs, std::int64_t ahead) {
  const Program& program = engine.program();
  if (runs.empty()) reject("a step needs at least one run");
  if (ahead < 1 || ahead > program.decode_steps) {
    reject(fmt::format("a step runs 1 to {} passes ahead, not {}", program.decode_steps, ahead));
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run& run = runs[r];
    validate_slot(program, run.slot);
    validate_tokens(program, run.slot, engine.position(run.slot), run.tokens);
    require_source(engine, run.slot);
    validate_types(program, run.tokens, run.types);
    if (run.logits == Logits::all) require_logits(program);
    if (static_cast<std::int64_t>(run.tokens.size()) > program.prefill_chunk) {
      reject(fmt::format("{} tokens are more than a pass has: prefill_chunk is {}", run.tokens.size(),
                         program.prefill_chunk));
    }
    const std::int64_t end = engine.position(run.slot) + static_cast<std::int64_t>(run.tokens.size());
    if (run.length != 0 && (run.length < end || run.length > program.max_sequence_length)) {
      reject(
          fmt::format("slot {}: a length of {} is none of a sequence that has {} tokens after this run and at most "
                      "{}",
                      run.slot, run.length, end, program.max_sequence_length));
    }
    const auto count = static_cast<std::int64_t>(run.tokens.size());
    const bool all = run.logits_from == 0 && run.logits_count == 0;
    if (!all && (run.logits != Logits::all || run.draw || run.logits_from < 0 || run.logits_from >= count ||
                 run.logits_count < 0 || run.logits_count > count - run.logits_from)) {
      reject(
          fmt::format("slot {}: {} rows of logits from token {} on are none of a run of {} tokens that shows all and "
                      "draws nothing",
                      run.slot, run.logits_count, run.logits_from, count));
    }
    if (run.draw) reject_next_token(program);
    for (std::size_t other = 0; other < r; ++other) {
      if (runs[other].slot == run.slot) reject(fmt::format("slot {} has two runs in one step", run.slot));
    }
  }
}

void validate_generation(const Program& program, std::int64_t slot, std::int64_t position,
                         std::span<const std::int32_t> prompt, std::int64_t count, const Sampling& sampling) {
  if (count < 0) reject(fmt::format("{} tokens cannot be generated: the count must be at least 0", count));
  if (count > 0) reject_next_token(program);
  validate_sampling(sampling);
  validate_constraints(sampling.constraints, program.vocab_size);
  validate_tokens(program, slot, position, prompt);
}

}  // namespace monomorph
