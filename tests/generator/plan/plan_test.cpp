// What the goldens of emission do not show of a plan: limits that a shader must keep, and figures.
#include "generator/plan/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "generator/graph/graph.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

struct Planned {
  Contract contract;
  Plan plan;
};

Planned planned(const std::vector<Override>& overrides, const std::string& text = tiny) {
  const Judged judged = judge(text, overrides);
  INFO(render(judged.diagnostics));
  REQUIRE(judged.contract);
  return {*judged.contract, make_plan(*judged.contract, build_graph(*judged.contract))};
}

Plan plan_of(const std::vector<Override>& overrides, const std::string& text = tiny) {
  return planned(overrides, text).plan;
}

const generator::Kernel& kernel(const Plan& plan, const std::string& name) {
  const auto found = std::find_if(plan.kernels.begin(), plan.kernels.end(),
                                  [&](const generator::Kernel& kernel) { return kernel.name == name; });
  REQUIRE_MESSAGE(found != plan.kernels.end(), name);
  return *found;
}

/// "attention::q_proj 96, zeros 48": what a matrix or vector of the first kind of layer is made of; its axis.
std::string pieces(const Planned& model, const std::string& role) {
  for (const StoredId id : model.plan.stored_of({0})) {
    const Stored& stored = model.plan.stored[id];
    if (stored.role != role) continue;
    std::string text;
    for (const StoredRows& piece : stored.pieces) {
      text += (text.empty() ? "" : ", ") + (piece.weight ? model.contract.weights[piece.weight].role : "zeros") + " " +
              std::to_string(piece.rows);
    }
    return text;
  }
  return "not there";
}

std::vector<std::string> stored_roles(const Planned& model) {
  std::vector<std::string> roles;
  for (const StoredId id : model.plan.stored_of({0})) roles.push_back(model.plan.stored[id].role);
  std::sort(roles.begin(), roles.end());
  return roles;
}

/// Kernels that the layers of the first kind call in a phase, in order.
std::vector<std::string> layer_kernels(const Plan& plan, const char* phase) {
  std::vector<std::string> names;
  for (const Call& call : plan.phase(phase).sections.at(1).calls) names.push_back(plan.kernels[call.kernel].name);
  return names;
}

/// Bytes of the shared arrays of shaders/attention.glsl, workgroups having 128 invocations, in subgroups of 4 at least;
/// with those of shaders/keys_listed.glsl.
std::int64_t shared_bytes(std::int64_t tile_tokens, std::int64_t head_dim, bool listed) {
  const std::int64_t queries_tile = tile_tokens * ((head_dim + 3) / 4) * 16;
  const std::int64_t scores = tile_tokens * 128 * 4;
  const std::int64_t partial_outputs = 128 * 16;
  const std::int64_t row_max_sum_factor = tile_tokens * 3 * 4;
  const std::int64_t lists_and_counts = listed ? 2 * 128 * 4 + 2 * 128 / 4 * 4 : 0;
  return queries_tile + scores + partial_outputs + row_max_sum_factor + lists_and_counts;
}

}  // namespace

TEST_CASE("a tile of attention is the largest that 16 KiB of shared memory hold, for every size of head") {
  for (std::int64_t head_dim = 2; head_dim <= 512; head_dim += 2) {
    CAPTURE(head_dim);
    for (const bool listed : {false, true}) {
      const Override mask = {"attention.mask", "key == query || key % 3 != 1"},
                     window = {"attention.sliding_window", "9"};
      const Plan plan = plan_of({{"attention.head_dim", std::to_string(head_dim)}, listed ? mask : window});
      const std::int64_t tile = kernel(plan, "attention_prefill").max_tile_tokens;
      const std::int64_t query_rows = 2 * 64;  // of a chunk, two heads sharing a key head
      CHECK(shared_bytes(tile, head_dim, listed) <= 16384);
      CHECK((tile == query_rows || shared_bytes(tile + 1, head_dim, listed) > 16384));
      CHECK(kernel(plan, "attention_decode").max_tile_tokens == std::min<std::int64_t>(2, tile));
    }
  }
}

