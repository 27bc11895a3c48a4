#include "runtime/chat/session.hpp"

#include <fmt/format.h>

#include <utility>

#include "runtime/chat/chat.hpp"
#include "runtime/tokenizer/text_stream.hpp"

namespace monomorph {

ConversationTooLong::ConversationTooLong(std::int64_t tokens, std::int64_t max_sequence_length)
    : Error(ErrorKind::rejected,
            fmt::format("the conversation has {} tokens, and max_sequence_length is {}", tokens, max_sequence_length)) {
}

ChatSession::ChatSession(Engine& engine, const Tokenizer& tokenizer, ChatSettings settings, std::int64_t slot,
                         std::vector<std::int64_t> spare)
    : engine_(engine),
      tokenizer_(tokenizer),
      settings_(std::move(settings)),
      slot_(slot),
      points_of_return_(engine, slot, std::move(spare)) {
  need_chat_template(engine.program());
  validate_stop_strings(settings_.stop_strings);
  if (settings_.count < 1) {
    throw Error(ErrorKind::rejected, fmt::format("a count of {}: an answer has at least one token", settings_.count));
  }
}

Answer ChatSession::draw(const OnText& on_text) {
  const Program& program = engine_.program();
  ChatInput input;
  input.messages = conversation_.json();
  input.tools = settings_.tools;
  input.variables = settings_.variables;
  const std::vector<std::int32_t> prompt = tokenizer_.encode(render_chat(program, input), false);
  const auto length = static_cast<std::int64_t>(prompt.size());
  if (length == 0) throw Error(ErrorKind::rejected, "the chat template makes no text of this conversation");
  if (length > program.max_sequence_length) throw ConversationTooLong(length, program.max_sequence_length);

  Sampling sampling = settings_.sampling;
  if (sampling.temperature > 0) sampling.seed += regenerations_;
  Answer answer;
  answer.prompt_tokens = length;
  answer.cached_tokens = points_of_return_.go_back(prompt);
  TextStream stream(tokenizer_, settings_.stop_strings);
  bool ended = false;
  const auto show = [&](const std::string& text) {
    answer.text += text;
    ended = !on_text(text);
    return !ended;
  };
  const auto token = [&](std::int32_t id) {
    if (engine_.is_stop_token(id)) return true;  // no text, whatever the tokenizer holds it for
    return show(stream.push(id)) && !stream.stopped();
  };
  auto appended = std::span<const std::int32_t>(prompt).subspan(static_cast<std::size_t>(answer.cached_tokens));
  if (points_of_return_.any() && appended.size() > 1) {
    engine_.prefill(appended.first(appended.size() - 1), slot_);
    points_of_return_.keep();
    appended = appended.last(1);
  }
  answer.generation = engine_.generate(appended, settings_.count, sampling, token, slot_);
  // Of a character or a stop string that was begun nothing is kept where the rest was not waited for.
  if (!ended) show(stream.finish());
  answer.end = stream.stopped()            ? AnswerEnd::stop_string
               : answer.generation.stopped ? AnswerEnd::stop_token
               : ended                     ? AnswerEnd::reader
               : answer.generation.full    ? AnswerEnd::full
                                           : AnswerEnd::count;
  conversation_.add("assistant", answer.text);
  return answer;
}

Answer ChatSession::attempt(Conversation next, std::uint64_t regenerations, const OnText& on_text) {
  std::swap(conversation_, next);
  std::swap(regenerations_, regenerations);
  const auto take_back = [&] {
    std::swap(conversation_, next);
    std::swap(regenerations_, regenerations);
  };
  try {
    Answer answer = draw(on_text);
    if (!answer.begun()) take_back();
    return answer;
  } catch (...) {
    take_back();
    throw;
  }
}

Answer ChatSession::answer(const OnText& on_text) { return attempt(conversation_, 0, on_text); }

Answer ChatSession::say(const std::string& message, const OnText& on_text) {
  Conversation next = conversation_;
  next.add("user", message);
  return attempt(std::move(next), 0, on_text);
}

Answer ChatSession::regenerate(const OnText& on_text) {
  if (!conversation_.answered()) return answer(on_text);
  Conversation next = conversation_;
  next.drop_last();
  return attempt(std::move(next), regenerations_ + 1, on_text);
}

}  // namespace monomorph
