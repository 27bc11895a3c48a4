// Import from GGUF files: metadata as a config.json, types by part and by layer, everything accounted for.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "generator/contract/contract.hpp"
#include "tests/generator/import/imported.hpp"
#include "tests/support/gguf_writer.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

constexpr std::uint32_t type_f32 = 0, type_q4_0 = 2, type_q8_0 = 8, type_iq2_xs = 17;

GgufTensorText tensor(const std::string& name, std::uint32_t type, std::vector<std::uint64_t> extents) {
  std::uint64_t elements = 1;
  for (const std::uint64_t extent : extents) elements *= extent;
  const std::uint64_t bytes = type == type_f32    ? 4 * elements
                              : type == type_q4_0 ? elements / 32 * 18
                              : type == type_q8_0 ? elements / 32 * 34
                                                  : elements / 256 * 74;
  return {name, type, std::move(extents), std::string(bytes, '\0')};
}

/// A Llama of three layers: 64 wide, 4 heads of 16, 2 for keys and values.
GgufText llama() {
  GgufText file;
  file.metadata = {{"general.architecture", gguf_text("llama")},
                   {"general.name", gguf_text("a name")},
                   {"general.quantization_version", gguf_number(2)},
                   {"llama.block_count", gguf_number(3)},
                   {"llama.context_length", gguf_number(128)},
                   {"llama.embedding_length", gguf_number(64)},
                   {"llama.feed_forward_length", gguf_number(96)},
                   {"llama.attention.head_count", gguf_number(4)},
                   {"llama.attention.head_count_kv", gguf_number(2)},
                   {"llama.rope.dimension_count", gguf_number(16)},
                   {"llama.rope.freq_base", gguf_value(GgufType::f32, number_bytes(5e5f))},
                   {"llama.attention.layer_norm_rms_epsilon", gguf_value(GgufType::f32, number_bytes(1e-5f))},
                   {"llama.vocab_size", gguf_number(100)},
                   {"tokenizer.ggml.model", gguf_text("gpt2")},
                   {"tokenizer.ggml.bos_token_id", gguf_number(1)},
                   {"tokenizer.ggml.eos_token_id", gguf_number(2)}};
  file.tensors = {tensor("token_embd.weight", type_q8_0, {64, 100}), tensor("output_norm.weight", type_f32, {64})};
  for (const char layer : {'0', '1', '2'}) {
    const std::string block = std::string("blk.") + layer + ".";
    const std::uint32_t up = layer == '1' ? type_q4_0 : type_q8_0;
    const std::vector<GgufTensorText> tensors = {
        tensor(block + "attn_norm.weight", type_f32, {64}),        tensor(block + "attn_q.weight", type_q4_0, {64, 64}),
        tensor(block + "attn_k.weight", type_q4_0, {64, 32}),      tensor(block + "attn_v.weight", type_q8_0, {64, 32}),
        tensor(block + "attn_output.weight", type_q4_0, {64, 64}), tensor(block + "ffn_norm.weight", type_f32, {64}),
        tensor(block + "ffn_gate.weight", type_q4_0, {64, 96}),    tensor(block + "ffn_up.weight", up, {64, 96}),
        tensor(block + "ffn_down.weight", type_q4_0, {96, 64})};
    file.tensors.insert(file.tensors.end(), tensors.begin(), tensors.end());
  }
  return file;
}

Imported import_file(const GgufText& text, const std::vector<std::string>& ignore = {}) {
  const TemporaryDirectory directory;
  Imported result;
  const std::string path = directory.write("small-Q4_0.gguf", text.bytes());
  CHECK(generator::is_gguf_model(path));
  CHECK(generator::is_gguf_model(directory.path().string()));
  if (const auto imported = generator::import_gguf(path, ignore, result.diagnostics)) {
    result.text = imported->text;
    const auto source = std::make_shared<const generator::Source>(generator::Source{"imported.toml", *result.text});
    result.spec = generator::read_spec(source, {}, result.diagnostics);
  }
  return result;
}

std::string& value_of(GgufText& text, const std::string& key) {
  return std::ranges::find(text.metadata, key, &std::pair<std::string, std::string>::first)->second;
}

}  // namespace

