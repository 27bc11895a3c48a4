// Texts of masks on a reference whose logits are told by position: what each pass reads shows which tokens stayed.
#include "runtime/engine/denoise.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "runtime/reference/reference_engine.hpp"
#include "tests/runtime/reference/example_programs.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

using Tokens = std::vector<std::int32_t>;

constexpr std::int32_t mask = 36;

std::vector<Tokens> texts;                                    // that passes have read
std::map<std::int64_t, std::map<std::int32_t, double>> told;  // logits by position and token; the others are 0
double without_prompt = 0;  // added to that of token 9 where a text begins with a mask

class Told final : public Reference {
 public:
  std::vector<double> layers(std::int64_t, std::span<const std::int32_t> tokens, std::int64_t, std::int64_t,
                             std::vector<std::vector<double>>*, std::span<const std::int32_t>) override {
    texts.emplace_back(tokens.begin(), tokens.end());
    std::vector<double> positions(tokens.size());
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<double>(i);
    return positions;
  }
  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t> rows) override {
    std::vector<double> logits(37);
    const auto position = static_cast<std::int64_t>(hidden[static_cast<std::size_t>(rows.front())]);
    for (const auto& [token, logit] : told[position]) logits[static_cast<std::size_t>(token)] = logit;
    if (texts.back().front() == mask) logits[9] += without_prompt;
    return logits;
  }
};

Program told_program() {
  Program program = llama_program();
  program.one_pass = true;
  program.mask_token = mask;
  program.prefill_chunk = program.max_sequence_length;
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> { return std::make_unique<Told>(); };
  return program;
}

Tokens denoised(const Tokens& prompt, const Denoising& how) {
  const Program program = told_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  texts.clear();
  return denoise(engine, prompt, how);
}

/// After a prompt of two tokens: token 10 + i at place i, as sure as its logit.
void tell(const std::vector<double>& logits) {
  told.clear();
  without_prompt = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    told[static_cast<std::int64_t>(i) + 2] = {{static_cast<std::int32_t>(10 + i), logits[i]}};
  }
}

}  // namespace

TEST_CASE("passes keep equally many tokens, and the first of them those that are left over") {
  CHECK(kept_by_step(10, 4) == std::vector<std::int64_t>{3, 3, 2, 2});
  CHECK(kept_by_step(8, 4) == std::vector<std::int64_t>{2, 2, 2, 2});
  CHECK(kept_by_step(3, 5) == std::vector<std::int64_t>{1, 1, 1, 0, 0});
}

TEST_CASE("the surest tokens stay, of equal ones the first") {
  tell({3, 5, 2, 5, 5, 2});
  const Tokens found = denoised({1, 2}, {.length = 6, .block_length = 6, .steps = 4});
  CHECK(found == Tokens{10, 11, 12, 13, 14, 15});
  CHECK(texts == std::vector<Tokens>{{1, 2, mask, mask, mask, mask, mask, mask},
                                     {1, 2, mask, 11, mask, 13, mask, mask},
                                     {1, 2, 10, 11, mask, 13, 14, mask},
                                     {1, 2, 10, 11, 12, 13, 14, mask}});
}

TEST_CASE("blocks are filled from left to right, and passes that keep nothing do not run") {
  tell({3, 2, 4, 9, 8, 7});
  std::int64_t watched = 0;
  const Program program = told_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  texts.clear();
  const Denoising how{.length = 6, .block_length = 3, .steps = 8};
  const Tokens found = denoise(engine, Tokens{1, 2}, how, [&](std::int64_t done, std::int64_t steps) {
    CHECK(done == ++watched);
    CHECK(steps == 8);
  });
  CHECK(watched == 8);
  CHECK(engine.position() == 0);
  CHECK(found == Tokens{10, 11, 12, 13, 14, 15});
  CHECK(texts == std::vector<Tokens>{{1, 2, mask, mask, mask, mask, mask, mask},
                                     {1, 2, mask, mask, 12, mask, mask, mask},
                                     {1, 2, 10, mask, 12, mask, mask, mask},
                                     {1, 2, 10, 11, 12, mask, mask, mask},
                                     {1, 2, 10, 11, 12, 13, mask, mask},
                                     {1, 2, 10, 11, 12, 13, 14, mask}});
}

TEST_CASE("the likeliest token is taken, the lowest id where several are, and its softmax is its confidence") {
  told = {{2, {{7, 4.0}, {5, 4.0}}}, {3, {{6, 3.9}}}};  // 5 and 7 share what 6 has alone
  without_prompt = 0;
  CHECK(denoised({1, 2}, {.length = 2, .block_length = 2, .steps = 2}) == Tokens{5, 6});
  CHECK(texts.back() == Tokens{1, 2, mask, 6});
}

TEST_CASE("where the mask token is the likeliest the mask stays") {
  told = {{2, {{mask, 9.0}}}, {3, {{6, 3.0}}}};
  without_prompt = 0;
  CHECK(denoised({1, 2}, {.length = 2, .block_length = 2, .steps = 2}) == Tokens{mask, mask});
  CHECK(texts.size() == 2);
  CHECK(denoised({1, 2}, {.length = 2, .block_length = 1, .steps = 2}) == Tokens{mask, mask});
  CHECK(denoised({1, 2}, {.length = 2, .block_length = 2, .steps = 1}) == Tokens{mask, 6});
}

