#include "runtime/engine/validate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

using namespace monomorph;

TEST_CASE("what is drawn fits the sequence, for the largest count too") {
  Program program{};
  program.max_sequence_length = 64;
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  CHECK(drawable_tokens(program, 50, 10) == 10);
  // The last token drawn needs no position.
  CHECK(drawable_tokens(program, 50, 15) == 15);
  CHECK(drawable_tokens(program, 50, 16) == 15);
  CHECK(drawable_tokens(program, 50, largest) == 15);
  CHECK(drawable_tokens(program, 64, largest) == 1);
  CHECK(drawable_tokens(program, 50, 0) == 0);
}

TEST_CASE("a refusal of logits names the expressions that may have made them, then the weights") {
  Program program{};
  program.name = "small";
  const auto said = [&] {
    try {
      reject_logits(program);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::rejected);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(said().find("expression") == std::string::npos);
  CHECK(said().find("--scan-nan") != std::string::npos);
  program.expressions = "lm_head.logits, mlp.activation";
  CHECK(said().find("an expression of the spec gives none for some values (lm_head.logits, mlp.activation)") !=
        std::string::npos);
  CHECK(said().find("--scan-nan") != std::string::npos);
}

TEST_CASE("logits that are no numbers are refused by the token that has them") {
  Program program{};
  program.name = "small";
  std::vector<float> logits(5, -3.0f);
  CHECK_NOTHROW(validate_logits(program, logits));
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
    logits[3] = wrong;
    try {
      validate_logits(program, logits);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::rejected);
      CHECK(std::string(error.what()).find("the logit of token 3") != std::string::npos);
    }
  }
}
