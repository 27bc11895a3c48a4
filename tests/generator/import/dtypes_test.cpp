#include <doctest/doctest.h>

#include "tests/generator/import/imported.hpp"
#include "tests/support/safetensors_writer.hpp"

using namespace monomorph::tests;
using json = nlohmann::ordered_json;

namespace {

/// Tensors of a Llama whose matrices and norms have these types; shapes do not matter to import.
std::vector<TensorText> llama_tensors(const std::string& matrices, const std::string& norms) {
  return {{"model.embed_tokens.weight", matrices, {300, 48}, ""},
          {"model.layers.0.input_layernorm.weight", norms, {48}, ""},
          {"model.layers.1.input_layernorm.weight", norms, {48}, ""},
          {"model.layers.0.mlp.up_proj.weight", matrices, {100, 48}, ""},
          {"model.layers.1.mlp.up_proj.weight", matrices, {100, 48}, ""},
          {"model.norm.weight", norms, {48}, ""}};
}

Imported import_with(const json& config, const std::vector<TensorText>& tensors) {
  const TemporaryDirectory directory;
  directory.write("config.json", config.dump());
  directory.write("model.safetensors", safetensors(tensors));
  return import_directory(directory.path().string());
}

}  // namespace

TEST_CASE("the type is the file's own, whatever config.json says") {
  const Imported imported = import_with(llama_config(), llama_tensors("BF16", "BF16"));
  REQUIRE(imported.spec);
  CHECK(imported.spec->checkpoint->dtype.value == "bf16");
  CHECK(imported.spec->checkpoint->dtypes.empty());
  CHECK(imported.text->find("config.json says f16") != std::string::npos);
}

TEST_CASE("norms of another type are one line of checkpoint.dtypes") {
  const Imported imported = import_with(llama_config(), llama_tensors("F16", "F32"));
  REQUIRE(imported.spec);
  CHECK(imported.spec->checkpoint->dtype.value == "f16");
  REQUIRE(imported.spec->checkpoint->dtypes.size() == 1);
  CHECK(imported.spec->checkpoint->dtypes.front().first == "*norm");
  CHECK(imported.spec->checkpoint->dtypes.front().second.value == "f32");
}

TEST_CASE("the model's type is that of most bytes, however many tensors have another") {
  std::vector<TensorText> tensors = llama_tensors("F16", "F32");
  for (const char* name :
       {"model.layers.0.post_attention_layernorm.weight", "model.layers.1.post_attention_layernorm.weight"}) {
    tensors.push_back({name, "F32", {48}, ""});
  }
  const Imported imported = import_with(llama_config(), tensors);
  REQUIRE(imported.spec);
  CHECK(imported.spec->checkpoint->dtype.value == "f16");
}

TEST_CASE("a part of another type is named by its part") {
  std::vector<TensorText> tensors = llama_tensors("F16", "F16");
  tensors.front().dtype = "F32";
  tensors.push_back({"model.layers.0.mlp.down_proj.weight", "F16", {480, 100}, ""});
  const Imported imported = import_with(llama_config(), tensors);
  REQUIRE(imported.spec);
  REQUIRE(imported.spec->checkpoint->dtypes.size() == 1);
}

TEST_CASE("one part of two types over the layers is refused") {
  std::vector<TensorText> tensors = llama_tensors("F16", "F16");
  tensors.at(4).dtype = "F32";
  CHECK(import_with(llama_config(), tensors).complains("import.dtype", "layers.1.mlp.up_proj"));
}

TEST_CASE("a type that does not run is refused by name") {
  CHECK(import_with(llama_config(), llama_tensors("F64", "F64")).complains("import.dtype", "F64"));
}

TEST_CASE("a field whose part the checkpoint does not have is left out where the family says so") {
  std::vector<TensorText> tensors = {{"model.embed_tokens.weight", "BF16", {163840, 48}, ""},
                                     {"model.layers.1.mlp.gate.e_score_correction_bias", "F32", {192}, ""}};
  for (const bool has_bias : {true, false}) {
    const Imported imported = import_with(small_configs().at("axk1"), tensors);
    REQUIRE(imported.text);
    CHECK((imported.text->find("\nselection_bias = true\n") != std::string::npos) == has_bias);
    tensors.pop_back();
  }
}

TEST_CASE("a field is said by whether the checkpoint has a tensor, where the family says so") {
  std::vector<TensorText> tensors = {{"model.shared.weight", "F32", {101, 48}, ""}};
  const auto has_type = [&](const char* type) {
    const Imported imported = import_with(small_configs().at("pegasus"), tensors);
    REQUIRE(imported.text);
    return imported.text->find(type) != std::string::npos;
  };
  CHECK(has_type("[position]\ntype = \"sinusoidal\"\n"));
  tensors.push_back({"model.decoder.embed_positions.weight", "F32", {320, 48}, ""});
  CHECK(has_type("[position]\ntype = \"learned\"  # the checkpoint has model.decoder.embed_positions.weight\n"));
}

