#include "generator/contract/contract.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "generator/contract/rotary.hpp"
#include "generator/graph/graph.hpp"
#include "generator/spec/new_spec.hpp"
#include "tests/generator/spec/spec_text.hpp"
#include "tests/support/files.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;
using monomorph::Dtype;

namespace {

/// Of the rotary embedding that the [position] of a kind of layer says.
AnglesId angles_of(const Contract& contract, std::size_t kind) {
  return contract.find_angles(rotary_of(*contract.kinds[kind].kind.position));
}

Contract contract_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  Judged judged = judge(text, overrides);
  INFO(render(judged.diagnostics));
  REQUIRE(judged.contract);
  return *judged.contract;
}

/// Parameters of a component.
std::int64_t of(const Contract& contract, const std::string& name) {
  for (const ComponentContract& component : contract.components) {
    if (component.name == name) return component.parameters;
  }
  return -1;
}

Expression activation(const Contract& contract) {
  Diagnostics diagnostics;
  const LayerKind& kind = contract.kinds[0].kind;
  return mlp_expression({contract.own().model, kind, *kind.find("mlp")}, diagnostics).value();
}

std::vector<Diagnostic> all_advice(const std::string& text, const std::vector<Override>& overrides = {}) {
  std::vector<Diagnostic> found;
  const Judged judged = judge(text, overrides);
  REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
  for (const Diagnostic& diagnostic : judged.diagnostics.all()) {
    if (diagnostic.severity == Severity::note) found.push_back(diagnostic);
  }
  return found;
}

std::vector<std::string> advice(const std::string& text, const std::vector<Override>& overrides = {}) {
  std::vector<std::string> rules;
  for (const Diagnostic& diagnostic : all_advice(text, overrides)) rules.push_back(diagnostic.rule);
  return rules;
}

/// Of types that are not quantized.
std::int64_t bytes_of_weights(const Contract& contract) {
  std::int64_t bytes = 0;
  for (const WeightContract& weight : contract.weights) {
    bytes += contract.copies(weight.scope) * contract.axes.elements(weight.axes) * element_bytes(weight.dtype);
  }
  return bytes;
}

/// What the one piece of advice says.
std::string said(const std::vector<Override>& overrides, const std::string& text = tiny) {
  const std::vector<Diagnostic> found = all_advice(text, overrides);
  REQUIRE(found.size() == 1);
  return found.front().rule + ": " + found.front().message;
}

}  // namespace

TEST_CASE("dimensions are derived once") {
  const Contract contract = contract_of(tiny, {{"attention.head_dim", "10"}});
  const auto size = [&](const std::string& word) {
    for (const Axis& axis : contract.axes) {
      if (axis.word == word) return axis.size;
    }
    return std::int64_t{0};
  };
  CHECK(size("q") == 40);
  CHECK(size("kv") == 20);
  CHECK(size("kv_group") == 2);
  CHECK(size("angles") == 10);
  const AnglesId table = angles_of(contract, 0);
  REQUIRE(table);
  CHECK(contract.angles[table].rotary.frequencies.size() == 5);
  const Graph graph = build_graph(contract);
  for (const Op& op : graph.ops) {
    if (const auto* attention = as<Attention>(op)) CHECK(attention->scale == 1 / std::sqrt(10.0));
  }
}

TEST_CASE("totals are sums over the parts") {
  const Contract contract = contract_of(tiny);
  CHECK(of(contract, "embedding") == 100 * 96);
  CHECK(of(contract, "lm_head") == 100 * 96);
  CHECK(of(contract, "attention") == 4 * (96 * (96 + 2 * 48) + 96 * 96));
  CHECK(of(contract, "mlp") == 4 * 3 * 96 * 256);
  CHECK(of(contract, "norm") == 4 * 2 * 96 + 96);
  CHECK(contract.total_parameters == of(contract, "embedding") + of(contract, "attention") + of(contract, "mlp") +
                                         of(contract, "norm") + of(contract, "lm_head"));
  CHECK(contract.matrix_flops_per_token ==
        2 * (of(contract, "attention") + of(contract, "mlp") + of(contract, "lm_head")));
  CHECK(contract.kv_elements_per_token == 4 * 2 * 48);
}

