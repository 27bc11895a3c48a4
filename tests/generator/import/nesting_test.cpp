// Families whose keys stand in an object of config.json: what they include `under` it is read there.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tests/generator/import/mapped.hpp"
#include "tests/generator/spec/sections.hpp"

using namespace monomorph::generator;
using monomorph::tests::mapped;
using json = nlohmann::ordered_json;

namespace {

const std::map<std::string, std::string> decoder = {{"decoder.toml", R"toml(architectures = ["DecoderForCausalLM"]
model_type = "decoder"
[keys]
layers = "size = 6"
types = "words?"
theta = "number = 5.0"
act = "word = 'silu'"
"rope.factor" = "number?"
[spellings]
theta = ["rope.theta"]
[spec]
"model.num_hidden_layers" = "layers"
"position.rope_theta" = "theta"
"position.factor" = "rope.factor"
"mlp.activation" = "act == 'theta' ? 'silu' : act"
[notes]
"mlp.activation" = { when = "act == 'theta'", says = "'theta' in config.json" }
[layer]
kind = "types[i] ?? 'global'"
[refuse.value]
"types.length ?? layers != layers" = "'types' has {types.length} of {layers}"
"theta > 100 && kind == 'global'" = "theta is {theta}"
[only]
bias = { runs = "false", asks = "biases" }
[ignored]
"used in training only" = ["dropout"]
[checkpoint]
prefix = ["model."]
ignore = [{ name = "mask", why = "a buffer" }]
[checkpoint.tensors]
lm_head = "head"
final_norm = "norm"
[tokenizer]
bos_token_id = 1
eos_token_id = 2
[new]
types = ["local", "global"]
)toml"}};

const std::string with_images = R"toml(architectures = ["BothForConditionalGeneration"]
model_type = "both"
include = [{ file = "decoder", under = "text_config" }]
[ignored]
"images are not read" = ["vision_config"]
[checkpoint]
prefix = ["language_model."]
ignore = [{ name = "vision", why = "images are not read" }]
[checkpoint.tensors]
final_norm = "last_norm"
[tokenizer]
eos_token_id = 3
)toml";

std::string both(const json& text_config) {
  return mapped(with_images, {{"vision_config", {{"layers", 2}}}, {"text_config", text_config}}, decoder);
}

bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

Family family_of(const std::string& text) {
  FamilyFiles files = {{"both.toml", text}};
  files.insert(decoder.begin(), decoder.end());
  Diagnostics diagnostics;
  std::optional<Family> family = read_family("both", files, diagnostics);
  REQUIRE_MESSAGE(family, render(diagnostics));
  return std::move(*family);
}

/// What `read(config, family, directory, diagnostics)` gives of this config.json, which holds no mistake.
template <class Read>
std::string read_as_both(const json& config, const Read& read) {
  const monomorph::tests::TemporaryDirectory directory;
  const Family family = family_of(with_images);
  Diagnostics diagnostics;
  const auto file = read_json_file(directory.write("config.json", config.dump()), diagnostics);
  REQUIRE(file);
  Config reader(*file, diagnostics);
  reader.resolve(family);
  const std::string result = read(reader, family, directory.path().string(), diagnostics);
  CHECK_MESSAGE(!diagnostics.has_errors(), render(diagnostics));
  return result;
}

}  // namespace

TEST_CASE("a decoder's keys are read in the object that holds its config") {
  CHECK(both({{"layers", 2}, {"theta", 7}, {"rope", {{"factor", 2.5}}}, {"types", {"a", "b"}}, {"act", "theta"}}) ==
        "[model]\nnum_hidden_layers = 2\n\n[position]\nrope_theta = 7.0\nfactor = 2.5\n\n"
        "[mlp]\nactivation = \"silu\"  # 'theta' in config.json\n\n"
        "[layers]\npattern = [\"a * 1\", \"b * 1\"]\n\n[layers.a]\n\n[layers.b]\n");
  CHECK(says(both({{"rope", {{"theta", 8}}}}), "rope_theta = 8.0"));
  CHECK(says(both({{"theta", 7}, {"rope", {{"theta", 8}}}}), "'text_config.rope.theta' is 8, but 'text_config.theta'"));
  CHECK(says(mapped(with_images, json::object(), decoder), "num_hidden_layers = 6  # transformers' default"));
  CHECK(says(mapped(with_images, {{"text_config", 7}}, decoder), "'text_config' is 7; an object or null"));
}

