#include "runtime/chat/generation_config.hpp"

#include <doctest/doctest.h>

#include "runtime/error.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using tests::TemporaryDirectory;

namespace {

GenerationConfig parsed(const std::string& text) { return parse_generation_config(text, "generation_config.json"); }

/// What a file is refused with.
std::string refusal(const std::string& text) {
  return tests::refused_with([&] { parsed(text); });
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a generation_config.json says how tokens are drawn") {
  const GenerationConfig config =
      parsed(R"({"bos_token_id": 1, "eos_token_id": [2, 3], "pad_token_id": 0, "do_sample": true,
    "temperature": 0.6, "top_k": 20, "top_p": 0.95, "min_p": 0.05, "repetition_penalty": 1.1, "max_length": 4096,
    "num_beams": 1, "suppress_tokens": [], "guidance_scale": null, "transformers_version": "4.51.0"})");
  CHECK(config.sampling.temperature == 0.6f);
  CHECK(config.sampling.top_k == 20);
  CHECK(config.sampling.top_p == 0.95f);
  CHECK(config.sampling.min_p == 0.05f);
  CHECK(config.sampling.repetition_penalty == 1.1f);
  CHECK(config.unknown.empty());
  CHECK(config.described() == "temperature 0.6, top-k 20, top-p 0.95, min-p 0.05, repetition penalty 1.1");
}

TEST_CASE("without do_sample the likeliest token is taken, whatever else the file has, and penalties hold") {
  for (const std::string said : {"", R"("do_sample": false, )", R"("do_sample": null, )"}) {
    const GenerationConfig config =
        parsed("{" + said + R"("temperature": 0.6, "top_k": 20, "repetition_penalty": 1.05})");
    CHECK(config.sampling.temperature == 0);
    CHECK(config.sampling.top_k == 0);
    CHECK(config.described() == "the likeliest token, repetition penalty 1.05");
  }
}

TEST_CASE("beams, lengths and what may follow are those of the file") {
  const GenerationConfig config = parsed(
      R"({"num_beams": 4, "length_penalty": 2.0, "early_stopping": true, "max_length": 142, "min_length": 56,
    "no_repeat_ngram_size": 3, "encoder_no_repeat_ngram_size": 4, "bad_words_ids": [[7], [8, 9]], "suppress_tokens": [5],
    "begin_suppress_tokens": [6], "forced_bos_token_id": 0, "forced_eos_token_id": 2, "decoder_start_token_id": 2})");
  CHECK(config.search.beams == 4);
  CHECK(config.search.length_penalty == 2);
  CHECK(config.search.early_stopping == EarlyStopping::yes);
  CHECK(config.max_length == 142);
  CHECK_FALSE(config.max_new_tokens);
  const Constraints wanted{.no_repeat_ngram_size = 3,
                           .encoder_no_repeat_ngram_size = 4,
                           .min_length = 56,
                           .bad_words_ids = {{7}, {8, 9}},
                           .suppress_tokens = {5},
                           .begin_suppress_tokens = {6},
                           .forced_bos_token_id = 0,
                           .forced_eos_token_id = {2}};
  CHECK(config.sampling.constraints == wanted);
  CHECK(config.described() ==
        "the likeliest of 4 beams, length penalty 2, no 3 tokens in a row twice, at least 56 tokens, first token 0");

  const GenerationConfig other = parsed(
      R"({"early_stopping": "never", "min_length": 5, "min_new_tokens": 3, "max_new_tokens": 9,
    "forced_eos_token_id": [1, 2]})");
  CHECK(other.search.early_stopping == EarlyStopping::never);
  CHECK(other.max_new_tokens == 9);
  CHECK(other.sampling.constraints == Constraints{.min_new_tokens = 3, .forced_eos_token_id = {1, 2}});
  CHECK(parsed("{}").search.beams == 1);
  CHECK(contains(refusal(R"({"num_beams": 2, "do_sample": true})"), "'do_sample' for random ones"));
  CHECK(contains(refusal(R"({"early_stopping": 1})"), "'early_stopping' is 1, not true, false or \"never\""));
  CHECK(contains(refusal(R"({"bad_words_ids": [7]})"), "'bad_words_ids' is [7], not a list of lists of token ids"));
  CHECK(contains(refusal(R"({"suppress_tokens": [-1]})"), "'suppress_tokens' is [-1], not a token id or a list"));
}

TEST_CASE("what the file leaves out is what transformers takes") {
  for (const std::string text :
       {R"({"do_sample": true})", R"({"do_sample": true, "temperature": null, "top_k": null})"}) {
    CHECK(parsed(text).described() == "temperature 1, top-k 50");
  }
}

TEST_CASE("a strategy that would answer otherwise is refused by name, and a key that nobody knows is told") {
  for (const std::string entry :
       {R"("num_beam_groups": 4)", R"("typical_p": 0.5)", R"("stop_strings": ["x"])", R"("penalty_alpha": 0.6)",
        R"("guidance_scale": 2)", R"("sequence_bias": {"1": 2})", R"("watermarking_config": {})"}) {
    const std::string message = refusal("{\"do_sample\": true, " + entry + "}");
    INFO(entry, ": ", message);
    CHECK(contains(message, "generation_config.json: '" + entry.substr(1, entry.find(':') - 2) + "' is "));
    CHECK(contains(message, "--ignore-config"));
  }
  CHECK(parsed(R"({"chat_format": "chatml", "max_window_size": 24000})").unknown == "chat_format, max_window_size");
}

TEST_CASE("what is no such file is refused with its name") {
  CHECK(contains(refusal("{"), "no JSON object"));
  CHECK(contains(refusal("[]"), "no JSON object"));
  CHECK(contains(refusal("{}" + std::string(256 << 10, ' ')), "256 KiB"));
  CHECK(contains(refusal(R"({"do_sample": 1})"), "'do_sample' is 1, not true or false"));
  CHECK(contains(refusal(R"({"do_sample": true, "top_k": -1})"), "'top_k' is -1, not a number of tokens"));
  CHECK(contains(refusal(R"({"do_sample": true, "top_p": "1"})"), "'top_p' is \"1\", not a number"));
  CHECK(contains(refusal(R"({"do_sample": true, "top_p": 0})"), "top_p 0 is not above 0"));
  CHECK(contains(refusal(R"({"do_sample": true, "temperature": -1})"), "temperature -1"));
  const std::string deep = std::string(99'999, '[') + std::string(99'999, ']');
  CHECK(parsed(R"({"x": )" + deep + "}").unknown == "x");
}

TEST_CASE("the file is looked for beside the weights, and a GGUF file has none") {
  const TemporaryDirectory directory;
  const std::string weights = directory.write("model.safetensors", "");
  CHECK_FALSE(find_generation_config(weights));
  directory.write("generation_config.json", R"({"do_sample": true})");
  for (const std::string& path : {weights, directory.path().string()}) {
    const std::optional<GenerationConfig> config = find_generation_config(path);
    REQUIRE(config);
    CHECK(config->file == (directory.path() / "generation_config.json").string());
    CHECK(config->sampling.temperature == 1);
  }
  CHECK_FALSE(find_generation_config(directory.write("model.gguf", "")));
}