TEST_CASE("a sub-block that no layer has is no component") {
  const std::string mlps = tiny.substr(0, tiny.find("[attention]")) + tiny.substr(tiny.find("[mlp]"));
  const Contract contract = contract_of(mlps, {{"layers.steps", "[\"mlp\"]"}});
  CHECK(of(contract, "mlp") == 4 * 3 * 96 * 256);
  CHECK(of(contract, "attention") == -1);
}

TEST_CASE("a tied head has no parameters of its own and is still multiplied") {
  const Contract untied = contract_of(tiny), tied = contract_of(tiny, {{"lm_head.tie_word_embeddings", "true"}});
  CHECK(of(tied, "lm_head") == 0);
  CHECK(tied.total_parameters == untied.total_parameters - 9600);
  CHECK(tied.matrix_flops_per_token == untied.matrix_flops_per_token);
}

TEST_CASE("a bias that some of q, k and v have counts only where the checkpoint has it") {
  const Contract without = contract_of(tiny), with = contract_of(tiny, {{"attention.bias", "[\"q\"]"}});
  CHECK(with.total_parameters == without.total_parameters + 4 * 96);
  CHECK(with.find_weight({0}, "attention::q_bias"));
  for (const char* role : {"attention::k_bias", "attention::v_bias", "attention::o_bias"}) {
    CAPTURE(role);
    CHECK_FALSE(with.find_weight({0}, role));
  }
}

TEST_CASE("each kind of layer has a growing state of keys and one of values, with an entry a position for each slot") {
  const Contract contract = contract_of(
      tiny +
          "[layers]\npattern = [\"a\", \"m\", \"b\", \"b\"]\n[layers.a]\n[layers.b]\nattention.head_dim = 8\n"
          "[layers.m]\nsteps = [\"mlp\"]\n",
      {{"engine.max_batch", "3"}});
  REQUIRE(contract.kinds.size() == 3);
  CHECK(contract.states.size() == 4);
  for (const auto& [kind, head_dim, layers] : {std::tuple{0, 24, 1}, {2, 8, 2}}) {
    for (const char* role : {"attention::keys", "attention::values"}) {
      CAPTURE(kind);
      CAPTURE(role);
      const StateId id = contract.find_state({static_cast<std::size_t>(kind)}, role);
      REQUIRE(id);
      std::vector<std::int64_t> sizes;
      for (const AxisId axis : contract.states[id].axes) sizes.push_back(contract.axes[axis].size);
      CHECK(sizes == std::vector<std::int64_t>{3, 2, 64, head_dim});
      CHECK(contract.copies(contract.states[id].scope) == layers);
    }
  }
  CHECK_FALSE(contract.find_state({1}, "attention::keys"));
}

TEST_CASE("kinds of equal frequencies share one table of angles, and others have one each") {
  const std::string kinds = tiny + "[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b]\n";
  const Contract shared = contract_of(kinds + "attention.num_attention_heads = 2\nattention.head_dim = 24\n");
  REQUIRE(shared.angles.size() == 1);
  CHECK(shared.angles[angles_of(shared, 1)].role == "rotary_angles");
  CHECK(angles_of(shared, 0) == angles_of(shared, 1));
  const Contract apart = contract_of(kinds + "position.rope_theta = 500.0\n");
  REQUIRE(apart.angles.size() == 2);
  CHECK(apart.angles[angles_of(apart, 0)].role == "a_rotary_angles");
  CHECK(apart.angles[angles_of(apart, 1)].role == "b_rotary_angles");
  // Yarn with a length that no angle turns once in leaves every frequency as it is, and has a factor.
  const Contract factors = contract_of(kinds + "position.scaling = \"yarn\"\nposition.factor = 4.0\n" +
                                       "position.original_max_position_embeddings = 2000000000\n");
  REQUIRE(factors.angles.size() == 2);
  const auto table = [&](std::size_t kind) { return factors.angles[angles_of(factors, kind)]; };
  CHECK(table(0).rotary.frequencies == table(1).rotary.frequencies);
  CHECK(table(0).rotary.factor == 1);
  CHECK(table(1).rotary.factor == 1.1386294f);
}