TEST_CASE("what a kernel is said to read and compute is what it does") {
  const Plan plan = plan_of({{"attention.head_dim", "10"}, {"engine.kv_cache", "f16"}});
  const KernelCost attention = kernel(plan, "attention_decode").cost;
  CHECK(attention.bytes_per_key == 2 * 32);      // a key and a value of ten f16, rows padded to 16 bytes
  CHECK(attention.flops_per_key == 2 * 2 * 10);  // a product and an addition for each element of both
  CHECK(attention.bytes_per_row == 0);
  const Plan blocks = plan_of({{"attention.head_dim", "64"}, {"engine.kv_cache.keys", "q8_0"}});
  CHECK(kernel(blocks, "attention_decode").cost.bytes_per_key == 2 * 34 + 64 * 2);
  const KernelCost gate_up = kernel(plan, "gate_up_proj_norm_decode_f16").cost;
  CHECK(gate_up.bytes_per_row == 2 * 96 * 2);
  CHECK(gate_up.flops_per_row == 2 * 2 * 96);
  CHECK(kernel(plan, "down_proj_add_decode_f16").cost.bytes_per_row == 256 * 2);
  CHECK(kernel(plan, "embed_f16").cost.bytes_per_token == 96 * 2);
}

TEST_CASE("of the cache, what a mask hides is not counted") {
  const generator::Kernel masked = kernel(plan_of({{"attention.mask", "(query - key) % 8 == 0"}}), "attention_decode");
  KernelCost cost = masked.cost;
  cost.sees = [](std::int64_t query, std::int64_t key) { return key <= query && (query - key) % 8 == 0; };
  for (const auto& [query, key] : {std::pair{16.0, 8.0}, {16.0, 9.0}, {8.0, 16.0}}) {
    CHECK((evaluate(masked.sees, {{"query", query}, {"key", key}}) != 0) ==
          cost.sees(static_cast<std::int64_t>(query), static_cast<std::int64_t>(key)));
  }
  CHECK(cost.keys_of_any(4096, 1) == 513);
  CHECK(cost.keys_of_any(100, 2) == 26);  // of two tokens, each its own
  CHECK(cost.keys_of_any(0, 16) == 16);
  CHECK(cost.keys_of_each(0, 16) == 8 + 2 * 8);
  CHECK(kernel(plan_of({{"attention.sliding_window", "8"}}), "attention_decode").sees.empty());
  KernelCost window{};
  CHECK(window.keys_of_each(0, 16) == 16 * 17 / 2);
  window.most_keys = 8;
  CHECK(window.keys_of_any(100, 2) == 9);
  CHECK(window.keys_of_each(100, 2) == 16);
}

TEST_CASE("q, k and v lie stacked, in both phases in the one matrix") {
  const Planned model = planned({});
  CHECK(pieces(model, "attention::qkv_proj") == "attention::q_proj 96, attention::k_proj 48, attention::v_proj 48");
  CHECK(stored_roles(model) == std::vector<std::string>{"attention::input_norm", "attention::o_proj",
                                                        "attention::qkv_proj", "mlp::down_proj", "mlp::gate_proj",
                                                        "mlp::input_norm", "mlp::up_proj"});
  for (const Stored& stored : model.plan.stored) {
    if (stored.role != "attention::qkv_proj") continue;
    CHECK(stored.rows == 192);
    CHECK(stored.columns == 96);
    CHECK(stored.bytes == 192 * 96 * 2);
    CHECK(stored.format == Dtype::f16);
    CHECK(model.plan.axes[stored.axes[0]].name == "q_kv_kv");
  }
}

