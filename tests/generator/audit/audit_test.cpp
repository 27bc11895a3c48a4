#include <functional>

#include "generator/audit/rows.hpp"
#include "generator/contract/expected_tensors.hpp"
#include "tests/generator/audit/small_model.hpp"
#include "tests/support/files.hpp"

using namespace monomorph::tests;
using namespace monomorph::generator;

TEST_CASE("a checkpoint that fits has nothing to complain of") {
  CHECK(audit(small_llama(true), small_tensors()).all().empty());
}

TEST_CASE("a missing tensor is named as a checkpoint has it, with its shape") {
  std::vector<TensorText> tensors = small_tensors();
  remove_tensor(tensors, "model.layers.1.self_attn.k_proj.weight");
  const Diagnostic error = only(audit(small_llama(true), tensors));
  CHECK(error.rule == "checkpoint.missing");
  CHECK(error.message.starts_with("model.layers.1.self_attn.k_proj.weight is missing"));
  CHECK(contains(error.message, "[4, 8]"));
}

TEST_CASE("what is missing in many layers is told once") {
  std::vector<TensorText> tensors = small_tensors();
  for (const char* layer : {"0", "1", "2"}) {
    remove_tensor(tensors, std::string("model.layers.") + layer + ".mlp.up_proj.weight");
  }
  const Diagnostic error = only(audit(small_llama(true), tensors));
  CHECK(error.message.starts_with("model.layers.{i}.mlp.up_proj.weight (layers 0-2) is missing"));
}

TEST_CASE("layers with gaps between them are listed one by one") {
  std::vector<TensorText> tensors = small_tensors();
  for (const char* layer : {"0", "2"}) {
    remove_tensor(tensors, std::string("model.layers.") + layer + ".mlp.up_proj.weight");
  }
  CHECK(contains(only(audit(small_llama(true), tensors)).message, "layers 0, 2"));
}

TEST_CASE("of a part with a tensor of each head, the one that is missing is named, and many are told once") {
  std::string spec = small_llama_text(true);
  spec.replace(spec.find("num_key_value_heads = 2"), 23, "num_key_value_heads = 2\nk_norm = { per_head = true }");
  const Contract contract =
      contract_of(spec + "[checkpoint.tensors]\n\"layers.{i}.attention.k_norm\" = \"h.{i}.k.{j}\"\n");
  std::vector<TensorText> tensors = small_tensors();
  for (const char* name : {"h.0.k.0", "h.0.k.1", "h.1.k.0", "h.1.k.1", "h.2.k.0", "h.2.k.1"}) {
    tensors.push_back({std::string(name) + ".weight", "F32", {2}, ""});
  }
  CHECK(render(audit(contract, tensors)) == "");
  const auto without = [&](const std::vector<std::string>& names) {
    std::vector<TensorText> rest = tensors;
    for (const std::string& name : names) remove_tensor(rest, name + ".weight");
    return only(audit(contract, rest)).message;
  };
  CHECK(without({"h.1.k.1"}) ==
        "h.1.k.1.weight is missing; layers.{i}.attention.k_norm needs it, F32 of shape [2], one for "
        "each of 2 kv_heads");
  CHECK(without({"h.0.k.1", "h.2.k.1"}).starts_with("h.{i}.k.1.weight (layers 0, 2) is missing"));
  CHECK(without({"h.1.k.0", "h.1.k.1"}).starts_with("h.1.k.{j}.weight ({j} 0-1) is missing"));
  CHECK(without({"h.1.k.0", "h.2.k.1"}).starts_with("h.{i}.k.{j}.weight (layers 1-2, {j} 0-1) is missing"));
  tensor(tensors, "h.2.k.1.weight").shape = {3};
  CHECK(only(audit(contract, tensors)).message ==
        "h.2.k.1.weight is [3]; layers.{i}.attention.k_norm needs [2]; head is 3 here and 2 in the spec");
}

TEST_CASE("a tensor that nothing uses is an error") {
  std::vector<TensorText> tensors = small_tensors();
  tensors.push_back({"model.layers.0.self_attn.q_proj.bias", "F32", {8}, ""});
  const Diagnostic error = only(audit(small_llama(true), tensors));
  CHECK(error.rule == "checkpoint.unexpected");
  CHECK(error.message.starts_with("model.layers.0.self_attn.q_proj.bias is not used"));
}

