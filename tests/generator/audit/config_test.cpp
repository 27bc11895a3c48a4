// A config.json beside the weights, against the spec and against what an engine carries: the same verdict of both.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "generator/audit/config_facts.hpp"
#include "generator/blocks/pooling.hpp"
#include "generator/import/import.hpp"
#include "runtime/formats/config_facts.hpp"
#include "runtime/formats/gguf_config.hpp"
#include "runtime/formats/json.hpp"
#include "runtime/formats/sentence_transformers.hpp"
#include "tests/generator/audit/small_model.hpp"
#include "tests/support/files.hpp"

using namespace monomorph;
using namespace monomorph::tests;
using namespace monomorph::generator;
using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const fs::path tests_dir = fs::path(MONOMORPH_SOURCE_DIR) / "tests";
const fs::path resaved_path = tests_dir / "generator" / "audit" / "resaved.json";

/// A spec, and configs beside its weights.
class Beside {
 public:
  explicit Beside(const std::shared_ptr<const Source>& source, const std::vector<Override>& overrides = {}) {
    Diagnostics diagnostics;
    spec_ = read_spec(source, overrides, diagnostics);
    std::optional<Contract> contract;
    if (spec_) contract = check_contract(*spec_, diagnostics);
    REQUIRE_MESSAGE(contract, render(diagnostics));
    meanings_.emplace(*spec_, overrides);
    facts_ = config_facts(*spec_, *meanings_, *contract);
  }
  explicit Beside(const std::string& text, const std::vector<Override>& overrides = {})
      : Beside(std::make_shared<const Source>(Source{"spec.toml", text}), overrides) {}

  /// The family whose names the tensors have.
  const std::string& names() const { return spec_->checkpoint->names.value; }
  /// What `check --weights` says.
  Diagnostics audit(const json& config, bool ignore = false) const {
    directory_.write("config.json", config.dump(2));
    return audit_config(*spec_, *meanings_, directory_.path().string(), ignore);
  }
  /// What the engine says.
  ConfigComparison compare(const json& config) const {
    return compare_config({"config.json", config.dump()}, facts_.empty() ? "[]" : facts_,
                          spec_->model.num_hidden_layers.value, spec_->model.name.value);
  }
  /// The messages of the engine.
  std::vector<std::string> differences_of_engine(const json& config) const {
    const ConfigComparison comparison = compare(config);
    CHECK(comparison.compared);
    std::vector<std::string> messages;
    for (const ConfigDifference& difference : comparison.differences) messages.push_back(difference.message);
    return messages;
  }
  /// The messages of both, which are the same.
  std::vector<std::string> differences(const json& config) const {
    std::vector<std::string> messages;
    const Diagnostics found = audit(config);
    for (const Diagnostic& diagnostic : found.all()) {
      CHECK(diagnostic.rule == "config.differs");
      messages.push_back(diagnostic.message);
    }
    CHECK(messages == differences_of_engine(config));
    return messages;
  }
  const std::string& facts() const { return facts_; }
  bool has_head() const { return !pools(*spec_->pooling); }

 private:
  std::optional<Spec> spec_;
  mutable std::optional<Meanings> meanings_;  ///< worked out once for every config
  std::string facts_;
  TemporaryDirectory directory_;
};

/// With what sentence-transformers' files beside it say.
json config_in(const fs::path& directory) {
  return json::parse(with_sentence_transformers(with_words_quoted(read_file(directory / "config.json")), directory));
}

Beside imported(const fs::path& directory, const std::vector<Override>& overrides = {}) {
  Diagnostics diagnostics;
  const auto spec = import_huggingface(directory.string(), {}, diagnostics);
  REQUIRE_MESSAGE(spec, render(diagnostics));
  return Beside(spec->text, overrides);
}

Beside model(const std::string& name) {
  return Beside(read_source((tests_dir.parent_path() / "models" / (name + ".toml")).string()));
}

