// The files of families/ without a model: what they say is judged when they are read, and every attribute of the
// library's configuration classes is accounted for.
#include "generator/import/family.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>

#include "tests/generator/import/imported.hpp"
#include "tests/generator/import/mapped.hpp"
#include "tests/generator/spec/spec_text.hpp"
#include "tests/support/files.hpp"

using namespace monomorph::tests;
using namespace monomorph::generator;
using json = nlohmann::ordered_json;

namespace {

/// A family with two kinds of layer, which differ in the base of their angles as Gemma 3's do.
const std::string local_and_global = R"toml(architectures = ["TinyForCausalLM"]
model_type = "tiny"
[keys]
layers = "size = 6"
types = "words?"
period = "size = 3"
theta = "number = 1e6"
local_theta = "number = 1e4"
[spec]
"model.num_hidden_layers" = "layers"
"position.rope_theta" = "theta"
"layers.local.position.rope_theta" = "local_theta"
[layer]
kind = "types[i] ?? ((i + 1) % period == 0 ? 'global' : 'local')"
)toml";

/// Rule and place of the first mistake in a family whose file has these lines after the first two.
std::string mistake(const std::string& lines) {
  const std::string text = "architectures = [\"TinyForCausalLM\"]\nmodel_type = \"tiny\"\n" + lines;
  Diagnostics diagnostics;
  if (read_family("tiny", {{"tiny.toml", text}}, diagnostics)) return "";
  return testing::errors_of(diagnostics).front();
}

/// What import reads of every config.json itself, whatever the family.
const std::set<std::string> own_keys = {"architectures", "model_type",   "transformers_version", "torch_dtype",
                                        "dtype",         "bos_token_id", "eos_token_id"};