TEST_CASE("every key of the object is mapped, ignored for a reason, or an error with its path") {
  CHECK_FALSE(says(both({{"dropout", 0.5}, {"bias", false}}), "error"));
  CHECK(says(both({{"foo", 7}}), "'text_config.foo' is not a key that BothForConditionalGeneration is known to have"));
  CHECK(says(both({{"rope", {{"foo", 7}}}}), "'text_config.rope.foo' is not a key"));
  CHECK(says(both({{"bias", true}}), "'text_config.bias' is true, which asks for biases"));
  CHECK(says(both({{"layers", "2"}}), "'text_config.layers' is \"2\"; a positive integer"));
  CHECK(says(mapped(with_images, {{"layers", 2}}, decoder), "'layers' is not a key"));
  CHECK(says(mapped(with_images, {{"dropout", 2}}, decoder), "'dropout' is not a key"));
}

TEST_CASE("what a decoder's family refuses is refused in the object, and shown") {
  CHECK(says(both({{"types", {"a", "b"}}}), "'types' has 2 of 6"));
  CHECK(says(both({{"theta", 200}}), "theta is 200"));
  CHECK_FALSE(says(both({{"theta", 200}, {"types", {"a", "a", "a", "a", "a", "a"}}}), "error"));
}

TEST_CASE("the object is of the family that is included, and its architectures decide nothing") {
  CHECK_FALSE(
      says(both({{"model_type", "decoder"}, {"architectures", {"Any"}}, {"transformers_version", "5"}}), "error"));
  CHECK(says(both({{"model_type", "other"}}),
             "'text_config.model_type' is \"other\", which asks for a model of another family"));
  const Family family = family_of(with_images);
  CHECK(family.model_type == "both");
  CHECK(family.architectures == std::vector<std::string>{"BothForConditionalGeneration"});
  CHECK(family.start.contains("text_config.types"));
}

TEST_CASE("what import reads itself it reads at the top, and in the object where the top does not say it") {
  const auto path = [](const json& text) {
    return read_as_both(text, [](Config& config, const Family& family, const std::string&, Diagnostics&) {
      const std::string own = config.own_path("eos_token_id");
      config.account_for_rest(family, {});
      return own;
    });
  };
  CHECK(path({{"text_config", {{"eos_token_id", 5}}}}) == "text_config.eos_token_id");
  CHECK(path({{"eos_token_id", nullptr}, {"text_config", {{"eos_token_id", 5}}}}) == "text_config.eos_token_id");
  CHECK(path({{"eos_token_id", 4}, {"text_config", {{"eos_token_id", 5}}}}) == "eos_token_id");
  CHECK(path(json::object()) == "eos_token_id");
}

TEST_CASE("the type of tensors is the top's, in either spelling, and else the object's") {
  const auto dtype = [](const json& text) {
    return read_as_both(text,
                        [](Config& config, const Family& family, const std::string& directory, Diagnostics& said) {
                          SpecLines lines;
                          read_checkpoint(config, directory, family, family.checkpoint, true, lines, said);
                          return std::ranges::find(lines, "dtype", &SpecLine::key)->value;
                        });
  };
  CHECK(dtype({{"text_config", {{"dtype", "float16"}}}}) == "\"f16\"");
  CHECK(dtype({{"torch_dtype", "bfloat16"}, {"text_config", {{"dtype", "float16"}}}}) == "\"bf16\"");
  CHECK(dtype({{"dtype", "bfloat16"}, {"text_config", {{"torch_dtype", "float16"}}}}) == "\"bf16\"");
}

TEST_CASE("names of tensors and ids of tokens are those included, with what the family says in their place") {
  const Family family = family_of(with_images);
  CHECK(family.checkpoint.prefix.value == std::vector<std::string>{"language_model."});
  CHECK(family.checkpoint.tensors.at("lm_head").name == "head");
  CHECK(family.checkpoint.tensors.at("final_norm").name == "last_norm");
  REQUIRE(family.checkpoint.ignore.size() == 2);
  CHECK(family.checkpoint.ignore[0].name == "mask");
  CHECK(family.checkpoint.ignore[1].name == "vision");
  CHECK(family.tokenizer.bos_token_id.value == 1);
  CHECK(family.tokenizer.eos_token_id.value == std::vector<std::int64_t>{3});
}

TEST_CASE("an object may stand in an object") {
  const std::string deep = "architectures = [\"Deep\"]\ninclude = [{ file = \"both\", under = \"thinker\" }]\n";
  std::map<std::string, std::string> files = decoder;
  files["both.toml"] = with_images;
  CHECK(says(mapped(deep, {{"thinker", {{"text_config", {{"layers", 4}}}}}}, files), "num_hidden_layers = 4\n"));
  CHECK(says(mapped(deep, {{"thinker", {{"text_config", {{"foo", 4}}}}}}, files), "'thinker.text_config.foo'"));
}

