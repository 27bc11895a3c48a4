#include "generator/plan/sampling.hpp"

#include <algorithm>

#include "generator/plan/place.hpp"

namespace monomorph::generator {
namespace {

/// Logits that one workgroup of the scan reads, and parts at most.
constexpr std::int64_t part_logits = 2048, most_parts = 64;
/// Words that a part leaves: the greatest order key, its lowest id, whether a logit is no number, and one unused.
constexpr std::int64_t part_words = 4;

}  // namespace

std::vector<Sampling> plan_sampling(const Contract& contract, Plan& plan) {
  const std::int64_t parts =
      std::clamp<std::int64_t>((contract.vocab_size + part_logits - 1) / part_logits, 1, most_parts);
  const AxisId parts_axis = plan.axes.intern({"vocab_parts", parts, {}, Live::all, {}, {}});
  const AxisId words_axis = plan.axes.intern({"part_words", part_words, {}, Live::all, {}, {}});
  const AxisId slots_axis = plan.axes.intern({"slots", contract.max_batch, {}, Live::all, {}, {}});
  Buffer buffer;
  buffer.word = "likeliest";
  buffer.axes = {slots_axis, parts_axis, words_axis};
  buffer.element = Element::u32;
  buffer.arena = Arena::host;
  buffer.offset = plan.host_bytes;
  buffer.bytes = padded_bytes(plan.axes, buffer.axes, Dtype::f32);
  plan.host_bytes += aligned(buffer.bytes);
  const BufferId likeliest = plan.buffers.add(buffer);

  const std::int64_t stride = row_bytes(Dtype::f32, contract.vocab_size) / 4;

  Sampling scan;
  scan.kernel.path = "kernels/sample_scan.comp";
  scan.kernel.kind = KernelKind::sample_scan;
  scan.kernel.about = "the likeliest token of each part of the vocabulary";
  scan.kernel.parameters = {{"vocab_size", contract.vocab_size}, {"parts", parts}, {"logits_stride", stride}};
  scan.kernel.bindings = {{"logits", Access::read, false}, {"likeliest", Access::write, false}};
  scan.call.word = "sample_scan";
  scan.call.arguments = {plan.output, likeliest};
  scan.call.rows = {parts_axis};

  Sampling draw;
  draw.kernel.path = "kernels/sample.comp";
  draw.kernel.kind = KernelKind::sample;
  draw.kernel.about = "draws the next token of each slot and makes it the next pass's input";
  draw.kernel.step_access = Access::read_write;
  draw.kernel.parameters = scan.kernel.parameters;
  draw.kernel.bindings = {{"logits", Access::read, false}, {"likeliest", Access::read, false}};
  draw.call.word = "sample";
  draw.call.arguments = {plan.output, likeliest};
  return {std::move(scan), std::move(draw)};
}

}  // namespace monomorph::generator
