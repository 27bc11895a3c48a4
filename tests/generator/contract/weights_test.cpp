#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "generator/contract/expected_tensors.hpp"
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

const WeightContract& weight(const Contract& contract, Scope scope, const std::string& role) {
  const WeightId id = contract.find_weight(scope, role);
  REQUIRE_MESSAGE(id, role);
  return contract.weights[id];
}

/// The one source of a weight that all checkpoints here have.
const CheckpointPart& source(const Contract& contract, Scope scope, const std::string& role) {
  const WeightContract& found = weight(contract, scope, role);
  REQUIRE(found.sources.size() == 1);
  return found.sources[0];
}

const Axis& axis(const Contract& contract, Scope scope, const std::string& role, std::size_t index) {
  return contract.axes[weight(contract, scope, role).axes.at(index)];
}

std::vector<std::string> roles(const Contract& contract, Scope scope) {
  std::vector<std::string> result;
  for (const WeightId id : contract.weights_of(scope)) result.push_back(contract.weights[id].role);
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
  CHECK(roles(contract, {}) == std::vector<std::string>{"embedding::tokens", "final_norm", "lm_head"});
  CHECK(roles(contract, {0}) ==
        std::vector<std::string>{"attention::input_norm", "attention::q_proj", "attention::q_bias", "attention::k_proj",
                                 "attention::k_bias", "attention::v_proj", "attention::v_bias", "attention::q_norm",
                                 "attention::k_norm", "attention::o_proj", "attention::o_bias", "mlp::input_norm",
                                 "mlp::gate_proj", "mlp::up_proj", "mlp::down_proj"});
  // The table as a whole: what comes before the layers, the layers, what comes after them.
  CHECK(contract.weights.begin()->role == "embedding::tokens");
  CHECK((contract.weights.end() - 1)->role == "lm_head");
}

TEST_CASE("a LayerNorm has a bias beside its weights, and learned positions a table") {
  const Contract contract = contract_of(learned);
  CHECK(roles(contract, {}) ==
        std::vector<std::string>{"embedding::tokens", "embedding::positions", "final_norm", "final_norm_bias"});
  CHECK(axis(contract, {}, "embedding::positions", 0).name == "position_embeddings");
  CHECK(axis(contract, {}, "embedding::positions", 0).size == 64);
  CHECK(roles(contract, {0}) == std::vector<std::string>{"attention::input_norm", "attention::input_norm_bias",
                                                         "attention::q_proj", "attention::q_bias", "attention::k_proj",
                                                         "attention::k_bias", "attention::v_proj", "attention::v_bias",
                                                         "attention::o_proj", "attention::o_bias", "mlp::input_norm",
                                                         "mlp::input_norm_bias", "mlp::up_proj", "mlp::up_bias",
                                                         "mlp::down_proj", "mlp::down_bias"});
  CHECK(contract.checkpoint_prefixes == std::vector<std::string>{"", "transformer."});
}

TEST_CASE("q, k and v are weights of their own, each a checkpoint tensor whole") {
  const Contract contract = contract_of(tiny);
  for (const auto& [word, rows] : {std::pair<std::string, std::int64_t>{"q", 96}, {"k", 48}, {"v", 48}}) {
    CAPTURE(word);
    const CheckpointPart& part = source(contract, {0}, "attention::" + word + "_proj");
    CHECK(part.name == "model.layers.{i}.self_attn." + word + "_proj.weight");
    CHECK(part.view.rows == rows);
    CHECK(part.view.source_row == 0);
    CHECK(part.view.source_rows == rows);
    CHECK(axis(contract, {0}, "attention::" + word + "_proj", 0).size == rows);
    CHECK(axis(contract, {0}, "attention::" + word + "_proj", 1).name == "hidden");
  }
  CHECK(axis(contract, {0}, "attention::q_proj", 0).name == "q");
  CHECK(axis(contract, {0}, "attention::k_proj", 0).name == "kv");
  // Keys and values have one axis; that they are not exchanged is the roles' to say.
  CHECK(weight(contract, {0}, "attention::k_proj").axes == weight(contract, {0}, "attention::v_proj").axes);
}

