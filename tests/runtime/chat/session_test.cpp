// Chats with a program that talks, each answer held against that of a new engine over the same messages.
#include <doctest/doctest.h>

#include <stdexcept>

#include "runtime/chat/session.hpp"
#include "runtime/weights/weights.hpp"
#include "tests/runtime/chat/talking_program.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

bool all(std::string_view) { return true; }

struct Talk {
  explicit Talk(ChatSettings settings = {}, Program given = talking_program(), std::vector<std::int64_t> spare = {})
      : program(std::move(given)),
        engine(program, HostWeights::random(program, 0)),
        session(engine, tokenizer, std::move(settings), 0, std::move(spare)) {}

  Program program;
  Tokenizer tokenizer = Tokenizer::load(talking_tokenizer);
  ReferenceEngine engine;
  ChatSession session;
};

/// What a new engine answers where the conversation stood before its last answer.
Answer fresh(const Talk& talk, const ChatSettings& settings = {}) {
  Conversation conversation = talk.session.conversation();
  conversation.drop_last();
  Talk other(settings, talk.program);
  other.session.set_conversation(conversation);
  return other.session.answer(all);
}

/// Tokens that went through the model while `work` ran.
std::size_t appended(const std::function<void()>& work) {
  std::size_t count = 0;
  on_forward = [&](std::span<const std::int32_t> tokens) { count += tokens.size(); };
  work();
  on_forward = nullptr;
  return count;
}

std::string last_message(const ChatSession& session) {
  const std::string json = session.conversation().json();
  return json.substr(json.rfind("{\"role\""));
}

}  // namespace

TEST_CASE("each answer is what a new engine says to the same messages, and is kept as the assistant's") {
  Talk talk({.count = 12});
  for (const std::string message : {"hello", "and then", "café \u4e2d", ""}) {
    std::string shown;
    const Answer answer = talk.session.say(message, [&](std::string_view text) {
      shown += text;
      return true;
    });
    CHECK(shown == answer.text);
    CHECK(answer.text == fresh(talk, {.count = 12}).text);
    CHECK(last_message(talk.session) == R"({"role":"assistant","content":")" + answer.text + "\"}]");
  }
  CHECK(talk.session.conversation().size() == 8);
}

TEST_CASE("what the engine still has of a conversation is not computed again") {
  Talk talk({.count = 12});
  Answer answer;
  const auto say = [&](const std::string& message) {
    return appended([&] { answer = talk.session.say(message, all); });
  };
  // Of drawn tokens all but the last pass through the model.
  std::size_t count = say("hello");
  CHECK(count == static_cast<std::size_t>(answer.prompt_tokens) + answer.generation.tokens.size() - 1);
  CHECK(answer.cached_tokens == 0);
  // Letters that were drawn one by one are other tokens when they are read again.
  const std::int64_t before = answer.prompt_tokens;
  count = say("and then");
  CHECK(answer.cached_tokens >= before - 1);
  CHECK(count ==
        static_cast<std::size_t>(answer.prompt_tokens - answer.cached_tokens) + answer.generation.tokens.size() - 1);
  // The same prompt once more: its last token alone is appended.
  const std::string text = answer.text;
  const std::size_t again = appended([&] { answer = talk.session.regenerate(all); });
  CHECK(answer.cached_tokens == answer.prompt_tokens - 1);
  CHECK(again == answer.generation.tokens.size());
  CHECK(answer.text == text);
  // Another beginning: all of it.
  Conversation other = talk.session.conversation();
  other.set_system("brief");
  other.drop_last();
  talk.session.set_conversation(other);
  answer = talk.session.answer(all);
  CHECK(answer.cached_tokens == 1);  // <|begin|>
  CHECK(answer.text == fresh(talk, {.count = 12}).text);
}

TEST_CASE("what forgets goes back to where an answer began, where another slot has kept it") {
  static constexpr std::array states{
      StateTable{"states", StateKind::recurrent, 2, 3, 1, recurrent_copies, 32, 640, {Arena::states, 0, 1280}}};
  Program program = talking_program();
  program.states = states;
  program.max_batch = 3;
  const ChatSettings settings = {.count = 12};
  Talk kept(settings, program, {1, 2}), lost(settings, program);
  Answer answer;
  std::int64_t before = 0;  // tokens of the prompt before the last
  for (const char* message : {"hello", "and then", "so"}) {
    // Letters that were drawn one by one are other tokens when they are read again.
    const std::int64_t began = answer.prompt_tokens;
    before = began;
    answer = kept.session.say(message, all);
    CHECK(answer.cached_tokens == std::max<std::int64_t>(0, began - 1));
    const Answer other = lost.session.say(message, all);
    CHECK(other.cached_tokens == 0);
    CHECK(answer.text == other.text);
  }
  for (int again = 0; again < 3; ++again) {
    answer = kept.session.regenerate(all);
    CHECK(answer.cached_tokens == answer.prompt_tokens - 1);
    CHECK(answer.text == fresh(kept, settings).text);
  }
  CHECK(lost.session.regenerate(all).cached_tokens == 0);
  // The answer before it.
  Conversation earlier = kept.session.conversation();
  for (int message = 0; message < 3; ++message) earlier.drop_last();
  kept.session.set_conversation(earlier);
  answer = kept.session.answer(all);
  CHECK(answer.prompt_tokens == before);
  CHECK(answer.cached_tokens == before - 1);
  CHECK(answer.text == fresh(kept, settings).text);
  // Another beginning, of which nobody has anything but the token that all begin with.
  Conversation other = kept.session.conversation();
  other.set_system("brief");
  kept.session.set_conversation(other);
  CHECK(kept.session.say("hello", all).cached_tokens == 0);
  CHECK(kept.session.regenerate(all).text == fresh(kept, settings).text);
}

