// The file to read first: an engine is one emitted model, loaded, ready to run one sequence. The same interface is
// served by a Vulkan device and by the emitted CPU reference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/program.hpp"

namespace monomorph {

/// What went wrong, in the order of the exit statuses of the command line.
enum class ErrorKind { rejected = 1, environment = 2, internal = 3, device = 4 };

/// An error whose message names the place and the remedy.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// How tokens are drawn. temperature 0 takes the likeliest token (the lowest id where several are).
struct Sampling {
  float temperature = 0;    ///< >= 0
  std::uint32_t top_k = 0;  ///< 0: all tokens
  float top_p = 1;          ///< in (0, 1]
  std::uint64_t seed = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  /// Forgets the sequence: the next token has position 0.
  virtual void reset() = 0;
  /// Position of the next token, that is, tokens in the cache.
  virtual std::int64_t position() const = 0;

  /// Appends `tokens` (at least one) and gives the logits of the last, [vocab_size], valid until the next call. Rejects
  /// tokens outside the vocabulary and sequences longer than max_sequence_length before anything runs.
  virtual std::span<const float> prefill(std::span<const std::int32_t> tokens) = 0;
  /// The same, with the logits of every token handed to `row` in order.
  virtual void prefill_all(std::span<const std::int32_t> tokens,
                           const std::function<void(std::span<const float> logits)>& row) = 0;
  /// Appends one token through the decode kernels and gives its logits.
  virtual std::span<const float> decode(std::int32_t token) = 0;

  struct Generation {
    std::vector<std::int32_t> tokens;  ///< drawn, the stop token included
    bool stopped = false;              ///< ended by a stop token
    bool full = false;                 ///< ended by max_sequence_length
    double prefill_seconds = 0;
    double decode_seconds = 0;
  };
  /// Appends `prompt`, then draws up to `count` tokens; `token` sees each as it is drawn and ends the generation by
  /// returning false.
  virtual Generation generate(std::span<const std::int32_t> prompt, std::int64_t count, const Sampling& sampling,
                              const std::function<bool(std::int32_t)>& token) = 0;
};

}  // namespace monomorph