TEST_CASE("layers beyond num_hidden_layers are told as such") {
  std::vector<TensorText> tensors = small_tensors();
  tensors.push_back({"model.layers.3.input_layernorm.weight", "F32", {8}, ""});
  const Diagnostic error = only(audit(small_llama(true), tensors));
  CHECK(error.rule == "checkpoint.unexpected");
  CHECK(contains(error.message, "num_hidden_layers = 3"));
}

TEST_CASE("tensors that the spec ignores with a reason are accepted") {
  std::vector<TensorText> tensors = small_tensors();
  tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", "F32", {1}, ""});
  CHECK(audit(small_llama(true), tensors).all().empty());
}

TEST_CASE("of a fused vector whose parts are not all there, the zeros are in no file") {
  std::string spec = small_llama_text(true);
  spec.replace(spec.find("num_key_value_heads = 2"), 23, "num_key_value_heads = 2\nbias = [\"q\", \"o\"]");
  std::vector<TensorText> tensors = small_tensors();
  for (const char* layer : {"0", "1", "2"}) {
    for (const char* part : {"q_proj", "o_proj"}) {
      tensors.push_back({std::string("model.layers.") + layer + ".self_attn." + part + ".bias", "F32", {8}, ""});
    }
  }
  CHECK(render(audit(contract_of(spec), tensors)) == "");
}

TEST_CASE("a single number stands as a vector of one, or without an axis") {
  std::string spec = small_llama_text(true);
  spec.replace(spec.find("\"silu\""), 6, "\"max(x, 0) + lambda1 * min(x, 0)\"");
  spec += "[checkpoint.tensors]\n\"layers.{i}.mlp.lambda1\" = { name = \"l.{i}.a\", exact = true }\n";
  const auto audited = [&](const std::vector<std::int64_t>& shape) {
    std::vector<TensorText> tensors = small_tensors();
    for (const char* layer : {"0", "1", "2"}) tensors.push_back({std::string("l.") + layer + ".a", "F32", shape, ""});
    return audit(contract_of(spec), tensors);
  };
  CHECK(render(audited({1})) == "");
  CHECK(render(audited({})) == "");
  CHECK(only(audited({2})).rule == "checkpoint.shape");
}

TEST_CASE("a vector may stand with axes of one, and with no others") {
  const auto audited = [](const std::vector<std::int64_t>& shape) {
    std::vector<TensorText> tensors = small_tensors();
    tensor(tensors, "model.norm.weight").shape = shape;
    return audit(contract_of(small_llama_text(true)), tensors);
  };
  using Shape = std::vector<std::int64_t>;
  for (const Shape& shape : {Shape{1, 8}, Shape{8, 1}, Shape{1, 1, 8, 1}}) CHECK(render(audited(shape)) == "");
  for (const Shape& shape : {Shape{2, 4}, Shape{1, 9}, Shape{}}) CHECK(only(audited(shape)).rule == "checkpoint.shape");
}

TEST_CASE("a norm of groups of heads may stand with their axis, or that of the heads") {
  const std::filesystem::path cases = std::filesystem::path(MONOMORPH_SOURCE_DIR) / "tests" / "cases";
  const auto expected = expected_tensors(contract_of(read_file(cases / "pass" / "mamba2.toml")));
  const ExpectedTensor& norm = expected.at("layers.0.mamba.inner_norm.weight");  // 6 heads of 12 in two groups
  CHECK(norm.fits({72}));
  CHECK(norm.fits({2, 36}));
  CHECK(norm.fits({6, 12}));
  CHECK_FALSE(norm.fits({12, 6}));
  CHECK_FALSE(norm.fits({3, 24}));
}

TEST_CASE("a matrix of one row may stand as a vector") {
  std::string spec = small_llama_text(true);
  spec.replace(spec.find("\"silu\""), 6, "\"silu\"\noutput_gate = true");
  spec += "[checkpoint.tensors]\n\"layers.{i}.mlp.output_gate\" = { name = \"l.{i}.gate\", exact = true }\n";
  const auto audited = [&](const std::vector<std::int64_t>& shape) {
    std::vector<TensorText> tensors = small_tensors();
    for (const char* layer : {"0", "1", "2"})
      tensors.push_back({std::string("l.") + layer + ".gate", "F32", shape, ""});
    return audit(contract_of(spec), tensors);
  };
  CHECK(render(audited({1, 8})) == "");
  CHECK(render(audited({8})) == "");
  CHECK(only(audited({4, 2})).rule == "checkpoint.shape");
}

