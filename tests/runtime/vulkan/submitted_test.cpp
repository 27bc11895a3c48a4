// Every barrier that the specification asks for is there: within a command buffer, from one submission to the next, and
// before the host reads. Drivers on a CPU run in order and would never show one that is missing.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include "runtime/load/load.hpp"
#include "tests/runtime/vulkan/submitted_work.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/vulkan_devices.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

constexpr VkPipelineStageFlags shader = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags shader_read = VK_ACCESS_SHADER_READ_BIT, shader_write = VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags transfer_read = VK_ACCESS_TRANSFER_READ_BIT, transfer_write = VK_ACCESS_TRANSFER_WRITE_BIT;

Touch touch(VkAccessFlags access, VkDeviceSize offset = 0) {
  static int memory;
  const bool is_shader = (access & (shader_read | shader_write)) != 0;
  return {reinterpret_cast<VkBuffer>(&memory), offset, 64, is_shader ? shader : transfer, access, "something"};
}

/// Faults of two touches with barriers between them.
std::size_t faults(const Touch& earlier, const std::vector<MemoryBarrier>& barriers, const Touch& later) {
  MemoryOrder order;
  order.command({earlier});
  for (const MemoryBarrier& barrier : barriers) order.barrier(barrier);
  order.command({later});
  return order.faults().size();
}

std::size_t host_faults(const Touch& earlier, const std::vector<MemoryBarrier>& barriers) {
  MemoryOrder order;
  order.command({earlier});
  for (const MemoryBarrier& barrier : barriers) order.barrier(barrier);
  order.host_reads({earlier.buffer});
  return order.faults().size();
}

void need_device() {
  if (tests::has_vulkan_device()) return;
  std::fputs("no Vulkan device: skipped\n", stderr);
  std::exit(77);
}

/// The toy with rotary angles, which the host writes before each submission, as real models have them.
Program program_with_angles() {
  static constexpr float frequencies[] = {1.0f, 0.1f};
  Program program = toy_program();
  const std::int64_t rows = program.step_layout().angle_rows();
  std::int64_t& host = program.arena_bytes[static_cast<std::size_t>(Arena::host)];
  static RotaryAngles angles[1];
  angles[0] = {{Arena::host, (host + 255) / 256 * 256, rows * 16}, rows, {frequencies}};
  host = angles[0].view.offset + angles[0].view.bytes;
  program.rotary_angles = angles;
  return program;
}

void check(const SubmittedWork& work) {
  for (const std::string& fault : work.faults()) FAIL_CHECK(fault);
  CHECK(work.pools_suffice());
}

/// Loads, and calls the engine in every way it has, but for copies and saved slots.
void use(SubmittedWork& work, const Program& program, LoadOptions options) {
  options.random_weights = true;
  const auto engine = load_engine(program, options);
  const auto read_row = [&](std::span<const float>) { work.host_reads(); };
  const auto read_token = [&](std::int32_t) {
    work.host_reads();
    return true;
  };
  const std::vector<std::int32_t> prompt{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  read_row(engine->prefill(prompt));
  read_row(engine->decode(16));
  engine->prefill_all(std::vector<std::int32_t>{17, 18}, read_row);
  engine->generate(std::vector<std::int32_t>{19}, 20, {}, read_token);
  engine->reset();
  engine->generate(prompt, 20, {}, read_token);  // several passes in a submission
  const Run runs[] = {{1, std::span(prompt).first(5), Logits::all, true},
                      {2, std::span(prompt).first(1), Logits::last, true}};
  engine->step(runs, 4, [&](std::size_t, std::int64_t, std::span<const float> row) { read_row(row); });
  work.host_reads();
  if (options.probe_layers) {
    auto& probed = dynamic_cast<ProbedEngine&>(*engine);
    engine->reset();
    const Run probes[] = {{0, std::span(prompt).first(toy_prefill_chunk), Logits::none},
                          {1, std::span(prompt).first(1), Logits::none}};
    probed.probe(std::span(probes).first(1));
    work.host_reads();
    probed.probe(std::span(probes).last(1));
    work.host_reads();
  }
  CHECK(work.submissions() > 10);
  CHECK(work.dispatches() > 100);
  check(work);
}

}  // namespace

