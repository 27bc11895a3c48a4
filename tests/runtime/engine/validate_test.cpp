#include "runtime/engine/validate.hpp"
#include "tests/support/refusal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace monomorph;

namespace {

Program program() {
  Program made{};
  made.name = "tiny";
  made.vocab_size = 100;
  made.max_sequence_length = 8;
  made.max_batch = 3;
  return made;
}

std::string tokens_refusal(std::int64_t position, std::vector<std::int32_t> tokens) {
  return tests::refused_with([&] { validate_tokens(program(), 2, position, tokens); });
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("tokens within the vocabulary and the sequence pass") {
  CHECK(tokens_refusal(0, {0, 99}) == "");
  CHECK(tokens_refusal(0, {1, 2, 3, 4, 5, 6, 7, 8}) == "");
  CHECK(tokens_refusal(7, {1}) == "");
}

TEST_CASE("a token outside the vocabulary is named with its place and the valid range") {
  const std::string message = tokens_refusal(0, {5, 100, 7});
  CHECK(contains(message, "token 100 (number 2 of 3)"));
  CHECK(contains(message, "0 to 99"));
  CHECK(contains(tokens_refusal(0, {-1}), "token -1"));
}

TEST_CASE("too many tokens are refused with the room that is left and the remedy") {
  const std::string message = tokens_refusal(6, {1, 2, 3});
  CHECK(contains(message, "max_sequence_length 8"));
  CHECK(contains(message, "room for 2"));
  CHECK(contains(message, "engine.max_sequence_length"));
  CHECK(tokens_refusal(8, {1}) != "");
}

TEST_CASE("no tokens at all are refused") { CHECK(tokens_refusal(0, {}) != ""); }

TEST_CASE("sampling settings outside their ranges are refused") {
  const auto refused = [](Sampling sampling) { return tests::refused_with([&] { validate_sampling(sampling); }); };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(refused({}) == "");
  CHECK(refused({0.7f, 40, 0.9f, 1}) == "");
  CHECK(refused({1e-6f, 0, 1, 0}) == "");
  for (const float temperature : {-1.0f, 1e-7f, infinity, std::numeric_limits<float>::quiet_NaN()}) {
    CHECK(contains(refused({temperature, 0, 1, 0}), "temperature"));
  }
  for (const float top_p : {0.0f, -0.5f, 1.5f, std::numeric_limits<float>::quiet_NaN()}) {
    CHECK(contains(refused({1, 0, top_p, 0}), "top_p"));
  }
}

TEST_CASE("min_p and penalties outside their ranges are refused by name, with the value and what changes nothing") {
  constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN(),
                  infinity = -std::numeric_limits<float>::infinity();
  const auto refused = [](float Sampling::* setting, float value) {
    Sampling sampling;
    sampling.*setting = value;
    return tests::refused_with([&] { validate_sampling(sampling); });
  };
  for (const float fine : {0.0f, 0.5f, std::nextafter(1.0f, 0.0f)}) CHECK(refused(&Sampling::min_p, fine) == "");
  for (const float fine : {0.01f, 1.0f, 30.0f}) CHECK(refused(&Sampling::repetition_penalty, fine) == "");
  for (const float fine : {-2.0f, 0.0f, 2.0f}) {
    CHECK(refused(&Sampling::presence_penalty, fine) == "");
    CHECK(refused(&Sampling::frequency_penalty, fine) == "");
  }
  CHECK(refused(&Sampling::min_p, 1) == "min_p 1 is not at least 0 and below 1 (0 keeps all tokens)");
  CHECK(refused(&Sampling::repetition_penalty, 0) ==
        "repetition_penalty 0 is not a number above 0 (1 penalizes nothing)");
  CHECK(refused(&Sampling::presence_penalty, 2.5f) == "presence_penalty 2.5 is not from -2 to 2 (0 penalizes nothing)");
  CHECK(contains(refused(&Sampling::frequency_penalty, -2.5f), "frequency_penalty -2.5"));
  for (float Sampling::* const setting :
       {&Sampling::min_p, &Sampling::repetition_penalty, &Sampling::presence_penalty, &Sampling::frequency_penalty}) {
    for (const float value : {not_a_number, infinity, -infinity}) CHECK(refused(setting, value) != "");
  }
  CHECK(refused(&Sampling::min_p, -0.1f) != "");
  CHECK(refused(&Sampling::repetition_penalty, -1) != "");
}

TEST_CASE("a generation is refused for its count, its settings or its prompt") {
  const std::vector<std::int32_t> prompt{1};
  CHECK(contains(tests::refused_with([&] { validate_generation(program(), 1, 0, prompt, -1, {}); }), "-1"));
  CHECK(tests::refused_with([&] { validate_generation(program(), 1, 0, prompt, 1, {1, 0, 2, 0}); }) != "");
  CHECK(tests::refused_with([&] { validate_generation(program(), 1, 8, prompt, 1, {}); }) != "");
  CHECK(tests::refused_with([&] { validate_generation(program(), 1, 0, prompt, 0, {}); }) == "");
}

TEST_CASE("a slot that the engine does not have is refused with how many it has and what makes more") {
  CHECK(tests::refused_with([] { validate_slot(program(), 2); }) == "");
  for (const std::int64_t slot : {std::int64_t{-1}, std::int64_t{3}}) {
    const std::string message = tests::refused_with([&] { validate_slot(program(), slot); });
    CHECK(contains(message, "has 3 of them"));
    CHECK(contains(message, "engine.max_batch"));
  }
}

TEST_CASE("a slot ends at a position that the sequence has") {
  const auto refused = [](std::int64_t at) {
    return tests::refused_with([&] { validate_settings(program(), 0, {}, at); });
  };
  CHECK(refused(1) == "");
  CHECK(refused(8) == "");
  CHECK(contains(refused(0), "1 to 8"));
  CHECK(contains(refused(9), "1 to 8"));
}