TEST_CASE("a GGUF file alone gives the spec: sizes, types by part and by layer, rows of q and k in turn") {
  const Imported imported = import_file(llama());
  INFO(render(imported.diagnostics));
  REQUIRE(imported.spec);
  const generator::Spec& spec = *imported.spec;
  CHECK(spec.model.name.value == "small-Q4_0");
  CHECK(spec.model.vocab_size.value == 100);
  CHECK(spec.model.num_hidden_layers.value == 3);
  CHECK(spec.model.max_position_embeddings.value == 128);
  CHECK(spec.norm.eps.value == 1e-5);
  CHECK(spec.lm_head->tie_word_embeddings.value);
  CHECK(spec.tokenizer->eos_token_id.value == std::vector<std::int64_t>{2});
  CHECK(spec.kinds.front().position->rope_theta.value == 500000);
  CHECK(imported.text->find("\"layers.{0,2}.mlp.up\" = \"q8_0\"") != std::string::npos);

  generator::Diagnostics found;
  const auto contract = generator::check_contract(spec, found);
  INFO(render(found));
  REQUIRE(contract);
  REQUIRE(contract->kinds.size() == 2);  // the layer with another type is a class of its own
  CHECK(contract->kinds[1].layers == std::vector<std::int32_t>{1});
  const auto weight = [&](std::size_t kind, const char* role) -> const generator::WeightContract& {
    return contract->weights[contract->find_weight({kind}, role)];
  };
  CHECK(weight(0, "mlp::up_proj").dtype == Dtype::q8_0);
  CHECK(weight(1, "mlp::up_proj").dtype == Dtype::q4_0);
  CHECK(weight(1, "attention::v_proj").dtype == Dtype::q8_0);
  CHECK(weight(0, "attention::q_proj").sources[0].view.halves == 16);
  CHECK(weight(0, "attention::k_proj").sources[0].view.halves == 16);
  CHECK(weight(0, "attention::v_proj").sources[0].view.halves == 0);
}

TEST_CASE("tensors in another order give the same spec, and a head of its own is read") {
  GgufText text = llama();
  const std::string expected = *import_file(text).text;
  std::ranges::reverse(text.tensors);
  CHECK(*import_file(text).text == expected);
  text.tensors.push_back(tensor("output.weight", type_q8_0, {64, 100}));
  const Imported untied = import_file(text);
  REQUIRE(untied.spec);
  CHECK_FALSE(untied.spec->lm_head->tie_word_embeddings.value);
  CHECK(untied.text->find("names = \"gguf/llama\"") != std::string::npos);
  CHECK(untied.spec->checkpoint->tensors.at("lm_head").name == "output");
}

TEST_CASE("Qwen's biases are of their own type, and its rows stand as they are") {
  GgufText text = llama();
  for (auto& [key, value] : text.metadata) {
    if (key.starts_with("llama.")) key.replace(0, 5, "qwen2");
  }
  value_of(text, "general.architecture") = gguf_text("qwen2");
  for (const char layer : {'0', '1', '2'}) {
    const std::string block = std::string("blk.") + layer + ".attn_";
    text.tensors.push_back(tensor(block + "q.bias", type_f32, {64}));
    text.tensors.push_back(tensor(block + "k.bias", type_f32, {32}));
    text.tensors.push_back(tensor(block + "v.bias", type_f32, {32}));
  }
  const Imported imported = import_file(text);
  INFO(render(imported.diagnostics));
  REQUIRE(imported.spec);
  generator::Diagnostics found;
  const auto contract = generator::check_contract(*imported.spec, found);
  INFO(render(found));
  REQUIRE(contract);
  const auto& q = contract->weights[contract->find_weight({0}, "attention::q_proj")];
  const auto& bias = contract->weights[contract->find_weight({0}, "attention::q_bias")];
  CHECK(q.sources[0].view.halves == 0);
  CHECK(q.dtype == Dtype::q4_0);
  CHECK(bias.dtype == Dtype::f32);
}

