// checkpoint.names: what a family's file says of its tensors is what a spec may say in a word.
#include "generator/spec/name_tables.hpp"

#include <doctest/doctest.h>

#include "generator/spec/family_files.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using testing::errors_of;
using testing::judge;
using testing::Judged;
using testing::tiny;

namespace {

using Texts = std::vector<std::string>;

CheckpointSection named(const std::string& family, const std::string& lines = "") {
  const Judged judged = judge(tiny + lines, {{"checkpoint.names", family}});
  REQUIRE(judged.spec);
  return *judged.spec->checkpoint;
}

std::string name_of(const CheckpointSection& checkpoint, const std::string& part) {
  const auto line = checkpoint.tensors.find(part);
  return line == checkpoint.tensors.end() ? "" : line->second.name;
}

}  // namespace

TEST_CASE("every family has names that a spec can ask for, and none of them is the spec's own") {
  CHECK(family_names().size() > 20);
  for (const std::string& family : family_names()) {
    CAPTURE(family);
    const CheckpointSection checkpoint = named(family);
    CHECK(checkpoint.tensors.size() >= 8);
    CHECK_FALSE(name_of(checkpoint, "embedding.tokens").empty());
    for (const auto& [part, name] : checkpoint.tensors) CHECK_FALSE(name.given);
    for (const IgnoredTensor& tensor : checkpoint.ignore) CHECK_FALSE(tensor.given);
  }
}

TEST_CASE("with a family's names come its prefixes, how tensors lie, and what stands beside them") {
  const CheckpointSection gpt2 = named("gpt2");
  CHECK(gpt2.prefix.value == Texts{"", "transformer."});
  const TensorName& qkv = gpt2.tensors.at("layers.{i}.attention.qkv");
  CHECK(qkv.name == "h.{i}.attn.c_attn");
  CHECK(qkv.transposed);
  CHECK(qkv.fused == Texts{"q", "k", "v"});
  REQUIRE(gpt2.ignore.size() == 2);
  CHECK(gpt2.ignore.front().name == "h.{i}.attn.bias");
  CHECK(named("llama").prefix.value == Texts{""});
  CHECK(named("gguf/llama").tensors.at("layers.{i}.attention.q").interleaved == "halves");
}

TEST_CASE("a name alone calls a family's tensor of several parts otherwise, which holds what it held") {
  const CheckpointSection gpt2 = named("gpt2", "[checkpoint.tensors]\n\"layers.{i}.attention.qkv\" = \"h.{i}.qkv\"\n");
  const TensorName& qkv = gpt2.tensors.at("layers.{i}.attention.qkv");
  CHECK(qkv.name == "h.{i}.qkv");
  CHECK(qkv.given);
  CHECK(qkv.transposed);
  CHECK(qkv.fused == Texts{"q", "k", "v"});
}

TEST_CASE("a tensor of several parts stands in the place of lines that say one of them, and they in its") {
  const CheckpointSection phi3 = named("phi3");
  CHECK(name_of(phi3, "layers.{i}.attention.qkv") == "model.layers.{i}.self_attn.qkv_proj");
  for (const char* part : {"q", "k", "v"}) {
    CHECK(name_of(phi3, std::string("layers.{i}.attention.") + part).empty());
  }
  CHECK(name_of(phi3, "layers.{i}.attention.o") == "model.layers.{i}.self_attn.o_proj");
  const CheckpointSection own = named("phi3", "[checkpoint.tensors]\n\"layers.{i}.attention.k\" = \"h.{i}.k\"\n");
  CHECK(name_of(own, "layers.{i}.attention.qkv").empty());
  CHECK(name_of(own, "layers.{i}.attention.k") == "h.{i}.k");
  CHECK(own.tensors.at("layers.{i}.attention.k").given);
}

TEST_CASE("names of parts that the model does not have are not asked for") {
  const Judged judged = judge(tiny, {{"checkpoint.names", "gemma2"}});
  REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
  for (const WeightContract& weight : judged.contract->weights) {
    for (const CheckpointPart& source : weight.sources) {
      CHECK(source.name.find("post_feedforward_layernorm") == std::string::npos);
    }
  }
}

TEST_CASE("a family that there is not is answered with those that there are") {
  const Judged judged = judge(tiny, {{"checkpoint.names", "gpt3"}});
  CHECK(errors_of(judged.diagnostics).front().starts_with("spec.choice"));
  const std::string said = render(judged.diagnostics);
  for (const std::string& family : family_names()) CHECK(said.find(family) != std::string::npos);
  CHECK(said.find("did you mean gpt2?") != std::string::npos);
}