TEST_CASE("a checkpoint of another model is refused") {
  const Imported imported = import_with(llama_config(), {{"h.0.attn.c_attn.weight", "F32", {4, 4}, ""}});
  CHECK(imported.complains("import.checkpoint", "LlamaForCausalLM"));
}

TEST_CASE("a truncated checkpoint is refused") {
  const TemporaryDirectory directory;
  directory.write("config.json", llama_config().dump());
  const std::string whole = safetensors(llama_tensors("F16", "F16"));
  directory.write("model.safetensors", whole.substr(0, whole.size() - 10));
  const Imported imported = import_directory(directory.path().string());
  CHECK_FALSE(imported.text);
  CHECK(imported.complains("import.checkpoint", "model.safetensors"));
}

TEST_CASE("weights that are no safetensors are refused with the remedy") {
  const TemporaryDirectory directory;
  directory.write("config.json", llama_config().dump());
  directory.write("pytorch_model.bin", "PK");
  const Imported imported = import_directory(directory.path().string());
  CHECK_FALSE(imported.text);
  CHECK(imported.complains("import.checkpoint", "save_pretrained"));
  CHECK(imported.complains("import.checkpoint", "safetensors and GGUF"));
}

TEST_CASE("without weights the type is config.json's, in either spelling, and the spec says so") {
  json config = llama_config();
  const Imported older = import_text(config.dump());
  config.erase("torch_dtype");
  config["dtype"] = "bfloat16";
  const Imported newer = import_text(config.dump());
  config.erase("dtype");
  const Imported neither = import_text(config.dump());
  REQUIRE(older.spec);
  REQUIRE(newer.spec);
  REQUIRE(neither.spec);
  CHECK(older.spec->checkpoint->dtype.value == "f16");
  CHECK(older.text->find("no weights") != std::string::npos);
  CHECK(newer.spec->checkpoint->dtype.value == "bf16");
  CHECK(neither.spec->checkpoint->dtype.value == "f32");
}

TEST_CASE("experts in MXFP4 have their rows as they are, and weights say which tensors are quantized") {
  json config = small_configs().at("gpt_oss");
  config["quantization_config"] = {{"quant_method", "mxfp4"}, {"modules_to_not_convert", {"lm_head"}}};
  const std::string experts = "model.layers.0.mlp.experts.";
  const Imported imported = import_with(config, {{"model.embed_tokens.weight", "BF16", {4, 4}, ""},
                                                 {experts + "down_proj_blocks", "U8", {2, 4, 3, 16}, ""},
                                                 {experts + "down_proj_scales", "U8", {2, 4, 3}, ""},
                                                 {experts + "down_proj_bias", "BF16", {2, 4}, ""},
                                                 {experts + "gate_up_proj", "BF16", {2, 4, 8}, ""}});
  REQUIRE(imported.text);
  CHECK(imported.text->find(
            "\"layers.{i}.moe.down\" = { name = \"model.layers.{i}.mlp.experts.down_proj\", exact = true }") !=
        std::string::npos);
  CHECK(imported.text->find("\"layers.{i}.moe.gate_up\" = {") == std::string::npos);
  CHECK(imported.text->find("\"layers.{i}.moe.down.bias\" = \"bf16\"") != std::string::npos);
  CHECK(import_text(config.dump()).complains("import.dtype", "import it with its weights"));
  config["quantization_config"]["quant_method"] = "gptq";
  CHECK(import_text(config.dump()).complains("import.unsupported_value", "is 'gptq'"));
}

TEST_CASE("the types of a family whose names have no prefix are read") {
  const json config = {{"architectures", {"GPTNeoXForCausalLM"}}, {"model_type", "gpt_neox"}};
  const Imported imported = import_with(config, {{"gpt_neox.embed_in.weight", "BF16", {10, 4}, ""}});
  REQUIRE(imported.spec);
  CHECK(imported.spec->checkpoint->dtype.value == "bf16");
}

TEST_CASE("an untied GPT-2 whose tensors have no prefix needs no table of its own") {
  const json config = {{"architectures", {"GPT2LMHeadModel"}}, {"tie_word_embeddings", false}};
  const Imported imported =
      import_with(config, {{"wte.weight", "F32", {10, 4}, ""}, {"lm_head.weight", "F32", {10, 4}, ""}});
  REQUIRE(imported.spec);
  CHECK(imported.spec->checkpoint->tensors.at("embedding.tokens").name == "wte");
}