TEST_CASE("a DeepSeek of dense layers alone has no experts, and what its file does not tell is refused by name") {
  GgufText text;
  text.metadata = {{"general.architecture", gguf_text("deepseek2")}};
  const auto set = [](GgufText& file, const std::string& key, std::string value) {
    file.metadata.emplace_back("deepseek2." + key, std::move(value));
  };
  const std::pair<const char*, std::uint32_t> numbers[] = {{"block_count", 2},
                                                           {"context_length", 128},
                                                           {"embedding_length", 64},
                                                           {"feed_forward_length", 96},
                                                           {"attention.head_count", 4},
                                                           {"attention.head_count_kv", 1},
                                                           {"attention.key_length", 40},
                                                           {"attention.kv_lora_rank", 32},
                                                           {"attention.value_length", 32},
                                                           {"rope.dimension_count", 8},
                                                           {"leading_dense_block_count", 2},
                                                           {"expert_shared_count", 0},
                                                           {"expert_feed_forward_length", 96}};
  for (const auto& [key, number] : numbers) set(text, key, gguf_number(number));
  set(text, "attention.layer_norm_rms_epsilon", gguf_value(GgufType::f32, number_bytes(1e-6f)));
  text.tensors = {tensor("token_embd.weight", type_f32, {64, 100})};
  CHECK(import_file(text).complains("import.missing_key", "no 'attention.key_length_mla'"));
  set(text, "attention.key_length_mla", gguf_number(24));
  set(text, "attention.value_length_mla", gguf_number(20));
  const Imported dense = import_file(text);
  INFO(render(dense.diagnostics));
  REQUIRE(dense.spec);
  generator::Diagnostics found;
  REQUIRE_MESSAGE(generator::check_contract(*dense.spec, found), render(found));
  CHECK(dense.text->find("[moe]") == std::string::npos);
  CHECK(dense.text->find("[shared]") == std::string::npos);

  const std::vector<std::tuple<std::string, std::string, std::function<void(GgufText&)>>> cases = {
      {"import.missing_key", "'expert_used_count'", [&](GgufText& t) { set(t, "expert_count", gguf_number(8)); }},
      {"import.missing_key", "a tenth of mscale_all_dim",
       [&](GgufText& t) {
         set(t, "rope.scaling.type", gguf_text("yarn"));
         set(t, "rope.scaling.factor", gguf_value(GgufType::f32, number_bytes(4.0f)));
       }},
      {"import.unsupported_value", "'expert_gating_func' is 3",
       [&](GgufText& t) { set(t, "expert_gating_func", gguf_number(3)); }},
      {"import.unsupported_value", "is kv_lora_rank + rope.dimension_count = 40",
       [&](GgufText& t) { value_of(t, "deepseek2.attention.key_length") = gguf_number(41); }},
      {"import.unsupported_value", "it is kv_lora_rank = 32",
       [&](GgufText& t) { value_of(t, "deepseek2.attention.value_length") = gguf_number(33); }},
      {"import.unsupported_value", "all heads share one latent vector",
       [&](GgufText& t) { value_of(t, "deepseek2.attention.head_count_kv") = gguf_number(2); }},
      {"import.unsupported_value", "'rope.dimension_count' is less",
       [&](GgufText& t) { value_of(t, "deepseek2.attention.key_length_mla") = gguf_number(8); }},
      {"import.unknown_key", "'attention.temperature_scale'",
       [&](GgufText& t) { set(t, "attention.temperature_scale", gguf_value(GgufType::f32, number_bytes(0.1f))); }}};
  for (const auto& [rule, words, change] : cases) {
    GgufText changed = text;
    change(changed);
    const Imported imported = import_file(changed);
    INFO(words, "\n", render(imported.diagnostics));
    CHECK(imported.complains(rule, words));
  }
}