TEST_CASE("the cache is f32 where the weights are, unless the spec says otherwise") {
  const auto types = [](const std::vector<Override>& overrides) { return contract_of(tiny, overrides).kv_cache; };
  CHECK(types({}) == CacheDtypes{Dtype::f16, Dtype::f16});
  CHECK(types({{"checkpoint.dtype", "f32"}}) == CacheDtypes{Dtype::f32, Dtype::f32});
  CHECK(types({{"checkpoint.dtype", "f32"}, {"engine.kv_cache", "f16"}}) == CacheDtypes{Dtype::f16, Dtype::f16});
  CHECK(types({{"engine.kv_cache", "bf16"}}) == CacheDtypes{Dtype::bf16, Dtype::bf16});
}

TEST_CASE("keys and values are kept as what each is said to be, and what is not said has the default") {
  const std::vector<Override> wide = {{"attention.head_dim", "32"}};
  const auto types = [&](std::vector<Override> overrides) {
    overrides.insert(overrides.begin(), wide.begin(), wide.end());
    const Contract contract = contract_of(tiny, overrides);
    const auto kept = [&](const char* role) { return contract.states[contract.find_state({0}, role)].element; };
    CHECK(contract.kv_cache == CacheDtypes{kept("attention::keys"), kept("attention::values")});
    return contract.kv_cache;
  };
  CHECK(types({{"engine.kv_cache.keys", "q8_0"}}) == CacheDtypes{Dtype::q8_0, Dtype::f16});
  CHECK(types({{"engine.kv_cache.values", "q8_0"}, {"checkpoint.dtype", "f32"}}) ==
        CacheDtypes{Dtype::f32, Dtype::q8_0});
  CHECK(types({{"engine.kv_cache", "{ keys = \"bf16\", values = \"q8_0\" }"}}) ==
        CacheDtypes{Dtype::bf16, Dtype::q8_0});
  CHECK(types({{"engine.kv_cache.keys", "q8_0"}, {"engine.kv_cache.values", "f32"}}) ==
        CacheDtypes{Dtype::q8_0, Dtype::f32});
}

TEST_CASE("a width that has no whole blocks is told with those that have") {
  const auto said = [](const std::vector<Override>& overrides) {
    const Judged judged = judge(tiny, overrides);
    REQUIRE_FALSE(judged.diagnostics.all().empty());
    return judged.diagnostics.all()[0].rule + ": " + judged.diagnostics.all()[0].message;
  };
  CHECK(said({{"engine.kv_cache", "q8_0"}}) ==
        "engine.kv_cache_width: engine.kv_cache keeps keys as q8_0, in blocks of 32 elements, and attention.head_dim "
        "is 24; make it 32, or keep them as f32, f16 or bf16, which have no blocks");
  CHECK(said({{"engine.kv_cache.values", "q8_0"}, {"attention.head_dim", "48"}}).find("make it 32 or 64,") !=
        std::string::npos);
  // What is not kept has any width.
  CHECK(judge(tiny, {{"engine.kv_cache", "q8_0"}, {"attention.causal", "false"}}).contract);
  CHECK(judge(tiny, {{"engine.kv_cache.values", "q8_0"},
                     {"attention.head_dim", "16"},
                     {"attention.differential", "0.8"},
                     {"checkpoint.names", "diffllama"}})
            .contract);
}

TEST_CASE("a pass gives eight rows of logits, one for each slot where those are more, never more than its tokens") {
  const auto head_rows = [](const std::vector<Override>& overrides) { return contract_of(tiny, overrides).head_rows; };
  CHECK(head_rows({{"engine.prefill_chunk", "32"}}) == 8);
  CHECK(head_rows({{"engine.prefill_chunk", "32"}, {"engine.max_batch", "9"}}) == 9);
  CHECK(head_rows({{"engine.prefill_chunk", "5"}}) == 5);
  CHECK(head_rows({{"engine.prefill_chunk", "5"}, {"engine.max_batch", "9"}}) == 5);
}

