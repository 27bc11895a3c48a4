// Constraints and beams against transformers' generate (make_beam_goldens.py), and what they cost.
#include "runtime/engine/beam_search.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/chat/generation_config.hpp"
#include "tests/runtime/engine/table_engine.hpp"
#include "tests/support/refusal.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

using Tokens = std::vector<std::int32_t>;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("constraints and beams answer as transformers does") {
  std::ifstream file(MONOMORPH_SOURCE_DIR "/tests/runtime/engine/beams.json");
  const auto goldens = nlohmann::json::parse(file);
  CHECK(goldens.size() == 240);
  const Program program = table_program();
  TableEngine engine(program);
  for (std::size_t g = 0; g < goldens.size(); ++g) {
    const nlohmann::json& golden = goldens[g];
    CAPTURE(golden.dump());
    const GenerationConfig config = parse_generation_config(golden["settings"].dump(), "beams.json");
    REQUIRE(config.unknown.empty());
    const Tokens prompt = golden["prompt"];
    engine.reset();
    if (config.search.beams == 1) {
      Sampling sampling = config.sampling;
      sampling.log_probabilities = true;  // so that no draw is left to this engine
      const auto drawn = engine.generate(prompt, *config.max_new_tokens, sampling, [](std::int32_t) { return true; });
      CHECK(drawn.tokens == golden["answers"][0]["tokens"].get<Tokens>());
      continue;
    }
    const std::vector<Beam> beams =
        search_beams(engine, prompt, *config.max_new_tokens, config.sampling, config.search);
    REQUIRE(beams.size() == golden["answers"].size());
    for (std::size_t b = 0; b < beams.size(); ++b) {
      CHECK(beams[b].tokens == golden["answers"][b]["tokens"].get<Tokens>());
      CHECK(beams[b].score == doctest::Approx(golden["answers"][b]["score"].get<double>()).epsilon(1e-5));
      CHECK(beams[b].stopped == engine.is_stop_token(beams[b].tokens.back()));
    }
  }
}

TEST_CASE("beams share a pass, and a source is read once") {
  Program program = table_program();
  program.max_source_length = 8;
  TableEngine engine(program);
  const Tokens source{1, 2, 3}, prompt{5, 6, 7, 8};
  engine.encode(source);
  CHECK(engine.sources == 1);
  std::vector<std::int64_t> told;
  Sampling sampling;
  sampling.constraints.min_new_tokens = 6;
  const std::vector<Beam> beams =
      search_beams(engine, prompt, 6, sampling, {.beams = 4}, [&](std::int64_t drawn) { told.push_back(drawn); });
  CHECK(beams.size() == 4);
  CHECK(engine.sources == 1);
  CHECK(engine.passes == 6);  // the prompt's, then one for each token but the last
  CHECK(engine.rows == 1 + 5 * 4);
  CHECK(told == std::vector<std::int64_t>{1, 2, 3, 4, 5});
  for (std::int64_t slot = 0; slot < 4; ++slot) CHECK(std::ranges::equal(engine.source(slot), source));
  CHECK(engine.source(4).empty());
  for (std::int64_t slot = 0; slot < table_slots; ++slot) CHECK(engine.position(slot) == 0);
  // The first beam goes on where the sequence stands.
  engine.prefill(std::span(prompt).first(2));
  const std::vector<Beam> again = search_beams(engine, std::span(prompt).subspan(2), 6, sampling, {.beams = 4});
  for (std::size_t b = 0; b < again.size(); ++b) CHECK(again[b].tokens == beams[b].tokens);
}

TEST_CASE("a search ends with the sequence, and may be ended before") {
  const Program program = table_program();
  TableEngine engine(program);
  Tokens prompt(38, 5);
  Sampling sampling;
  sampling.constraints.min_new_tokens = 9;
  const std::vector<Beam> beams = search_beams(engine, prompt, 9, sampling, {.beams = 2});
  REQUIRE(beams.size() == 2);
  CHECK(beams.front().tokens.size() == 3);  // 40 positions, and one that is in no state
  CHECK_FALSE(beams.front().stopped);
  CHECK(search_beams(engine, Tokens{1}, 0, sampling, {.beams = 2}).empty());
  CHECK_THROWS_AS(search_beams(engine, Tokens{1}, 9, sampling, {.beams = 2}, [](std::int64_t) { throw 7; }), int);
}

TEST_CASE("what no search can be is refused by name") {
  const Program program = table_program();
  TableEngine engine(program);
  const auto refused = [&](const BeamSearch& search, const Sampling& sampling) {
    return tests::refused_with([&] { search_beams(engine, Tokens{1}, 4, sampling, search); });
  };
  CHECK(contains(refused({.beams = 6}, {}), "--set engine.max_batch=6"));
  CHECK(contains(refused({.beams = 0}, {}), "0 beams find nothing"));
  CHECK(contains(refused({.length_penalty = INFINITY}, {}), "length_penalty inf"));
  CHECK(contains(refused({}, {.temperature = 0.5f}), "temperature 0.5 draws at random"));
  CHECK(contains(tests::refused_with([&] { search_beams(engine, Tokens{}, 4, {}, {}); }), "token"));
}

TEST_CASE("constraints that cannot be kept are refused by name") {
  const Program program = table_program();
  TableEngine engine(program);
  const auto refused = [&](const Constraints& constraints) {
    Sampling sampling;
    sampling.constraints = constraints;
    engine.reset();
    return tests::refused_with([&] { engine.generate(Tokens{1}, 30, sampling, [](std::int32_t) { return true; }); });
  };
  CHECK(contains(refused({.no_repeat_ngram_size = -1}), "no_repeat_ngram_size -1"));
  CHECK(contains(refused({.bad_words_ids = {{}}}), "bad_words_ids: one has no tokens"));
  CHECK(contains(refused({.bad_words_ids = {{1, 24}}}), "bad_words_ids: token 24"));
  CHECK(contains(refused({.suppress_tokens = {-1}}), "suppress_tokens: token -1"));
  CHECK(contains(refused({.begin_suppress_tokens = {24}}), "begin_suppress_tokens: token 24"));
  CHECK(contains(refused({.forced_bos_token_id = 24}), "forced_bos_token_id: token 24"));
  CHECK(contains(refused({.forced_eos_token_id = {24}}), "forced_eos_token_id: token 24"));
  CHECK(contains(refused({.suppress_tokens = {4}, .forced_bos_token_id = 4}), "token 4 is forced and in"));
  // Of 24 tokens 22 may follow each other once.
  CHECK(contains(refused({.no_repeat_ngram_size = 1, .min_new_tokens = 30}), "no token may follow 22 others"));
}
