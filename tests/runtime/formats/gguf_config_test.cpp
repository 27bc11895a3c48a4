#include "runtime/formats/gguf_config.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "runtime/error.hpp"
#include "tests/support/gguf_writer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::tests;
using json = nlohmann::ordered_json;

namespace {

std::string real(float value) { return gguf_value(GgufType::f32, number_bytes(value)); }

json config_of(const GgufText& text) {
  const TemporaryDirectory directory;
  return json::parse(gguf_config(Checkpoint::open(directory.write("model.gguf", text.bytes()))));
}

/// What llama3's scaling by `factor` divides the frequencies of 16 pairs by, whose base is 1e4.
std::string llama3_divisors(double factor, double length) {
  std::string bytes;
  for (int pair = 0; pair < 16; ++pair) {
    const double turns = length / (2 * std::numbers::pi * std::pow(1e4, pair / 16.0));
    const double kept = std::clamp((turns - 1) / 3, 0.0, 1.0);
    bytes += number_bytes(static_cast<float>(1 / ((1 - kept) / factor + kept)));
  }
  return bytes;
}

}  // namespace

TEST_CASE("metadata stand in objects, without the architecture's name; layers are told of what some have") {
  GgufText text;
  text.metadata = {{"general.architecture", gguf_text("tiny")},
                   {"general.type", gguf_text("model")},
                   {"general.name", gguf_text("Tiny")},
                   {"tiny.block_count", gguf_number(2)},
                   {"tiny.attention.eps", real(1e-5f)},
                   {"tiny.attention.causal", gguf_value(GgufType::boolean, "\1")},
                   {"tiny.attention.scale", real(std::numeric_limits<float>::quiet_NaN())},
                   {"tiny.heads", gguf_array(GgufType::i32, 2, number_bytes(3) + number_bytes(3))},
                   {"tiny.widths", gguf_array(GgufType::i32, 2, number_bytes(3) + number_bytes(4))},
                   {"tiny.local", gguf_array(GgufType::boolean, 2, std::string("\1\0", 2))},
                   {"tiny.global", gguf_array(GgufType::boolean, 2, std::string("\1\1", 2))},
                   {"other.key", gguf_text("word")},
                   {"tokenizer.ggml.eos_token_id", gguf_number(7)},
                   {"tokenizer.ggml.model", gguf_text("llama")}};
  text.tensors = {{"token_embd.weight", 0, {2, 3}, std::string(24, '\0')},
                  {"blk.0.attn_q.bias", 0, {5}, std::string(20, '\0')},
                  {"blk.1.attn_k.bias", 0, {5}, std::string(20, '\0')},
                  {"blk.0.attn_o.bias", 0, {5}, std::string(20, '\0')},
                  {"blk.1.attn_o.bias", 0, {5}, std::string(20, '\0')}};
  CHECK(config_of(text) == json::parse(R"({
    "architectures": ["tiny"], "block_count": 2,
    "attention": {"eps": 1e-05, "causal": true, "scale": "nan"}, "heads": 3, "widths": [3, 4], "local": [1, 0],
    "global": [1, 1], "other": {"key": "word"},
    "type": "model", "eos_token_id": 7,
    "tensors": {"blk": {"attn_o": {"bias": 5}, "attn_q": {"bias": 5}}, "token_embd": {"weight": 3}},
    "layers_of": {"blk": {"attn_k": {"bias": [1]}, "attn_q": {"bias": [0]}}}})"));
}

TEST_CASE("a key that is a value and an object at once, or nests without end, is refused") {
  for (const std::string& key : {std::string("tiny.rope.base"), std::string("tiny.rope"), std::string("tensors"),
                                 "tiny" + std::string(1000, '.')}) {
    CAPTURE(key);
    GgufText text;
    text.metadata = {
        {"general.architecture", gguf_text("tiny")}, {"tiny.rope.base.unit", gguf_number(1)}, {key, gguf_number(1)}};
    text.tensors = {{"token_embd.weight", 0, {2, 3}, std::string(24, '\0')}};
    CHECK_THROWS_AS(config_of(text), Error);
  }
}

TEST_CASE("divisors of rotary angles are told as the scaling that they follow") {
  GgufText text;
  text.metadata = {{"general.architecture", gguf_text("llama")}, {"llama.rope.freq_base", real(1e4f)}};
  const auto scaling = [&](const std::string& divisors) {
    text.tensors = {{"rope_freqs.weight", 0, {16}, divisors}};
    return config_of(text)["rope_freqs"];
  };
  for (const auto& [factor, length] : {std::pair(8.0, 8192), {32.0, 8192}, {4.0, 2048}}) {
    CHECK(scaling(llama3_divisors(factor, length)) == json({{"type", "llama3"},
                                                            {"factor", factor},
                                                            {"low_freq_factor", 1.0},
                                                            {"high_freq_factor", 4.0},
                                                            {"original_context_length", length}}));
  }
  std::string other = llama3_divisors(8, 8192);
  other.replace(20, 4, number_bytes(1.5f));
  CHECK(scaling(other) == json({{"type", "unknown"}}));
}