TEST_CASE("a bias is a weight where the spec says that the checkpoint has it, and nothing elsewhere") {
  const Contract contract = contract_of(tiny, {{"attention.bias", "[\"v\"]"}});
  CHECK(source(contract, {0}, "attention::v_bias").name == "model.layers.{i}.self_attn.v_proj.bias");
  CHECK(source(contract, {0}, "attention::v_bias").view.rows == 48);
  CHECK_FALSE(contract.find_weight({0}, "attention::q_bias"));
  CHECK_FALSE(contract.find_weight({0}, "attention::k_bias"));
  CHECK_FALSE(contract.find_weight({}, "attention::v_bias"));
}

TEST_CASE("of a fused tensor each of q, k and v has its rows; the matrix is transposed and its bias is not") {
  const Contract contract = contract_of(learned);
  std::int64_t row = 0;
  for (const char* word : {"q", "k", "v"}) {
    CAPTURE(word);
    const CheckpointPart& matrix = source(contract, {0}, std::string("attention::") + word + "_proj");
    CHECK(matrix.name == "h.{i}.attn.c_attn.weight");
    CHECK(matrix.view.transposed);
    CHECK(matrix.view.source_row == row);
    const CheckpointPart& bias = source(contract, {0}, std::string("attention::") + word + "_bias");
    CHECK(bias.name == "h.{i}.attn.c_attn.bias");
    CHECK_FALSE(bias.view.transposed);
    CHECK(bias.view.source_row == row);
    for (const CheckpointPart& part : {matrix, bias}) {
      CHECK(part.view.rows == 96);
      CHECK(part.view.source_rows == 288);
    }
    row += 96;
  }
}

TEST_CASE("a fused tensor in another order is cut where that order says") {
  const Contract contract = contract_of(tiny +
                                        "[checkpoint.tensors]\n\"layers.{i}.attention.qkv\" = "
                                        "{ name = \"l.{i}.vqk\", fused = [\"v\", \"q\", \"k\"] }\n");
  CHECK(source(contract, {0}, "attention::q_proj").view.source_row == 48);   // after v
  CHECK(source(contract, {0}, "attention::k_proj").view.source_row == 144);  // after v and q
  CHECK(source(contract, {0}, "attention::v_proj").view.source_row == 0);
  CHECK(source(contract, {0}, "attention::q_proj").view.rows == 96);
  for (const char* role : {"attention::q_proj", "attention::k_proj", "attention::v_proj"}) {
    CHECK(source(contract, {0}, role).view.source_rows == 192);
  }
}

TEST_CASE("a fused tensor's bias has all three, whichever are said to have one") {
  const std::string fused = tiny +
                            "[checkpoint.tensors]\n\"layers.{i}.attention.qkv\" = "
                            "{ name = \"l.{i}.qkv\", fused = [\"q\", \"k\", \"v\"] }\n";
  const Contract contract = contract_of(fused, {{"attention.bias", "true"}});
  CHECK(source(contract, {0}, "attention::k_bias").name == "l.{i}.qkv.bias");
  CHECK(source(contract, {0}, "attention::k_bias").view.source_row == 96);
  CHECK(source(contract, {0}, "attention::k_bias").view.source_rows == 192);
}

TEST_CASE("of a tensor whose rows alternate by head each projection has runs of a head, and its bias too") {
  const Contract contract =
      contract_of(tiny +
                      "[checkpoint.tensors]\n\"layers.{i}.attention.qkv\" = { name = "
                      "\"l.{i}.qkv\", fused = [\"q\", \"k\", \"v\"], interleaved = \"head\" }\n",
                  {{"attention.num_key_value_heads", "4"}, {"attention.bias", "[\"q\", \"k\", \"v\"]"}});
  std::int64_t row = 0;
  for (const char* word : {"q", "k", "v"}) {
    for (const char* what : {"_proj", "_bias"}) {
      CHECK(source(contract, {0}, std::string("attention::") + word + what).view ==
            monomorph::RowView{96, row, 288, false, 24, 72});
    }
    row += 24;
  }
}

