#include <doctest/doctest.h>

#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

Spec read(const std::string& more, const std::vector<Override>& overrides = {}) {
  Diagnostics diagnostics;
  auto spec = read_spec(as_source(tiny + more), overrides, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(spec);
  return *spec;
}

}  // namespace

TEST_CASE("without a pattern all layers are of one kind, with the defaults of the plainest decoder") {
  const Spec spec = read("");
  REQUIRE(spec.kinds.size() == 1);
  CHECK(spec.layer_kinds == std::vector<std::size_t>{0, 0, 0, 0});
  const LayerKind& kind = spec.kinds[0];
  CHECK(kind.name == "layer");
  CHECK(kind.written_steps.value == std::vector<std::string>{"attention", "mlp"});
  CHECK(attention(kind).head_dim.value == 24);
  CHECK_FALSE(attention(kind).head_dim.given);
  CHECK(kind.find("attention")->norms.input_norm.value.present);
  CHECK_FALSE(kind.find("attention")->norms.output_norm.value.present);
  CHECK_FALSE(attention(kind).bias.value.has("q"));
  CHECK(kind.position->rope_theta.value == 10000.0);
  CHECK(kind.position->rotary_dim.value == 24);
  CHECK(spec.engine->max_sequence_length.value == 64);
  CHECK(spec.engine->kv_cache.value.keys.value == "f16");
  CHECK(spec.engine->kv_cache.value.values.value == "f16");
  CHECK(spec.tokenizer->bos_token_id.value == -1);
}

TEST_CASE("a pattern is repeated and cut at the end") {
  const Spec spec =
      read("[layers]\npattern = [\"a\", \"a\", \"b\"]\n[layers.a]\n[layers.b]\nposition.type = \"none\"\n");
  CHECK(spec.layer_kinds == std::vector<std::size_t>{0, 0, 1, 0});
  CHECK(spec.kinds[1].position->type.value == "none");
  CHECK(spec.kinds[0].position->type.value == "rope");
}

TEST_CASE("a size that is a list has an entry a layer, and tells kinds of layer apart") {
  const auto widths = [](const Spec& spec) {
    std::vector<std::int64_t> result;
    for (const std::size_t kind : spec.layer_kinds) result.push_back(mlp(spec.kinds[kind]).intermediate_size.value);
    return result;
  };
  const Override list{"mlp.intermediate_size", "[64, 128, 64, 32]"};
  const Spec plain = read("", {list});
  CHECK(plain.layer_kinds == std::vector<std::size_t>{0, 1, 0, 2});
  CHECK(widths(plain) == std::vector<std::int64_t>{64, 128, 64, 32});
  CHECK(plain.kinds[0].name == "layer_1");
  CHECK(plain.kinds[2].name == "layer_3");
  // Of kinds that a pattern names, those are cut whose layers differ; what a kind says itself holds.
  const std::string pattern = "[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b]\nposition.type = \"none\"\n";
  const Spec cut = read(pattern, {list});
  CHECK(widths(cut) == std::vector<std::int64_t>{64, 128, 64, 32});
  CHECK(cut.kinds[0].name == "a");
  CHECK(cut.kinds[1].name == "b_1");
  CHECK(cut.kinds[2].position->type.value == "none");
  CHECK(widths(read(pattern, {list, {"layers.b.mlp.intermediate_size", "16"}})) ==
        std::vector<std::int64_t>{64, 16, 64, 16});
  // Two lists, and sizes that follow from what each layer has.
  const Spec heads =
      read("", {{"attention.num_attention_heads", "[4, 8, 4, 8]"}, {"attention.num_key_value_heads", "[2, 2, 4, 2]"}});
  CHECK(heads.layer_kinds == std::vector<std::size_t>{0, 1, 2, 1});
  CHECK(attention(heads.kinds[1]).head_dim.value == 12);
  CHECK(heads.kinds[1].position->rotary_dim.value == 12);
  // A list reaches what lays keys of its own over the section.
  const Spec turned =
      read("", {{"position.rotary_dim", "[4, 8, 4, 8]"}, {"attention.position", "{ rope_theta = 500.0 }"}});
  CHECK(turned.layer_kinds == std::vector<std::size_t>{0, 1, 0, 1});
  CHECK(turned.kinds[1].positions().at(0)->rotary_dim.value == 8);
  CHECK(turned.kinds[1].positions().at(0)->rope_theta.value == 500.0);
  // A number that is no size, too, and whole numbers among its entries.
  const Spec bases = read("[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b.mlp]\nactivation = \"relu\"\n",
                          {{"position.rope_theta", "[500.0, 7, 25.5, 7]"}});
  CHECK(bases.layer_kinds == std::vector<std::size_t>{0, 1, 2, 1});
  CHECK(bases.kinds[0].position->rope_theta.value == 500.0);
  CHECK(bases.kinds[2].position->rope_theta.value == 25.5);
  CHECK(bases.kinds[2].name == "a_2");
  CHECK(bases.kinds[2].in_pattern == "a");
  CHECK(plain.kinds[2].in_pattern.empty());
  // Of the norms that a layer has; those of the model are the first one's.
  const Spec norms = read("", {{"norm.eps", "[1e-5, 1e-5, 4e-5, 4e-5]"}});
  CHECK(norms.layer_kinds == std::vector<std::size_t>{0, 0, 1, 1});
  CHECK(norms.kinds[1].blocks().at(0)->norms.input_norm.value.norm.eps.value == 4e-5);
  CHECK(norms.norm.eps.value == 1e-5);
  for (const char* wrong : {"mlp.intermediate_size", "position.rope_theta"}) {
    Diagnostics diagnostics;
    CHECK_FALSE(read_spec(as_source(tiny), {{wrong, "[64, 128, 64]"}}, diagnostics));
    CHECK(diagnostics.all().at(0).rule == "layers.list_length");
  }
}