TEST_CASE("where a ring has lost what is needed the conversation is appended anew") {
  static constexpr std::array states{
      StateTable{"keys", StateKind::ring, 2, 1, 1, 20, 32, 640, {Arena::states, 0, 1280}, 4, 1}};
  Program program = talking_program();
  program.states = states;
  Talk talk({.count = 40}, program);
  const Answer first = talk.session.say("hello", all);
  REQUIRE(first.generation.tokens.size() > 20);
  const Answer again = talk.session.regenerate(all);
  CHECK(again.cached_tokens == 0);
  CHECK(again.text == first.text);
  const Answer next = talk.session.say("next", all);
  CHECK(next.text == fresh(talk, {.count = 40}).text);
}

TEST_CASE("a beginning of text that the template writes is not written twice") {
  Talk talk({.count = 1});
  const Answer answer = talk.session.say("hello", all);
  const std::vector<std::int32_t> tokens = talk.tokenizer.encode("<|begin|>u: hello\na: ", false);
  CHECK(answer.prompt_tokens == static_cast<std::int64_t>(tokens.size()));
  CHECK(talk.tokenizer.encode("<|begin|>x").size() == talk.tokenizer.encode("<|begin|>x", false).size() + 1);
}

TEST_CASE("an answer ends by a stop token, of which nothing is shown, by the count, or by its reader") {
  Talk talk;
  Answer answer = talk.session.say("hello", all);
  for (int i = 0; answer.end != AnswerEnd::stop_token && i < 20; ++i) {
    talk.session.set_conversation({});
    answer = talk.session.say("hello " + std::to_string(i), all);
  }
  REQUIRE(answer.end == AnswerEnd::stop_token);
  CHECK(answer.text.find('z') == std::string::npos);
  CHECK(answer.text.size() == answer.generation.tokens.size() - 1);

  Talk counted({.count = 3});
  answer = counted.session.say("hello", all);
  CHECK(answer.end == AnswerEnd::count);
  CHECK(answer.generation.tokens.size() == 3);

  Talk ended;
  int seen = 0;
  answer = ended.session.say("hello", [&](std::string_view) { return ++seen < 5; });
  CHECK(answer.end == AnswerEnd::reader);
  CHECK(answer.generation.tokens.size() == 5);
  CHECK(answer.text.size() == 5);
  CHECK(last_message(ended.session).find(answer.text) != std::string::npos);
  answer = ended.session.say("on", all);
  CHECK(answer.text == fresh(ended).text);
}

TEST_CASE("an answer that its reader ends before it has any text is not kept") {
  Talk whole;
  const std::string text = whole.session.say("hello", all).text;
  Talk talk({.stop_strings = {text.substr(0, 1) + "?"}});  // the first letter is held back
  const auto none = [](std::string_view) { return false; };
  Answer answer = talk.session.say("hello", none);
  CHECK(answer.end == AnswerEnd::reader);
  CHECK_FALSE(answer.begun());
  CHECK(talk.session.conversation().empty());
  CHECK(talk.session.say("hello", all).text == text);
  answer = talk.session.regenerate(none);
  CHECK_FALSE(answer.begun());
  CHECK(last_message(talk.session) == R"({"role":"assistant","content":")" + text + "\"}]");
  CHECK_THROWS_AS(Talk({.count = 0}), Error);
}

TEST_CASE("a stop string ends an answer before it, also where it was begun by an earlier token") {
  Talk whole;
  const std::string text = whole.session.say("hello", all).text;
  REQUIRE(text.size() > 8);
  Talk stopped({.stop_strings = {"?", text.substr(4, 3)}});
  std::string shown;
  Answer answer = stopped.session.say("hello", [&](std::string_view piece) {
    shown += piece;
    return true;
  });
  CHECK(answer.end == AnswerEnd::stop_string);
  CHECK(answer.text == text.substr(0, 4));
  CHECK(shown == answer.text);
  CHECK(answer.generation.tokens.size() == 7);
  answer = stopped.session.say("on", all);
  CHECK(answer.text == fresh(stopped, {.stop_strings = {"?", text.substr(4, 3)}}).text);
  CHECK_THROWS_AS(Talk({.stop_strings = {""}}), Error);
}