TEST_CASE("of a tensor whose rows alternate by quarter each projection has runs of a quarter of the heads") {
  const std::string quarters = tiny +
                               "[checkpoint.tensors]\n\"layers.{i}.attention.qkv\" = { name = "
                               "\"l.{i}.qkv\", fused = [\"q\", \"v\", \"k\"], interleaved = \"quarter\" }\n";
  const std::vector<Override> eight = {{"attention.num_attention_heads", "8"}, {"attention.num_key_value_heads", "8"}};
  const Contract contract = contract_of(quarters, eight);
  std::int64_t row = 0;
  for (const char* word : {"q", "v", "k"}) {
    CHECK(source(contract, {0}, std::string("attention::") + word + "_proj").view ==
          monomorph::RowView{96, row, 288, false, 24, 72});
    row += 24;
  }
  const Judged six = judge(quarters, {{"attention.num_attention_heads", "6"}, {"attention.num_key_value_heads", "6"}});
  CHECK(render(six.diagnostics).find("q has no quarters") != std::string::npos);
}

TEST_CASE("of a tensor whose rows alternate by key head the queries have runs of all heads that one serves") {
  const Contract contract =
      contract_of(tiny +
                      "[checkpoint.tensors]\n\"layers.{i}.attention.qkv\" = { name = "
                      "\"l.{i}.qkv\", fused = [\"q\", \"k\", \"v\"], interleaved = \"kv_group\" }\n",
                  {{"attention.bias", "[\"q\", \"k\", \"v\"]"}});
  for (const char* what : {"_proj", "_bias"}) {
    const auto view = [&](const char* word) {
      return source(contract, {0}, std::string("attention::") + word + what).view;
    };
    CHECK(view("q") == monomorph::RowView{96, 0, 192, false, 48, 96});  // two key heads, two query heads for each
    CHECK(view("k") == monomorph::RowView{48, 48, 192, false, 24, 96});
    CHECK(view("v") == monomorph::RowView{48, 72, 192, false, 24, 96});
  }
}

TEST_CASE("a part whose rows are heads' may have a tensor of each head, in the order of its rows") {
  const Contract contract =
      contract_of(tiny +
                      "[checkpoint.tensors]\n\"layers.{i}.attention.k_norm\" = \"l.{i}.k_norm.{j}\"\n"
                      "\"layers.{i}.attention.v\" = { name = \"l.{i}.v.{j}\", transposed = true }\n",
                  {{"attention.k_norm", "{ per_head = true }"}, {"attention.bias", "[\"v\"]"}});
  for (const auto& [role, name] : {std::pair<std::string, std::string>{"attention::k_norm", "l.{i}.k_norm.{j}.weight"},
                                   {"attention::v_proj", "l.{i}.v.{j}.weight"},
                                   {"attention::v_bias", "l.{i}.v.{j}.bias"}}) {
    const WeightContract& found = weight(contract, {0}, role);
    REQUIRE(found.sources.size() == 2);
    for (std::size_t head = 0; head < 2; ++head) {
      CHECK(found.sources[head].name == with_number(name, std::to_string(head)));
      CHECK(found.sources[head].view == monomorph::RowView{24, 0, 24, role == "attention::v_proj"});
      CHECK(found.sources[head].numbered == name);
    }
  }
  const ExpectedTensor second = expected_tensors(contract).at("l.3.v.1.weight");
  CHECK(second.pattern == "l.{i}.v.{j}.weight");
  CHECK(second.shape == std::vector<std::int64_t>{96, 24});
  CHECK(second.layer == 3);
  CHECK(second.number == 1);
  CHECK(contract.axes[second.axes[1]].word == "head");
}

