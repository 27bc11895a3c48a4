#include <doctest/doctest.h>

#include <algorithm>

#include "generator/contract/parts.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;
using monomorph::Dtype;

namespace {

Contract contract_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  Judged judged = judge(text, overrides);
  INFO(render(judged.diagnostics));
  REQUIRE(judged.contract);
  return *judged.contract;
}

const WeightContract& weight(const std::vector<WeightContract>& weights, const std::string& role) {
  const auto found =
      std::find_if(weights.begin(), weights.end(), [&](const WeightContract& w) { return w.role == role; });
  REQUIRE(found != weights.end());
  return *found;
}

std::vector<std::string> roles(const std::vector<WeightContract>& weights) {
  std::vector<std::string> result;
  for (const WeightContract& weight : weights) result.push_back(weight.role);
  return result;
}

const std::string learned = [] {
  std::string text = tiny;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"rms_norm", "layer_norm"},
                                 {"\"rope\"", "\"learned\""},
                                 {"gated", "plain"},
                                 {"num_key_value_heads = 2", "bias = true"},
                                 {"\"silu\"", "\"gelu_new\"\nbias = true"},
                                 {"\"llama\"", "\"gpt2\""}}) {
    text.replace(text.find(from), from.size(), to);
  }
  return text + "[lm_head]\ntie_word_embeddings = true\n";
}();

}  // namespace

TEST_CASE("weights stand in the order of the forward pass") {
  const Contract contract = contract_of(tiny, {{"attention.qk_norm", "head"}, {"attention.bias", "true"}});
  CHECK(roles(contract.prologue) == std::vector<std::string>{"embed_tokens"});
  CHECK(roles(contract.kinds[0].weights) ==
        std::vector<std::string>{"input_layernorm", "qkv_proj", "qkv_bias", "q_norm", "k_norm", "o_proj", "o_bias",
                                 "post_attention_layernorm", "gate_proj", "up_proj", "down_proj"});
  CHECK(roles(contract.epilogue) == std::vector<std::string>{"final_norm", "lm_head"});
}

TEST_CASE("a LayerNorm has a bias beside its weights, and learned positions a table") {
  const Contract contract = contract_of(learned);
  CHECK(roles(contract.prologue) == std::vector<std::string>{"embed_tokens", "embed_positions"});
  CHECK(contract.prologue[1].axes[0].name == "position_embeddings");
  CHECK(contract.prologue[1].axes[0].size == 64);
  CHECK(roles(contract.kinds[0].weights) ==
        std::vector<std::string>{"input_layernorm", "input_layernorm_bias", "qkv_proj", "qkv_bias", "o_proj", "o_bias",
                                 "post_attention_layernorm", "post_attention_layernorm_bias", "up_proj", "up_bias",
                                 "down_proj", "down_bias"});
  CHECK(roles(contract.epilogue) == std::vector<std::string>{"final_norm", "final_norm_bias"});
  CHECK(contract.checkpoint_prefixes == std::vector<std::string>{"", "transformer."});
}

TEST_CASE("q, k and v are one matrix of three checkpoint tensors") {
  const WeightContract qkv = weight(contract_of(tiny).kinds[0].weights, "qkv_proj");
  CHECK(qkv.axes[0].name == "qkv");
  CHECK(qkv.axes[0].size == 192);
  REQUIRE(qkv.sources.size() == 3);
  CHECK(qkv.sources[0].name == "model.layers.{i}.self_attn.q_proj.weight");
  CHECK(qkv.sources[0].rows == 96);
  CHECK(qkv.sources[2].name == "model.layers.{i}.self_attn.v_proj.weight");
  CHECK(qkv.sources[2].rows == 48);
  CHECK(qkv.sources[2].source_row == 0);
  CHECK(qkv.sources[2].source_rows == 48);
}

TEST_CASE("a bias that only some projections have is filled with zeros elsewhere") {
  const WeightContract bias = weight(contract_of(tiny, {{"attention.bias", "[\"v\"]"}}).kinds[0].weights, "qkv_bias");
  CHECK(bias.parameters() == 192);
  REQUIRE(bias.sources.size() == 3);
  CHECK(bias.sources[0].name == "");
  CHECK(bias.sources[0].rows == 96);
  CHECK(bias.sources[1].name == "");
  CHECK(bias.sources[2].name == "model.layers.{i}.self_attn.v_proj.bias");
}

