// What modules.json and the files it names say: as keys of a config.json, as a checkpoint's tensors, and how they are
// refused.
#include "runtime/formats/sentence_transformers.hpp"

#include <doctest/doctest.h>

#include <map>

#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/formats/json.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

using Files = std::map<std::string, std::string>;

std::string module(const std::string& type, const std::string& path) {
  return R"({"idx": 0, "name": "x", "path": ")" + path + R"(", "type": "sentence_transformers.models.)" + type +
         R"("})";
}

/// A Transformer, a mean, two dense layers and a division by the length.
Files whole() {
  return {
      {"modules.json", "[" + module("Transformer", "") + ", " + module("Pooling", "1_Pooling") + ", " +
                           module("Dense", "2_Dense") + ", " + module("Dense", "3_Dense") + ", " +
                           module("Normalize", "4_Normalize") + "]"},
      {"1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false})"},
      {"2_Dense/config.json",
       R"({"in_features": 4, "out_features": 3, "bias": false, "activation_function": "torch.nn.modules.linear.Identity"})"},
      {"3_Dense/config.json", R"({"in_features": 3, "out_features": 2})"},
      {"sentence_bert_config.json", R"({"max_seq_length": 256, "do_lower_case": false})"},
  };
}

struct Directory {
  explicit Directory(const Files& files) {
    for (const auto& [name, text] : files) files_.write(name, text);
  }
  const std::filesystem::path& path() const { return files_.path(); }
  std::string write(const std::string& name, const std::string& text) const { return files_.write(name, text); }

 private:
  TemporaryDirectory files_;
};

Json facts_of(const Files& files) {
  const Directory directory(files);
  return Json::parse(with_sentence_transformers("{\"a\": 1}", directory.path())).at("sentence_transformers");
}

/// With what these files are refused, one of them other than in whole().
std::string refusal(const std::string& file, const std::string& text) {
  Files files = whole();
  files[file] = text;
  const Directory directory(files);
  const std::string said = refused_with([&] { with_sentence_transformers("{}", directory.path()); });
  CHECK(said.find((directory.path() / file).string()) == 0);
  return said;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string with(const std::string& type) {
  return "[" + module("Transformer", "") + ", " + module("Pooling", "1_Pooling") + ", " + module(type, "2_Dense") + "]";
}

}  // namespace

TEST_CASE("a config.json without modules beside it stays as it is, and one with them has one key more") {
  const Directory none({});
  CHECK(with_sentence_transformers("{\"a\": 1}\n", none.path()) == "{\"a\": 1}\n");
  CHECK(dense_modules(none.path()).empty());
  const Directory directory(whole());
  const std::string added = with_sentence_transformers("{\"a\": 1}\n", directory.path());
  CHECK(added.starts_with("{\"a\": 1, \"sentence_transformers\": {"));
  CHECK(added.ends_with("}}\n"));
  CHECK(with_sentence_transformers("{}", directory.path()).starts_with("{\"sentence_transformers\": {"));
  CHECK(with_sentence_transformers("no object", directory.path()) == "no object");
}

TEST_CASE("pooling, dense layers and settings are told in this house's words") {
  const Json facts = facts_of(whole());
  CHECK(facts.at("pooling") == "mean");
  CHECK(facts.at("normalize") == true);
  CHECK(facts.at("dense") == 2);
  CHECK(facts.at("others") == "");
  CHECK(facts.at("include_prompt") == true);
  CHECK(facts.at("max_seq_length") == 256);
  CHECK(facts.at("do_lower_case") == false);
  CHECK(facts.at("default_prompt_name").is_null());
  CHECK(facts.at("first_dense") ==
        Json::parse(R"({"in_features": 4, "out_features": 3, "bias": false, "activation": null})"));
  // The library's defaults: a bias, and Tanh.
  CHECK(facts.at("second_dense") ==
        Json::parse(R"({"in_features": 3, "out_features": 2, "bias": true, "activation": "tanh"})"));

  Files other = whole();
  other["1_Pooling/config.json"] = R"({"pooling_mode": "lasttoken", "include_prompt": false})";
  other["3_Dense/config.json"] =
      R"({"in_features": 3, "out_features": 2, "activation_function": "torch.nn.modules.activation.Mish", "module_input_name": "sentence_embedding"})";
  other["config_sentence_transformers.json"] = R"({"prompts": {"query": "find "}, "default_prompt_name": "query"})";
  const Json changed = facts_of(other);
  CHECK(changed.at("pooling") == "last");
  CHECK(changed.at("include_prompt") == false);
  CHECK(changed.at("default_prompt_name") == "query");
  CHECK(changed.at("second_dense").at("activation") == "torch.nn.modules.activation.Mish");  // for the family to refuse
}

TEST_CASE("what stands elsewhere than in its order, or is another module, is told") {
  Files files = whole();
  const auto others = [&](const std::string& modules) {
    files["modules.json"] = modules;
    files["5_Other/config.json"] = files["1_Pooling/config.json"];
    return facts_of(files).at("others").string();
  };
  CHECK(others(with("LayerNorm")) == "LayerNorm");
  CHECK(others("[" + module("Dense", "2_Dense") + ", " + module("Pooling", "1_Pooling") + "]") ==
        "Dense before Pooling, Pooling behind others");
  CHECK(others("[" + module("Pooling", "1_Pooling") + ", " + module("Normalize", "") + ", " +
               module("Dense", "2_Dense") + "]") == "Dense behind Normalize");
  files["modules.json"] = "[" + module("Pooling", "1_Pooling") + ", " + module("Pooling", "5_Other") + "]";
  CHECK(facts_of(files).at("pooling") == "mean, then mean");
  files["modules.json"] = with("Normalize");
  files["1_Pooling/config.json"] = R"({"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true})";
  CHECK(facts_of(files).at("pooling") == "mean + max");
}

