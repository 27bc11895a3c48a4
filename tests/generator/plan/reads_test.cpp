// What a mixture's kernels read of its experts, counted where they read it, and what a profile tells of it: in decode
// the rows of the chosen ones alone, in prefill each expert's rows once for each tile of the tokens that chose it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "generator/plan/make.hpp"
#include "runtime/load/load.hpp"
#include "runtime/vulkan/engine.hpp"
#include "tests/generator/spec/spec_text.hpp"
#include "tests/support/plan_program.hpp"
#include "tests/support/vulkan_devices.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

// Rows enough for the tiles of all devices: what lies past the last row would read that one again.
constexpr std::int64_t experts = 5, per_token = 2, hidden = 128, intermediate = 128, prompt = 128;
constexpr std::int64_t tile_tokens = 32;  // of every device (runtime/vulkan/tuning.cpp)
constexpr std::int64_t f16_group = 8;     // elements in 16 bytes

/// The small spec with experts in place of its MLP.
std::string mixture_text() {
  std::string text = testing::tiny;
  const std::size_t mlp = text.find("[mlp]"), checkpoint = text.find("[checkpoint]");
  text.replace(mlp, checkpoint - mlp, R"toml([moe]
type = "gated"
activation = "silu"
[layers]
steps = ["attention", "moe"]
)toml");
  return text;
}

Contract mixture() {
  const testing::Judged judged =
      testing::judge(mixture_text(), {{"model.hidden_size", std::to_string(hidden)},
                                      {"model.num_hidden_layers", "1"},
                                      {"model.max_position_embeddings", "256"},
                                      {"checkpoint.names", "mixtral"},
                                      {"moe.num_experts", std::to_string(experts)},
                                      {"moe.num_experts_per_tok", std::to_string(per_token)},
                                      {"moe.intermediate_size", std::to_string(intermediate)},
                                      {"engine.kv_cache", "f32"},
                                      {"engine.prefill_chunk", std::to_string(prompt)}});
  REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
  return *judged.contract;
}

/// An engine whose kernels count.
class CountingEngine : public vulkan::VulkanEngine {
 public:
  using VulkanEngine::VulkanEngine;
  /// What was counted at `view`; null where the device's memory cannot be mapped.
  std::uint32_t* counts(const BufferView& view) const {
    const vulkan::Place place = vulkan::place_of(storage_.weights(), storage_.arenas(), view);
    return reinterpret_cast<std::uint32_t*>(storage_.buffer(place.buffer).data() + place.offset);
  }
};

/// Gives the counts of a kernel since they were last taken, each expert's apart.
std::vector<std::vector<std::uint32_t>> take(const CountingEngine& engine, const BufferView& view) {
  std::uint32_t* counts = engine.counts(view);
  const std::int64_t rows = view.bytes / 4 / experts;
  std::vector<std::vector<std::uint32_t>> result;
  for (std::int64_t expert = 0; expert < experts; ++expert) {
    result.emplace_back(counts + expert * rows, counts + (expert + 1) * rows);
  }
  std::fill_n(counts, experts * rows, 0);
  return result;
}

/// A prompt, what follows it, or a single token.
struct Appended {
  std::vector<std::int32_t> tokens;
  std::vector<std::int64_t> chosen;  ///< how many of them chose each expert
  EvaluatedValue logits;             ///< of each
};

std::vector<Appended> text(const Graph& graph, GraphEvaluator evaluator) {
  const auto choose = std::ranges::find_if(graph.ops, [](const Op& op) { return as<TopK>(op) != nullptr; });
  std::vector<Appended> result;
  std::int32_t position = 0;
  for (const std::int64_t count : {prompt, 40L, 23L, 9L, 1L, 1L, 1L, 1L}) {  // tiles that are full, and less than it
    Appended& part = result.emplace_back(Appended{{}, std::vector<std::int64_t>(experts), {}});
    const std::int32_t first = position;
    for (std::int64_t n = 0; n < count; ++n) part.tokens.push_back(position++ * 37 % 100);
    evaluator.run(part.tokens, first);
    std::vector<std::int64_t> rows(part.tokens.size());
    std::iota(rows.begin(), rows.end(), 0);
    part.logits = evaluator.head(rows);
    for (const double expert : evaluator.value(choose->out).elements) ++part.chosen[static_cast<std::size_t>(expert)];
  }
  return result;
}

/// Every row of an expert is read from end to end, once for each tile of the tokens that chose it.
void check_reads(const CountingEngine& engine, const PlanProgram& planned, const std::string& phase,
                 const std::vector<std::int64_t>& chosen) {
  // Two matrices of `hidden` columns are read by one kernel.
  for (const auto& [name, groups] :
       {std::pair{"gate_up_proj_", 2 * hidden / f16_group}, std::pair{"down_proj_", intermediate / f16_group}}) {
    CAPTURE(std::string(name));
    const auto reads = take(engine, planned.reads(name + phase + "_f16"));
    for (std::size_t expert = 0; expert < chosen.size(); ++expert) {
      CAPTURE(expert);
      CAPTURE(chosen[expert]);
      const std::int64_t tiles = (chosen[expert] + tile_tokens - 1) / tile_tokens;
      const auto expected = static_cast<std::uint32_t>(groups * tiles);
      CHECK(std::ranges::all_of(reads[expert], [&](std::uint32_t row) { return row == expected; }));
    }
  }
}