std::string joined(const std::vector<std::string>& messages) {
  std::string text;
  for (const std::string& message : messages) text += message + "\n";
  return text;
}

/// Under sanitizers each config takes seconds, and what they look for shows in few, since families are data: one golden
/// of every fourth model type, and of what is tried on it every so many.
constexpr bool few_families = MONOMORPH_SANITIZED;
constexpr std::size_t step = MONOMORPH_SANITIZED ? 16 : 1;

/// The golden cases by what tells them apart here: their names without the type of the weights, which nothing reads.
std::map<std::string, fs::path> golden_cases() {
  std::map<std::string, fs::path> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(tests_dir / "golden" / "cases")) {
    const std::string name = entry.path().filename();
    if (!fs::exists(entry.path() / "config.json")) continue;  // of a GGUF file or a spec
    const std::string key =
        few_families ? config_in(entry.path())["model_type"].get<std::string>() : name.substr(0, name.rfind('-'));
    const auto [place, inserted] = cases.emplace(key, entry.path());
    place->second = std::min(place->second, entry.path());  // whatever the order of the folder
  }
  std::size_t nth = 0;
  if (few_families) std::erase_if(cases, [&](const auto&) { return nth++ % 4 != 0; });
  return cases;
}

/// `config` with the keys of a change, "a.b" inside an object.
json with(json config, const json& keys) {
  for (const auto& [path, value] : keys.items()) {
    std::string pointer = "/" + path;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    json& object = config[json::json_pointer(pointer).parent_pointer()];
    const std::string key = path.substr(path.rfind('.') + 1);
    value == "(absent)" ? static_cast<void>(object.erase(key)) : static_cast<void>(object[key] = value);
  }
  return config;
}

/// Whether a key says another model, though the library does not read it, or has the tensors decide: those of [only] in
/// families/, a tie beside a head of the file's own, two sizes under one name, heads that are worked out anew, a window
/// that layer types ask for, and a factor of what a norm reads; the base of angles that DBRX has in older versions; and
/// what Phi-3.5 MoE has for lengths that a golden's prompts do not have.
bool is_refused_though_inert(const std::string& key, const json& config) {
  if (key == "tie_word_embeddings" || key == "hidden_size" || key == "use_sliding_window" || key == "num_query_heads") {
    return true;
  }
  if (key == "attn_config.rope_theta") return true;
  if (key == "norm_topk_prob" && config["model_type"] == "flex_olmo") return true;
  // What Nemotron-H says twice has to agree, and no time step of its golden, and of one of Zamba2's, is as
  // short as those that are cut.
  const std::set<std::string> of_nemotron = {"attention_head_dim", "num_hidden_layers", "time_step_min"};
  if (config["model_type"] == "nemotron_h" && of_nemotron.contains(key)) return true;
  if (config["model_type"] == "zamba2" && key == "time_step_min") return true;
  if (key == "rope_parameters.rope_type" && config["model_type"] == "olmo_hybrid") return true;  // without angles
  const bool of_lengths = key == "rope_scaling.short_mscale" || key == "rope_scaling.original_max_position_embeddings";
  if (of_lengths && config["model_type"] == "phimoe") return true;
  return std::any_of(families().begin(), families().end(), [&](const auto& named) {
    return named.second.model_type == config["model_type"].get<std::string>() && named.second.only.contains(key);
  });
}

/// The family whose class the config names.
std::string family_of(const json& config) {
  for (const auto& [name, family] : families()) {
    if (std::ranges::count(family.architectures, config["architectures"][0].get<std::string>()) > 0) return name;
  }
  return "";
}

/// The key that ties the head to the embedding.
std::string tie_of(const json& config) {
  return config["model_type"] == "llada"     ? "weight_tying"
         : config["model_type"] == "openelm" ? "share_input_output_layers"
                                             : "tie_word_embeddings";
}

