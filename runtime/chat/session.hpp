// A chat without a terminal: a conversation that an engine goes on with. Before each answer the whole conversation is
// rendered anew; the tokens that it begins with and that the engine still has are not computed again.
//
// An answer is drawn and kept, or nothing has changed: whatever is thrown leaves the conversation as it was, and so
// does an answer that its reader ended before it had any text.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/chat/chat.hpp"
#include "runtime/chat/conversation.hpp"
#include "runtime/chat/points_of_return.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph {

/// How every answer of a session is asked for and drawn.
struct ChatSettings {
  Sampling sampling{};
  std::int64_t count = std::numeric_limits<std::int64_t>::max();  ///< most tokens of an answer, at least 1
  std::vector<std::string> stop_strings{};                        ///< each ends an answer, and is not shown
  std::string tools = "";                                         ///< JSON: a list; empty: none
  std::string variables = "{}";                                   ///< JSON: an object of further template variables
};

/// Why an answer ended.
enum class AnswerEnd : std::uint8_t {
  stop_token,
  stop_string,
  count,
  full,    ///< max_sequence_length
  reader,  ///< OnText said so
};

struct Answer {
  std::string text;  ///< without special tokens
  AnswerEnd end = AnswerEnd::stop_token;
  std::int64_t prompt_tokens = 0;  ///< of the conversation before the answer
  std::int64_t cached_tokens = 0;  ///< of these, that the engine still had
  Engine::Generation generation{};

  /// Whether it is kept.
  bool begun() const { return end != AnswerEnd::reader || !text.empty(); }
};

/// Sees the answer's text as it grows, token by token (of some there is none yet); false ends it.
using OnText = std::function<bool(std::string_view text)>;

/// A conversation has more tokens than a sequence holds.
class ConversationTooLong : public Error {
 public:
  ConversationTooLong(std::int64_t tokens, std::int64_t max_sequence_length);
};

class ChatSession {
 public:
  /// Throws Error(rejected) where the program has no chat template, or settings are out of range. Engine and tokenizer
  /// outlive the session; the slot is the session's alone, and so are `spare` ones, which it goes back to where its own
  /// has forgotten what is needed (PointsOfReturn).
  ChatSession(Engine& engine, const Tokenizer& tokenizer, ChatSettings settings, std::int64_t slot = 0,
              std::vector<std::int64_t> spare = {});

  const Conversation& conversation() const { return conversation_; }
  /// Goes on with another, or with this one changed.
  void set_conversation(Conversation conversation) {
    conversation_ = std::move(conversation);
    regenerations_ = 0;
  }

  /// Goes on with the conversation as it stands. Throws ConversationTooLong, what render_chat and Engine::generate
  /// throw, and what the engine's watchers do.
  Answer answer(const OnText& on_text);
  /// The same after the user's next message.
  Answer say(const std::string& message, const OnText& on_text);
  /// The same in place of the last answer, where there is one; where tokens are drawn at random, by the next seed.
  Answer regenerate(const OnText& on_text);

 private:
  /// Answers `next`, which is the conversation from then on.
  Answer attempt(Conversation next, std::uint64_t regenerations, const OnText& on_text);
  Answer draw(const OnText& on_text);

  Engine& engine_;
  const Tokenizer& tokenizer_;
  ChatSettings settings_;
  std::int64_t slot_;
  PointsOfReturn points_of_return_;
  Conversation conversation_;
  std::uint64_t regenerations_ = 0;  ///< of the last answer
};

}  // namespace monomorph