TEST_CASE("a wrong shape shows both shapes") {
  std::vector<TensorText> tensors = small_tensors();
  tensor(tensors, "model.layers.2.mlp.down_proj.weight").shape = {12, 8};
  const Diagnostic error = only(audit(small_llama(true), tensors));
  CHECK(error.rule == "checkpoint.shape");
  CHECK(contains(error.message, "[12, 8]"));
  CHECK(contains(error.message, "[8, 12]"));
  CHECK(error.message.starts_with("model.layers.2."));
}

TEST_CASE("a wrong type shows both types") {
  std::vector<TensorText> tensors = small_tensors();
  tensor(tensors, "model.norm.weight").dtype = "BF16";
  const Diagnostic error = only(audit(small_llama(true), tensors));
  CHECK(error.rule == "checkpoint.dtype");
  CHECK(contains(error.message, "BF16"));
  CHECK(contains(error.message, "F32"));
}

TEST_CASE("a checkpoint is judged by its own types, whatever its weights are converted to") {
  const Contract contract = contract_of(small_llama_text(true) + "[engine]\nweights = \"f16\"\n");
  CHECK(audit(contract, small_tensors()).all().empty());
  std::vector<TensorText> tensors = small_tensors();
  tensor(tensors, "model.layers.1.mlp.up_proj.weight").dtype = "F16";
  const Diagnostic error = only(audit(contract, tensors));
  CHECK(contains(error.message, "is F16; the spec says F32"));
}

TEST_CASE("a checkpoint that is wholly of another type is told so once") {
  std::vector<TensorText> tensors = small_tensors();
  for (TensorText& tensor : tensors) tensor.dtype = "F16";
  const Diagnostic error = only(audit(small_llama(true), tensors));
  CHECK(error.rule == "checkpoint.dtype");
  CHECK(error.message ==
        "all 29 tensors are F16; the spec says F32 (checkpoint.dtype); --set checkpoint.dtype=f16 takes them as they "
        "are");
}

TEST_CASE("many tensors of another type are one sentence that says what to set") {
  const std::string spec = small_llama_text(true) + "dtypes = { \"*norm\" = \"f16\" }\n";
  std::vector<TensorText> tensors = small_tensors();
  for (TensorText& tensor : tensors) tensor.dtype = tensor.shape.size() == 1 ? "F16" : "BF16";
  CHECK(
      only(audit(contract_of(spec), tensors)).message ==
      "22 tensors are BF16; the spec says F32 (checkpoint.dtype); --set checkpoint.dtype=bf16 takes them as they are");
  for (TensorText& tensor : tensors) tensor.dtype = "F64";
  const Diagnostic unknown = only(audit(contract_of(spec), tensors));
  CHECK(contains(unknown.message, "22 tensors are F64; the spec says F32, 7 tensors are F64; the spec says F16"));
  CHECK(contains(unknown.message, "no engine reads this type"));
}

TEST_CASE("another model's weights are told by the sizes that differ, once") {
  std::vector<TensorText> tensors = small_tensors();
  std::erase_if(tensors, [](const TensorText& t) { return t.name.starts_with("model.layers.2."); });
  for (TensorText& tensor : tensors) {
    for (std::int64_t& extent : tensor.shape) extent = extent == 12 ? 20 : extent == 10 ? 11 : extent;
  }
  const Diagnostic one = only(audit(small_llama(true), tensors));
  CHECK(one.rule == "checkpoint.shape");
  CHECK(one.message ==
        "these are the weights of another model than small: num_hidden_layers is 2, not 3; vocab is 11, not 10; "
        "intermediate is 20, not 12");
  // What these sizes do not explain is told beside them.
  tensor(tensors, "model.norm.weight").shape = {9};
  tensors.push_back({"score.weight", "F32", {2, 8}, ""});
  const Diagnostics all = audit(small_llama(true), tensors);
  CHECK(all.all().size() == 3);
  CHECK(contains(render(all), "model.norm.weight is [9]; final_norm needs [8]"));
  CHECK(contains(render(all), "score.weight is not used"));
}

TEST_CASE("an absent head of an untied model names the fix") {
  const Diagnostic error = only(audit(small_llama(false), small_tensors()));
  CHECK(error.rule == "checkpoint.tied_head");
  CHECK(contains(error.message, "tie_word_embeddings"));
}

