// diff: what one model has other than another.
#include "generator/report/difference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "generator/spec/explain.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

/// A spec with its plan.
struct Planned {
  Planned(const std::shared_ptr<const Source>& source, std::vector<Override> changes)
      : overrides(std::move(changes)), judged(judge(source, overrides)) {
    INFO(render(judged.diagnostics));
    REQUIRE(judged.contract);
    graph = build_graph(*judged.contract);
    plan = make_plan(*judged.contract, graph);
  }
  ComparedModel model(const char* name) const { return {name, *judged.spec, overrides, *judged.contract, graph, plan}; }
  std::vector<Override> overrides;
  Judged judged;
  Graph graph;
  Plan plan;
};

Difference compare(const std::shared_ptr<const Source>& a, const std::shared_ptr<const Source>& b,
                   const std::vector<Override>& of_b = {}) {
  return compare_models(Planned(a, {}).model("a"), Planned(b, of_b).model("b"));
}

/// Of the tiny spec, what changes make of it.
Difference changed(const std::vector<Override>& changes) { return compare(as_source(tiny), as_source(tiny), changes); }

/// "what (layers): before -> after"
std::vector<std::string> lines(const std::vector<Change>& changes) {
  std::vector<std::string> result;
  for (const Change& change : changes) {
    result.push_back(change.what + (change.layers.empty() ? "" : " (" + change.layers + ")") + ": " + change.before +
                     " -> " + change.after);
  }
  return result;
}

const CountChange* count(const Difference& difference, const std::string& what) {
  const auto found = std::ranges::find(difference.counts, what, &CountChange::what);
  return found == difference.counts.end() ? nullptr : &*found;
}

using Lines = std::vector<std::string>;

/// Two kinds of layer that take turns, by these names.
std::string of_kinds(const std::string& one, const std::string& other) {
  return tiny + "[layers]\npattern = [\"" + one + "\", \"" + other + "\"]\n[layers." + one +
         "]\nattention.sliding_window = 16\n[layers." + other + "]\n";
}

}  // namespace

TEST_CASE("every shipped model means what its explained spec means, which is written otherwise") {
  for (const auto& entry : std::filesystem::directory_iterator(MONOMORPH_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path().string());
    const auto source = read_source(entry.path().string());
    const Difference difference = compare(source, as_source(explain_spec(*judge(source).spec)));
    INFO(difference_text(difference));
    CHECK(difference.none());
  }
}

TEST_CASE("what means the same is no difference, however it is written") {
  for (const std::vector<Override>& changes :
       std::vector<std::vector<Override>>{{{"attention.head_dim", "24"}},
                                          {{"attention.scale", "1 / sqrt(24)"}},
                                          {{"layers.pattern", "[\"layer * 4\"]"}, {"layers.layer", "{}"}},
                                          {{"model.name", "other"}},
                                          {{"mlp.activation", "x * sigmoid(x)"}}}) {
    CAPTURE(changes.front().path);
    const Difference difference = changed(changes);
    INFO(difference_text(difference));
    CHECK(difference.none());
    CHECK(difference_text(difference) == "a and b mean the same\n");
  }
  CHECK(compare(as_source(of_kinds("local", "global")), as_source(of_kinds("near", "far"))).none());
}

TEST_CASE("a changed number is told with the tensors, costs and kernels that it changes") {
  const Difference difference = changed({{"attention.num_key_value_heads", "1"}});
  CHECK_FALSE(difference.none());
  CHECK_FALSE(difference.same_meaning);
  CHECK(lines(difference.fields) == Lines{"attention.num_key_value_heads: 2 -> 1"});
  CHECK(lines(difference.tensors) == Lines{"layers.{i}.attention.k: [48, 96] f16 -> [24, 96] f16",
                                           "layers.{i}.attention.v: [48, 96] f16 -> [24, 96] f16"});
  REQUIRE(count(difference, "parameters"));
  CHECK(count(difference, "parameters")->before - count(difference, "parameters")->after == 4 * 2 * 24 * 96);
  CHECK(count(difference, "  of mlp") == nullptr);
  REQUIRE(count(difference, "keys and values of a token"));
  CHECK(count(difference, "keys and values of a token")->before == 4 * 2 * 48 * 2);
  CHECK(count(difference, "keys and values of a token")->after == 4 * 2 * 24 * 2);
  const Lines kernels = lines(difference.kernels);
  CHECK(std::ranges::count(
            kernels, "attention_decode: kv_group_size = 2, state_heads = 2 -> kv_group_size = 4, state_heads = 1") ==
        1);
  CHECK(std::ranges::none_of(kernels, [](const std::string& line) { return line.starts_with("down_proj"); }));
}