TEST_CASE("a fused tensor in the order q, k, v is one source, transposed but for its bias") {
  const std::vector<WeightContract> weights = contract_of(learned).kinds[0].weights;
  const WeightContract& qkv = weight(weights, "qkv_proj");
  REQUIRE(qkv.sources.size() == 1);
  CHECK(qkv.sources[0].name == "h.{i}.attn.c_attn.weight");
  CHECK(qkv.sources[0].transposed);
  CHECK(qkv.sources[0].rows == 288);
  CHECK_FALSE(weight(weights, "qkv_bias").sources[0].transposed);
}

TEST_CASE("a fused tensor in another order is cut into slices") {
  const Contract contract = contract_of(tiny +
                                        "[checkpoint.tensors]\n\"layers.{i}.attention.qkv\" = "
                                        "{ name = \"l.{i}.vqk\", fused = [\"v\", \"q\", \"k\"] }\n");
  const WeightContract& qkv = weight(contract.kinds[0].weights, "qkv_proj");
  REQUIRE(qkv.sources.size() == 3);
  CHECK(qkv.sources[0].source_row == 48);  // q after v
  CHECK(qkv.sources[0].rows == 96);
  CHECK(qkv.sources[1].source_row == 144);  // k after v and q
  CHECK(qkv.sources[2].source_row == 0);
  for (const CheckpointPart& part : qkv.sources) CHECK(part.source_rows == 192);
}

TEST_CASE("the last pattern of dtypes that matches holds") {
  const Contract contract = contract_of(tiny + "[checkpoint.dtypes]\n\"*norm\" = \"f32\"\n\"final_norm\" = \"bf16\"\n");
  CHECK(weight(contract.kinds[0].weights, "input_layernorm").dtype == Dtype::f32);
  CHECK(weight(contract.epilogue, "final_norm").dtype == Dtype::bf16);
  CHECK(weight(contract.kinds[0].weights, "qkv_proj").dtype == Dtype::f16);
}

TEST_CASE("each projection of the MLP has its own bias") {
  const auto biases = [](const char* list) {
    std::vector<std::string> found;
    for (const std::string& role : roles(contract_of(tiny, {{"mlp.bias", list}}).kinds[0].weights)) {
      if (role.ends_with("_bias")) found.push_back(role);
    }
    return found;
  };
  CHECK(biases("[\"gate\"]") == std::vector<std::string>{"gate_bias"});
  CHECK(biases("[\"up\"]") == std::vector<std::string>{"up_bias"});
  CHECK(biases("[\"down\"]") == std::vector<std::string>{"down_bias"});
  CHECK(biases("true") == std::vector<std::string>{"gate_bias", "up_bias", "down_bias"});
}

TEST_CASE("biases of q, k and v have one type, as they become one vector") {
  const std::string biased = tiny + "[checkpoint.dtypes]\n\"layers.{i}.attention.q.bias\" = \"f32\"\n";
  CHECK(errors_of(judge(biased, {{"attention.bias", "true"}}).diagnostics) ==
        std::vector<std::string>{"checkpoint.qkv_dtypes 23:1"});
  CHECK(judge(biased, {{"attention.bias", "[\"q\"]"}}).contract);
  CHECK(judge(tiny + "[checkpoint.dtypes]\n\"*.bias\" = \"f32\"\n", {{"attention.bias", "true"}}).contract);
}

TEST_CASE("axes of a kind bear its name where the model has several") {
  const Contract contract =
      contract_of(tiny + "[layers]\npattern = [\"a\", \"b-c\"]\n[layers.a]\n[layers.b-c]\nattention.head_dim = 8\n");
  CHECK(weight(contract.kinds[0].weights, "o_proj").axes[1].name == "a_q");
  CHECK(weight(contract.kinds[1].weights, "o_proj").axes[1].name == "b_c_q");
  CHECK(weight(contract.kinds[1].weights, "o_proj").axes[0].name == "hidden");
  CHECK(contract.kinds[1].layers == std::vector<std::int32_t>{1, 3});
}

TEST_CASE("* in a pattern stands for anything") {
  CHECK(matches("a*c", "abbc"));
  CHECK(matches("*", ""));
  CHECK(matches("a*b*c", "axxbyyc"));
  CHECK_FALSE(matches("a*c", "abb"));
  CHECK_FALSE(matches("a", "ab"));
  CHECK(matches("*norm", "layers.{i}.mlp.input_norm"));
}