bool is_accounted_for(const Family& family, const std::string& attribute) {
  if (own_keys.contains(attribute) || family.only.contains(attribute) || family.ignored.contains(attribute))
    return true;
  for (const auto& [name, key] : family.keys) {
    for (const std::string& path : key.paths) {
      if (path == attribute || path.starts_with(attribute + ".")) return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("every file of families/ reads, and belongs to a family of the hub") {
  std::set<std::string> included;
  for (const auto& [file, text] : family_files()) {
    for (std::size_t at = text.find("include = ["); at != std::string_view::npos;) {
      for (at = text.find_first_of("\"]", at); text[at] == '"'; at = text.find_first_of("\"]", at)) {
        const std::size_t end = text.find('"', at + 1);
        included.insert(std::string(text.substr(at + 1, end - at - 1)) + ".toml");
        at = end + 1;
      }
      break;
    }
  }
  for (const auto& [file, text] : family_files()) {
    CAPTURE(file);
    const std::string name = file.substr(0, file.find('.'));
    CHECK((included.contains(file) || families().contains(name) || gguf_families().contains(name)));
  }
  for (const auto& [name, family] : families()) {
    CAPTURE(name);
    CHECK_FALSE(family.architectures.empty());
    CHECK_FALSE(family.model_type.empty());
    CHECK(small_configs().contains(name));
  }
  for (const auto& [name, family] : gguf_families()) CHECK(name.starts_with("gguf/" + family.architectures.front()));
}

TEST_CASE("the spec of every family says its tensors' names in a word") {
  for (const auto& [name, config] : small_configs()) {
    CAPTURE(name);
    const Imported imported = import_text(config.dump());
    REQUIRE(imported.spec);
    CHECK(imported.spec->checkpoint->names.value == name);
    if (name == "t5") continue;  // one matrix of plain layers has another name than the two of gated ones
    CHECK(imported.text->find("[checkpoint.tensors]") == std::string::npos);
    for (const auto& [part, tensor] : families().at(name).checkpoint.tensors) {
      CAPTURE(part);
      REQUIRE(imported.spec->checkpoint->tensors.contains(part));
      CHECK(imported.spec->checkpoint->tensors.at(part).name == tensor.name);
    }
  }
}

TEST_CASE("a mistake in a family's file is shown at its place") {
  CHECK(mistake("[spec]\n\"norm.eps\" = \"epsilon\"") == "expression.unknown_name 4:15");
  CHECK(mistake("[spec]\n\"norm.type\" = \"1 + 2\"") == "expression.types 4:16");
  CHECK(mistake("[spec]\n\"norm.epsilon\" = \"1.0\"") == "family.unknown 4:1");
  CHECK(mistake("[spec]\n\"attention.bias\" = [\"q\", 1]") == "spec.type 4:20");
  CHECK(mistake("[spec]\n\"layers.local.norm.eps\" = \"1.0\"") == "family.unknown 4:1");
  CHECK(mistake("[keys]\nhidden = \"length = 3\"") == "family.form 4:10");
  CHECK(mistake("[keys]\nhidden = \"size = 'three'\"") == "expression.types 4:10");
  CHECK(mistake("[keys]\nhidden = \"size = 3\"") == "family.unused 4:1");
  CHECK(mistake("[keys]\neps = \"number? = 1e-5\"\n[spec]\n\"norm.eps\" = \"2 * eps\"") == "expression.types 6:17");
  CHECK(mistake("[keys]\neps = \"number\"\n[spec]\n\"norm.eps\" = \"eps\"\n[ignored]\nwhy = [\"eps\"]") ==
        "family.twice 8:8");
  CHECK(mistake("[only]\na = { runs = \"1\", asks = \"b\" }\n[ignored]\nwhy = [\"a\"]") == "family.twice 6:8");
  CHECK(mistake("[only]\na = { runs = \"1\" }") == "family.form 4:5");
  CHECK(mistake("[spellings]\neps = [\"epsilon\"]") == "family.unknown 4:1");
  CHECK(mistake("[new]\neps = \"1.0\"") == "family.unknown 4:1");
  CHECK(mistake("[keys]\neps = \"number\"\n[new]\neps = \"'small'\"") == "expression.types 6:8");
  CHECK(mistake("[keys]\ntypes = \"words\"\n[new]\ntypes = []") == "family.form 6:9");
  CHECK(mistake("[notes]\n\"norm.eps\" = { when = \"true\", says = \"\" }") == "family.unknown 4:1");
  CHECK(mistake("[refuse.value]\n\"1 + 2\" = \"three\"") == "expression.types 4:2");
  CHECK(mistake("[refuse.value]\n\"true\" = \"{three}\"") == "expression.unknown_name 4:10");
  CHECK(mistake("[refuse.value]\n\"kind == 'local'\" = \"of no layer\"") == "expression.unknown_name 4:2");
  CHECK(mistake("[layer]\nkind = \"i < 3 ? 'a' : null\"") == "family.form 4:8");
  CHECK(mistake("[checkpoint]\nname = \"llama\"") == "spec.unknown_key 4:1");
  CHECK(mistake("[checkpoint]\nnames = \"llama\"") == "family.checkpoint 4:1");
  CHECK(mistake("[checkpoint]\ndtype = \"f16\"") == "family.checkpoint 4:1");
  CHECK(mistake("[checkpoint.tensors]\nlm_head = 1") == "spec.type 4:11");
  CHECK(mistake("[spec]\n\"checkpoint.tensors.final_norm\" = \"'norm'\"") == "family.unknown 4:1");
  CHECK(mistake("[spec]\n\"checkpoint.tensors.lm_head\" = \"1\"\n[checkpoint.tensors]\nlm_head = \"head\"") ==
        "expression.types 4:33");
  CHECK(mistake("[absent]\nlm_head = \"lm_head.bias\"") == "family.unknown 4:1");
  CHECK(mistake("[spec]\n\"lm_head.bias\" = true\n[checkpoint.tensors]\nlm_head = \"head\"\n[absent]\n"
                "lm_head = \"lm_head.scale\"") == "family.unknown 8:11");
  const std::string eps =
      "[keys]\nepsilon = \"number? = null\"\n[spec]\n\"norm.eps\" = \"epsilon\"\n\"norm.bias\" = true\n"
      "[checkpoint.tensors]\nlm_head = \"head\"\n";
  CHECK(mistake(eps + "[present]\nlm_head = { \"norm.type\" = \"'layer_norm'\" }") == "family.unknown 11:13");
  CHECK(mistake(eps + "[present]\nlm_head = { \"norm.eps\" = \"1.0\" }") == "family.form 11:13");
  CHECK(mistake(eps + "[absent]\nlm_head = { \"norm.bias\" = \"1.0\" }") == "expression.types 11:28");
  CHECK(mistake(eps + "[absent]\nlm_head = { \"norm.bias\" = \"epsilon > 1\" }") == "expression.unknown_name 11:28");
  CHECK(mistake("[loop]\na = 1") == "family.section 3:2");
  CHECK(mistake("[keys") == "spec.syntax 3:6");
  Diagnostics diagnostics;
  read_family("tiny", {{"tiny.toml", "include = [\"none\"]"}}, diagnostics);
  CHECK(testing::errors_of(diagnostics).front() == "family.include 1:12");
  CHECK(mistake("include = [{ file = \"tiny\" }]") == "family.include 3:12");
  CHECK(mistake("include = [{ file = \"none\", under = \"text_config\" }]") == "family.include 3:21");
}

TEST_CASE(
    "what a file says stands in the place of what it includes: of a key that is ignored or has one value, of a field") {
  const std::string including = R"toml(architectures = ["TinyForCausalLM"]
model_type = "tiny"
include = ["common", "rope_theta"]
[keys]
is_decoder = "boolean = false"
[spec]
"norm.bias" = "is_decoder"
"position.rope_theta" = "2 * rope_theta"
"position.scaling" = "rope_scaling.rope_type"
[ignored]
"of no consequence here" = ["add_cross_attention"]
[only]
use_cache = { runs = "false", asks = "a cache" }
)toml";
  const std::string text =
      mapped(including, {{"is_decoder", true}, {"add_cross_attention", true}, {"rope_theta", 50.0}});
  CHECK(text == "[norm]\nbias = true\n\n[position]\ntype = \"rope\"\nrope_theta = 100.0\n");
  CHECK(mapped(including, {{"use_cache", true}}).find("a cache") != std::string::npos);
  CHECK(mapped(including, {{"is_encoder_decoder", true}}).find("an encoder") != std::string::npos);
}

TEST_CASE("a number of each layer is a list where layers differ, and has a value in each") {
  const std::string numbered = R"toml(architectures = ["TinyForCausalLM"]
model_type = "tiny"
[keys]
layers = "size = 3"
heads = "sizes"
thetas = "amounts?"
[spec]
"model.num_hidden_layers" = "layers"
"attention.num_attention_heads" = "2 * (heads[i] ?? 1)"
"position.rope_theta" = "thetas[i] ?? 5.0 == 0 ? 1e4 : thetas[i] ?? 5.0"
)toml";
  const std::string layers = "[model]\nnum_hidden_layers = 3  # transformers' default; config.json does not say\n\n";
  CHECK(mapped(numbered, {{"heads", {4, 8, 1}}, {"thetas", {0, 7.5, 1}}}) ==
        layers + "[position]\nrope_theta = [10000.0, 7.5, 1.0]\n\n[attention]\nnum_attention_heads = [8, 16, 2]\n");
  CHECK(mapped(numbered, {{"heads", {4, 4, 4}}}) ==
        layers + "[position]\nrope_theta = 5.0\n\n[attention]\nnum_attention_heads = 8\n");
  CHECK(mapped(numbered, {{"heads", {4, 4, 4}}, {"thetas", {-1, 1, 1}}}).find("numbers from 0 on") !=
        std::string::npos);
  CHECK(mistake("[keys]\nheads = \"sizes\"\n[spec]\n\"attention.num_attention_heads\" = \"heads[i]\"") ==
        "family.form 6:35");
  CHECK(mistake("[keys]\nlayers = \"size\"\n[spec]\n\"model.num_hidden_layers\" = \"layers + i\"") ==
        "expression.unknown_name 6:39");
  CHECK(mistake("[layer]\nkind = \"i == 0 ? 'a' : 'b'\"\n[spec]\n\"layers.a.norm.eps\" = \"1.0 + i\"") ==
        "expression.unknown_name 6:30");
}

TEST_CASE("which of several biases there are, an expression says as TOML has them") {
  const std::string biased = R"toml(architectures = ["TinyForCausalLM"]
model_type = "tiny"
[keys]
dense = "boolean = false"
all = "boolean = false"
[spec]
"attention.bias" = "all"
"lm_head.bias" = """dense ? (all ? '["dense", "matrix"]' : '["dense"]') : null"""
)toml";
  CHECK(mapped(biased, {{"dense", true}, {"all", true}}) ==
        "[attention]\nbias = true\n\n[lm_head]\nbias = [\"dense\", \"matrix\"]\n");
  CHECK(mapped(biased, {{"dense", true}, {"all", false}}) ==
        "[attention]\nbias = false\n\n[lm_head]\nbias = [\"dense\"]\n");
}