namespace {

std::string counts(const std::vector<std::int32_t>& numbers) {
  std::string bytes;
  for (const std::int32_t number : numbers) bytes += number_bytes(number);
  return gguf_array(GgufType::i32, numbers.size(), bytes);
}

/// What files of architectures with layers of several sorts say, of four layers; the heads of keys as `heads` has them.
GgufText mixed(const std::string& architecture, const std::vector<std::int32_t>& heads) {
  GgufText file;
  file.metadata = {{"general.architecture", gguf_text(architecture)}};
  const std::pair<const char*, std::uint32_t> numbers[] = {
      {"block_count", 4}, {"context_length", 128}, {"embedding_length", 64}, {"attention.head_count", 4}};
  for (const auto& [key, number] : numbers) file.metadata.emplace_back(architecture + "." + key, gguf_number(number));
  file.metadata.emplace_back(architecture + ".attention.layer_norm_rms_epsilon",
                             gguf_value(GgufType::f32, number_bytes(1e-6f)));
  file.metadata.emplace_back(architecture + ".attention.head_count_kv", counts(heads));
  if (architecture == "lfm2") {
    file.metadata.emplace_back("lfm2.shortconv.l_cache", gguf_number(3));
  } else {
    for (const auto& [key, number] :
         {std::pair("conv_kernel", 4), {"inner_size", 128}, {"state_size", 16}, {"time_step_rank", 8}}) {
      file.metadata.emplace_back(architecture + ".ssm." + key, gguf_number(static_cast<std::uint32_t>(number)));
    }
  }
  if (architecture == "nemotron_h" || architecture == "granitehybrid") {
    file.metadata.emplace_back(architecture + ".ssm.group_count", gguf_number(2));
  }
  if (architecture != "nemotron_h") file.metadata.emplace_back(architecture + ".feed_forward_length", gguf_number(96));
  file.tensors = {tensor("token_embd.weight", type_f32, {64, 100})};
  return file;
}

}  // namespace

TEST_CASE("which layers have attention a list of heads tells, one number for all that have it") {
  const Imported imported = import_file(mixed("lfm2", {0, 2, 0, 2}));
  INFO(render(imported.diagnostics));
  REQUIRE(imported.spec);
  CHECK(imported.text->find("pattern = [\"conv\", \"attention\"]") != std::string::npos);
  CHECK(imported.text->find("num_key_value_heads = 2\n") != std::string::npos);
  const Imported all = import_file(mixed("lfm2", {2, 2, 2, 2}));
  REQUIRE(all.spec);
  CHECK(all.text->find("pattern") == std::string::npos);
  CHECK(import_file(mixed("lfm2", {0, 2})).complains("import.unsupported_value", "has 2 entries for block_count = 4"));
  CHECK(import_file(mixed("lfm2", {0, 2, 0, 1}))
            .complains("import.unsupported_value", "has 1 for layer 3 and 2 for another"));
}

TEST_CASE("which of Jamba's layers have experts their tensors tell") {
  GgufText file = mixed("jamba", {0, 0, 2, 0});
  file.metadata.emplace_back("jamba.expert_count", gguf_number(4));
  file.metadata.emplace_back("jamba.expert_used_count", gguf_number(2));
  const auto pattern_of = [&](const std::vector<int>& layers) {
    GgufText text = file;
    for (int layer = 0; layer < 4; ++layer) {
      const std::string block = "blk." + std::to_string(layer) + ".";
      text.tensors.push_back(tensor(block + "ffn_norm.weight", type_f32, {64}));
      if (std::ranges::find(layers, layer) == layers.end()) continue;
      text.tensors.push_back(tensor(block + "ffn_gate_inp.weight", type_f32, {64, 4}));
    }
    const Imported imported = import_file(text);
    INFO(render(imported.diagnostics));
    REQUIRE(imported.spec);
    const std::size_t at = imported.text->find("pattern = ");
    return imported.text->substr(at + 10, imported.text->find('\n', at) - at - 10);
  };
  CHECK(pattern_of({}) == R"(["mamba", "mamba", "attention"])");
  CHECK(pattern_of({0, 1, 2, 3}) == R"(["mamba_experts", "mamba_experts", "attention_experts"])");
  CHECK(pattern_of({1, 3}) == R"(["mamba * 1", "mamba_experts * 1", "attention * 1", "mamba_experts * 1"])");
}