TEST_CASE("a tensor of all experts is matrices, of which each has its parts one after another or row by row") {
  const Contract contract =
      contract_of(read_source(std::string(MONOMORPH_SOURCE_DIR) + "/tests/cases/pass/stacked_experts.toml")->text);
  const auto view = [&](const char* role) { return source(contract, {0}, role).view; };
  using monomorph::RowView;
  CHECK(view("moe::gate_proj") == RowView{120, 0, 120, false, 0, 0, 0, 0, 6});
  CHECK(view("moe::down_proj") == RowView{288, 0, 288, false, 0, 0, 0, 0, 6});
  for (const char* what : {"_proj", "_bias"}) {
    const bool turned = what == std::string("_proj");
    const auto of = [&](const char* part) { return view((std::string(part) + what).c_str()); };
    CHECK(of("halved_block::gate") == RowView{120, 0, 240, false, 20, 40, 0, 0, 6});
    CHECK(of("halved_block::up") == RowView{120, 20, 240, false, 20, 40, 0, 0, 6});
    CHECK(of("turned_block::gate") == RowView{120, 0, 240, turned, 1, 2, 0, 0, 6});
    CHECK(of("turned_block::up") == RowView{120, 1, 240, turned, 1, 2, 0, 0, 6});
    CHECK(of("turned_block::down") == RowView{288, 0, 288, turned, 0, 0, 0, 0, 6});
  }
  for (const auto& [role, first] : {std::pair("counted_block::up_proj", 0), {"counted_block::gate_proj", 20}}) {
    const std::vector<CheckpointPart>& sources = weight(contract, {0}, role).sources;
    REQUIRE(sources.size() == 6);
    for (const CheckpointPart& each : sources) CHECK(each.view == RowView{20, first, 40});
  }
  CHECK(source(contract, {0}, "turned_block::gate_bias").name == "model.layers.{i}.turned.gate_up_bias");
}

TEST_CASE("any projections of one input may share a tensor, the others stand alone") {
  const Contract contract =
      contract_of(tiny +
                  "[checkpoint.tensors]\n\"layers.{i}.mlp.up_gate\" = { name = \"l.{i}.ug\", "
                  "fused = [\"up\", \"gate\"], transposed = true }\n"
                  "\"layers.{i}.attention.kv\" = { name = \"l.{i}.kv\", fused = [\"k\", \"v\"] }\n");
  CHECK(source(contract, {0}, "mlp::up_proj").view == monomorph::RowView{256, 0, 512, true});
  CHECK(source(contract, {0}, "mlp::gate_proj").view == monomorph::RowView{256, 256, 512, true});
  CHECK(source(contract, {0}, "attention::k_proj").view == monomorph::RowView{48, 0, 96});
  CHECK(source(contract, {0}, "attention::v_proj").view == monomorph::RowView{48, 48, 96});
  CHECK(source(contract, {0}, "attention::q_proj").view == monomorph::RowView{96, 0, 96});
  CHECK(source(contract, {0}, "attention::q_proj").name == "model.layers.{i}.self_attn.q_proj.weight");
}

TEST_CASE("the last pattern of dtypes that matches holds") {
  const Contract contract = contract_of(tiny + "[checkpoint.dtypes]\n\"*norm\" = \"f32\"\n\"final_norm\" = \"bf16\"\n");
  CHECK(weight(contract, {0}, "attention::input_norm").dtype == Dtype::f32);
  CHECK(weight(contract, {}, "final_norm").dtype == Dtype::bf16);
  CHECK(weight(contract, {0}, "attention::q_proj").dtype == Dtype::f16);
}