TEST_CASE("a gated MLP's expression is the activation of gate times up") {
  const Expression named = activation(contract_of(tiny));
  CHECK(evaluate(named, {{"gate", 0.0}, {"up", 5.0}}) == 0.0);
  CHECK(evaluate(named, {{"gate", 2.0}, {"up", 3.0}}) == doctest::Approx(6 / (1 + std::exp(-2.0))));
  const auto activated = [](const char* text, double gate) {
    return evaluate(activation(contract_of(tiny, {{"mlp.activation", text}})), {{"gate", gate}, {"up", 3.0}});
  };
  CHECK(activated("x > 0 ? x : x / 2", -4.0) == -6.0);
  CHECK(activated("x / hidden_size", 2.0) == doctest::Approx(6.0 / 96));
  CHECK(activated("x * (num_attention_heads % 3 == 1 ? 1 : 10)", 2.0) == 6.0);
  CHECK(activated("x + intermediate_size", 2.0) == 774.0);
}

TEST_CASE("rotary frequencies are those of transformers' default, to one unit in the last place") {
  // torch 2.15.0: 1.0 / (500000.0 ** (torch.arange(0, 128, 2, dtype=torch.int64).float() / 128)), some elements
  const std::vector<float> frequencies = rotary_frequencies(500000.0, 128);
  REQUIRE(frequencies.size() == 64);
  const std::vector<std::pair<int, float>> reference = {
      {0, 1.0f},           {1, 0.814617217f}, {15, 0.0461640507f}, {31, 0.00173604675f}, {48, 5.31829573e-05f},
      {63, 2.4551407e-06f}};
  for (const auto& [index, expected] : reference) {
    CAPTURE(index);
    CHECK(frequencies[index] >= std::nextafter(expected, 0.0f));
    CHECK(frequencies[index] <= std::nextafter(expected, 2.0f));
  }
  CHECK(rotary_frequencies(10000.0, 2) == std::vector<float>{1.0f});
}

