// new --like: what a family's defaults make, in small.
#include "generator/import/spec_like.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "tests/generator/import/imported.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;
using monomorph::tests::import_text;

TEST_CASE("every family gives a spec that is accepted as it stands, with its tensor names and without advice") {
  const std::set<std::string> wide_windows = {"exaone4", "exaone_moe",
                                              "olmo3"};  // whose defaults hide nothing of 2048 positions
  for (const auto& [name, family] : families()) {
    CAPTURE(name);
    const Judged judged = judge(spec_like("mine", family));
    INFO(render(judged.diagnostics));
    REQUIRE(judged.contract);
    const std::vector<std::string> notes = errors_of(judged.diagnostics, Severity::note);
    CHECK(notes.size() == judged.diagnostics.all().size());
    CHECK(notes.empty() != wide_windows.contains(name));
    CHECK(std::ranges::all_of(notes, [](const std::string& note) { return note.starts_with("advice.window"); }));
    CHECK(judged.spec->checkpoint->names.value == name);
    CHECK(judged.contract->total_parameters < 250'000'000);
    CHECK(judged.contract->own().hidden_size == 768);
    CHECK(judged.contract->vocab_size == 32000);
    CHECK(judged.contract->own().num_hidden_layers == (judged.contract->encoder() != nullptr ? 6 : 12));
  }
}

namespace {

/// Of the first sub-block, whichever attention it is.
std::vector<std::string> biases_of_attention(LayerKind kind) {
  const BoundFields fields = bind_block(kind.steps.front().blocks.front());
  const auto bias = std::ranges::find(fields, "bias", [](const BoundField& field) { return field.field->key; });
  REQUIRE(bias != fields.end());
  return std::get<Field<Biases>*>(bias->slot)->value.projections;
}

}  // namespace

TEST_CASE("the parts are those that import finds in a config of the family") {
  for (const auto& [name, config] : monomorph::tests::small_configs()) {
    CAPTURE(name);
    const Judged like = judge(spec_like("mine", families().at(name)));
    const auto imported = import_text(config.dump());
    REQUIRE(like.spec);
    REQUIRE(imported.spec);
    CHECK(like.spec->norm.type.value == imported.spec->norm.type.value);
    CHECK(like.spec->position->type.value == imported.spec->position->type.value);
    const LayerKind &own = like.spec->kinds.front(), &given = imported.spec->kinds.front();
    CHECK(own.written_steps.value == given.written_steps.value);
    if (own.find("mlp") != nullptr || own.find("moe") != nullptr) {
      CHECK(unit(own).type.value == unit(given).type.value);
      CHECK(unit(own).activation.value == unit(given).activation.value);
    }
    CHECK(biases_of_attention(own) == biases_of_attention(given));
  }
}

TEST_CASE("each line says what its key means, and keys that the family may have stand beside them as comments") {
  const std::string text = spec_like("mine", families().at("qwen3"));
  for (const char* line : {"\nhidden_size = 768  # Width of the residual stream\n", "\nnames = \"qwen3\"  # ",
                           "\nnum_hidden_layers = 12  # Layers\n", "\n# bias = ...  # Projections with a bias",
                           "\n# weights = \"q8_0\" ", "\ntype = \"gated\"  # down(activation(gate) * up)"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK((line.empty() || line.starts_with("[") || line.find("# ") != std::string::npos));
    CHECK(line.size() <= 130);
  }
}

TEST_CASE("sizes keep the family's proportions, and what a config has to say is the family's own") {
  const auto like = [](const char* family) { return judge(spec_like("mine", families().at(family))); };
  const LayerKind gemma = like("gemma3").spec->kinds.front();
  CHECK(attention(gemma).head_dim.value == 256);
  CHECK(attention(gemma).num_attention_heads.value == 3);
  CHECK(attention(gemma).num_key_value_heads.value == 1);
  CHECK(mlp(gemma).intermediate_size.value == 3072);
  const LayerKind mistral = like("mistral").spec->kinds.front();
  CHECK(attention(mistral).num_attention_heads.value == 12);
  CHECK(attention(mistral).num_key_value_heads.value == 3);
  CHECK(like("persimmon").spec->position->rope_theta.value == 25000);
  const Judged exaone = like("exaone4");
  CHECK(exaone.contract->own().layer_kinds == std::vector<std::size_t>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
}

TEST_CASE("a family is named by its file, its model_type or its class; of others similar names are listed") {
  CHECK(find_family_like("gemma3").name == "gemma3");
  CHECK(find_family_like("gemma3_text").name == "gemma3");
  CHECK(find_family_like("LLaMAForCausalLM").name == "llama");
  CHECK_THROWS_WITH_AS(find_family_like("qwen4"),
                       "--like qwen4: there is no such family; similar names are qwen2, qwen2_moe, qwen3, qwen3_5, "
                       "qwen3_5_moe, qwen3_moe, qwen3_next, qwen3_vectors",
                       EnvironmentError);
  CHECK_THROWS_WITH_AS(find_family_like("lama"), "--like lama: there is no such family; similar names are llama",
                       EnvironmentError);
  CHECK_THROWS_WITH_AS(find_family_like("zzz"), doctest::Contains("there are afmoe, albert, apertus,"),
                       EnvironmentError);
}