TEST_CASE("matrices that are wider than engine.weights are converted, and nothing else is") {
  const Contract contract = contract_of(tiny +
                                            "[checkpoint.dtypes]\n\"*norm\" = \"f32\"\n\"embedding.*\" = \"f32\"\n"
                                            "\"layers.{2}.mlp.up\" = \"q5_1\"\n\"layers.{3}.mlp.up\" = \"iq4_nl\"\n",
                                        {{"attention.bias", "true"}, {"engine.weights", "q4_0"}});
  struct Types {
    Dtype dtype, file_dtype;
    bool operator==(const Types&) const = default;
  };
  const auto types = [&](Scope scope, const char* role) {
    const WeightContract& found = weight(contract, scope, role);
    return Types{found.dtype, found.file_dtype()};
  };
  CHECK(types({}, "embedding::tokens") == Types{Dtype::q4_0, Dtype::f32});
  CHECK(types({}, "final_norm") == Types{Dtype::f32, Dtype::f32});
  CHECK(types({0}, "attention::q_proj") == Types{Dtype::q4_0, Dtype::f16});
  CHECK(types({0}, "attention::q_bias") == Types{Dtype::f16, Dtype::f16});
  CHECK(types({0}, "mlp::up_proj") == Types{Dtype::q4_0, Dtype::f16});
  CHECK(types({1}, "mlp::up_proj") == Types{Dtype::q4_0, Dtype::q5_1});
  CHECK(types({2}, "mlp::up_proj") == Types{Dtype::iq4_nl, Dtype::iq4_nl});
  CHECK(list_conversions(contract) == monomorph::Conversions{{{Dtype::f32, Dtype::q4_0}, 1},
                                                             {{Dtype::f16, Dtype::q4_0}, 27},
                                                             {{Dtype::q5_1, Dtype::q4_0}, 1}});
  CHECK(dump_contract(contract).find("attention::q_proj: [q 96 x hidden 96] q4_0 from f16, part") != std::string::npos);
}

TEST_CASE("each projection of the MLP has its own bias") {
  const auto biases = [](const char* list) {
    std::vector<std::string> found;
    for (const std::string& role : roles(contract_of(tiny, {{"mlp.bias", list}}), {0})) {
      if (role.ends_with("_bias")) found.push_back(role);
    }
    return found;
  };
  CHECK(biases("[\"gate\"]") == std::vector<std::string>{"mlp::gate_bias"});
  CHECK(biases("[\"up\"]") == std::vector<std::string>{"mlp::up_bias"});
  CHECK(biases("[\"down\"]") == std::vector<std::string>{"mlp::down_bias"});
  CHECK(biases("true") == std::vector<std::string>{"mlp::gate_bias", "mlp::up_bias", "mlp::down_bias"});
}

TEST_CASE("q, k and v, their biases, gate and up each have the type that the checkpoint keeps them in") {
  const Contract contract = contract_of(tiny +
                                            "[checkpoint.dtypes]\n\"layers.{i}.attention.q\" = \"f32\"\n"
                                            "\"layers.{i}.attention.v.bias\" = \"f32\"\n"
                                            "\"layers.{i}.mlp.up\" = \"bf16\"\n",
                                        {{"attention.bias", "true"}});
  const auto dtype = [&](const char* role) { return weight(contract, {0}, role).dtype; };
  CHECK(dtype("attention::q_proj") == Dtype::f32);
  CHECK(dtype("attention::q_bias") == Dtype::f32);  // a bias has its weight's type where nothing else is said
  CHECK(dtype("attention::k_proj") == Dtype::f16);
  CHECK(dtype("attention::v_proj") == Dtype::f16);
  CHECK(dtype("attention::v_bias") == Dtype::f32);
  CHECK(dtype("mlp::gate_proj") == Dtype::f16);
  CHECK(dtype("mlp::up_proj") == Dtype::bf16);
}

TEST_CASE("axes of a kind bear its name where the model has several") {
  const Contract contract =
      contract_of(tiny + "[layers]\npattern = [\"a\", \"b-c\"]\n[layers.a]\n[layers.b-c]\nattention.head_dim = 8\n");
  CHECK(axis(contract, {0}, "attention::o_proj", 1).name == "a_q");
  CHECK(axis(contract, {1}, "attention::o_proj", 1).name == "b_c_q");
  CHECK(axis(contract, {1}, "attention::o_proj", 0).name == "hidden");
  CHECK(axis(contract, {1}, "mlp::up_proj", 0).name == "intermediate");  // both kinds have this one
  CHECK(contract.kinds[1].layers == std::vector<std::int32_t>{1, 3});
  CHECK(contract.copies({1}) == 2);
  CHECK(contract.copies({}) == 1);
}

TEST_CASE("* in a pattern stands for anything") {
  CHECK(matches("a*c", "abbc"));
  CHECK(matches("*", ""));
  CHECK(matches("a*b*c", "axxbyyc"));
  CHECK_FALSE(matches("a*c", "abb"));
  CHECK_FALSE(matches("a", "ab"));
  CHECK(matches("*norm", "layers.{i}.mlp.input_norm"));
}