TEST_CASE("guidance moves logits away from those of the text without its prompt") {
  tell({});
  told = {{2, {{9, 5.0}, {4, 4.0}}}};
  without_prompt = 2;  // 9 has 7 without the prompt: guided by 1 it has 7 + 2 * (5 - 7) = 3, and 4 has 4
  CHECK(denoised({1, 2}, {.length = 1, .block_length = 1, .steps = 1}) == Tokens{9});
  CHECK(denoised({1, 2}, {.length = 1, .block_length = 1, .steps = 1, .guidance = 1}) == Tokens{4});
  CHECK(texts == std::vector<Tokens>{{mask, mask, mask}, {1, 2, mask}});
  CHECK(denoised({1, 2}, {.length = 1, .block_length = 1, .steps = 1, .guidance = 0.4}) == Tokens{9});
}

TEST_CASE("noise and remasking at random follow the seed") {
  tell({3, 5, 2, 5, 5, 2});
  const auto of = [](float temperature, Remasking remasking, std::uint64_t seed) {
    denoised({1, 2}, {6, 6, 6, temperature, seed, remasking});
    return texts;
  };
  const auto low = of(0, Remasking::low_confidence, 1);
  CHECK(of(0, Remasking::low_confidence, 2) == low);
  CHECK(of(100, Remasking::low_confidence, 1) == of(100, Remasking::low_confidence, 1));
  CHECK(of(100, Remasking::low_confidence, 1) != of(100, Remasking::low_confidence, 2));
  CHECK(of(1e-6f, Remasking::low_confidence, 1) == low);
  CHECK(of(0, Remasking::random, 1) == of(0, Remasking::random, 1));
  CHECK(of(0, Remasking::random, 1) != of(0, Remasking::random, 2));
}

TEST_CASE("noise is Gumbel's: tokens are drawn as often as their softmax says") {
  told = {{2, {{3, 3.0}}}};
  without_prompt = 0;
  const Program program = told_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  const Tokens prompt = {1, 2};
  int drawn = 0;
  constexpr int draws = 2000;
  for (int seed = 0; seed < draws; ++seed) {
    Denoising how{.length = 1, .block_length = 1, .steps = 1, .temperature = 2};
    how.seed = static_cast<std::uint64_t>(seed);
    drawn += denoise(engine, prompt, how).front() == 3 ? 1 : 0;
  }
  const double share = std::exp(1.5) / (std::exp(1.5) + 36);  // 0.111, whose deviation is 0.007 of 2000 draws
  CHECK(std::abs(drawn / static_cast<double>(draws) - share) < 0.028);
}

TEST_CASE("what cannot be denoised is refused before anything runs") {
  tell({1, 1});
  const auto refused = [](const Tokens& prompt, const Denoising& how, const Program& program, const char* why) {
    ReferenceEngine engine(program, HostWeights::random(program, 5));
    texts.clear();
    CHECK_THROWS_WITH_AS(denoise(engine, prompt, how), doctest::Contains(why), Error);
    CHECK(texts.empty());
  };
  const Program program = told_program();
  const Denoising two{.length = 2, .block_length = 2, .steps = 2};
  Program other = program;
  other.one_pass = false;
  refused({1}, two, other, "goes on token by token");
  other = program;
  other.mask_token = -1;
  refused({1}, two, other, "tokenizer.mask_token_id");
  other = program;
  other.prefill_chunk = 4;
  refused({1, 2, 3}, two, other, "engine.prefill_chunk is 4");
  refused({1, mask}, two, program, "token 2 of the prompt is the mask token");
  refused({1, 37}, two, program, "outside the vocabulary");
  refused({1}, {.length = 0, .block_length = 1, .steps = 1}, program, "0 tokens cannot be found");
  refused({1}, {.length = 21, .block_length = 21, .steps = 21}, program, "21 tokens cannot be found");
  refused({1}, {.length = 6, .block_length = 4, .steps = 6}, program, "block_length 4 does not divide");
  refused({1}, {.length = 6, .block_length = 0, .steps = 6}, program, "block_length 0");
  refused({1}, {.length = 6, .block_length = 2, .steps = 4}, program, "a multiple of 3");
  refused({1}, {.length = 2, .block_length = 2, .steps = 0}, program, "0 steps");
  refused({1}, {.length = 2, .block_length = 2, .steps = 2, .temperature = -1}, program, "temperature -1");
  refused({1}, {.length = 2, .block_length = 2, .steps = 2, .guidance = -1}, program, "guidance -1");
}

TEST_CASE("logits of a text are shown from a token on, and as many as are asked for") {
  tell({1, 2, 3, 4});
  const Program program = told_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  const Tokens text = {1, 2, 3, 4, 5, 6};
  const auto shown = [&](std::int64_t from, std::int64_t count, Logits logits = Logits::all) {
    engine.reset();
    Run run{0, text, logits};
    run.logits_from = from;
    run.logits_count = count;
    std::vector<std::int64_t> rows;
    engine.step({&run, 1}, 1, [&](std::size_t, std::int64_t row, std::span<const float>) { rows.push_back(row); });
    return rows;
  };
  using Rows = std::vector<std::int64_t>;
  CHECK(shown(0, 0) == Rows{0, 1, 2, 3, 4, 5});
  CHECK(shown(4, 0) == Rows{4, 5});
  CHECK(shown(2, 3) == Rows{2, 3, 4});
  CHECK(shown(0, 0, Logits::last) == Rows{5});
  CHECK_THROWS_WITH_AS(shown(6, 0), doctest::Contains("from token 6 on"), Error);
  CHECK_THROWS_WITH_AS(shown(4, 3), doctest::Contains("3 rows of logits"), Error);
  CHECK_THROWS_WITH_AS(shown(1, 1, Logits::last), doctest::Contains("shows all"), Error);
}