TEST_CASE("kinds of layer become a pattern that repeats, and lines for what differs") {
  CHECK(mapped(local_and_global, json::object()) ==
        "[model]\nnum_hidden_layers = 6  # transformers' default; config.json does not say\n\n"
        "[position]\nrope_theta = 1000000.0  # transformers' default; config.json does not say\n\n"
        "[layers]\npattern = [\"local\", \"local\", \"global\"]\n\n[layers.local]\n\n"
        "[layers.local.position]\nrope_theta = 10000.0  # transformers' default; config.json does not say\n\n"
        "[layers.global]\n");
  const std::string counted =
      mapped(local_and_global, {{"layers", 5}, {"types", {"local", "local", "local", "global", "global"}}});
  CHECK(counted.find("pattern = [\"local * 3\", \"global * 2\"]\n") != std::string::npos);
}

TEST_CASE("what does not run in one kind of layer is seen in whichever layer has that kind") {
  const std::string family = local_and_global + "[refuse.value]\n\"kind == 'global' && theta > 1e7\" = \"too large\"\n";
  CHECK(mapped(family, {{"theta", 2e6}}).find("too large") == std::string::npos);
  CHECK(mapped(family, {{"theta", 2e7}}).find("too large") != std::string::npos);
}

TEST_CASE("the pattern and its kinds are what a spec may say") {
  std::string text = mapped(R"toml(architectures = ["TinyForCausalLM"]
model_type = "tiny"
include = ["llama_layers", "rotary_scaling", "whole_heads"]
[keys]
vocab_size = "size = 100"
hidden_size = "size = 48"
intermediate_size = "size = 96"
num_hidden_layers = "size = 6"
num_attention_heads = "size = 4"
num_key_value_heads = "size?"
head_dim = "size?"
max_position_embeddings = "size = 64"
rms_norm_eps = "number = 1e-6"
hidden_act = "word = 'silu'"
tie_word_embeddings = "boolean = false"
[spec]
"layers.local.position.rope_theta" = "rope_theta / 100"
[layer]
kind = "i % 3 == 2 ? 'global' : 'local'"
)toml",
                            {{"rope_theta", 1e6}});
  text.insert(text.find("vocab_size"), "name = \"tiny\"\n");
  const testing::Judged judged = testing::judge(text + "\n[checkpoint]\nnames = \"llama\"\ndtype = \"f32\"\n");
  REQUIRE_MESSAGE((judged.spec && judged.contract), text << render(judged.diagnostics));
  REQUIRE(judged.spec->kinds.size() == 2);
  CHECK(judged.spec->kinds.at(0).position->rope_theta.value == 1e4);
  CHECK(judged.spec->kinds.at(1).position->rope_theta.value == 1e6);
  CHECK(judged.spec->layer_kinds == std::vector<std::size_t>{0, 0, 1, 0, 0, 1});
}