/// What that key decides: of T5 whether logits are scaled, and of BART whether encoder and decoder have one table.
/// T5Gemma's have tables of their own.
std::string tied_field(const json& config) {
  const bool shares = config.value("is_encoder_decoder", false) && !config.contains("encoder");
  return !shares ? "lm_head.tie_word_embeddings" : config.contains("d_kv") ? "lm_head.scale" : "encoder.own_embedding";
}

/// mT5 and UMT5 never read it, and a T5 that says whether logits are scaled does not, either.
bool tie_decides(const json& config) {
  return config["model_type"] != "mt5" && config["model_type"] != "umt5" && !config.contains("scale_decoder_outputs");
}

}  // namespace

TEST_CASE("a golden's config.json, as transformers saves it too, is no difference; a change that moves logits is one") {
  std::set<std::string> families_seen;
  int ties = 0, tied_or_not = 0, moved_theta = 0;
  const json resaved = json::parse(with_words_quoted(read_file(resaved_path)));
  for (const auto& [name, directory] : golden_cases()) {
    CAPTURE(name);
    const Beside beside = imported(directory);
    const json config = config_in(directory);
    CHECK(joined(beside.differences(config)).empty());
    json saved = resaved.at(directory.filename().string());
    if (config.contains("sentence_transformers")) saved["sentence_transformers"] = config["sentence_transformers"];
    CHECK(joined(beside.differences_of_engine(saved)).empty());
    moved_theta += config.contains("rope_theta") && saved.contains("rope_parameters") ? 1 : 0;
    const bool has_head = beside.has_head();
    for (const bool tied : {false, true}) {
      const std::string said = joined(beside.differences(with(config, {{tie_of(config), tied}})));
      CHECK((said.empty() || !has_head) != contains(said, fmt::format("'{}' is {}", tie_of(config), tied)));
      CHECK((said.empty() || contains(said, tied_field(config) + " of ")));
      ties += said.empty() && has_head ? 1 : 0;
    }
    tied_or_not += has_head ? (tie_decides(config) ? 1 : 2) : 0;
    const json golden = json::parse(with_words_quoted(read_file(directory / "golden.json")));
    // A query that sees its own key alone has no angles.
    const bool angles_are_idle = directory.filename().string().starts_with("mistral-sliding-1-");
    int moved = 0, inert = 0;
    const json& changes = golden["key_sensitivity"];
    for (std::size_t nth = 0; nth < changes.size(); nth += step) {
      const json& change = changes[nth];
      if (change["keys"].contains("architectures")) continue;  // of another architecture nothing is compared
      CAPTURE(change.dump());
      const std::string said = joined(beside.differences_of_engine(with(config, change["keys"])));
      if (change["outcome"] == "moved") {
        ++moved;
        families_seen.insert(family_of(config));
        bool names_key = false;
        for (const auto& [path, value] : change["keys"].items()) {
          // A key that is gone may be named by another spelling; what an object or a list says, by what is in it.
          const std::string told = value.is_structured() ? "'" + path
                                   : value == "(absent)" ? "' is "
                                                         : "'" + path + "' is " + value.dump();
          names_key = names_key || contains(said, told);
        }
        CHECK((contains(said, " of " + directory.filename().string() + " is ") || contains(said, " runs\n")));
        CHECK_MESSAGE(names_key, said);
      }
      if (change["outcome"] == "inert" && !angles_are_idle &&
          !is_refused_though_inert(change["keys"].items().begin().key(), config)) {
        ++inert;
        CHECK_MESSAGE(said.empty(), said);
      }
    }
    if (step > 1) continue;
    CHECK(moved > 0);
    CHECK((inert > 0) != angles_are_idle);
  }
  CHECK((step > 1 || families_seen.size() == families().size()));
  CHECK((step > 1 || moved_theta >= 10));
  CHECK(ties == tied_or_not);  // one of true and false is right, or both where they decide nothing
}

