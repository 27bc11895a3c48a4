// A committed golden: takes a case's directory (README.md describes it), gives its tokens and the logits kept of it.
// What is missing or does not fit together is a std::runtime_error that names the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace monomorph::golden {

struct Golden {
  std::string name;  ///< of the directory
  std::vector<std::int32_t> tokens;
  std::vector<std::int64_t> rows;  ///< indices into tokens, ascending
  /// Where rows depend on the calls that append a sequence: how many tokens each call has, of several sequences. Empty:
  /// they do not.
  std::vector<std::vector<std::int64_t>> calls;
  std::int64_t row_size = 0;  ///< vocab_size, or where the model gives no logits hidden_size
  /// [rows, then the last of each call, or of `answered` tokens to each shorter source; row_size]: logits, or hidden
  /// states.
  std::vector<float> logits;
  static constexpr std::int64_t answered = 12;
  /// Of a model that gives vectors of texts: the type of each token, none where tokens have no types; and the vector of
  /// each call's text, then of the whole, one after the other.
  std::vector<std::int32_t> types{};
  std::vector<std::vector<float>> vectors{};
  /// Of a model that answers to one: its tokens, and how many of them other sources have. Empty: it does not.
  std::vector<std::int32_t> source{};
  std::vector<std::int64_t> source_lengths{};

  struct Text {
    std::span<const std::int32_t> tokens, types;
  };
  /// Those of calls, then the whole.
  std::vector<Text> texts() const;

  std::span<const float> logits_of(std::size_t kept) const {
    return std::span(logits).subspan(kept * static_cast<std::size_t>(row_size), static_cast<std::size_t>(row_size));
  }
  /// Which of the rows kept is the last of a prompt of `length` tokens. Throws where none is.
  std::size_t last_of_prompt(std::int64_t length) const;
};

Golden read_golden(const std::filesystem::path& directory);

}  // namespace monomorph::golden
