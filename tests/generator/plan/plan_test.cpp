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

Plan plan_of(const std::vector<Override>& overrides, const std::string& text = tiny) {
  const Judged judged = judge(text, overrides);
  INFO(render(judged.diagnostics));
  REQUIRE(judged.contract);
  return make_plan(*judged.contract, build_graph(*judged.contract));
}

const generator::Kernel& kernel(const Plan& plan, const std::string& name) {
  const auto found = std::find_if(plan.kernels.begin(), plan.kernels.end(),
                                  [&](const generator::Kernel& kernel) { return kernel.name == name; });
  REQUIRE_MESSAGE(found != plan.kernels.end(), name);
  return *found;
}

/// Bytes of the shared arrays of shaders/attention.glsl, workgroups having 128 invocations.
std::int64_t shared_bytes(std::int64_t tile_tokens, std::int64_t head_dim) {
  const std::int64_t queries_tile = tile_tokens * ((head_dim + 3) / 4) * 16;
  const std::int64_t scores = tile_tokens * 128 * 4;
  const std::int64_t partial_outputs = 128 * 16;
  const std::int64_t row_max_sum_factor = tile_tokens * 3 * 4;
  return queries_tile + scores + partial_outputs + row_max_sum_factor;
}

}  // namespace

TEST_CASE("a tile of attention is the largest that 16 KiB of shared memory hold, for every size of head") {
  for (std::int64_t head_dim = 2; head_dim <= 512; head_dim += 2) {
    CAPTURE(head_dim);
    const Plan plan = plan_of({{"attention.head_dim", std::to_string(head_dim)}});
    const std::int64_t tile = kernel(plan, "attention_prefill").max_tile_tokens;
    const std::int64_t query_rows = 2 * 64;  // of a chunk, two heads sharing a key head
    CHECK(shared_bytes(tile, head_dim) <= 16384);
    CHECK((tile == query_rows || shared_bytes(tile + 1, head_dim) > 16384));
    CHECK(kernel(plan, "attention_decode").max_tile_tokens == std::min<std::int64_t>(2, tile));
  }
}

TEST_CASE("what a kernel is said to read and compute is what it does") {
  const Plan plan = plan_of({{"attention.head_dim", "10"}, {"engine.kv_cache", "f16"}});
  const KernelCost attention = kernel(plan, "attention_decode").cost;
  CHECK(attention.bytes_per_key == 2 * 32);      // a key and a value of ten f16, rows padded to 16 bytes
  CHECK(attention.flops_per_key == 2 * 2 * 10);  // a product and an addition for each element of both
  CHECK(attention.bytes_per_row == 0);
  const KernelCost gate_up = kernel(plan, "gate_up_proj_norm_decode_f16").cost;
  CHECK(gate_up.bytes_per_row == 2 * 96 * 2);
  CHECK(gate_up.flops_per_row == 2 * 2 * 96);
  CHECK(kernel(plan, "down_proj_add_decode_f16").cost.bytes_per_row == 256 * 2);
  CHECK(kernel(plan, "embed_f16").cost.bytes_per_token == 96 * 2);
}