TEST_CASE("a field that tensors of the checkpoint tell is not compared with config.json") {
  const fs::path directory = tests_dir / "golden" / "cases" / "axk1-12-bf16";
  const json config = config_in(directory);
  CHECK(imported(directory, {{"moe.selection_bias", "false"}}).differences(config).empty());
  CHECK_FALSE(imported(directory, {{"moe.routed_scaling_factor", "1.0"}}).differences(config).empty());
}

TEST_CASE("of a field that tensors tell, config.json refuses a value that neither gives") {
  const fs::path directory = tests_dir / "golden" / "cases" / "pegasus-f32";
  const json config = config_in(directory);
  const auto beside = [&](const char* type) { return imported(directory, {{"position.type", type}}); };
  CHECK(beside("learned").differences(config).empty());
  CHECK(beside("sinusoidal").differences(config).empty());  // a table in the file is then a tensor too many
  CHECK(beside("none").audit(config).has_errors());
  CHECK(beside("rope").audit(config).has_errors());
}

namespace {

/// Whether the family has a reason why the key at "/rope/freq_base" changes nothing, or an object that it is in.
bool is_ignored(const Family& family, std::string pointer) {
  std::ranges::replace(pointer, '/', '.');
  std::string path = pointer.substr(1);
  while (!family.ignored.contains(path) && path.find('.') != std::string::npos) path.resize(path.rfind('.'));
  return family.ignored.contains(path);
}

}  // namespace

TEST_CASE("a change of a GGUF file's metadata that changes the model is refused by its key") {
  // Of these nothing depends: what the model was trained on, and what says a tensor's rows once more.
  const std::set<std::string> inert = {"context_length", "vocab_size", "bos_token_id", "eos_token_id",
                                       "decoder_start_token_id"};
  std::set<std::string> architectures;
  for (const fs::directory_entry& entry : fs::directory_iterator(tests_dir / "golden" / "cases")) {
    const std::string path = (entry.path() / "model.gguf").string();
    if (!fs::exists(path) || entry.path().filename().string().starts_with("all-")) continue;
    CAPTURE(path);
    Diagnostics diagnostics;
    const auto imported = import_gguf(path, {}, diagnostics);
    REQUIRE_MESSAGE(imported, render(diagnostics));
    const Beside beside(imported->text);
    const json config = json::parse(gguf_config(Checkpoint::open(path)));
    const Family& family = gguf_families().at(beside.names());
    architectures.insert(config["architectures"][0].get<std::string>());
    const auto said_of = [&](const json& changed) {
      const ConfigComparison comparison = beside.compare(changed);
      CHECK(comparison.compared);
      std::string said;
      for (const ConfigDifference& difference : comparison.differences) said += difference.message + "\n";
      return said;
    };
    CHECK(said_of(config).empty());
    int changes = 0;
    const std::function<void(const json&, const std::string&)> visit = [&](const json& object, const std::string& at) {
      for (const auto& [key, value] : object.items()) {
        const std::string pointer = at + "/" + key;
        if (value.is_object()) visit(value, pointer);
        const bool is_list = value.is_array() && !value.empty() && value.back().is_number();
        if ((value.is_structured() && !is_list) || inert.contains(key) || is_ignored(family, pointer)) continue;
        if (pointer.starts_with("/tensors/") || pointer.starts_with("/layers_of/")) continue;
        if (key == "feed_forward_length" && object.contains("expert_" + key)) continue;  // no layer is without experts
        CAPTURE(pointer);
        json changed = config;
        json& place = is_list ? changed[json::json_pointer(pointer)].back() : changed[json::json_pointer(pointer)];
        place = place.is_boolean()          ? json(!place.get<bool>())
                : place.is_string()         ? json("other")
                : place.is_number_integer() ? json(place.get<std::int64_t>() + 1)
                                            : json(place.get<double>() * 1.5);
        CHECK(contains(said_of(changed), key));
        ++changes;
      }
    };
    visit(config, "");
    CHECK(changes >= 6);
  }
  for (const auto& [name, family] : gguf_families()) CHECK(architectures.contains(family.architectures.front()));
}

