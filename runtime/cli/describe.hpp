// Words and figures that several commands share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "runtime/load/load.hpp"
#include "runtime/program/program.hpp"

namespace monomorph::cli {

/// "12.3 MB": powers of 1000, as transfer rates are counted.
std::string readable_bytes(double bytes);

/// "12.3 tokens/s", never rounded to none; "no time" where none passed.
std::string token_rate(double tokens, double seconds);

/// Bytes of weights and states that one pass of a phase reads, of a sequence whose tokens begin at `position`: every
/// row of its dispatches once, of an embedding one row a token.
std::int64_t bytes_read(const Program& program, Stage stage, std::int64_t rows, std::int64_t position);

/// Tokens of one sequence in a pass.
struct Stretch {
  std::int64_t rows, position;
};
/// The same of a pass over several sequences: weights once, the states of each.
std::int64_t bytes_read(const Program& program, Stage stage, std::span<const Stretch> stretches);

}  // namespace monomorph::cli
