// Every bound of the rules at its edge, on both sides: the last value that is accepted and the first that is not. The
// numbers stand here as numbers, so that a limit that moves is seen.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

using Settings = std::vector<Override>;

struct Bound {
  const char* rule;
  Settings inside, outside;
};

bool says(const std::string& text, const Settings& settings, const std::string& rule) {
  const std::vector<std::string> errors = errors_of(judge(text, settings).diagnostics);
  return std::any_of(errors.begin(), errors.end(),
                     [&](const std::string& error) { return error.starts_with(rule + " "); });
}

std::string shown(const Settings& settings) {
  std::string text;
  for (const Override& setting : settings) text += setting.path + "=" + setting.value.value_or("(not said)") + " ";
  return text;
}

void check(const std::string& text, const std::vector<Bound>& bounds) {
  for (const Bound& bound : bounds) {
    INFO(bound.rule, ": ", shown(bound.inside), "against ", shown(bound.outside));
    CHECK_FALSE(says(text, bound.inside, bound.rule));
    CHECK(says(text, bound.outside, bound.rule));
  }
}

/// One field's value just inside and just outside.
Bound at(const char* rule, const std::string& path, const std::string& inside, const std::string& outside) {
  return {rule, {{path, inside}}, {{path, outside}}};
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

const std::string learned = [] {
  std::string text = tiny;
  return text.replace(text.find("\"rope\""), 6, "\"learned\"");
}();

}  // namespace

TEST_CASE("sizes of the model are bounded on both sides") {
  check(tiny,
        {at("model.vocab_size_range", "model.vocab_size", "1", "0"),
         at("model.vocab_size_range", "model.vocab_size", "1048576", "1048577"),
         at("model.hidden_size_range", "model.hidden_size", "1", "0"),
         at("model.hidden_size_range", "model.hidden_size", "2147483647", "2147483648"),
         at("model.num_hidden_layers_range", "model.num_hidden_layers", "1", "0"),
         at("model.num_hidden_layers_range", "model.num_hidden_layers", "4096", "4097"),
         at("model.max_position_embeddings_range", "model.max_position_embeddings", "1", "0"),
         at("model.max_position_embeddings_range", "model.max_position_embeddings", "2147483647", "2147483648"),
         at("model.name", "model.name", quoted(std::string(100, 'a')), quoted(std::string(101, 'a'))),
         at("norm.eps_range", "norm.eps", "1e-12", "0.99e-12"), at("norm.eps_range", "norm.eps", "0.1", "0.1000001")});
}

TEST_CASE("a size out of range is told once, and not by what is computed with it") {
  const auto told = [](const Settings& settings) { return errors_of(judge(tiny, settings).diagnostics); };
  for (const std::string size : {"-5", "0"}) {
    CAPTURE(size);
    const auto errors = told({{"model.hidden_size", size}, {"embedding.scale", quoted("sqrt(hidden_size)")}});
    CHECK(errors == std::vector<std::string>{"model.hidden_size_range 1:21"});
  }
  CHECK_FALSE(
      says(tiny, {{"attention.head_dim", "-8"}, {"attention.scale", quoted("1 / sqrt(head_dim)")}}, "attention.scale"));
}

