// A program that talks: each next token depends on every token before it, so that what a cache holds wrongly shows in
// what is said. Its words are lower-case letters of the tokenizer of cases/llama3, of which the stop token is one.
#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>

#include "runtime/chat/emitted.hpp"
#include "runtime/reference/reference_engine.hpp"
#include "tests/runtime/cli/counting_program.hpp"

namespace monomorph::tests {

inline const std::string talking_tokenizer = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/llama3";
inline constexpr std::int64_t talking_max_sequence_length = 200;

class TalkingReference final : public Reference {
 public:
  /// A hidden state is a hash of the tokens so far, eight times.
  std::vector<double> layers(std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t first, std::int64_t,
                             std::vector<std::vector<double>>*, std::span<const std::int32_t> = {}) override {
    if (on_forward) on_forward(tokens);
    std::vector<std::uint32_t>& hashes = hashes_[slot];
    if (static_cast<std::size_t>(first) > hashes.size()) throw std::logic_error("tokens were left out");
    hashes.resize(static_cast<std::size_t>(first));
    std::vector<double> hidden;
    for (const std::int32_t token : tokens) {
      const std::uint32_t before = hashes.empty() ? 1 : hashes.back();
      hashes.push_back((before * 31 + static_cast<std::uint32_t>(token) + 7) % 999983);
      hidden.insert(hidden.end(), 8, hashes.back());
    }
    return hidden;
  }
  void copy(std::int64_t from, std::int64_t to) override { hashes_[to] = hashes_[from]; }
  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t> rows) override {
    std::vector<double> logits(rows.size() * counting_vocab_size);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto hash = static_cast<std::size_t>(hidden[static_cast<std::size_t>(8 * rows[i])]);
      // 'a' is 64; 'z' ends what is said.
      logits[i * counting_vocab_size + 64 + hash / 7 % 26] = 9;
      logits[i * counting_vocab_size + 64 + hash / 11 % 26] += 8;
    }
    return logits;
  }

 private:
  std::map<std::int64_t, std::vector<std::uint32_t>> hashes_;  ///< by slot
};

/// A template as the generator writes them: "<|begin|>", then a line a message, "u: content". It refuses two messages
/// of one role in succession, as many do.
inline std::string talking_template(const chat::Scope& variables) {
  using namespace chat;
  std::string text = "<|begin|>", last;
  const Value tools = variables.find("tools");
  if (!tools.none()) text += "tools: " + to_json(tools, {}) + "\n";
  for (const Value& message : elements_of(variables.find("messages"))) {
    const std::string role = text_of(attribute(message, "role"));
    if (role == last) fail("roles must alternate: " + role + " after " + role);
    const Value content = item({message, "content"});
    text += role.substr(0, 1) + ": " + (content.as<std::string>() != nullptr ? text_of(content) : "") + "\n";
    last = role;
  }
  const Value begin = variables.find("begin");
  if (truth(variables.find("add_generation_prompt"))) text += "a: " + (begin.undefined() ? "" : text_of(begin));
  return text;
}

inline Program talking_program() {
  static constexpr std::array states{StateTable{"keys",
                                                StateKind::growing,
                                                2,
                                                1,
                                                1,
                                                talking_max_sequence_length,
                                                32,
                                                32 * talking_max_sequence_length,
                                                {Arena::states, 0, 2 * 32 * talking_max_sequence_length}}};
  static constexpr std::array<std::uint32_t, 1> eos_tokens{64 + 25};
  Program program = counting_program();
  program.name = "talking";
  program.max_sequence_length = talking_max_sequence_length;
  program.states = states;
  program.eos_tokens = eos_tokens;
  program.chat_template = talking_template;
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> {
    return std::make_unique<TalkingReference>();
  };
  return program;
}

/// The same, whose embedding is a tensor "embed" of a checkpoint.
inline Program talking_program_with_weights() {
  static constexpr std::array parts{WeightPart{"embed", {counting_vocab_size, 0, counting_vocab_size}}};
  static constexpr std::array weights{WeightPattern{"embedding.tokens", Dtype::f16, counting_vocab_size, 8, parts}};
  static constexpr std::array<const char*, 1> prefixes{""};
  static std::array<WeightGroup, 1> groups;
  Program program = talking_program();
  groups[0] = {weights, program.weights[0].stored, {}};
  program.weights = groups;
  program.checkpoint_prefixes = prefixes;
  return program;
}

}  // namespace monomorph::tests