TEST_CASE("defaults that follow from a changed value are told, expressions that are written alike are not") {
  CHECK(lines(changed({{"attention.head_dim", "32"}}).fields) ==
        Lines{"position.rotary_dim: 24 -> 32", "attention.head_dim: 24 -> 32"});
}

TEST_CASE("a part with a tensor of each head is told by the name that counts them") {
  const auto named = [](const std::string& name) {
    return changed({{"checkpoint.tensors.\"layers.{i}.attention.v\"", name}});
  };
  CHECK(lines(named("l.{i}.v.{j}").names) ==
        Lines{"layers.{i}.attention.v: model.layers.{i}.self_attn.v_proj.weight -> l.{i}.v.{j}.weight"});
}

TEST_CASE("layers are compared one by one, whatever their kinds are called") {
  const Difference difference = compare(as_source(tiny), as_source(of_kinds("near", "far")));
  CHECK(lines(difference.fields) == Lines{"attention.sliding_window (0,2):  -> 16"});
  CHECK(difference.tensors.empty());
  const Difference longer = changed({{"model.num_hidden_layers", "6"}});
  CHECK(lines(longer.fields) == Lines{"model.num_hidden_layers: 4 -> 6"});
  REQUIRE(longer.tensors.size() == 9);
  CHECK(lines(longer.tensors).front() == "layers.{i}.attention.input_norm (4-5):  -> [96] f16");
  const Lines kernels = lines(longer.kernels);
  CHECK(std::ranges::count(kernels, "down_proj_add_decode_f16: 4 x decode -> 6 x decode") == 1);
}

TEST_CASE(
    "types and names of tensors, the engine and the tokenizer may differ where all fields of the model are alike") {
  const Difference dtype = changed({{"checkpoint.dtype", "bf16"}});
  CHECK_FALSE(dtype.none());
  CHECK(dtype.fields.empty());
  CHECK(lines(dtype.tensors).front() == "embedding.tokens: [100, 96] f16 -> [100, 96] bf16");
  const Difference names = changed({{"checkpoint.tensors", "{ final_norm = \"last\" }"}});
  CHECK(names.same_meaning);
  CHECK_FALSE(names.none());
  CHECK(difference_text(names).find("\nBoth compute the same of the same weights.\n") != std::string::npos);
  CHECK(lines(names.names) == Lines{"final_norm: model.norm.weight -> last.weight"});
  CHECK(lines(changed({{"tokenizer.eos_token_id", "2"}}).fields) == Lines{"tokenizer.eos_token_id:  -> [2]"});
  CHECK(lines(changed({{"engine.max_batch", "3"}}).fields) == Lines{"engine.max_batch: 1 -> 3"});
  CHECK(changed({{"engine.weights", "q8_0"}}).tensors.front().after == "[100, 96] f16 as q8_0");
}

TEST_CASE("an encoder's layers are compared as the model's own are, and told as its sections are called") {
  const auto answers = read_source(MONOMORPH_SOURCE_DIR "/tests/cases/pass/encoder.toml");
  const Difference wider = compare(answers, answers, {{"encoder.mlp.intermediate_size", "48"}});
  CHECK(lines(wider.fields) == Lines{"encoder.mlp.intermediate_size: 44 -> 48"});
  CHECK(lines(wider.tensors) == Lines{"encoder.layers.{i}.mlp.up: [44, 24] f32 -> [48, 24] f32",
                                      "encoder.layers.{i}.mlp.down: [24, 44] f32 -> [24, 48] f32"});
  const Difference deeper = compare(answers, answers, {{"encoder.num_hidden_layers", "3"}});
  CHECK(lines(deeper.fields) == Lines{"encoder.num_hidden_layers: 2 -> 3"});
  CHECK_FALSE(deeper.tensors.empty());
  const Difference other = compare(answers, answers, {{"encoder.final_norm.eps", "1e-4"}});
  CHECK(lines(other.fields).size() == 1);
}

TEST_CASE("the text signs what is added and removed, and JSON has the same") {
  const Difference difference = changed({{"attention.qk_norm", "head"}});
  const std::string text = difference_text(difference);
  CHECK(text.starts_with("--- a\n+++ b\n\nFields\n  attention.qk_norm  \"none\" -> \"head\"\n"));
  CHECK(text.find("\n+ layers.{i}.attention.q_norm  [24] f16\n") != std::string::npos);
  const auto json = nlohmann::json::parse(difference_json(difference));
  CHECK(json.at("same") == false);
  CHECK(json.at("fields").at(0).at("after") == "\"head\"");
  CHECK(json.at("tensors").size() == 2);
  CHECK(json.at("counts").at(0).at("what") == "parameters");
}