TEST_CASE("heads are bounded on both sides, given or derived") {
  check(tiny, {at("attention.num_attention_heads_range", "attention.num_attention_heads", "1", "0"),
               {"attention.num_attention_heads_range",
                {{"attention.num_attention_heads", "65535"}, {"attention.head_dim", "2"}},
                {{"attention.num_attention_heads", "65536"}, {"attention.head_dim", "2"}}},
               at("attention.num_key_value_heads_range", "attention.num_key_value_heads", "1", "0"),
               {"attention.num_key_value_heads_range",
                {{"attention.num_attention_heads", "65535"},
                 {"attention.num_key_value_heads", "65535"},
                 {"attention.head_dim", "2"}},
                {{"attention.num_attention_heads", "65536"},
                 {"attention.num_key_value_heads", "65536"},
                 {"attention.head_dim", "2"}}},
               // A vec4 of a head for each of 128 invocations.
               at("attention.head_dim_range", "attention.head_dim", "512", "513"),
               at("attention.head_dim_range", "attention.head_dim", "512", "516"),
               {"attention.head_dim_range", {{"model.hidden_size", "2048"}}, {{"model.hidden_size", "2052"}}},
               at("attention.chunk_size_range", "attention.chunk_size", "1", "0"),
               at("attention.chunk_size_range", "attention.chunk_size", "2147483647", "2147483648"),
               at("attention.scale_offset_range", "attention.scale_offset", "65535", "65536"),
               at("attention.kv_heads_divide_heads", "attention.num_key_value_heads", "4", "8"),
               at("attention.head_dim_given", "model.hidden_size", "100", "101"),
               // What f32 has.
               at("expression.number", "attention.scale", "\"1.5e-45\"", "\"0.5e-45\""),
               at("expression.number", "attention.scale", "\"3.4e38\"", "\"3.4e38 * 2\""),
               at("expression.number", "attention.scale", "\"3.4028234e38\"", "\"3.4029e38\"")});
}

TEST_CASE("the smallest head_dim is 1, where nothing turns") {
  check(learned, {at("attention.head_dim_range", "attention.head_dim", "1", "0")});
}

TEST_CASE("rotary embeddings are bounded on both sides") {
  check(tiny, {at("position.rotary_dim_range", "position.rotary_dim", "2", "0"),
               at("position.rotary_dim_within_head", "position.rotary_dim", "24", "26"),
               at("position.rotary_dim_even", "position.rotary_dim", "22", "23"),
               at("position.rope_theta_range", "position.rope_theta", "1.0000001", "1.0"),
               at("position.rope_theta_range", "position.rope_theta", "1e30", "1.0000001e30")});
}

TEST_CASE("a sequence is at most as long as the model's positions, or as the scaling of its angles makes them") {
  const auto up_to = [](const std::string& length, const std::string& beyond, const Settings& scaling) {
    Bound bound = at("engine.max_sequence_length_limit", "engine.max_sequence_length", length, beyond);
    for (Settings* settings : {&bound.inside, &bound.outside}) {
      settings->insert(settings->begin(), scaling.begin(), scaling.end());
    }
    return bound;
  };
  const Settings linear = {{"position.scaling", quoted("linear")}, {"position.factor", "3.0"}};
  Settings of_less = linear, of_little = linear;
  of_less.push_back({"position.original_max_position_embeddings", "50"});
  of_little.push_back({"position.original_max_position_embeddings", "10"});
  const Settings yarn = {{"position.scaling", quoted("yarn")}, {"position.factor", "2.5"}};
  const Settings llama3 = {{"position.scaling", quoted("llama3")},
                           {"position.factor", "8.0"},
                           {"position.low_freq_factor", "1.0"},
                           {"position.high_freq_factor", "4.0"},
                           {"position.original_max_position_embeddings", "16"}};
  check(tiny, {up_to("64", "65", {}), up_to("192", "193", linear), up_to("150", "151", of_less),
               up_to("64", "65", of_little), up_to("160", "161", yarn), up_to("128", "129", llama3)});
}