TEST_CASE("layers that are all of one kind are the model's, and need no pattern") {
  CHECK(mapped(local_and_global, {{"theta", 5}, {"local_theta", 7}, {"period", 7}}) ==
        "[model]\nnum_hidden_layers = 6  # transformers' default; config.json does not say\n\n"
        "[position]\nrope_theta = 7.0\n");
  CHECK(mapped(local_and_global, {{"theta", 5}, {"local_theta", 7}, {"period", 1}}).ends_with("rope_theta = 5.0\n"));
}

TEST_CASE("a refusal of layers holds where it holds of one, and says of which") {
  const std::string refusing =
      local_and_global + "[refuse.layers]\n\"types[i] == 'other'\" = \"layer {i} is {types[i]}\"\n";
  CHECK(mapped(refusing, {{"types", {"local", "local"}}, {"layers", 2}}).find("error") == std::string::npos);
  CHECK(mapped(refusing, {{"types", {"local", "other"}}, {"layers", 2}}).find("layer 1 is other [import.layers]") !=
        std::string::npos);
}

TEST_CASE("a key without a default is required") {
  const std::string text = "[keys]\nlayers = \"size\"\n[spec]\n\"model.num_hidden_layers\" = \"layers\"\n";
  CHECK(mapped(text, {{"layers", 3}}) == "[model]\nnum_hidden_layers = 3\n");
  CHECK(mapped(text, json::object()).find("'layers'") != std::string::npos);
}