TEST_CASE("layers of one sub-block alone are told by two lists, and angles that a file may have are refused") {
  const auto nemotron = [](const std::vector<std::int32_t>& widths) {
    GgufText file = mixed("nemotron_h", {0, 0, 2, 0});
    file.metadata.emplace_back("nemotron_h.feed_forward_length", counts(widths));
    return import_file(file);
  };
  const Imported imported = nemotron({0, 96, 0, 96});
  INFO(render(imported.diagnostics));
  REQUIRE(imported.spec);
  CHECK(imported.text->find("pattern = [\"mamba * 1\", \"mlp * 1\", \"attention * 1\", \"mlp * 1\"]") !=
        std::string::npos);
  CHECK(nemotron({0, 96, 96, 0}).complains("import.unsupported_value", "layer 2 has both"));
  CHECK(nemotron({0, 96, 0, 64}).complains("import.unsupported_value", "all MLPs are of one width"));
  CHECK(nemotron({0, 96}).complains("import.unsupported_value", "'feed_forward_length' has 2 entries"));

  GgufText granite = mixed("granitehybrid", {0, 2, 0, 0});
  CHECK(import_file(granite).complains("import.unsupported_value", "'rope.scaling.finetuned' is true, or"));
  granite.metadata.emplace_back("granitehybrid.rope.scaling.finetuned",
                                gguf_value(GgufType::boolean, std::string(1, '\0')));
  CHECK(import_file(granite).spec);
  granite.metadata.emplace_back("granitehybrid.expert_count", gguf_number(4));
  CHECK(import_file(granite).complains("import.missing_key", "how wide the MLP beside them is"));
}

TEST_CASE("an architecture that no family of GGUF files reads is told the nearest one, and what to do") {
  GgufText text = llama();
  for (auto& [key, value] : text.metadata) {
    if (key.starts_with("llama.")) key.replace(0, 5, "lama");
  }
  value_of(text, "general.architecture") = gguf_text("lama");
  text.metadata.emplace_back("lama.state_size", gguf_number(16));
  const Imported imported = import_file(text);
  const std::string said = render(imported.diagnostics);
  for (const char* words : {"it is nearest to llama (llama), which reads ",
                            " and names 11 of 11 kinds of its tensors\n", "llama does not know 'state_size' = 16\n",
                            "`monomorph new NAME --like llama`", "generator/families/gguf/lama.toml, imports"}) {
    INFO(said);
    CHECK(said.find(words) != std::string::npos);
  }
}

TEST_CASE("what a GGUF file says is read, ignored for a reason, or refused by name") {
  const std::vector<std::tuple<std::string, std::string, std::function<void(GgufText&)>>> cases = {
      {"import.architecture", "'arwkv7'",
       [](GgufText& t) { value_of(t, "general.architecture") = gguf_text("arwkv7"); }},
      {"import.architecture", "no general.architecture", [](GgufText& t) { t.metadata.erase(t.metadata.begin()); }},
      {"import.missing_key", "no 'embedding_length'", [](GgufText& t) { t.metadata.erase(t.metadata.begin() + 5); }},
      {"import.unknown_key", "'attention.sliding_window' is not a key",
       [](GgufText& t) { t.metadata.emplace_back("llama.attention.sliding_window", gguf_number(64)); }},
      {"import.rope_scaling", "needs a 'rope.scaling.factor'",
       [](GgufText& t) { t.metadata.emplace_back("llama.rope.scaling.type", gguf_text("yarn")); }},
      {"import.missing_key", "'expert_used_count'",
       [](GgufText& t) { t.metadata.emplace_back("llama.expert_count", gguf_number(8)); }},
      {"import.unsupported_value", "another version of ggml",
       [](GgufText& t) { value_of(t, "general.quantization_version") = gguf_number(1); }},
      {"import.unsupported_value", "'rope.dimension_count' is 8",
       [](GgufText& t) { value_of(t, "llama.rope.dimension_count") = gguf_number(8); }},
      {"import.unsupported_value", "'vocab_size' is 99",
       [](GgufText& t) { value_of(t, "llama.vocab_size") = gguf_number(99); }},
      {"import.wrong_type", "'attention.head_count_kv' is [2,1,2]",
       [](GgufText& t) {
         value_of(t, "llama.attention.head_count_kv") =
             gguf_array(GgufType::i32, 3, number_bytes(2) + number_bytes(1) + number_bytes(2));
       }},
      {"import.wrong_type", "'attention.head_count' is 0",
       [](GgufText& t) { value_of(t, "llama.attention.head_count") = gguf_number(0); }},
      {"import.dtype", "IQ2_XS, which does not run",
       [](GgufText& t) { t.tensors[0] = tensor("token_embd.weight", type_iq2_xs, {256, 100}); }},
      {"import.checkpoint", "no token_embd.weight", [](GgufText& t) { t.tensors.erase(t.tensors.begin()); }},
  };
  for (const auto& [rule, words, change] : cases) {
    CAPTURE(words);
    GgufText text = llama();
    change(text);
    const Imported imported = import_file(text);
    INFO(render(imported.diagnostics));
    CHECK_FALSE(imported.text);
    CHECK(imported.complains(rule, words));
  }
  GgufText text = llama();
  text.metadata.emplace_back("llama.new_key", gguf_number(1));
  CHECK(import_file(text, {"new_key"}).text->find("\"new_key\"") != std::string::npos);
  CHECK(import_file(text, {"other"}).complains("import.ignore", "no such key"));
  value_of(text, "llama.attention.head_count_kv") =
      gguf_array(GgufType::i32, 3, number_bytes(2) + number_bytes(2) + number_bytes(2));
  CHECK(import_file(text, {"new_key"}).spec);
}