TEST_CASE("what transformers saves after reading a published config.json says the same") {
  const json resaved = json::parse(with_words_quoted(read_file(resaved_path)));
  std::size_t nth = 0;
  for (const auto& [name, config] : resaved.items()) {
    const fs::path published = tests_dir / "models" / "configs" / name;
    if (!fs::exists(published) || nth++ % step != 0) continue;
    CAPTURE(name);
    const Beside beside = model(name);
    CHECK(joined(beside.differences_of_engine(config_in(published))).empty());
    CHECK(joined(beside.differences_of_engine(config)).empty());
  }
  CHECK(nth > 100);
}

TEST_CASE("a difference is placed at its key, in every spelling") {
  const Beside beside = model("llama-3-8b");
  json config = config_in(tests_dir / "models" / "configs" / "llama-3-8b");
  config.erase("rope_theta");
  config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 10000.0}};
  const Diagnostics found = beside.audit(config);
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].message ==
        "'rope_parameters.rope_theta' is 10000.0, and position.rope_theta of llama-3-8b is 500000.0");
  CHECK(contains(render(found), "\"rope_theta\": 10000.0"));
  config.erase("rope_parameters");
  CHECK(joined(beside.differences(config)) ==
        "'rope_theta' is 10000.0 by default, and position.rope_theta of llama-3-8b is 500000.0\n");
  config["rope_theta"] = 500000;
  CHECK(beside.differences(config).empty());
  config["rope_scaling"] = {{"rope_theta", 500001}, {"type", "default"}};
  CHECK(contains(joined(beside.differences(config)), "'rope_scaling.rope_theta' is 500001, but 'rope_theta'"));
  config["rope_scaling"] = {{"type", "linear"}, {"factor", 2.0}};
  CHECK(contains(joined(beside.differences(config)),
                 "'rope_scaling.type' is \"linear\", and position.scaling of llama-3-8b is \"none\""));
}

TEST_CASE("what no field shows is refused with the family's words") {
  const json config = config_in(tests_dir / "models" / "configs" / "llama-3-8b");
  json changed = config;
  changed["partial_rotary_factor"] = 0.5;
  CHECK(contains(joined(model("llama-3-8b").differences(changed)), "'partial_rotary_factor' is 0.5, and versions of"));
  changed = config;
  changed["use_mrope"] = true;
  CHECK(contains(joined(model("llama-3-8b").differences(changed)), "'use_mrope' is true, and only false runs"));
}

TEST_CASE("a key that has to be said is missed where the fields would be the same without it") {
  const auto without = [](const char* key, const char* name) {
    const fs::path golden = tests_dir / "golden" / "cases" / name;
    json config = config_in(golden);
    CHECK(config.erase(key) == 1);
    return joined(imported(golden).differences(config));
  };
  CHECK(contains(without("rope_parameters", "cwm-long-f32"), "does not say 'rope_type'"));
  CHECK(contains(without("layer_types", "exaone4-global-f16"), "does not say 'layer_types'"));
}

TEST_CASE("a model none of whose layers has experts is compared with its config.json, though its family has them") {
  for (const char* name : {"glm4-moe-10-bf16", "dots1-14-f16"}) {
    CAPTURE(name);
    const json sparse = config_in(tests_dir / "golden" / "cases" / name);
    const json dense = with(sparse, {{"first_k_dense_replace", sparse["num_hidden_layers"]}});
    const TemporaryDirectory directory;
    directory.write("config.json", dense.dump());
    const Beside beside = imported(directory.path());
    CHECK(joined(beside.differences(dense)) == "");
    CHECK(contains(joined(beside.differences(sparse)), "layers.steps"));
    CHECK(contains(joined(beside.differences(with(dense, {{"intermediate_size", 7}}))), "mlp.intermediate_size"));
  }
}

