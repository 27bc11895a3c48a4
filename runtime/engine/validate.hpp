// What an engine refuses before anything runs, in the same words on every device. Each function throws Error(rejected).
#pragma once

#include <cstdint>
#include <span>

#include "runtime/engine/engine.hpp"
#include "runtime/program/program.hpp"

namespace monomorph {

/// A slot that the program has.
void validate_slot(const Program& program, std::int64_t slot);

/// A slot that the program has, at least one token, each in [0, vocab_size), and room for all of them after `position`.
void validate_tokens(const Program& program, std::int64_t slot, std::int64_t position,
                     std::span<const std::int32_t> tokens);

/// The model answers to sources.
void require_sources(const Program& program);
/// A slot that the program has, at least one token and at most max_source_length, each in [0, vocab_size).
void validate_source(const Program& program, const Source& source);
/// The same of each, a slot at most once.
void validate_sources(const Program& program, std::span<const Source> sources);
/// Where the model answers to sources, the slot has one.
void require_source(const Engine& engine, std::int64_t slot);

/// No types, or one for each token, in [0, token_types); not 0 only where the model reads texts in one pass: nobody
/// remembers types.
void validate_types(const Program& program, std::span<const std::int32_t> tokens, std::span<const std::int32_t> types);

/// The model gives logits; or it gives vectors of texts.
void require_logits(const Program& program);
void require_vectors(const Program& program);

/// Runs of a step: what validate_tokens asks of each, no more tokens than a pass has, a slot at most once; `ahead`
/// within 1 and decode_steps.
void validate_runs(const Engine& engine, std::span<const Run> runs, std::int64_t ahead);

/// temperature 0, or finite and at least 1e-6; the others in the ranges that Sampling tells.
void validate_sampling(const Sampling& sampling);

/// count >= 0, and what validate_tokens and validate_sampling ask.
void validate_generation(const Program& program, std::int64_t slot, std::int64_t position,
                         std::span<const std::int32_t> prompt, std::int64_t count, const Sampling& sampling);

/// How many of `count` tokens can be drawn when the first has `first_position`: each but the last becomes a position of
/// the sequence.
std::int64_t drawable_tokens(const Program& program, std::int64_t first_position, std::int64_t count);

/// What Engine::set_sampling is given: a slot, how it draws, and a position from 1 to max_sequence_length.
void validate_settings(const Program& program, std::int64_t slot, const Sampling& sampling, std::int64_t stop_position);
/// Whether all logits are finite numbers, as those of a sound checkpoint are.
bool are_finite(std::span<const float> logits);
/// Throws as validate_logits does, where the device has seen such logits.
[[noreturn]] void reject_logits(const Program& program);
/// Finite: else the message names what may have made them so, the spec's own expressions first.
void validate_logits(const Program& program, std::span<const float> logits);

/// Throws Error(rejected) where a saved slot has other than the bytes that the states of what it held have.
void validate_saved_bytes(const Program& program, const HeldStates& held, std::int64_t bytes);

}  // namespace monomorph
