// Every kernel, as AMD's GPUs would get it: compiled by RADV for its null device with the constants that the runtime
// chooses for such a GPU. A register spilled or an array in private memory is memory traffic in an inner loop.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "generator/compile/spirv.hpp"
#include "generator/emit/emit.hpp"
#include "generator/pipeline.hpp"
#include "tests/gpu_compile/null_device.hpp"
#include "tests/support/glsl.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::tests;

namespace {

struct Model {
  std::string path;
  std::vector<Override> overrides{};
};

/// The embedded model, an odd golden, and shapes that people run, with caches of each type among them.
const std::vector<Model> models = {
    {"models/kjv"},
    {"tests/golden/cases/mistral-prime-bf16"},
    {"models/llama-3-8b.toml"},
    {"models/qwen2.5-0.5b.toml"},
    {"models/gpt2.toml"},
    {"models/qwen3-0.6b.toml", {{"engine.kv_cache", "q8_0"}}},
    {"tests/verify/quantized.toml", {{"engine.kv_cache.keys", "bf16"}, {"engine.kv_cache.values", "q8_0"}}}};

void require_radv() {
  if (radv_installed()) return;
  std::puts("skipped: RADV is not installed (on Debian: apt install mesa-vulkan-drivers)");
  std::exit(77);
}

void compile_for(const std::string& family) {
  require_radv();
  const NullDevice device(family);
  fmt::print("\n{}, subgroups of {}\n{:58} {:>5} {:>5} {:>6} {:>7} {:>9} {:>6}\n", family, device.facts().subgroup_size,
             "kernel", "VGPRs", "SGPRs", "spills", "scratch", "subgroups", "code");
  REQUIRE(device.facts().type == DeviceType::discrete);
  for (const auto& [model, overrides] : models) {
    const AcceptedSpec accepted = accept_spec(open_spec(std::string(MONOMORPH_SOURCE_DIR) + "/" + model), overrides);
    const PlannedModel planned = plan_model(accepted.contract);
    const auto compiled = compile_spirv(emit_kernels(accepted.contract, planned.plan, "for RADV's null device"));
    REQUIRE(compiled.size() == planned.plan.kernels.size());
    for (const generator::Kernel& kernel : planned.plan.kernels) {
      // max_tile_tokens is never more than the tokens of the kernel's dispatches, by which the runtime cuts tiles too.
      const vulkan::Tile tile = vulkan::tile(kernel.kind, kernel.max_tile_tokens, device.facts(), kernel.lanes);
      const KernelStatistics found =
          device.compile(compiled.at(kernel.name).optimized, kernel.bindings.size() + 1, tile);
      const std::string name = accepted.contract.name + "/" + kernel.name;
      fmt::print("{:58} {:5} {:5} {:6} {:7} {:9} {:6}\n", name, found.vgprs, found.sgprs,
                 found.spilled_vgprs + found.spilled_sgprs, found.scratch_bytes, found.subgroups_per_simd,
                 found.code_bytes);
      INFO(name << " on " << family);
      CHECK(found.spilled_vgprs == 0);
      CHECK(found.spilled_sgprs == 0);
      CHECK(found.scratch_bytes == 0);
    }
  }
}

}  // namespace

TEST_CASE("an array that no register file holds is seen as scratch memory") {
  require_radv();
  const NullDevice device("NAVI21");
  const std::vector<std::uint32_t> spirv = test::compile_glsl(R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
void main() {
  uint copies[1000];
  for (uint i = 0; i < 1000; ++i) copies[i] = values[i];
  values[gl_GlobalInvocationID.x] = copies[values[gl_GlobalInvocationID.x] % 1000];
})");
  CHECK(device.compile(spirv, 1, {64, 1, 1}).scratch_bytes > 0);
}

TEST_CASE("no kernel spills or needs scratch memory on GCN 5 (Vega 10)") { compile_for("VEGA10"); }
TEST_CASE("no kernel spills or needs scratch memory on RDNA 2 (Navi 21)") { compile_for("NAVI21"); }
TEST_CASE("no kernel spills or needs scratch memory on RDNA 3 (GFX1100)") { compile_for("GFX1100"); }