TEST_CASE("a list of flags tells the layers with a window, and has to tell them all") {
  GgufText file = llama();
  for (auto& [key, value] : file.metadata) {
    if (key.starts_with("llama.")) key.replace(0, 5, "exaone4");
  }
  value_of(file, "general.architecture") = gguf_text("exaone4");
  const auto with = [&](const std::string& flags, bool window) {
    GgufText text = file;
    if (window) text.metadata.emplace_back("exaone4.attention.sliding_window", gguf_number(64));
    text.metadata.emplace_back("exaone4.attention.sliding_window_pattern",
                               gguf_array(GgufType::boolean, flags.size(), flags));
    return import_file(text);
  };
  const Imported imported = with(std::string("\1\1\0", 3), true);
  INFO(render(imported.diagnostics));
  REQUIRE(imported.spec);
  CHECK(imported.text->find("pattern = [\"local * 2\", \"unplaced * 1\"]") != std::string::npos);
  CHECK(with(std::string("\1\1\0\1", 4), true).complains("import.sliding_window", "which have it"));
  CHECK(with(std::string("\1\1\0", 3), false).complains("import.sliding_window", "no 'attention.sliding_window'"));
  const Imported windowless = with(std::string("\0\0\0", 3), false);
  REQUIRE(windowless.spec);
  CHECK(windowless.text->find("pattern") == std::string::npos);
}

TEST_CASE("a GGUF file's chat template, its special tokens as texts, and every token that ends a turn") {
  GgufText text = llama();
  text.metadata.push_back({"tokenizer.chat_template", gguf_text("{{ bos_token }}\n{{ messages }}")});
  std::string tokens;
  for (const char* const token : {"<unk>", "<s>", "</s>", "<turn>"}) tokens += gguf_string(token);
  text.metadata.push_back({"tokenizer.ggml.tokens", gguf_array(GgufType::string, 4, tokens)});
  text.metadata.push_back({"tokenizer.ggml.eot_token_id", gguf_number(3)});
  const Imported imported = import_file(text);
  INFO(render(imported.diagnostics));
  REQUIRE(imported.spec);
  CHECK(imported.spec->chat->text.value == "{{ bos_token }}\n{{ messages }}");
  const std::vector<std::pair<std::string, std::string>> special = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  CHECK(imported.spec->chat->special_tokens == special);
  CHECK(imported.spec->tokenizer->eos_token_id.value == std::vector<std::int64_t>{2, 3});
  value_of(text, "tokenizer.chat_template") = gguf_text("\xff");
  CHECK(import_file(text).complains("import.chat_template", "the chat template is not UTF-8"));
}