TEST_CASE("a bias that only some of q, k and v have is zeros where the others' would be") {
  CHECK(pieces(planned({{"attention.bias", "[\"v\"]"}}), "attention::v_bias") ==
        "zeros 96, zeros 48, attention::v_bias 48");
  CHECK(pieces(planned({{"attention.bias", "[\"q\"]"}}), "attention::q_bias") ==
        "attention::q_bias 96, zeros 48, zeros 48");
  CHECK(pieces(planned({{"attention.bias", "true"}}), "attention::qkv_bias") ==
        "attention::q_bias 96, attention::k_bias 48, attention::v_bias 48");
}

TEST_CASE("biases of two types are one vector, since vectors are f32 on the device") {
  const Planned model =
      planned({{"attention.bias", "true"}}, tiny + "[checkpoint.dtypes]\n\"layers.{i}.attention.q.bias\" = \"f32\"\n");
  CHECK(pieces(model, "attention::qkv_bias") == "attention::q_bias 96, attention::k_bias 48, attention::v_bias 48");
}

TEST_CASE("of q, k and v only those of one type are stacked") {
  const std::string k_apart = tiny + "[checkpoint.dtypes]\n\"layers.{i}.attention.k\" = \"f32\"\n";
  const Planned model = planned({{"attention.bias", "true"}}, k_apart);
  CHECK(pieces(model, "attention::qv_proj") == "attention::q_proj 96, attention::v_proj 48");
  CHECK(pieces(model, "attention::qv_bias") == "attention::q_bias 96, attention::v_bias 48");
  CHECK(pieces(model, "attention::k_proj") == "attention::k_proj 48");
  CHECK(pieces(model, "attention::qkv_proj") == "not there");
  for (const char* phase : {"decode", "prefill"}) {
    CAPTURE(phase);
    const std::string f16 = std::string("qv_proj_") + phase + "_f16", f32 = std::string("k_proj_") + phase + "_f32";
    const std::vector<std::string> kernels = layer_kernels(model.plan, phase);
    CHECK(std::count(kernels.begin(), kernels.end(), f16) == 1);
    CHECK(std::count(kernels.begin(), kernels.end(), f32) == 1);
  }
}

TEST_CASE("gate and up of two types are a kernel each") {
  const Planned model = planned({}, tiny + "[checkpoint.dtypes]\n\"layers.{i}.mlp.up\" = \"f32\"\n");
  for (const char* phase : {"decode", "prefill"}) {
    CAPTURE(phase);
    for (const std::string& name : layer_kernels(model.plan, phase)) CHECK(name.find("gate_up") == std::string::npos);
  }
  CHECK(layer_kernels(plan_of({}), "decode").size() + 2 == layer_kernels(model.plan, "decode").size());
}

TEST_CASE("queries and keys that turn in two ways are no one kernel") {
  const Judged judged = judge(tiny);
  REQUIRE(judged.contract);
  Graph graph = build_graph(*judged.contract);
  const auto calls = [&] { return make_plan(*judged.contract, graph).phase("decode").sections.at(1).calls.size(); };
  const std::size_t alike = calls();
  for (Op& op : graph.ops) {
    if (auto* rotary = std::get_if<Rotary>(&op.what);
        rotary != nullptr && graph.values[op.out].role.ends_with("keys_turned"))
      rotary->layout = RotaryLayout::interleaved;
  }
  CHECK(calls() == alike + 1);
}

TEST_CASE("kinds of layer share a kernel where its text is theirs, and have one each where a function differs") {
  const std::string kinds = "[layers]\npattern = [\"one\", \"other\"]\n[layers.one]\n[layers.other]\n";
  const Plan plan = plan_of({}, tiny + kinds + "mlp.activation = \"gelu\"\n");
  for (const char* phase : {"decode", "prefill"}) {
    CAPTURE(phase);
    const std::vector<Section>& sections = plan.phase(phase).sections;
    REQUIRE(sections.size() == 3);  // the embedding, and each kind
    const std::vector<Call>&one = sections[1].calls, &other = sections[2].calls;
    REQUIRE(one.size() == other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      CAPTURE(one[i].word);
      CHECK((one[i].kernel == other[i].kernel) == !one[i].word.starts_with("gate_up_proj"));
    }
  }
}