TEST_CASE("accesses that nothing orders are seen") {
  CHECK(faults(touch(shader_write), {}, touch(shader_read)) == 1);
  CHECK(faults(touch(shader_read), {}, touch(shader_write)) == 1);
  CHECK(faults(touch(transfer_write), {}, touch(shader_write)) == 1);
  CHECK(faults(touch(shader_read), {}, touch(transfer_read)) == 0);
  CHECK(faults(touch(shader_write), {}, touch(shader_read, 64)) == 0);
}

TEST_CASE("a barrier orders the stages it names and shows the accesses it names, and no others") {
  const MemoryBarrier shaders{shader, shader, shader_write, shader_read | shader_write};
  CHECK(faults(touch(shader_write), {shaders}, touch(shader_read)) == 0);
  CHECK(faults(touch(shader_read), {shaders}, touch(shader_write)) == 0);
  CHECK(faults(touch(shader_write), {shaders}, touch(transfer_read)) == 1);
  CHECK(faults(touch(transfer_write), {shaders}, touch(shader_read)) == 1);
  CHECK(faults(touch(shader_write), {{shader, shader, 0, shader_read}}, touch(shader_read)) == 1);
  CHECK(faults(touch(shader_write), {{shader, shader, shader_write, shader_read}}, touch(shader_write)) == 1);
  // One after the other, they make a chain.
  CHECK(faults(touch(shader_write), {shaders, {shader, transfer, shader_write, transfer_read}}, touch(transfer_read)) ==
        0);
  CHECK(faults(touch(shader_write), {{shader, transfer, 0, 0}, {shader, shader, 0, 0}}, touch(transfer_read)) == 1);
}

TEST_CASE("the host sees what a barrier shows it") {
  const MemoryBarrier host{shader | transfer, VK_PIPELINE_STAGE_HOST_BIT, shader_write | transfer_write,
                           VK_ACCESS_HOST_READ_BIT};
  CHECK(host_faults(touch(shader_write), {}) == 1);
  CHECK(host_faults(touch(shader_write), {host}) == 0);
  CHECK(host_faults(touch(transfer_write), {host}) == 0);
  CHECK(host_faults(touch(shader_read), {}) == 0);
  CHECK(host_faults(touch(transfer_write),
                    {{shader, VK_PIPELINE_STAGE_HOST_BIT, shader_write, VK_ACCESS_HOST_READ_BIT}}) == 1);
}

TEST_CASE("every access of an engine is ordered after those that it depends on") {
  need_device();
  const Program program = program_with_angles();
  SubmittedWork work(program);
  LoadOptions options;
  SUBCASE("memory that host and device share") {}
  SUBCASE("memory that the host cannot map") { options.limits.staging = true; }
  SUBCASE("weights in many slices and grids in many parts") {
    options.limits.staging = true;
    options.limits.max_storage_buffer_range = 16896;
    options.limits.max_allocation_size = 16600;
    options.limits.max_workgroup_count_x = 2;
  }
  SUBCASE("with probes") {
    options.probe_layers = true;
    SUBCASE("") {}
    SUBCASE("and staging") { options.limits.staging = true; }
  }
  use(work, program, options);
  CHECK((work.copies() > 0) == (options.limits.staging || options.probe_layers));
}

TEST_CASE("what copies and saves slots is ordered after passes and before them") {
  need_device();
  const Program program = program_with_angles();
  SubmittedWork work(program);
  LoadOptions options;
  options.random_weights = true;
  SUBCASE("memory that host and device share") {}
  SUBCASE("memory that the host cannot map") { options.limits.staging = true; }
  const auto engine = load_engine(program, options);
  engine->prefill(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  const std::size_t copies = work.copies();
  engine->copy(0, 1, 9);
  engine->decode(16, 1);
  engine->copy(1, 0, 10);
  engine->decode(17, 0);
  CHECK(work.copies() > copies);
  const std::vector<std::byte> saved = engine->save(1);
  work.host_reads();
  engine->restore(0, saved);
  engine->decode(18, 0);
  engine->restore(0, saved);
  engine->copy(0, 2, 3);
  work.host_reads();
  check(work);
}