TEST_CASE("penalties see the conversation, and log-probabilities are told of each token") {
  const ChatSettings settings{
      .sampling = {.repetition_penalty = 1.5f, .frequency_penalty = 1, .log_probabilities = true}, .count = 20};
  Talk talk(settings);
  for (const char* const message : {"hello", "and then"}) {
    const Answer answer = talk.session.say(message, all);
    CHECK(answer.text == fresh(talk, settings).text);
    CHECK(answer.generation.log_probabilities.size() == answer.generation.tokens.size());
  }
}

TEST_CASE("regenerating draws by the next seed where tokens are drawn at random") {
  const auto seeded = [](std::uint64_t seed) {
    return ChatSettings{.sampling = {.temperature = 1, .seed = seed}, .count = 12};
  };
  Talk talk(seeded(5));
  talk.session.say("hello", all);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    const std::string text = talk.session.regenerate(all).text;
    CHECK(text == fresh(talk, seeded(5 + i)).text);
  }
  CHECK(talk.session.conversation().size() == 2);
  const std::string next = talk.session.say("next", all).text;
  CHECK(next == fresh(talk, seeded(5)).text);
  const std::string again = talk.session.regenerate(all).text;
  CHECK(again == fresh(talk, seeded(6)).text);
  CHECK(again != next);
}

TEST_CASE("a full sequence ends an answer, which stays; a message that does not fit is taken back") {
  Program program = talking_program();
  program.eos_tokens = {};
  Talk talk({}, program);
  REQUIRE(talk.session.say("tell me all of it", all).end == AnswerEnd::full);
  CHECK(talk.engine.position() == talking_max_sequence_length);
  const std::string before = talk.session.conversation().json();
  try {
    talk.session.say("more", all);
    FAIL("it fits");
  } catch (const ConversationTooLong& error) {
    CHECK(error.kind() == ErrorKind::rejected);
    CHECK(std::string(error.what()).starts_with("the conversation has "));
    CHECK(std::string(error.what()).ends_with(" tokens, and max_sequence_length is 200"));
  }
  CHECK(talk.session.conversation().json() == before);
  const std::string text = talk.session.regenerate(all).text;
  CHECK(talk.session.conversation().json() == before);
  CHECK(text == fresh(talk).text);
}

TEST_CASE("what the template refuses leaves the conversation as it was") {
  Talk talk({.count = 12});
  talk.session.say("hello", all);
  Conversation asked = talk.session.conversation();
  asked.add("user", "twice");
  talk.session.set_conversation(asked);
  CHECK_THROWS_WITH_AS(talk.session.say("thrice", all), "the chat template: roles must alternate: user after user",
                       Error);
  CHECK(talk.session.conversation().json() == asked.json());
}

TEST_CASE("a prompt that is broken off leaves the conversation as it was, and what was read of it is used") {
  Talk talk({.count = 12});
  talk.session.say("hello", all);
  const std::string before = talk.session.conversation().json();
  const std::string longer = "a message that is longer than a chunk of sixteen tokens, by far";
  talk.engine.watch_prompts([](std::int64_t done, std::int64_t) {
    if (done > 16) throw std::runtime_error("enough");
  });
  CHECK_THROWS_WITH(talk.session.say(longer, all), "enough");
  CHECK(talk.session.conversation().json() == before);
  talk.engine.watch_prompts({});
  const std::int64_t had = talk.engine.position();
  const Answer answer = talk.session.say(longer, all);
  CHECK(answer.cached_tokens == had);
  CHECK(answer.text == fresh(talk, {.count = 12}).text);
}

TEST_CASE("tools and variables reach the template") {
  Talk plain({.count = 12}), tools({.count = 12, .tools = "[{}]"}),
      variable({.count = 12, .variables = R"({"begin":"Now"})"});
  const std::int64_t tokens = plain.session.say("hello", all).prompt_tokens;
  CHECK(tools.session.say("hello", all).prompt_tokens > tokens);
  CHECK(variable.session.say("hello", all).prompt_tokens > tokens);
}

TEST_CASE("a program without a chat template is refused, with the reason and the remedy") {
  Program program = talking_program();
  program.chat_template = nullptr;
  CHECK_THROWS_WITH_AS(Talk({}, program),
                       "talking has no chat template; write the prompt yourself, with `run --prompt`", Error);
  program.chat_refusal = "line 3: a macro with a default";
  CHECK_THROWS_WITH_AS(Talk({}, program),
                       "talking has no chat template that runs: line 3: a macro with a default; write the prompt "
                       "yourself, with `run --prompt`",
                       Error);
}