TEST_CASE("a file of modules that does not say what it has to is refused by name") {
  CHECK(contains(refusal("modules.json", "{"), "this is no JSON"));
  CHECK(contains(refusal("modules.json", "{}"), "a list of modules belongs here"));
  for (const char* module :
       {"[1]", R"([{"type": "a.Pooling"}])", R"([{"path": "1_Pooling"}])", R"([{"type": 1, "path": ""}])"}) {
    CHECK(contains(refusal("modules.json", module), "a module has no 'type' or no 'path'"));
  }
  CHECK(contains(refusal("1_Pooling/config.json", "[]"), "an object that says how to pool belongs here"));
  CHECK(contains(refusal("1_Pooling/config.json", R"({"pooling_mode_mean_tokens": 1})"),
                 "'pooling_mode_mean_tokens' is neither true nor false"));
  const std::string dense = "2_Dense/config.json";
  CHECK(contains(refusal(dense, "1"), "an object that says how wide a dense layer is belongs here"));
  CHECK(contains(refusal(dense, R"({"in_features": 4})"), "'out_features' has to be a positive whole number"));
  CHECK(contains(refusal(dense, R"({"in_features": 0, "out_features": 3})"), "'in_features' has to be"));
  CHECK(contains(refusal(dense, R"({"in_features": 4.5, "out_features": 3})"), "'in_features' has to be"));
  CHECK(contains(refusal(dense, R"({"in_features": 4, "out_features": 3, "bias": "no"})"), "'bias' is neither"));
  CHECK(contains(refusal(dense, R"({"in_features": 4, "out_features": 3, "rank": 2})"), "'rank' is no key of a dense"));
  CHECK(contains(refusal(dense, R"({"in_features": 4, "out_features": 3, "activation_function": 1})"),
                 "'activation_function' is no name"));
  CHECK(contains(refusal(dense, R"({"in_features": 4, "out_features": 3, "module_input_name": "token_embeddings"})"),
                 "a dense layer runs of texts' vectors alone"));
  CHECK(contains(refusal("sentence_bert_config.json", "[]"), "an object belongs here"));
  CHECK(contains(refusal("sentence_bert_config.json", R"({"do_lower_case": 1})"), "'do_lower_case' is neither"));
  CHECK(contains(refusal("config_sentence_transformers.json", "no"), "this is no JSON"));

  Files without = whole();
  without.erase("2_Dense/config.json");
  const Directory directory(without);
  CHECK(contains(refused_with([&] { with_sentence_transformers("{}", directory.path()); }), "2_Dense/config.json"));
}

TEST_CASE("tensors of dense layers stand in the checkpoint under names of their own, whatever its prefix") {
  const Directory directory(whole());
  directory.write("model.safetensors", safetensors({{"model.norm.weight", "F32", {4}, ""}}));
  directory.write("2_Dense/model.safetensors", safetensors({{"linear.weight", "F32", {3, 4}, ""}}));
  const auto open = [&] { return Checkpoint::open(directory.path()); };
  CHECK(contains(refused_with(open, ErrorKind::environment), "3_Dense"));
  directory.write("3_Dense/model.safetensors",
                  safetensors({{"linear.weight", "F32", {2, 3}, ""}, {"linear.bias", "F32", {2}, ""}}));
  const Checkpoint checkpoint = open();
  CHECK(checkpoint.tensors().size() == 4);
  CHECK(checkpoint.find("model.norm.weight") != nullptr);
  REQUIRE(checkpoint.find("first_dense.linear.weight") != nullptr);
  CHECK(checkpoint.find("first_dense.linear.weight")->shape == std::vector<std::int64_t>{3, 4});
  REQUIRE(checkpoint.find("second_dense.linear.weight") != nullptr);
  CHECK(checkpoint.find("second_dense.linear.weight")->shape == std::vector<std::int64_t>{2, 3});
  CHECK(checkpoint.find("second_dense.linear.bias") != nullptr);
}

TEST_CASE("dense layers stand outside the model, whose tensors may have a prefix") {
  CHECK(prefixed("model.", "norm.weight") == "model.norm.weight");
  CHECK(prefixed("model.", "second_dense.linear.bias") == "second_dense.linear.bias");
  CHECK(without_prefix("model.", "model.norm.weight") == "norm.weight");
  CHECK(without_prefix("model.", "norm.weight") == std::nullopt);
  CHECK(without_prefix("model.", "first_dense.linear.weight") == "first_dense.linear.weight");
  CHECK(without_prefix("", "norm.weight") == "norm.weight");
}

TEST_CASE("beside modules a class of language modelling is read as the one without a head") {
  const auto loaded = [](const std::string& name, bool modules) {
    return loaded_class(Json::parse(R"({"architectures": [")" + name + "\"]" +
                                    (modules ? R"(, "sentence_transformers": {"pooling": "mean"}})" : "}")));
  };
  CHECK(loaded("Qwen3ForCausalLM", true) == "Qwen3Model");
  CHECK(loaded("BertForMaskedLM", true) == "BertModel");
  CHECK(loaded("GPT2LMHeadModel", true) == "GPT2Model");
  CHECK(loaded("BertModel", true) == "BertModel");
  CHECK(loaded("BertForSequenceClassification", true) == "BertForSequenceClassification");
  CHECK(loaded("Qwen3ForCausalLM", false) == "Qwen3ForCausalLM");
  CHECK(loaded_class(Json::parse("{}")) == "");
  CHECK(loaded_class(Json::parse(R"({"architectures": []})")) == "");
}