TEST_CASE("scalings of rotary embeddings are bounded on both sides") {
  const auto scaled = [](Bound bound, const std::string& scaling) {
    for (Settings* settings : {&bound.inside, &bound.outside}) {
      settings->insert(settings->begin(), {{"position.scaling", quoted(scaling)}, {"position.factor", "8.0"}});
      if (scaling != "llama3") continue;
      settings->insert(settings->begin(), {{"position.low_freq_factor", "1.0"}, {"position.high_freq_factor", "4.0"}});
    }
    return bound;
  };
  const std::string original = "position.original_max_position_embeddings";
  check(tiny,
        {scaled(at("position.factor_range", "position.factor", "1e-6", "0.9e-6"), "linear"),
         scaled(at("position.factor_range", "position.factor", "1e6", "1.1e6"), "yarn"),
         scaled(at("position.original_max_position_embeddings_range", original, "1", "0"), "yarn"),
         scaled(at("position.original_max_position_embeddings_range", original, "2147483647", "2147483648"), "llama3"),
         scaled(at("position.low_freq_factor_range", "position.low_freq_factor", "1e-6", "0.9e-6"), "llama3"),
         scaled(at("position.high_freq_factor_range", "position.high_freq_factor", "1e6", "1.1e6"), "llama3"),
         scaled(at("position.beta_slow_range", "position.beta_slow", "1e-6", "0.9e-6"), "yarn"),
         scaled(at("position.beta_fast_range", "position.beta_fast", "1e6", "1.1e6"), "yarn"),
         scaled(at("position.attention_factor_range", "position.attention_factor", "1e-6", "0.0"), "yarn"),
         scaled(at("position.low_freq_factor_below_high_freq_factor", "position.low_freq_factor", "4.0", "4.1"),
                "llama3"),
         scaled(at("position.beta_slow_below_beta_fast", "position.beta_slow", "32.0", "33.0"), "yarn"),
         scaled(at("position.beta_slow_below_beta_fast", "position.beta_fast", "1.0", "0.5"), "yarn")});
}

TEST_CASE("tokens are within the vocabulary, and few") {
  check(tiny, {at("tokenizer.token_in_vocabulary", "tokenizer.bos_token_id", "99", "100"),
               at("tokenizer.token_in_vocabulary", "tokenizer.bos_token_id", "0", "-1"),
               at("tokenizer.token_in_vocabulary", "tokenizer.eos_token_id", "99", "100"),
               at("tokenizer.eos_tokens", "tokenizer.eos_token_id", "[1, 2, 3, 4, 5, 6, 7, 8]",
                  "[1, 2, 3, 4, 5, 6, 7, 8, 9]")});
}

TEST_CASE("capacities of the engine are bounded on both sides") {
  const Override long_model{"model.max_position_embeddings", "2147483647"};
  check(tiny, {at("engine.max_sequence_length_range", "engine.max_sequence_length", "1", "0"),
               {"engine.max_sequence_length_range",
                {long_model, {"engine.max_sequence_length", "2147483647"}},
                {long_model, {"engine.max_sequence_length", "2147483648"}}},
               at("engine.max_sequence_length_limit", "engine.max_sequence_length", "64", "65"),
               at("engine.prefill_chunk_range", "engine.prefill_chunk", "1", "0"),
               {"engine.prefill_chunk_range",
                {long_model, {"engine.max_sequence_length", "9999"}, {"engine.prefill_chunk", "4096"}},
                {long_model, {"engine.max_sequence_length", "9999"}, {"engine.prefill_chunk", "4097"}}},
               at("engine.prefill_chunk_limit", "engine.prefill_chunk", "64", "65")});
}

TEST_CASE("the MLP's width is bounded on both sides") {
  check(tiny, {at("mlp.intermediate_size_range", "mlp.intermediate_size", "1", "0"),
               at("mlp.intermediate_size_range", "mlp.intermediate_size", "2147483647", "2147483648")});
}

// 128 MiB, which every device binds at once, are 33,554,432 elements of f32.
TEST_CASE("a row of a matrix is bound at once") {
  check(tiny, {at("model.row_range", "mlp.intermediate_size", "33554432", "33554433"),
               {"model.row_range",
                {{"attention.head_dim", "2"}, {"model.hidden_size", "33554432"}},
                {{"attention.head_dim", "2"}, {"model.hidden_size", "33554433"}}},
               // Queries, keys and values side by side: 65,024 heads of 512 and two more of each of one head.
               {"model.row_range",
                {{"attention.num_attention_heads", "65534"},
                 {"attention.num_key_value_heads", "1"},
                 {"attention.head_dim", "512"}},
                {{"attention.num_attention_heads", "65535"},
                 {"attention.num_key_value_heads", "1"},
                 {"attention.head_dim", "512"}}}});
}