TEST_CASE("a head beside a tied model is accepted as a copy and refused as anything else") {
  std::vector<TensorText> tensors = small_tensors();
  tensors.push_back({"lm_head.weight", "F32", {10, 8}, "embedding"});
  const Diagnostics copied = audit(small_llama(true), tensors);
  CHECK_FALSE(copied.has_errors());
  CHECK(only(copied).severity == Severity::note);
  CHECK(only(copied).rule == "checkpoint.tied_head");

  tensors.back().bytes = "another matrix";
  const Diagnostic error = only(audit(small_llama(true), tensors));
  CHECK(error.severity == Severity::error);
  CHECK(error.rule == "checkpoint.tied_head");
  CHECK(contains(error.message, "false"));
}

TEST_CASE("all problems are told in one run") {
  std::vector<TensorText> tensors = small_tensors();
  remove_tensor(tensors, "model.norm.weight");
  tensor(tensors, "model.embed_tokens.weight").shape = {11, 8};
  tensor(tensors, "model.layers.0.mlp.gate_proj.weight").dtype = "F16";
  tensors.push_back({"score.weight", "F32", {2, 8}, ""});
  const Diagnostics diagnostics = audit(small_llama(true), tensors);
  std::string rules;
  for (const Diagnostic& diagnostic : diagnostics.all()) rules += diagnostic.rule + " ";
  CHECK(contains(rules, "checkpoint.missing"));
  CHECK(contains(rules, "checkpoint.shape"));
  CHECK(contains(rules, "checkpoint.dtype"));
  CHECK(contains(rules, "checkpoint.unexpected"));
  CHECK(diagnostics.all().size() == 4);
}

TEST_CASE("GPT-2's tensors are found with and without their prefix, its matrices as [inputs, outputs]") {
  const Contract contract = contract_of(R"(
[model]
name = "small"
vocab_size = 10
hidden_size = 8
num_hidden_layers = 1
max_position_embeddings = 16
[norm]
type = "layer_norm"
eps = 1e-5
[attention]
num_attention_heads = 2
bias = true
[position]
type = "learned"
[mlp]
type = "plain"
intermediate_size = 32
activation = "gelu_new"
bias = true
[lm_head]
tie_word_embeddings = true
[checkpoint]
names = "gpt2"
dtype = "f32"
)");
  for (const std::string prefix : {"", "transformer."}) {
    CAPTURE(prefix);
    std::vector<TensorText> tensors;
    const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
      tensors.push_back({prefix + name, "F32", std::move(shape), ""});
    };
    add("wte.weight", {10, 8});
    add("wpe.weight", {16, 8});
    add("h.0.attn.bias", {1, 1, 16, 16});  // a buffer, ignored with a reason
    for (const char* norm : {"h.0.ln_1", "h.0.ln_2", "ln_f"}) {
      add(std::string(norm) + ".weight", {8});
      add(std::string(norm) + ".bias", {8});
    }
    add("h.0.attn.c_attn.weight", {8, 24});
    add("h.0.attn.c_attn.bias", {24});
    add("h.0.attn.c_proj.weight", {8, 8});
    add("h.0.attn.c_proj.bias", {8});
    add("h.0.mlp.c_fc.weight", {8, 32});
    add("h.0.mlp.c_fc.bias", {32});
    add("h.0.mlp.c_proj.weight", {32, 8});
    add("h.0.mlp.c_proj.bias", {8});
    const Diagnostics fitting = audit(contract, tensors);
    CHECK_MESSAGE(fitting.all().empty(), render(fitting));

    tensor(tensors, prefix + "h.0.mlp.c_fc.weight").shape = {32, 8};
    const Diagnostic error = only(audit(contract, tensors));
    CHECK(error.rule == "checkpoint.shape");
    CHECK(contains(error.message, prefix + "h.0.mlp.c_fc.weight"));
  }
}

TEST_CASE("a truncated checkpoint is refused, a missing one is an environment error") {
  const TemporaryDirectory directory;
  const std::string whole = safetensors(small_tensors());
  const std::string path = directory.write("model.safetensors", whole.substr(0, whole.size() / 2));
  CHECK(only(audit_checkpoint(small_llama(true), path, false)).rule == "checkpoint.format");
  CHECK_THROWS_WITH_AS(audit_checkpoint(small_llama(true), path + ".no", false), doctest::Contains(".no"),
                       EnvironmentError);
}