TEST_CASE("a kind's keys replace the base's key by key, and defaults follow from what is resolved") {
  const Spec spec =
      read("[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b.attention]\nnum_attention_heads = 8\n");
  REQUIRE(spec.kinds.size() == 2);
  CHECK(attention(spec.kinds[1]).num_attention_heads.value == 8);
  CHECK(attention(spec.kinds[1]).num_key_value_heads.value == 2);
  CHECK(attention(spec.kinds[1]).head_dim.value == 12);
  CHECK(spec.kinds[1].position->rotary_dim.value == 12);
}

TEST_CASE("an inline table replaces a section as a whole") {
  Diagnostics diagnostics;
  const auto spec = read_spec(as_source(tiny + "[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b]\n"
                                               "attention = { num_attention_heads = 4 }\n"),
                              {}, diagnostics);
  REQUIRE(spec);
  CHECK(attention(spec->kinds[1]).num_key_value_heads.value == 4);
}

TEST_CASE("kinds whose resolved values are equal are one") {
  const Spec spec = read("[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b]\nattention.head_dim = 24\n");
  CHECK(spec.kinds.size() == 1);
  CHECK(spec.kinds[0].name == "a");
}

TEST_CASE("a change of type drops inherited keys that the new type does not have") {
  const Spec spec = read(
      "[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b]\nposition.type = \"none\"\n"
      "norm.type = \"layer_norm\"\n",
      {{"position.rotary_dim", "8"}});
  CHECK(spec.kinds[0].position->rotary_dim.value == 8);
  CHECK(spec.kinds[1].position->rotary_dim.value == 0);
  CHECK(spec.kinds[1].norm.bias.value);
  CHECK(spec.kinds[1].norm.eps.value == 1e-6);
  CHECK_FALSE(spec.norm.bias.value);
}

TEST_CASE("a kind's combine takes the place of an inherited activation") {
  const Spec spec = read("[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b]\nmlp.combine = \"gate * up\"\n");
  CHECK(mlp(spec.kinds[1]).combine.value == "gate * up");
  CHECK_FALSE(mlp(spec.kinds[1]).activation.given);
}

TEST_CASE("an override of a kind reaches that kind alone") {
  const Spec spec = read("[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b]\nposition.type = \"none\"\n",
                         {{"layers.b.attention.num_key_value_heads", "1"}});
  CHECK(attention(spec.kinds[0]).num_key_value_heads.value == 2);
  CHECK(attention(spec.kinds[1]).num_key_value_heads.value == 1);
}

TEST_CASE("what is wrong with the base is said once, however many kinds share it") {
  const Judged judged = judge(tiny + "[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b]\nnorm.eps = 1e-5\n",
                              {{"attention.num_key_value_heads", "3"}, {"attention.foo", "1"}});
  CHECK(errors_of(judged.diagnostics) ==
        std::vector<std::string>{"spec.unknown_key 1:11", "attention.kv_heads_divide_heads 1:33"});
}

TEST_CASE("what is not alphanumeric in a name is _ in an identifier") {
  CHECK(identifier_of("llama-3.1-8b") == "llama_3_1_8b");
}