// Elements are counted in 32 bits, of which half are left for padding: 2^30 - 1.
TEST_CASE("activations and caches can be counted") {
  const Override long_model{"model.max_position_embeddings", "2147483647"};
  const Override long_sequence{"engine.max_sequence_length", "4096"};
  const auto chunk = [&](const char* chunk_size, const char* width) {
    return Settings{long_model, long_sequence, {"engine.prefill_chunk", chunk_size}, {"mlp.intermediate_size", width}};
  };
  const auto length = [&](const char* tokens) { return Settings{long_model, {"engine.max_sequence_length", tokens}}; };
  check(tiny, {// 4096 x 262143 = 2^30 - 4096
               {"engine.activations_range", chunk("4096", "262143"), chunk("4096", "262144")},
               {"engine.activations_range", chunk("4095", "262144"), chunk("4096", "262144")},
               // 48 elements of keys a position: 48 x 22369621 = 2^30 - 16
               {"engine.cache_range", length("22369621"), length("22369622")}});
  // Of two slots half as many.
  const auto slots = [&](const char* tokens) {
    Settings settings = length(tokens);
    settings.push_back({"engine.max_batch", "2"});
    return settings;
  };
  check(tiny, {{"engine.cache_range", slots("11184810"), slots("11184811")},
               at("engine.max_batch_range", "engine.max_batch", "1", "0"),
               at("engine.max_batch_range", "engine.max_batch", "256", "257")});
}

TEST_CASE("bytes of the whole are counted in 63 bits") {
  const auto layers = [](const char* width) {
    return Settings{{"model.num_hidden_layers", "4096"},
                    {"model.hidden_size", "33554432"},
                    {"attention.head_dim", "2"},
                    {"mlp.intermediate_size", width}};
  };
  // Two operations an element, of 4 bytes: 2^63 / (2 x 4 x 4096 layers x 3 matrices x 2^25) is 2,796,202.
  check(tiny, {{"model.sizes_overflow", layers("2796000"), layers("2797000")}});
  // Keys and values: 2^63 / (2 x 65,535 x 512 elements of 4 bytes x 4096 layers) is 8,388,736 tokens.
  const auto cache = [](const char* tokens, const char* slots = "1") {
    return Settings{{"model.max_position_embeddings", "2147483647"},
                    {"model.num_hidden_layers", "4096"},
                    {"attention.num_attention_heads", "65535"},
                    {"attention.num_key_value_heads", "65535"},
                    {"attention.head_dim", "512"},
                    {"engine.max_sequence_length", tokens},
                    {"engine.max_batch", slots}};
  };
  check(tiny, {{"model.sizes_overflow", cache("8388000"), cache("8389000")},
               {"model.sizes_overflow", cache("4194000", "2"), cache("4194500", "2")}});
}

TEST_CASE("expressions are bounded in length and depth") {
  const auto nested = [](int depth) {
    return quoted(std::string(static_cast<std::size_t>(depth), '(') + "x" +
                  std::string(static_cast<std::size_t>(depth), ')'));
  };
  const auto as_long_as = [](std::size_t length) { return quoted("1" + std::string(length - 1, ' ')); };
  check(tiny, {at("expression.syntax", "attention.scale", as_long_as(4096), as_long_as(4097))});
  // Where the limit lies exactly is nobody's business; that there is one, and that nobody meets it by hand, is.
  check(tiny, {at("expression.syntax", "mlp.activation", nested(40), nested(200))});
}

TEST_CASE("layers in a pattern are as many as the model may have") {
  const std::string kinds = tiny + "[layers.a]\n";
  check(kinds, {{"layers.pattern",
                 {{"model.num_hidden_layers", "4096"}, {"layers.pattern", "[\"a * 4096\"]"}},
                 {{"model.num_hidden_layers", "4096"}, {"layers.pattern", "[\"a * 4097\"]"}}}});
  // Together they may be more than memory holds.
  std::string items = "\"a * 4096\"";
  for (int i = 0; i < 14; ++i) items += ", " + items;
  check(kinds,
        {{"layers.pattern_count", {{"layers.pattern", "[\"a * 4\"]"}}, {{"layers.pattern", "[" + items + "]"}}}});
}