TEST_CASE("windows are compared layer by layer") {
  const Beside beside = model("gemma-2-2b");
  json config = config_in(tests_dir / "models" / "configs" / "gemma-2-2b");
  config["layer_types"] = std::vector<std::string>(26, "sliding_attention");
  const std::string said = joined(beside.differences(config));
  CHECK(contains(said, "'layer_types' is "));
  CHECK(contains(said,
                 "attention.sliding_window is 4096, and attention.sliding_window of gemma-2-2b is null in layer 1"));
}

TEST_CASE("a scale that differs from layer to layer is told from one of all layers, and from another") {
  const auto source = read_source((tests_dir.parent_path() / "models" / "gpt2.toml").string());
  const auto scaled = [&](const std::string& scale) {
    return Beside(source, {{"attention.scale", "\"" + scale + "\""}});
  };
  const json plain = config_in(tests_dir / "models" / "configs" / "gpt2");
  json by_layer = plain;
  by_layer["scale_attn_by_inverse_layer_idx"] = true;
  for (const std::string same : {"1 / sqrt(head_dim) / (layer + 1)", "1 / (8 * layer + 8)"}) {
    CHECK(joined(scaled(same).differences(by_layer)).empty());
    CHECK(contains(joined(scaled(same).differences(plain)), "attention.scale of gpt2 is"));
  }
  CHECK(contains(joined(model("gpt2").differences(by_layer)), "'scale_attn_by_inverse_layer_idx' is true"));
  // No config.json of the family says this one, and the audit alone tells it.
  CHECK(contains(render(scaled("1 / (8 * layer + 9)").audit(by_layer)), "attention.scale of gpt2 is"));
}

TEST_CASE("the same said in other words is no difference") {
  const std::string text = small_llama_text(false);
  const json config = {{"architectures", {"LlamaForCausalLM"}},
                       {"vocab_size", 10},
                       {"hidden_size", 8},
                       {"num_hidden_layers", 3},
                       {"num_attention_heads", 4},
                       {"num_key_value_heads", 2},
                       {"intermediate_size", 12},
                       {"rms_norm_eps", 1e-5},
                       {"max_position_embeddings", 99},
                       {"hidden_act", "swish"}};
  CHECK(joined(Beside(text).differences(config)).empty());
  const std::vector<std::vector<Override>> same = {{{"mlp.activation", "\"x * sigmoid(x)\""}},
                                                   {{"attention.head_dim", "2"}},
                                                   {{"attention.scale", "\"1 / sqrt(2)\""}},
                                                   {{"attention.sliding_window", "16"}},
                                                   {{"position.rotary_dim", "2"}},
                                                   {{"position.rope_theta", "10000"}},
                                                   {{"norm.eps", "0.00001"}},
                                                   {{"mlp.bias", "false"}}};
  for (const std::vector<Override>& overrides : same) {
    CAPTURE(overrides[0].path);
    CHECK(joined(Beside(text, overrides).differences(config)).empty());
  }
  // What a Llama never has is told by the audit; no config.json of the family can describe the engine.
  const std::vector<std::vector<Override>> others = {{{"attention.softcap", "50"}},
                                                     {{"attention.scale", "0.5"}},
                                                     {{"mlp.activation", "relu"}},
                                                     {{"norm.weight_offset", "1.0"}},
                                                     {{"layers.steps", "[\"attention + mlp\"]"}},
                                                     {{"attention.sliding_window", "15"}}};
  for (const std::vector<Override>& overrides : others) {
    CAPTURE(overrides[0].path);
    const Beside beside(text, overrides);
    const Diagnostics found = beside.audit(config);
    REQUIRE(found.all().size() == 1);
    CHECK(contains(found.all()[0].message, overrides[0].path));
    const ConfigComparison comparison = beside.compare(config);
    CHECK((!comparison.compared || comparison.differences.size() == 1));
  }
}