TEST_CASE("a tokenizer whose ids the embedding does not have is refused") {
  const std::string added = R"({"model": {"vocab": {"a": 0, "b": 8}}, "added_tokens": [{"id": 9, "content": "<s>"}]})";
  CHECK(audit(small_llama(true), small_tensors(), false, added).all().empty());
  const std::string beyond = R"({"model": {"vocab": {"a": 0}}, "added_tokens": [{"id": 10, "content": "<extra>"}]})";
  const Diagnostic error = only(audit(small_llama(true), small_tensors(), false, beyond));
  CHECK(error.rule == "checkpoint.tokenizer_vocabulary");
  CHECK(contains(error.message, "<extra>"));
  CHECK(contains(error.message, "vocab_size = 10"));
  CHECK(only(audit(small_llama(true), small_tensors(), false, "{\"model\": ")).rule ==
        "checkpoint.tokenizer_vocabulary");
}

TEST_CASE("experts of one tensor have an axis or stand in that of their rows; one that is missing or other is named") {
  const std::string path = std::string(MONOMORPH_SOURCE_DIR) + "/tests/cases/pass/stacked_experts.toml";
  const Contract contract = contract_of(read_file(path));
  Diagnostics rows;
  audit_rows(contract, rows);
  CHECK(render(rows) == "");
  std::vector<TensorText> whole;
  for (const auto& [name, expected] : expected_tensors(contract)) {
    whole.push_back({name, monomorph::row_of(expected.dtype).header, expected.shape, ""});
  }
  CHECK(render(audit(contract, whole)) == "");
  const std::string layer = "model.layers.1.", patterns = "model.layers.{i}.";
  const auto shape_of = [&](const std::string& name) { return tensor(whole, layer + name).shape; };
  using Shape = std::vector<std::int64_t>;
  CHECK(shape_of("moe.gate.weight") == Shape{6, 20, 48});
  CHECK(shape_of("halved.input_linear.weight") == Shape{6, 40, 48});
  CHECK(shape_of("halved.input_linear.bias") == Shape{6, 40});
  CHECK(shape_of("turned.gate_up") == Shape{6, 48, 40});
  CHECK(shape_of("turned.gate_up_bias") == Shape{6, 40});
  CHECK(shape_of("turned.down") == Shape{6, 20, 48});
  CHECK(shape_of("turned.down_bias") == Shape{6, 48});
  CHECK(shape_of("counted.5.gate_up.weight") == Shape{40, 48});
  CHECK(shape_of("counted.5.down.weight") == Shape{20, 48});
  const auto as = [&](const std::string& name, const Shape& shape) {
    std::vector<TensorText> tensors = whole;
    tensor(tensors, layer + name).shape = shape;
    return audit(contract, tensors);
  };
  CHECK(render(as("moe.gate.weight", {120, 48})) == "");
  CHECK(render(as("halved.input_linear.weight", {240, 48})) == "");
  CHECK(render(as("turned.gate_up", {288, 40})) == "");
  CHECK(render(as("turned.gate_up_bias", {240})) == "");
  CHECK(only(as("moe.gate.weight", {5, 24, 48})).message ==
        layer + "moe.gate.weight is [5, 24, 48]; layers.{i}.moe.gate needs [6, 20, 48]");
  CHECK(only(as("turned.gate_up", {6, 40, 48})).message ==
        layer + "turned.gate_up is [6, 40, 48]; layers.{i}.turned.gate needs [6, 48, 40]");
  CHECK(only(as("turned.gate_up", {240, 48})).rule == "checkpoint.shape");
  CHECK(only(as("halved.input_linear.weight", {5, 40, 48})).message ==
        layer +
            "halved.input_linear.weight is [5, 40, 48]; layers.{i}.halved.gate needs [6, 40, 48]; experts is 5 "
            "here and 6 in the spec");
  CHECK(only(as("counted.4.down.weight", {48, 20})).message ==
        layer + "counted.4.down.weight is [48, 20]; layers.{i}.counted.down needs [20, 48]");
  std::vector<TensorText> without = whole, other = whole;
  remove_tensor(without, layer + "halved.output_linear.weight");
  CHECK(only(audit(contract, without)).message ==
        layer + "halved.output_linear.weight is missing; layers.{i}.halved.down needs it, F16 of shape [6, 48, 20]");
  tensor(other, layer + "counted.3.gate_up.weight").dtype = "F32";
  CHECK(only(audit(contract, other)).message.starts_with(layer + "counted.3.gate_up.weight is F32"));
  remove_tensor(other, layer + "counted.3.gate_up.weight");
  CHECK(only(audit(contract, other)).message.starts_with(layer + "counted.3.gate_up.weight is missing"));
}