// Each list is what this Python gives, every step rounded to f32 (f = lambda x: ctypes.c_float(x).value):
//   p = [f(f(theta) ** f(i / dim)) for i in range(0, dim, 2)]; inv = [f(1 / x) for x in p]
//   linear: [f(x / factor) for x in inv]
//   llama3: for x in inv: w = f(f(1 / x) * f(2 * pi)); s = f(f(f(f(1 / w) * original) - low) / (high - low))
//     f(x / factor) if w > original / low else x if w < original / high
//     else f(f(f(f(1 - s) * x) / factor) + f(s * x))
//   yarn: cd = lambda r: dim * log(original / (r * 2 * pi)) / (2 * log(theta)); lo, hi = cd(fast), cd(slow)
//     if truncate: lo, hi = floor(lo), ceil(hi)
//     lo, hi = max(lo, 0), min(hi, dim - 1); if lo == hi: hi += 0.001
//     for j, x in enumerate(p): e = f(1 - min(max(f(f(j - f(lo)) / f(hi - lo)), 0), 1))
//     f(f(f(1 / f(factor * x)) * f(1 - e)) + f(f(1 / x) * e))
TEST_CASE("scaled rotary frequencies are those of transformers") {
  const auto position = [](const char* scaling, double theta, std::int64_t rotary_dim, double factor,
                           std::int64_t original = 0) {
    PositionSection result;
    result.scaling.value = scaling;
    result.rope_theta.value = theta;
    result.rotary_dim.value = rotary_dim;
    result.factor.value = factor;
    result.original_max_position_embeddings.value = original;
    result.low_freq_factor.value = 1;
    result.high_freq_factor.value = 4;
    result.beta_fast.value = 32;
    result.beta_slow.value = 1;
    result.truncate.value = true;
    result.attention_factor.value = 1.25;
    return result;
  };
  const std::vector<float> unscaled = rotary_frequencies(10000.0, 18);
  CHECK(rotary_frequencies(position("none", 10000, 18, 0)) == unscaled);
  CHECK(rotary_frequencies(position("linear", 10000, 18, 2.5)) ==
        std::vector{0.4f, 0.14375255f, 0.051661987f, 0.018566353f, 0.0066724024f, 0.0023979365f, 0.00086177373f,
                    0.00030970544f, 0.000111302375f});
  CHECK(rotary_frequencies(position("llama3", 500000, 24, 8, 128)) ==
        std::vector{1.0f, 0.33503163f, 0.05615408f, 0.004700754f, 0.001574901f, 0.00052764185f, 0.00017677668f,
                    5.92258e-05f, 1.9842508e-05f, 6.6478697e-06f, 2.2272475e-06f, 7.4619794e-07f});
  // Where both factors are one no angle is between, not even one that turns just so often.
  PositionSection apart = position("llama3", 500000, 24, 8, 128);
  apart.high_freq_factor.value = 1;
  CHECK(rotary_frequencies(apart) == std::vector{1.0f, 0.33503163f, 0.11224619f, 0.004700754f, 0.001574901f,
                                                 0.00052764185f, 0.00017677668f, 5.92258e-05f, 1.9842508e-05f,
                                                 6.6478697e-06f, 2.2272475e-06f, 7.4619794e-07f});
  apart.low_freq_factor.value = apart.high_freq_factor.value = 128 / 6.2831854820251465;
  CHECK(rotary_frequencies(apart)[0] == 1.0f);
  CHECK(rotary_frequencies(position("yarn", 10000, 24, 4, 1024)) ==
        std::vector{1.0f, 0.4641589f, 0.21544345f, 0.08500001f, 0.032491118f, 0.011849391f, 0.0039999997f,
                    0.0011603974f, 0.0005386086f, 0.00025f, 0.00011603974f, 5.3860855e-05f});
  PositionSection ends = position("yarn", 10000, 24, 3, 128);
  ends.beta_fast.value = 8;
  ends.beta_slow.value = 0.5;
  ends.truncate.value = false;
  CHECK(rotary_frequencies(ends) == std::vector{1.0f, 0.4641589f, 0.18434365f, 0.0671096f, 0.022583388f, 0.00718145f,
                                                0.0033333334f, 0.0015471965f, 0.00071814476f, 0.00033333333f,
                                                0.00015471966f, 7.181447e-05f});
  // Both ends of the ramp are at the first angle: the one stays, and all others are divided.
  CHECK(rotary_frequencies(position("yarn", 10000, 8, 4, 4)) == std::vector{1.0f, 0.025f, 0.0025f, 0.00025f});
  // The ramp begins behind the last angle.
  CHECK(rotary_frequencies(position("yarn", 10000, 8, 4, 10000000)) == std::vector{1.0f, 0.1f, 0.01f, 0.001f});
  // The ramp would end behind 7, the last index of an element.
  PositionSection slow = position("yarn", 10000, 8, 4, 1024);
  slow.beta_slow.value = 1e-6;
  CHECK(rotary_frequencies(slow) == std::vector{1.0f, 0.08928572f, 0.007857143f, 0.0006785714f});
  CHECK(rotary_of(position("yarn", 10000, 8, 4, 4)).factor == 1.25f);
  CHECK(rotary_of(position("linear", 10000, 8, 4)).factor == 1);
  PositionSection reversed = position("linear", 10000, 8, 4);
  reversed.direction.value = "reversed";
  CHECK(rotary_of(reversed).frequencies == std::vector{-0.25f, -0.025f, -0.0025f, -0.00025f});
  CHECK(default_attention_factor("yarn", 4, 64) == doctest::Approx(1.138629436111989).epsilon(1e-15));
  CHECK(default_attention_factor("yarn", 1, 64) == 1);
  CHECK(default_attention_factor("yarn", 0.5, 64) == 1);
}

TEST_CASE("what a scaling does not say follows from the model and its factor") {
  const auto position = [](const std::vector<Override>& more) {
    std::vector<Override> all = {{"position.scaling", "yarn"}, {"position.factor", "4.0"}};
    all.insert(all.end(), more.begin(), more.end());
    return *contract_of(tiny, all).kinds[0].kind.position;
  };
  CHECK(position({}).original_max_position_embeddings.value == 64);
  CHECK(position({}).attention_factor.value == default_attention_factor("yarn", 4, 64));
  CHECK(position({}).beta_fast.value == 32);
  CHECK(position({}).beta_slow.value == 1);
  CHECK(position({}).truncate.value);
  CHECK(position({{"position.original_max_position_embeddings", "16"}}).original_max_position_embeddings.value == 16);
  CHECK(contract_of(tiny, {{"position.scaling", "linear"}, {"position.factor", "4.0"}})
            .angles[AnglesId{0}]
            .rotary.factor == 1);
}