TEST_CASE("layers that both stacks have are told by one file, and the encoder's keep their own pattern and names") {
  const std::map<std::string, std::string> files = {{"layers.toml", R"toml(
[keys]
vocab_size = "size = 7"
layers = "size = 4"
width = "size = 8"
window = "size = 3"
types = "words?"
[spec]
"model.vocab_size" = "vocab_size"
"model.hidden_size" = "width"
"model.num_hidden_layers" = "layers"
"attention.head_dim" = "width"
"layers.local.attention.sliding_window" = "window"
"lm_head.softcap" = "30.0"
[layer]
kind = "types[i] ?? (i % 2 == 0 ? 'local' : 'global')"
[refuse.types]
"types[i] == 'other'" = "layer {i} is {types[i]}"
[checkpoint.tensors]
"layers.{i}.attention.q" = "q.{i}"
lm_head = "head"
)toml"}};
  const std::string text = R"toml(architectures = ["TwoForConditionalGeneration"]
model_type = "two"
include = [
  { file = "layers", under = "decoder" },
  { file = "layers", under = "encoder", stack = "encoder" },
]
[spec]
"encoder.layers.local.attention.sliding_window" = "encoder.window + 1"
[refuse.vocabularies]
"encoder.vocab_size != decoder.vocab_size" = "{encoder.vocab_size} and {decoder.vocab_size}"
[checkpoint.tensors]
"encoder.layers.{i}.attention.q" = "encoder.q.{i}"
)toml";
  const auto of = [&](const json& decoder, const json& encoder) {
    return mapped(text, {{"decoder", decoder}, {"encoder", encoder}}, files);
  };
  const auto without_notes = [](std::string lines) {
    for (std::size_t at = lines.find("  #"); at != std::string::npos; at = lines.find("  #")) {
      lines.erase(at, lines.find('\n', at) - at);
    }
    return lines;
  };
  CHECK(without_notes(of(json::object(), {{"layers", 3}, {"types", {"global", "local", "global"}}, {"width", 6}})) ==
        "[model]\nvocab_size = 7\nhidden_size = 8\nnum_hidden_layers = 4\n\n[attention]\nhead_dim = 8\n\n"
        "[layers]\npattern = [\"local\", \"global\"]\n\n[layers.local]\n\n[layers.local.attention]\n"
        "sliding_window = 3\n\n[layers.global]\n\n"
        "[encoder]\nnum_hidden_layers = 3\nhidden_size = 6\n\n[encoder.attention]\nhead_dim = 6\n\n"
        "[encoder.layers]\npattern = [\"global\", \"local\"]\n\n[encoder.layers.global]\n\n[encoder.layers.local]\n\n"
        "[encoder.layers.local.attention]\nsliding_window = 4\n\n[lm_head]\nsoftcap = 30.0\n");
  // What all of the decoder's layers have is not the encoder's.
  const std::string one_kind =
      of({{"types", {"local", "local"}}, {"layers", 2}}, {{"types", {"global"}}, {"layers", 1}});
  CHECK(says(one_kind, "[layers]\npattern = [\"local\"]\n"));
  CHECK_FALSE(says(one_kind, "[encoder.layers]"));
  // A condition of layers holds of either stack's.
  CHECK(says(of(json::object(), {{"layers", 6}, {"types", {"a", "a", "a", "a", "a", "other"}}}), "layer 5 is other"));
  CHECK(says(of(json::object(), {{"vocab_size", 9}}), "9 and 7"));

  // What tensors tell, they tell of the encoder's parts and fields.
  FamilyFiles told = {{"two.toml", text}};
  const std::string by_tensor = files.at("layers.toml") +
                                "[absent]\n\"layers.{i}.attention.q\" = \"attention.head_dim\"\n"
                                "[present]\nlm_head = \"lm_head.softcap\"\n"
                                "\"layers.{i}.attention.q\" = { \"attention.head_dim\" = \"2\" }\n";
  told["layers.toml"] = by_tensor;
  Diagnostics none;
  const std::optional<Family> both = read_family("two", told, none);
  REQUIRE_MESSAGE(both, render(none));
  std::set<std::string> all;
  for (const auto& [part, is_there, field, value] : both->told_by_tensor) {
    all.insert(fmt::format("{} {}: {} {}", is_there ? "with" : "without", part, field, value.text));
  }
  CHECK(all == std::set<std::string>{"without layers.{i}.attention.q: attention.head_dim ",
                                     "without encoder.layers.{i}.attention.q: encoder.attention.head_dim ",
                                     "with lm_head: lm_head.softcap ",
                                     "with layers.{i}.attention.q: attention.head_dim 2",
                                     "with encoder.layers.{i}.attention.q: encoder.attention.head_dim 2"});

  Diagnostics diagnostics;
  const std::string asks =
      "architectures = [\"A\"]\ninclude = [{ file = \"b\", under = \"c\", stack = \"encoder\" }]\n";
  CHECK_FALSE(
      read_family("a", {{"a.toml", asks}, {"b.toml", "[refuse.x]\n\"kind == 'local'\" = \"no\"\n"}}, diagnostics));
  CHECK(says(render(diagnostics), "the kind of one of the model's own layers"));
}