TEST_CASE("tensors past the last layer are told with the number of layers of their own stack") {
  const Contract contract =
      contract_of(read_file(std::string(MONOMORPH_SOURCE_DIR) + "/tests/cases/pass/encoder.toml"));
  std::vector<TensorText> whole;
  for (const auto& [name, expected] : expected_tensors(contract)) {
    whole.push_back({name, monomorph::row_of(expected.dtype).header, expected.shape, ""});
  }
  CHECK(audit(contract, whole).all().empty());
  const auto said = [&](const std::string& name) {
    std::vector<TensorText> tensors = whole;
    tensors.push_back({name, "F32", {24, 24}, ""});
    return only(audit(contract, tensors)).message;
  };
  CHECK(said("encoder.2.attention.q.weight") ==
        "encoder.2.attention.q.weight is not used: encoder.num_hidden_layers = 2");
  CHECK(said("decoder.3.attention.q.weight") == "decoder.3.attention.q.weight is not used: num_hidden_layers = 3");
}

TEST_CASE("experts that are missing, too many or twice are told with the layer, the expert and how many there are") {
  const Contract contract = contract_of(read_file(std::string(MONOMORPH_SOURCE_DIR) + "/tests/cases/pass/moe.toml"));
  std::vector<TensorText> whole;
  for (const auto& [name, expected] : expected_tensors(contract)) {
    whole.push_back({name, monomorph::row_of(expected.dtype).header, expected.shape, ""});
  }
  const std::string mlp = "model.layers.1.mlp.", expert = mlp + "experts.3.up_proj.weight";
  const auto said = [&](const auto& spoil) {
    std::vector<TensorText> tensors = whole;
    spoil(tensors);
    return only(audit(contract, tensors)).message;
  };
  CHECK(said([&](auto& all) { remove_tensor(all, expert); }) ==
        expert + " is missing; layers.{i}.moe.up needs it, F16 of shape [20, 48], one for each of 6 experts");
  CHECK(said([&](auto& all) { tensor(all, expert).shape = {48, 20}; }) ==
        expert + " is [48, 20]; layers.{i}.moe.up needs [20, 48]");
  CHECK(said([&](auto& all) { tensor(all, expert).shape = {24, 48}; }) ==
        expert + " is [24, 48]; layers.{i}.moe.up needs [20, 48]; expert_intermediate is 24 here and 20 in the spec");
  CHECK(said([&](auto& all) { tensor(all, expert).dtype = "F32"; }) ==
        expert + " is F32; the spec says F16 (checkpoint.dtype, or a line of checkpoint.dtypes)");
  CHECK(said([&](auto& all) { tensor(all, mlp + "gate.weight").shape = {5, 48}; }) ==
        mlp + "gate.weight is [5, 48]; layers.{i}.moe.router needs [6, 48]; experts is 5 here and 6 in the spec");
  const std::string more = mlp + "experts.6.up_proj.weight", stacked = mlp + "experts.up_proj";
  CHECK(said([&](auto& all) { all.push_back({more, "F16", {20, 48}, ""}); }) ==
        more + " is not used: layers.{i}.moe.up has one for each of 6 experts");
  CHECK(said([&](auto& all) { all.push_back({stacked, "F16", {6, 20, 48}, ""}); }) ==
        stacked + " is not used by this model; if it may be left out, say why in checkpoint.ignore");

  const TemporaryDirectory directory;
  directory.write("a.safetensors", safetensors(whole));
  directory.write("b.safetensors", safetensors({{expert, "F16", {20, 48}, ""}}));
  const std::string index =
      directory.write("model.safetensors.index.json", R"({"weight_map": {"model.norm.weight": "a.safetensors", ")" +
                                                          expert + R"(": "b.safetensors"}})");
  const Diagnostic twice = only(audit_checkpoint(contract, index, false));
  CHECK(contains(twice.message, "tensor '" + expert + "' stands in two shards, "));
  CHECK(contains(twice.message, "a.safetensors"));
  CHECK(contains(twice.message, "b.safetensors"));
  CHECK(contains(twice.message, "; remove the one that does not belong"));
}