TEST_CASE("a scale that names the layer is a number of each layer, which no checkpoint has and no total counts") {
  const std::string kinds =
      tiny + "[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b.mlp]\nactivation = \"relu\"\n";
  const Contract plain = contract_of(kinds);
  const Contract scaled = contract_of(kinds, {{"attention.scale", "1 / sqrt(head_dim) / (layer + 1)"}});
  CHECK(scaled.kinds.size() == 2);
  const double of_all = 1 / std::sqrt(24.0);
  const auto values = [&](double first, double second) {
    return std::vector<float>{static_cast<float>(of_all / first), static_cast<float>(of_all / second)};
  };
  CHECK(weight(scaled, {0}, "attention::layer_scale").values == values(1, 3));
  CHECK(weight(scaled, {1}, "attention::layer_scale").values == values(2, 4));
  CHECK(scaled.axes.elements(weight(scaled, {0}, "attention::layer_scale").axes) == 1);
  CHECK_FALSE(plain.find_weight({0}, "attention::layer_scale"));
  CHECK(scaled.total_parameters == plain.total_parameters);
  CHECK(expected_tensors(scaled).size() == expected_tensors(plain).size());
}

TEST_CASE("a scale that is no factor in some layer is refused, and the layer told") {
  const auto message = [](const std::string& scale) {
    const Judged judged = judge(tiny, {{"attention.scale", scale}});
    CHECK_FALSE(judged.contract);
    return render(judged.diagnostics);
  };
  CHECK(message("3 - layer").find("attention.scale of layer 3 is 0; a number above 0") != std::string::npos);
  CHECK(message("1 / layer").find("attention.scale of layer 0 is inf") != std::string::npos);
  CHECK(message("layers").find("layers") != std::string::npos);
}

TEST_CASE("heads of differential attention are pairs, whose values have the halves that the tensor keeps apart") {
  const Contract contract = contract_of(
      tiny, {{"checkpoint.names", "diffllama"}, {"attention.differential", "0.8 - 0.6 * exp(-0.3 * layer)"}});
  const std::int64_t head_dim = axis(contract, {0}, "attention::lambda_q1", 0).size;
  CHECK(axis(contract, {0}, "attention::q_proj", 0).size == 2 * head_dim);  // of four heads
  CHECK(source(contract, {0}, "attention::second_q_proj").name == source(contract, {0}, "attention::q_proj").name);
  CHECK(source(contract, {0}, "attention::second_q_proj").view.source_row == 2 * head_dim);
  CHECK(axis(contract, {0}, "attention::o_proj", 1).size == 4 * head_dim);
  const WeightContract& number = weight(contract, {0}, "attention::lambda_init");
  REQUIRE(number.values.size() == 4);
  CHECK(number.values[0] == 0.2f);
  CHECK(number.values[3] == doctest::Approx(0.8 - 0.6 * std::exp(-0.9)));
  // Of two heads for keys and values there is one pair: its halves already stand one after the other. Of four, two.
  const auto rows_of = [&](const std::string& kv_heads) {
    const Contract of = contract_of(tiny, {{"checkpoint.names", "diffllama"},
                                           {"attention.differential", "0.5"},
                                           {"attention.num_key_value_heads", kv_heads}});
    const monomorph::RowView view = source(of, {0}, "attention::v_proj").view;
    std::vector<std::int64_t> heads;
    for (std::int64_t row = 0; row < view.rows; row = view.end_of_run(row)) {
      CHECK(view.source_of(row) % head_dim == 0);
      CHECK(view.source_of(view.end_of_run(row) - 1) == view.source_of(row) + head_dim - 1);
      heads.push_back(view.source_of(row) / head_dim);
    }
    return heads;
  };
  CHECK(rows_of("2") == std::vector<std::int64_t>{0, 1});
  CHECK(rows_of("4") == std::vector<std::int64_t>{0, 2, 1, 3});
}