const std::vector<std::string> counted = {"gate_up_proj_decode_f16", "down_proj_decode_f16", "gate_up_proj_prefill_f16",
                                          "down_proj_prefill_f16"};

/// The mixture, a program of it that counts, and what it is to give.
struct Prepared {
  const Contract contract = mixture();
  const Graph graph = build_graph(contract);
  const Plan plan = make_plan(contract, graph);
  const PlanProgram planned{contract, graph, plan, counted};
  const HostWeights weights = HostWeights::random(planned.program(), 1);
  const std::vector<Appended> parts = text(graph, GraphEvaluator(graph, contract, planned.reader(weights)));

  /// As CPU drivers and as GPUs.
  static std::vector<LimitOverrides> classes() {
    LimitOverrides gpu;
    gpu.type = DeviceType::integrated;
    return {{}, gpu};
  }

  template <class OnEngine>
  void on_devices(const std::vector<LimitOverrides>& all_limits, const OnEngine& on_engine) const {
    bool ran = false;
    for (const DeviceInfo& device : vulkan::backend().list_devices()) {
      if (!device.unusable.empty()) continue;
      for (const LimitOverrides& limits : all_limits) {
        ran = true;
        CAPTURE(device.name);
        CAPTURE(limits.type.has_value());
        CAPTURE(limits.max_storage_buffer_range.has_value());
        on_engine(vulkan::Device::open(device.index, limits));
      }
    }
    if (!ran) std::exit(77);
  }
};

/// Made once: the evaluation of the mixture takes longer than all that is run.
const Prepared& prepared_mixture() {
  static const Prepared prepared;
  return prepared;
}

bool is_prefill(const Appended& part) { return part.tokens.size() > 1; }

}  // namespace

TEST_CASE("decode reads the rows of the chosen experts alone, prefill each expert's once for each tile of tokens") {
  const Prepared& prepared = prepared_mixture();
  const std::vector<Appended>& parts = prepared.parts;
  // Some expert has several tiles of the prompt, and single tokens have different ones.
  CHECK(*std::ranges::max_element(parts[0].chosen) > tile_tokens);
  CHECK(std::any_of(parts.end() - 3, parts.end(),
                    [&](const Appended& part) { return part.chosen != parts.end()[-4].chosen; }));
  prepared.on_devices(Prepared::classes(), [&](std::unique_ptr<vulkan::Device> device) {
    CountingEngine engine(prepared.planned.program(), std::move(device), prepared.weights, {});
    for (const std::string& kernel : counted)
      take(engine, prepared.planned.reads(kernel));  // what compiling dispatched
    for (const Appended& part : parts) {
      const Run run{0, part.tokens, Logits::all, false};
      double worst = 0;
      engine.step({&run, 1}, 1, [&](std::size_t, std::int64_t row, std::span<const float> logits) {
        for (std::size_t id = 0; id < logits.size(); ++id) {
          worst = std::max(worst, std::abs(logits[id] - part.logits.at(row, static_cast<std::int64_t>(id))));
        }
      });
      CHECK(worst <= 1e-4);
      check_reads(engine, prepared.planned, is_prefill(part) ? "prefill" : "decode", part.chosen);
    }
  });
}

TEST_CASE("a profile tells which experts were read") {
  const Prepared& prepared = prepared_mixture();
  std::vector<LimitOverrides> all_limits = Prepared::classes();
  all_limits.emplace_back().max_storage_buffer_range = 4 * 128 * 256;  // the fifth expert's rows lie in another slice
  prepared.on_devices(all_limits, [&](std::unique_ptr<vulkan::Device> device) {
    if (!device->physical().timestamps) return;
    LoadOptions options;
    options.profile = true;
    vulkan::MeasuredEngine engine(prepared.planned.program(), std::move(device), prepared.weights, options);
    for (const Appended& part : prepared.parts) {
      engine.reset_profile();
      const Run run{0, part.tokens, Logits::none, false};
      engine.step({&run, 1});
      std::size_t kernels = 0;
      for (const KernelProfile& kernel : engine.profile()) {
        if (kernel.entries_of_bank.empty()) continue;
        ++kernels;
        CHECK(kernel.entries_of_bank == part.chosen);
        CHECK(kernel.banks_read == std::ranges::count_if(part.chosen, [](std::int64_t n) { return n > 0; }));
        const std::int64_t row_bytes = kernel.name.starts_with("gate") ? 2 * 2 * hidden : 2 * intermediate;
        CHECK(kernel.bytes ==
              kernel.banks_read * row_bytes * (kernel.name.starts_with("gate") ? intermediate : hidden));
      }
      CHECK(kernels == 2);
    }
  });
}