TEST_CASE("of heads whose matrices stand in a tensor the other way round each line is read once, in either order") {
  const std::string text = read_file(std::string(MONOMORPH_SOURCE_DIR) + "/tests/cases/pass/latent_attention.toml");
  const std::string order = "fused = [\"k_up\", \"v_up\"]";
  REQUIRE(contains(text, order));
  std::string other = text;
  other.replace(other.find(order), order.size(), "fused = [\"v_up\", \"k_up\"]");
  for (const std::string& spec : {text, other}) {
    const Contract contract = contract_of(spec);
    Diagnostics rows;
    audit_rows(contract, rows);
    CHECK(render(rows) == "");
    std::vector<TensorText> tensors;
    for (const auto& [name, expected] : expected_tensors(contract)) {
      tensors.push_back({name, monomorph::row_of(expected.dtype).header, expected.shape, ""});
    }
    const std::string name = "model.layers.1.self_attn.kv_b_proj.weight";
    CHECK(tensor(tensors, name).shape == std::vector<std::int64_t>{60, 20});
    CHECK(render(audit(contract, tensors)) == "");
    tensor(tensors, name).shape = {3, 20, 20};
    CHECK(render(audit(contract, tensors)) == "");
    tensor(tensors, name).shape = {59, 20};
    CHECK(contains(only(audit(contract, tensors)).message, name + " is [59, 20]; layers.{i}.latent_attention."));
  }
}

TEST_CASE("every row of a tensor is read once: a row that is dropped, read twice or beyond the end is named") {
  const auto interleaved = [] {
    std::string text = small_llama_text(true);
    text.replace(text.find("num_key_value_heads = 2"), 23, "num_key_value_heads = 4");
    return contract_of(text +
                       "[checkpoint.tensors]\n\"layers.{i}.attention.qkv\" = { name = \"h.{i}.qkv\", fused = "
                       "[\"q\", \"k\", \"v\"], interleaved = \"head\" }\n"
                       "\"layers.{i}.mlp.gate_up\" = { name = \"h.{i}.gate_up\", fused = [\"up\", \"gate\"] }\n");
  };
  const auto spoiled = [&](const char* role, const std::function<void(monomorph::RowView&)>& spoil) {
    Contract contract = interleaved();
    spoil(contract.weights[contract.find_weight({0}, role)].sources[0].view);
    Diagnostics diagnostics;
    audit_rows(contract, diagnostics);
    return diagnostics.all().empty() ? std::string() : only(diagnostics).message;
  };
  CHECK(spoiled("attention::k_proj", [](monomorph::RowView&) {}) == "");
  CHECK(spoiled("attention::k_proj", [](monomorph::RowView& view) { view.rows -= 1; }) ==
        "h.{i}.qkv.weight: rows 21 to 21 are read for nothing");
  CHECK(spoiled("attention::k_proj", [](monomorph::RowView& view) { view.source_row -= 1; }) ==
        "h.{i}.qkv.weight: row 1 is read for layers.{i}.attention.q and for layers.{i}.attention.k");
  CHECK(spoiled("attention::v_proj", [](monomorph::RowView& view) { view.run_stride += 1; }) ==
        "h.{i}.qkv.weight: row 12 is read for layers.{i}.attention.q and for layers.{i}.attention.v");
  CHECK(spoiled("mlp::gate_proj", [](monomorph::RowView& view) { view.source_row += 1; }) ==
        "h.{i}.gate_up.weight: row 24 is read for layers.{i}.mlp.gate, and it has 24 rows");
  CHECK(spoiled("mlp::up_proj", [](monomorph::RowView& view) { view.rows -= 2; }) ==
        "h.{i}.gate_up.weight: rows 10 to 11 are read for nothing");
}

TEST_CASE("every row of a tensor that alternates by key head is read once, however many query heads one serves") {
  for (const char* kv_heads : {"1", "2", "4"}) {
    std::string text = small_llama_text(true);
    text.replace(text.find("num_key_value_heads = 2"), 23, std::string("num_key_value_heads = ") + kv_heads);
    const Contract contract =
        contract_of(text +
                    "[checkpoint.tensors]\n\"layers.{i}.attention.qkv\" = { name = \"h.{i}.qkv\", fused = "
                    "[\"k\", \"q\", \"v\"], interleaved = \"kv_group\" }\n");
    Diagnostics diagnostics;
    audit_rows(contract, diagnostics);
    CHECK(diagnostics.all().empty());
  }
}