TEST_CASE("all rules are checked even where keys are unknown") {
  const Judged judged = judge(tiny, {{"attention.foo", "1"}, {"norm.eps", "2"}});
  CHECK(errors_of(judged.diagnostics) == std::vector<std::string>{"spec.unknown_key 1:11", "norm.eps_range 1:12"});
  CHECK_FALSE(judged.contract);
}

TEST_CASE("what a designer would act on is advice, never an error") {
  CHECK(advice(tiny) == std::vector<std::string>{});
  CHECK(advice(tiny, {{"mlp.intermediate_size", "800"}}) == std::vector<std::string>{"advice.gated_width"});
  CHECK(advice(tiny, {{"mlp.intermediate_size", "32"}}) == std::vector<std::string>{"advice.gated_width"});
  CHECK(advice(tiny, {{"mlp.intermediate_size", "768"}}) == std::vector<std::string>{});
  const std::vector<Override> eight_heads = {{"attention.num_attention_heads", "8"}, {"attention.head_dim", "20"}};
  CHECK(advice(tiny, eight_heads) == std::vector<std::string>{"advice.head_dim"});
  CHECK(advice(tiny, {eight_heads[0], eight_heads[1], {"engine.kv_cache", "f32"}}) == std::vector<std::string>{});
  CHECK(advice(tiny, {{"model.max_position_embeddings", "4096"}}) == std::vector<std::string>{"advice.cache_size"});
}

TEST_CASE(
    "weights that a card of 24 GiB does not hold are told with the widest type that it would, or with the least") {
  const std::string experts = read_source(MONOMORPH_SOURCE_DIR "/models/mixtral-8x7b-v0.1.toml")->text;
  CHECK(advice(experts) == std::vector<std::string>{"advice.device_memory"});
  const std::vector<Override> smaller = {{"checkpoint.dtype", "q3_k"}, {"checkpoint.dtypes.\"*norm\"", "f32"}};
  CHECK(advice(experts, smaller) == std::vector<std::string>{});
  // 46.7 billion parameters of 16, 4.25 (IQ4_XS) or 2.625 (Q2_K) bits.
  CHECK(all_advice(experts).front().message ==
        "weights take 87.0 GiB; a device of 24 GiB holds them as iq4_xs, where they take 23.1 GiB");
  CHECK(all_advice(experts, {{"model.num_hidden_layers", "60"}}).front().message ==
        "weights take 162.7 GiB; a device of 24 GiB holds them in no type, not even as q2_k, where they take 26.7 GiB");
}

TEST_CASE("a cache that is larger than the weights is told with the length and the heads at which it is not") {
  const Contract contract = contract_of(tiny, {{"model.max_position_embeddings", "4096"}});
  const std::int64_t weights = bytes_of_weights(contract);
  const std::int64_t token = 4 * 2 * 48 * 2;  // four layers, keys and values of two heads of 24, f16
  CHECK(
      said({{"model.max_position_embeddings", "4096"}}) ==
      fmt::format("advice.cache_size: keys and values of 4096 tokens take 3.0 MiB, more than the weights' {:.1f} MiB; "
                  "engine.max_sequence_length = {} takes no more than they, num_key_value_heads = 1 in place of 2 "
                  "takes 1.5 MiB",
                  static_cast<double>(weights) / 1048576, weights / token));
  const std::string length = std::to_string(weights / token);
  CHECK(advice(tiny, {{"model.max_position_embeddings", "4096"}, {"engine.max_sequence_length", length}}).empty());
  const std::vector<Override> one_head = {{"model.max_position_embeddings", "8192"},
                                          {"engine.max_sequence_length", "8192"},
                                          {"attention.num_key_value_heads", "1"}};
  CHECK(said(one_head).find("num_key_value_heads") == std::string::npos);
}