TEST_CASE("an engine carries the families that its model can be of") {
  const auto families_of = [](const Beside& beside) {
    std::vector<std::string> names;
    const json carried = json::parse(beside.facts().empty() ? "[]" : beside.facts());
    for (const json& family : carried) {
      names.push_back(family["model_type"]);
    }
    return names;
  };
  const std::vector<std::string> of_llama = families_of(model("llama-3-8b"));  // and of what is added to its line
  const auto has = [&](const char* name) {
    return std::find(of_llama.begin(), of_llama.end(), name) != of_llama.end();
  };
  for (const char* name : {"cwm", "granite", "llama", "mistral"}) CHECK(has(name));
  for (const char* name : {"gemma", "gpt2", "qwen2", "qwen3"}) CHECK_FALSE(has(name));
  CHECK(families_of(model("gpt2")) == std::vector<std::string>{"gpt2"});
  CHECK(families_of(model("qwen2.5-0.5b")) == std::vector<std::string>{"qwen2", "seed_oss"});
  CHECK(families_of(model("qwen3-0.6b")) == std::vector<std::string>{"qwen3"});
  const Override other_name = {"checkpoint.tensors", "{ final_norm = \"another\" }"};
  CHECK(families_of(Beside(small_llama_text(true), {other_name})).empty());
}

TEST_CASE(
    "a config.json of an architecture that is not known is noted, and one that is ignored tells what goes unseen") {
  const Beside beside(small_llama_text(true));
  const Diagnostics unknown = beside.audit({{"architectures", {"NewForCausalLM"}}, {"rms_norm_eps", 1.0}});
  REQUIRE(unknown.all().size() == 1);
  CHECK(unknown.all()[0].rule == "config.not_compared");
  CHECK_FALSE(unknown.has_errors());
  CHECK(contains(unknown.all()[0].message, "NewForCausalLM"));
  CHECK_FALSE(beside.compare({{"architectures", {"NewForCausalLM"}}}).compared);
  CHECK_FALSE(beside.compare(json::object()).compared);
  const Diagnostics ignored = beside.audit({{"architectures", {"LlamaForCausalLM"}}}, true);
  REQUIRE(ignored.all().size() == 1);
  CHECK_FALSE(ignored.has_errors());
  CHECK(contains(ignored.all()[0].message, config_decides));
  CHECK(beside.audit({{"model_type", "llama"}}).has_errors());
}

TEST_CASE("an engine knows every operator that families use") {
  const Beside beside(small_llama_text(true));
  const WeightsConfig config = {"config.json", R"({"model_type": "x"})"};
  Diagnostics none;
  const auto spec = read_spec(std::make_shared<const Source>(Source{"spec.toml", small_llama_text(true)}), {}, none);
  Meanings meanings(*spec, {});
  const std::function<void(const json&, const json&)> visit = [&](const json& tree, const json& keys) {
    if (!tree.is_array()) return;
    json family = {{"architectures", json::array()}, {"model_type", "x"}, {"keys", keys}};
    family["facts"] = json::array({json::array({"field", tree, json::array({"no value"})})});
    family["only"] = json::object();
    family["refused"] = json::array();
    const json facts = json::array({family});
    CHECK_NOTHROW(compare_config(config, facts.dump(), 1, "x"));
    for (std::size_t i = 1; i < tree.size(); ++i) visit(tree[i], keys);
  };
  for (const auto& [name, family] : families()) {
    CAPTURE(name);
    const json facts = json::parse(config_facts(*spec, meanings, family).dump());
    for (const json& fact : facts["facts"]) visit(fact[1], facts["keys"]);
    for (const json& refused : facts["refused"]) visit(refused[0], facts["keys"]);
  }
}
