// Keys of config.json that are lists of numbers: sizes and numbers, as a family's file reads them.
#include <doctest/doctest.h>

#include "tests/generator/import/mapped.hpp"

using monomorph::tests::mapped;
using json = nlohmann::ordered_json;

namespace {

const std::string by_layer = R"toml(architectures = ["TinyForCausalLM"]
[keys]
layers = "size = 3"
heads = "sizes"
factors = "numbers?"
wide = "sizes?"
flags = "counts?"
keys = "each_count?"
[spec]
"model.num_hidden_layers" = "layers"
"attention.num_attention_heads" = "heads[0] ?? 1"
"position.rope_theta" = "factors.length == null ? 5.0 : factors[(factors.length ?? 1) - 1] ?? 1"
"position.short_factor" = "factors"
"norm.weight" = "flags[0] == null ? null : flags[0] != 0"
"attention.num_key_value_heads" = "keys.largest ?? 0 == 0 ? null : keys.largest"
"attention.output_scale" = "factors.largest"
"layers.wide.mlp.intermediate_size" = "heads[heads.length - 1] ?? 1"
[layer]
kind = "i + 1 in wide || (heads[i] ?? 0) > 8 ? 'wide' : 'narrow'"
[refuse.heads]
"heads.length != layers" = "there are {layers} layers, and 'heads' has {heads.length}: {heads}"
"heads[i] == 7" = "layer {i} has {heads[i]} heads"
"factors[0] ?? 1 > 2" = "factors begin with {factors[0]}"
)toml";

bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("an element of a list of sizes is a whole number, and a list of numbers is a list in the spec") {
  CHECK(mapped(by_layer, {{"heads", {4, 4, 8}}, {"factors", {0.5, 2}}}) ==
        "[model]\nnum_hidden_layers = 3  # transformers' default; config.json does not say\n\n"
        "[position]\nrope_theta = 2.0\nshort_factor = [0.5, 2.0]\n\n[attention]\nnum_attention_heads = 4\noutput_scale "
        "= 2.0\n");
  CHECK(says(mapped(by_layer, {{"heads", {4, 4, 8}}}), "rope_theta = 5.0\n"));
}

TEST_CASE("the kind of a layer follows from its element of a list, or from its standing in one") {
  const std::string text = mapped(by_layer, {{"heads", {4, 12, 16}}});
  CHECK(says(text, "pattern = [\"narrow * 1\", \"wide * 2\"]\n"));
  CHECK(says(text, "[layers.wide.mlp]\nintermediate_size = 16\n"));
  CHECK(says(mapped(by_layer, {{"heads", {4, 4, 4}}, {"wide", {1, 3}}}), "pattern = [\"wide\", \"narrow\"]\n"));
  CHECK_FALSE(says(mapped(by_layer, {{"heads", {4, 4, 4}}, {"wide", nullptr}}), "pattern"));
}

TEST_CASE("a refusal reads lists, their elements and their lengths, and shows them") {
  CHECK(says(mapped(by_layer, {{"heads", {4, 6}}}), "there are 3 layers, and 'heads' has 2: 4, 6"));
  CHECK(says(mapped(by_layer, {{"heads", {4, 7, 8}}}), "layer 1 has 7 heads [import.heads]"));
  CHECK(says(mapped(by_layer, {{"heads", {4, 4, 8}}, {"factors", {2.5}}}), "factors begin with 2.5"));
}

TEST_CASE("a list of counts may have zeros") {
  CHECK(says(mapped(by_layer, {{"heads", {4, 4, 8}}, {"flags", {0, 2}}}), "weight = false"));
  CHECK(says(mapped(by_layer, {{"heads", {4, 4, 8}}, {"flags", {1, 0}}}), "weight = true"));
  for (const json& wrong : {json(0), json::array(), json({0, -1}), json({0, 0.5}), json({0, nullptr})}) {
    CAPTURE(wrong.dump());
    CHECK(says(mapped(by_layer, {{"heads", {4, 4, 8}}, {"flags", wrong}}),
               "a list of integers from 0 on, below 2^31 or null is required here"));
  }
}

TEST_CASE("the largest of a list is told, and one number stands for every place") {
  for (const json& keys : {json(2), json({0, 2, 1})}) {
    CAPTURE(keys.dump());
    const std::string text = mapped(by_layer, {{"heads", {4, 4, 8}}, {"keys", keys}, {"factors", {0.5, 0.75, 0.25}}});
    CHECK(says(text, "num_key_value_heads = 2\n"));
    CHECK(says(text, "output_scale = 0.75\n"));
  }
  CHECK_FALSE(says(mapped(by_layer, {{"heads", {4, 4, 8}}, {"keys", {0, 0, 0}}}), "num_key_value_heads"));
  CHECK(says(mapped(by_layer, {{"heads", {4, 4, 8}}, {"keys", {0, -1}}}),
             "an integer from 0 on, below 2^31, or a list of them or null is required here"));
}

TEST_CASE("what is no list of sizes, or of numbers, is told at its key") {
  for (const json& wrong : {json(4), json::array(), json({4, 0, 8}), json({4, 1.5, 8}), json({4, "4", 8})}) {
    CAPTURE(wrong.dump());
    CHECK(says(mapped(by_layer, {{"heads", wrong}}), "a list of positive integers below 2^31 is required here"));
  }
  CHECK(says(mapped(by_layer, json::object()), "config.json has no 'heads'"));
  for (const json& wrong : {json(4), json::array(), json({1.0, 0}), json({1, nullptr})}) {
    CAPTURE(wrong.dump());
    CHECK(says(mapped(by_layer, {{"heads", {4, 4, 8}}, {"factors", wrong}}),
               "a list of positive numbers or null is required here"));
  }
}