TEST_CASE("a head that leaves a fifth of attention's lanes idle is told with widths on both sides that do not") {
  const auto wide = [](const char* head_dim) { return std::vector<Override>{{"attention.head_dim", head_dim}}; };
  CHECK(said(wide("192")) ==
        "advice.head_lanes: head_dim is 192, and 32 of the 128 lanes of a GPU's workgroup (25%) add no values; 168 or "
        "240 leave at most 8");
  for (const char* better : {"168", "240", "128", "256", "80", "96"}) CHECK(advice(tiny, wide(better)).empty());
  CHECK(advice(tiny, wide("264")) == std::vector<std::string>{"advice.head_lanes"});
  // Of pairs of heads a value is twice as wide, and so is what is told.
  const std::string pairs =
      monomorph::tests::read_file(std::string(MONOMORPH_SOURCE_DIR) + "/tests/cases/pass/differential.toml");
  const auto idle_of = [&](const char* head_dim) {
    std::string text;
    for (const Diagnostic& each : all_advice(pairs, {{"attention.head_dim", head_dim}})) {
      if (each.rule == "advice.head_lanes") text = each.message;
    }
    return text;
  };
  CHECK(idle_of("64").empty());
  CHECK(idle_of("96").find("32 of the 128 lanes of a GPU's workgroup (25%) add no values; 80 or 120 leave") !=
        std::string::npos);
}

TEST_CASE("rows that no quantized type holds are told with the widths on both sides that one does") {
  CHECK(said({{"mlp.intermediate_size", "250"}}) ==
        "advice.rows: intermediate_size is 250: rows of so many elements fit no quantized type, whose blocks have 32, "
        "and 2.3% of a prompt's tiles are idle; 224 or 256 mend both");
  CHECK(said({{"model.hidden_size", "100"}, {"attention.head_dim", "24"}}).starts_with("advice.rows: hidden_size is"));
  CHECK(said({{"attention.head_dim", "20"}, {"engine.kv_cache", "f32"}})
            .starts_with("advice.rows: num_attention_heads * head_dim is 80"));
  CHECK(said({{"mlp.intermediate_size", "24"}, {"mlp.type", "plain"}}).ends_with("are idle; 32 mends both"));
  CHECK(advice(tiny, {{"attention.num_attention_heads", "6"}, {"mlp.intermediate_size", "288"}}).empty());
}

TEST_CASE("a quantized type whose blocks do not divide a row is refused with the types whose blocks do") {
  const auto refused = [](const std::vector<Override>& overrides) {
    return render(judge(tiny, overrides).diagnostics);
  };
  const std::string superblocks = refused({{"checkpoint.dtype", "q4_k"}, {"mlp.intermediate_size", "250"}});
  CHECK(superblocks.find("it has rows of 96 elements, and blocks have 256 (those of q4_0, q4_1, q5_0, q5_1, q8_0, "
                         "iq4_nl, mxfp4 fit); say its type") != std::string::npos);
  CHECK(superblocks.find("it has rows of 250 elements, and blocks have 256; say its type") != std::string::npos);
}

TEST_CASE("a window that hides nothing is told") {
  CHECK(said({{"attention.sliding_window", "64"}}) ==
        "advice.window: a window of 64 keys hides none of the 64 positions that a sequence may have; leave it out, or "
        "say less than 64");
  CHECK(advice(tiny, {{"attention.sliding_window", "63"}}).empty());
  CHECK(said({{"attention.chunk_size", "64"}}) == said({{"attention.sliding_window", "64"}}));
  CHECK(advice(tiny, {{"attention.chunk_size", "63"}}).empty());
  CHECK(advice(tiny, {{"attention.sliding_window", "100"},
                      {"engine.max_sequence_length", "128"},
                      {"engine.beyond_positions", "true"}})
            .empty());
}