TEST_CASE("a key that is named only where another asks for it is unknown elsewhere") {
  const std::string text =
      "architectures = [\"Tiny\"]\n[keys]\ntype = \"word = 'default'\"\nfactor = \"number = 1.0\"\n"
      "[spec]\n\"position.rope_theta\" = \"type == 'linear' ? factor : null\"\n";
  CHECK(mapped(text, {{"type", "linear"}, {"factor", 3}}) == "[position]\nrope_theta = 3.0\n");
  CHECK(mapped(text, {{"type", "default"}}).empty());
  CHECK(mapped(text, {{"factor", 3}}).find("import.unknown_key") != std::string::npos);
}

TEST_CASE("keys inside of objects inside of objects are accounted for one by one") {
  const std::string text =
      "architectures = [\"Tiny\"]\n[keys]\n\"rope.local.theta\" = \"number = 5.0\"\n"
      "[spec]\n\"position.rope_theta\" = \"rope.local.theta\"\n";
  CHECK(mapped(text, {{"rope", {{"local", {{"theta", 7}}}}}}) == "[position]\nrope_theta = 7.0\n");
  CHECK(mapped(text, {{"rope", {{"local", nullptr}}}}).find("rope_theta = 5.0") != std::string::npos);
  CHECK(mapped(text, {{"rope", {{"local", {{"beta", 7}}}}}}).find("'rope.local.beta' is not a key") !=
        std::string::npos);
  CHECK(mapped(text, {{"rope", {{"other", 7}}}}).find("'rope.other' is not a key") != std::string::npos);
  CHECK(mapped(text, {{"rope", {{"local", 7}}}}).find("'rope.local' is 7; an object or null") != std::string::npos);
}

TEST_CASE("every attribute of the library's configuration classes is mapped, refused or ignored") {
  const json listed =
      json::parse(read_file(std::string(MONOMORPH_SOURCE_DIR) + "/tests/generator/import/config_attributes.json"));
  for (const auto& [name, family] : families()) {
    CAPTURE(name);
    REQUIRE(listed["families"].contains(name));
    for (const json& attribute : listed["families"][name]) {
      CAPTURE(attribute.get<std::string>());
      CHECK(is_accounted_for(family, attribute.get<std::string>()));
    }
  }
}