TEST_CASE("an embedding and a head of its own that are more than the layers are told with what tying saves") {
  const std::vector<Override> large = {{"model.vocab_size", "10000"}};
  CHECK(said(large).starts_with("advice.untied_head: embedding and head have 1.9 M of "));
  CHECK(said(large).find("leaves 1.0 M (") != std::string::npos);
  CHECK(advice(tiny, {large[0], {"lm_head.tie_word_embeddings", "true"}}).empty());
  CHECK(advice(tiny, {{"model.vocab_size", "2000"}}).empty());
}

TEST_CASE("what is ignored of the layer past the last has its number") {
  const Contract contract =
      contract_of(tiny, {{"checkpoint.ignore", "[{ name = \"model.layers.{n}.*\", why = \"foretells a token\" }]"}});
  CHECK(contract.ignored_tensors.front().name == "model.layers.4.*");
}

TEST_CASE("a tensor with matrices of heads that stand the other way round is not transposed as a whole") {
  std::string text = read_source(MONOMORPH_SOURCE_DIR "/tests/cases/pass/latent_attention.toml")->text;
  const std::string by_head = "fused = [\"k_up\", \"v_up\"], interleaved = \"head\"";
  REQUIRE(text.find(by_head) != std::string::npos);
  text.insert(text.find(by_head), "transposed = true, ");
  const Judged judged = judge(text);
  REQUIRE(judged.diagnostics.all().size() == 1);
  CHECK(judged.diagnostics.all()[0].rule == "checkpoint.interleaved");
}

TEST_CASE("of DeepSeek-V3 a token's latent and its rotated key are kept, 576 values in each layer") {
  const Judged judged = judge(read_source(MONOMORPH_SOURCE_DIR "/models/deepseek-v3.toml")->text);
  REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
  CHECK(judged.contract->kv_elements_per_token == 61 * 576);
  CHECK(judged.contract->states.size() == 4);  // latents and rotated keys, of dense layers and of sparse ones
}

TEST_CASE(
    "our own template is advised of nothing, four shipped models of what is true of them, and large ones of their "
    "memory") {
  CHECK(advice(new_spec("mine")) == std::vector<std::string>{});
  const std::map<std::string, std::vector<std::string>> advised = {
      {"kjv", {"advice.rows"}},  // 688, which is 8 / 3 of 256 to a multiple of 16
      {"pythia-14m", {"advice.untied_head"}},
      {"pythia-31m", {"advice.untied_head"}},
      {"pythia-70m", {"advice.untied_head"}},
  };
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MONOMORPH_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path().string());
    const std::string text = read_source(entry.path().string())->text;
    const auto told = advised.find(entry.path().stem().string());
    std::vector<std::string> expected = told == advised.end() ? std::vector<std::string>{} : told->second;
    if (bytes_of_weights(contract_of(text)) > std::int64_t{24} << 30) expected.push_back("advice.device_memory");
    CHECK(advice(text) == expected);
    ++models;
  }
  CHECK(models >= 17);
}

TEST_CASE("sequences beyond the trained positions are run where the spec asks for it, but of no learned table") {
  const std::vector<Override> beyond = {{"engine.max_sequence_length", "1000000"}, {"engine.beyond_positions", "true"}};
  CHECK(contract_of(tiny, beyond).max_sequence_length == 1000000);
  const Judged without = judge(tiny, {beyond[0]});
  REQUIRE(without.diagnostics.has_errors());
  CHECK(render(without.diagnostics).find("engine.beyond_positions = true") != std::string::npos);
  std::vector<Override> learned = beyond;
  learned.push_back({"position.type", "learned"});
  CHECK(judge(tiny, learned).diagnostics.has_errors());
  CHECK(contract_of(
            tiny, {{"engine.max_sequence_length", "128"}, {"position.scaling", "dynamic"}, {"position.factor", "2.0"}})
            .max_sequence_length == 128);
}

// math.sqrt(1 + math.log(32) / math.log(4096)), as transformers has it.
TEST_CASE("the factor of LongRoPE's cosines follows from how much longer the model is made") {
  CHECK(default_attention_factor("longrope", 32, 4096) == doctest::Approx(1.1902380714238083).epsilon(1e-15));
  CHECK(default_attention_factor("longrope", 1, 4096) == 1);
  CHECK(default_attention_factor("dynamic", 4, 4096) == 1);
}
