#include "tests/runtime/vulkan/toy_program.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "runtime/vulkan/backend.hpp"
#include "tests/support/glsl.hpp"

namespace monomorph::test {
namespace {

const char* preamble = R"(#version 450
layout(constant_id = 0) const uint workgroup_size = 64;
layout(constant_id = 1) const uint subgroup_size = 4;
layout(constant_id = 2) const uint tile_rows = 1;
layout(constant_id = 3) const uint tile_tokens = 1;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Rows { uint first_row; uint row_count; };
const uint max_batch = 3, decode_steps = 16, max_head_rows = 4, max_tokens = 12;
#include "step.glsl"
const uint hidden_size = 6, hidden_stride = 8, vocab_size = 1000, entries = 64;
layout(set = 0, binding = 0) buffer Step { StepBlock pass; };
)";

// Row `first_row + r` of a weight that splits is at `r`; every other buffer is whole.
const char* embed_text = R"(
layout(set = 0, binding = 1) readonly buffer Table { float table[]; };
layout(set = 0, binding = 2) writeonly buffer Hidden { float hidden[]; };
void main() {
  uint token = gl_WorkGroupID.y;
  if (pass.live == 0 || token >= pass.token_count) return;
  uint id = pass.tokens[token].id;
  if (id < first_row || id - first_row >= row_count) return;
  for (uint c = gl_LocalInvocationIndex; c < hidden_size; c += workgroup_size)
    hidden[token * hidden_stride + c] = table[(id - first_row) * hidden_stride + c];
}
)";

const char* project_bindings = R"(
layout(set = 0, binding = 1) readonly buffer Weights { float weights[]; };
layout(set = 0, binding = 2) readonly buffer Bias { float bias[]; };
layout(set = 0, binding = 3) readonly buffer Hidden { float hidden[]; };
layout(set = 0, binding = 4) writeonly buffer Projected { float projected[]; };
void project(uint r, uint token) {
  if (r >= row_count || token >= pass.token_count) return;
  float sum = bias[first_row + r];
  for (uint c = 0; c < hidden_size; ++c) sum += weights[r * hidden_stride + c] * hidden[token * hidden_stride + c];
  projected[token * hidden_stride + first_row + r] = sum;
}
)";

const char* project_prefill_text = R"(
void main() {
  if (pass.live == 0) return;
  for (uint i = gl_LocalInvocationIndex; i < tile_rows * tile_tokens; i += workgroup_size)
    project(gl_WorkGroupID.x * tile_rows + i / tile_tokens, gl_WorkGroupID.y * tile_tokens + i % tile_tokens);
}
)";

const char* project_few_text = R"(
void main() {
  if (pass.live == 0) return;
  uint rows = workgroup_size / subgroup_size * tile_rows;
  for (uint i = gl_LocalInvocationIndex; i < rows * tile_tokens; i += workgroup_size)
    project(gl_WorkGroupID.x * rows + i / tile_tokens, gl_WorkGroupID.y * tile_tokens + i % tile_tokens);
}
)";

const char* project_decode_text = R"(
void main() {
  if (pass.live == 0) return;
  uint rows = workgroup_size / subgroup_size * tile_rows;
  for (uint i = gl_LocalInvocationIndex; i < rows; i += workgroup_size) project(gl_WorkGroupID.x * rows + i, 0);
}
)";

// Writes this token's entry of the state, then adds the entries so far: a position's sum is only right if those before
// it are. The tokens of this run are summed from the projection itself, because no order holds between workgroups.
const char* remember_text = R"(
layout(set = 0, binding = 1) readonly buffer Projected { float projected[]; };
layout(set = 0, binding = 2) buffer Sums { float sums[]; };
layout(set = 0, binding = 3) buffer Hidden { float hidden[]; };
void main() {
  uint token = gl_WorkGroupID.y;
  uint r = first_row + gl_WorkGroupID.x;
  if (pass.live == 0 || token >= pass.token_count || gl_LocalInvocationIndex != 0) return;
  uint run_row = 0;
  for (uint i = 0; i < pass.run_count; ++i) if (pass.runs[i].first_row <= token) run_row = max(run_row, pass.runs[i].first_row);
  StepToken first = pass.tokens[run_row], this_token = pass.tokens[token];
  uint slot = this_token.slot * entries;
  float sum = 0.0;
  for (uint p = 0; p < first.position; ++p) sum += sums[(slot + p) * hidden_stride + r];
  for (uint t = run_row; t <= token; ++t) sum += projected[t * hidden_stride + r];
  if ((this_token.flags & token_writes) != 0)
    sums[(slot + this_token.position) * hidden_stride + r] = projected[token * hidden_stride + r];
  hidden[token * hidden_stride + r] = 0.5 * hidden[token * hidden_stride + r] + sum / float(this_token.position + 1);
}
)";

const char* head_text = R"(
layout(set = 0, binding = 1) readonly buffer Table { float table[]; };
layout(set = 0, binding = 2) readonly buffer Hidden { float hidden[]; };
layout(set = 0, binding = 3) writeonly buffer Logits { float logits[]; };
void main() {
  uint wanted = gl_WorkGroupID.y;
  if (pass.live == 0 || wanted >= pass.head_rows) return;
  uint rows = workgroup_size / subgroup_size * tile_rows;
  for (uint i = gl_LocalInvocationIndex; i < rows; i += workgroup_size) {
    uint r = gl_WorkGroupID.x * rows + i;
    if (r >= row_count) return;
    float sum = 0.0;
    for (uint c = 0; c < hidden_size; ++c)
      sum += table[r * hidden_stride + c] * hidden[pass.rows[wanted].row * hidden_stride + c];
    logits[wanted * vocab_size + first_row + r] = sum;
  }
}
)";

const char* sample_text = R"(
layout(set = 0, binding = 1) readonly buffer Logits { float logits[]; };
void main() {
  uint draw = gl_WorkGroupID.y, draws = pass.draw_count;
  if (draw >= draws || gl_LocalInvocationIndex != 0) return;
  uint slot = pass.rows[draw].slot, position = pass.slots[slot].next_position;
  if (pass.slots[slot].done != 0) return;
  uint best = 0;
  bool wrong = false;
  for (uint id = 0; id < vocab_size; ++id) {
    float logit = logits[draw * vocab_size + id];
    wrong = wrong || isnan(logit) || isinf(logit);
    if (logit > logits[draw * vocab_size + best]) best = id;
  }
  bool ends = wrong || position >= pass.slots[slot].stop_position;
  for (uint i = 0; i < pass.slots[slot].eos_count; ++i) ends = ends || pass.slots[slot].eos_tokens[i] == best;
  if (wrong) {
    pass.slots[slot].wrong = 1;
  } else {
    pass.drawn[slot * decode_steps + pass.slots[slot].drawn++] = best;
    pass.slots[slot].next_position = position + 1;
  }
  pass.tokens[draw] = StepToken(best, ends ? position - 1 : position, slot, ends ? 0 : token_writes);
  pass.rows[draw] = StepRow(draw, slot);
  pass.runs[draw] = StepRun(draw, 1);
  if (ends) {
    pass.slots[slot].done = 1;
    atomicAdd(pass.live, 0xffffffffu);
  }
  if (draw == 0) {
    pass.token_count = draws;
    pass.head_rows = draws;
    pass.run_count = draws;
  }
}
)";

std::span<const std::byte> spirv(std::vector<std::uint32_t>& words, const std::string& text) {
  words = compile_toy_kernel(text);
  return std::as_bytes(std::span(words));
}

constexpr std::int64_t row = row_bytes<f32>(toy_hidden_size);
constexpr BufferView hidden_view{Arena::activations, 0, toy_prefill_chunk* row};
constexpr BufferView projected_view{Arena::activations, 512, toy_prefill_chunk* row};
constexpr StepLayout step_layout{toy_max_batch, toy_decode_steps, toy_head_rows, toy_prefill_chunk};
constexpr BufferView step_view{Arena::host, 0, step_layout.bytes()};
constexpr BufferView logits_view{Arena::host, 1024, toy_head_rows* toy_vocab_size * 4};
constexpr std::int64_t sums_bytes = toy_max_batch * toy_max_sequence_length * row;

constexpr BufferView sums_view(std::int64_t layer) { return {Arena::states, layer * sums_bytes, sums_bytes}; }

Argument buffer(const BufferView& view) { return Tensor<void, f32>{view}; }
Argument weight(std::int64_t id) { return Weight<void, f32>{static_cast<std::int32_t>(id)}; }
constexpr std::int32_t id(ToyKernel kernel) { return static_cast<std::int32_t>(kernel); }

void layers(Recorder& record, ToyKernel project, ToyKernel remember) {
  record.dispatch(id(ToyKernel::embed), {buffer(step_view), weight(0), buffer(hidden_view)}, toy_vocab_size);
  for (std::int64_t layer = 0; layer < toy_layers; ++layer) {
    record.dispatch(
        id(project),
        {buffer(step_view), weight(1 + 2 * layer), weight(2 + 2 * layer), buffer(hidden_view), buffer(projected_view)},
        toy_hidden_size);
    record.dispatch(id(remember),
                    {buffer(step_view), buffer(projected_view), buffer(sums_view(layer)), buffer(hidden_view)},
                    toy_hidden_size);
    record.end_of_layer(layer, hidden_view);
  }
}

void prefill(Recorder& record) { layers(record, ToyKernel::project_prefill, ToyKernel::remember_prefill); }
void few(Recorder& record) { layers(record, ToyKernel::project_few, ToyKernel::remember_prefill); }
void decode(Recorder& record) { layers(record, ToyKernel::project_decode, ToyKernel::remember_decode); }
void head(Recorder& record) {
  record.dispatch(id(ToyKernel::head), {buffer(step_view), weight(0), buffer(hidden_view), buffer(logits_view)},
                  toy_vocab_size);
}
void sample(Recorder& record) { record.dispatch(id(ToyKernel::sample), {buffer(step_view), buffer(logits_view)}, 1); }

constexpr Binding embed_bindings[] = {
    {"step", Access::read, false}, {"table", Access::read, true}, {"hidden", Access::write, false}};
constexpr Binding linear_bindings[] = {{"step", Access::read, false},
                                       {"weights", Access::read, true},
                                       {"bias", Access::read, false},
                                       {"hidden", Access::read, false},
                                       {"projected", Access::write, false}};
constexpr Binding remember_bindings[] = {{"step", Access::read, false},
                                         {"projected", Access::read, false},
                                         {"sums", Access::read_write, false},
                                         {"hidden", Access::read_write, false}};
constexpr Binding head_bindings[] = {{"step", Access::read, false},
                                     {"table", Access::read, true},
                                     {"hidden", Access::read, false},
                                     {"logits", Access::write, false}};
constexpr Binding sample_bindings[] = {{"step", Access::read_write, false}, {"logits", Access::read, false}};

constexpr WeightPart table_parts[] = {{"embed.weight", {toy_vocab_size, 0, toy_vocab_size, false}}};
constexpr WeightPart project_parts[] = {{"layers.{i}.project.weight", {toy_hidden_size, 0, toy_hidden_size, false}}};
constexpr WeightPart bias_parts[] = {{"layers.{i}.project.bias", {toy_hidden_size, 0, toy_hidden_size, false}}};
constexpr WeightPattern table_weights[] = {
    {"embedding.tokens", Dtype::f32, toy_vocab_size, toy_hidden_size, table_parts}};
constexpr WeightPattern layer_weights[] = {
    {"layers.{i}.project", Dtype::f32, toy_hidden_size, toy_hidden_size, project_parts},
    {"layers.{i}.project.bias", Dtype::bf16, 1, toy_hidden_size, bias_parts, true}};
constexpr StoredPiece table_pieces[] = {{0, toy_vocab_size}};
constexpr StoredPiece project_pieces[] = {{0, toy_hidden_size}};
constexpr StoredPiece bias_pieces[] = {{1, toy_hidden_size}};
constexpr StoredPattern table_stored[] = {
    {"embedding::tokens", Dtype::f32, toy_vocab_size, toy_hidden_size, table_pieces}};
constexpr StoredPattern layer_stored[] = {{"project", Dtype::f32, toy_hidden_size, toy_hidden_size, project_pieces},
                                          {"project_bias", Dtype::f32, 1, toy_hidden_size, bias_pieces}};
constexpr std::int32_t layer_list[] = {0, 1};
constexpr WeightGroup groups[] = {{table_weights, table_stored, {}}, {layer_weights, layer_stored, layer_list}};
constexpr StateTable states[] = {
    {"sums", StateKind::growing, toy_layers, toy_max_batch, 1, toy_max_sequence_length, row, sums_bytes, sums_view(0)}};

}  // namespace

std::vector<std::uint32_t> compile_toy_kernel(const std::string& text) { return compile_glsl(preamble + text); }

const Program& toy_program(std::int32_t eos_token) {
  static std::vector<std::uint32_t> words[8];
  static const Kernel kernels[] = {
      {"embed", KernelKind::gather, spirv(words[0], embed_text), embed_bindings, {0, row, 0, 0, 0}, 1},
      {"project_prefill",
       KernelKind::matmul,
       spirv(words[1], std::string(project_bindings) + project_prefill_text),
       linear_bindings,
       {row, 0, 0, 2 * toy_hidden_size, 0},
       toy_prefill_chunk},
      {"project_decode",
       KernelKind::matvec,
       spirv(words[2], std::string(project_bindings) + project_decode_text),
       linear_bindings,
       {row, 0, 0, 2 * toy_hidden_size, 0},
       toy_prefill_chunk},
      {"remember_prefill", KernelKind::heads, spirv(words[3], remember_text), remember_bindings, {0, 0, 6, 0, 10}, 1},
      {"remember_decode", KernelKind::heads, spirv(words[4], remember_text), remember_bindings, {0, 0, 6, 0, 10}, 1},
      {"head",
       KernelKind::matvec,
       spirv(words[5], head_text),
       head_bindings,
       {row, 0, 0, 2 * toy_hidden_size, 0},
       toy_prefill_chunk},
      {"sample", KernelKind::sample, spirv(words[6], sample_text), sample_bindings, {}, 1},
      {"project_few",
       KernelKind::matvec_few,
       spirv(words[7], std::string(project_bindings) + project_few_text),
       linear_bindings,
       {row, 0, 0, 2 * toy_hidden_size, 0},
       toy_prefill_chunk},
  };
  static std::map<std::int32_t, std::pair<Program, std::uint32_t>> programs;
  const auto [place, is_new] = programs.try_emplace(eos_token);
  auto& [program, eos] = place->second;
  if (!is_new) return program;
  eos = static_cast<std::uint32_t>(eos_token);
  program.name = "toy";
  program.version = "0";
  program.spec_hash = "toy";
  program.vocab_size = toy_vocab_size;
  program.output_size = toy_vocab_size;
  program.hidden_size = toy_hidden_size;
  program.num_hidden_layers = toy_layers;
  program.max_sequence_length = toy_max_sequence_length;
  program.prefill_chunk = toy_prefill_chunk;
  program.max_batch = toy_max_batch;
  program.head_rows = toy_head_rows;
  program.decode_steps = toy_decode_steps;
  program.eos_tokens = std::span(&eos, eos_token < 0 ? 0u : 1u);
  static const Backend* const backends[] = {&vulkan::backend()};
  program.backends = backends;
  program.kernels = kernels;
  program.phases = {{"decode", Stage::layers, Lowering::vector, 1, decode},
                    {"prefill", Stage::layers, Lowering::tiles, toy_prefill_chunk, prefill},
                    {"few", Stage::layers, Lowering::few, toy_prefill_chunk, few},
                    {"head", Stage::head, Lowering::vector, toy_head_rows, head},
                    {"sample", Stage::sample, Lowering::vector, toy_max_batch, sample}};
  program.weights = groups;
  program.states = states;
  program.arena_bytes = {1024, toy_layers * sums_bytes, 1024 + logits_view.bytes};
  program.step = step_view;
  program.output = logits_view;
  program.hidden_states = hidden_view;
  return program;
}

std::function<void(Recorder&)> with_layers_changed(
    const std::function<void(Recorder&)>& toy,
    const std::function<void(Recorder&, const Recorder::LayerEnd&)>& at_end) {
  return [toy, at_end](Recorder& record) {
    Recorder plain;
    toy(plain);
    std::size_t next = 0;
    for (const Recorder::LayerEnd& end : plain.layer_ends) {
      for (; next < static_cast<std::size_t>(end.dispatch_count); ++next) {
        record.dispatches.push_back(plain.dispatches[next]);
      }
      at_end(record, end);
      record.end_of_layer(end.layer, end.hidden_states);
    }
  };
}

ToyReference::ToyReference(const HostWeights& weights, std::span<const std::int32_t> source) : weights_(weights) {
  if (source.empty()) return;
  heard_.assign(toy_layers, std::vector<double>(toy_hidden_size));
  for (std::size_t s = 0; s < source.size(); ++s) {
    std::vector<double> said = embedded(source[s]);
    for (std::int32_t layer = 0; layer < toy_layers; ++layer) {
      if (layer > 0) said = projected(layer - 1, said);
      for (std::size_t r = 0; r < said.size(); ++r) {
        heard_[static_cast<std::size_t>(layer)][r] +=
            said[r] * static_cast<double>(s + 1) / static_cast<double>(source.size());
      }
    }
  }
}

void ToyReference::reset() { sums_.clear(); }

std::vector<double> ToyReference::embedded(std::int32_t token) const {
  std::vector<double> hidden;
  for (std::int64_t c = 0; c < toy_hidden_size; ++c) hidden.push_back(weights_.at(0, token, c));
  return hidden;
}

std::vector<double> ToyReference::projected(std::int32_t layer, std::span<const double> hidden) const {
  std::vector<double> rows;
  for (std::int64_t r = 0; r < toy_hidden_size; ++r) {
    double sum = weights_.at(2 + 2 * layer, 0, r);
    for (std::int64_t c = 0; c < toy_hidden_size; ++c) {
      sum += weights_.at(1 + 2 * layer, r, c) * hidden[static_cast<std::size_t>(c)];
    }
    rows.push_back(sum);
  }
  return rows;
}

std::vector<double> ToyReference::hidden(std::int32_t token) {
  std::vector<double> hidden = embedded(token);
  if (sums_.empty()) sums_.assign(toy_layers, std::vector<double>(toy_hidden_size + 1));
  layers_.clear();
  for (std::int32_t layer = 0; layer < toy_layers; ++layer) {
    std::vector<double>& sums = sums_[static_cast<std::size_t>(layer)];
    sums.back() += 1;  // tokens so far
    const std::vector<double> added = projected(layer, hidden);
    for (std::size_t r = 0; r < added.size(); ++r) {
      sums[r] += added[r];
      hidden[r] = 0.5 * hidden[r] + sums[r] / sums.back();
      if (!heard_.empty()) hidden[r] += heard_[static_cast<std::size_t>(layer)][r];
    }
    layers_.push_back(hidden);
  }
  return hidden;
}

std::vector<double> ToyReference::logits(std::span<const double> hidden) const {
  std::vector<double> logits;
  for (std::int64_t v = 0; v < toy_vocab_size; ++v) {
    double sum = 0;
    for (std::int64_t c = 0; c < toy_hidden_size; ++c) {
      sum += weights_.at(0, v, c) * hidden[static_cast<std::size_t>(c)];
    }
    logits.push_back(sum);
  }
  return logits;
}

std::int32_t likeliest(std::span<const double> logits) {
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace monomorph::test
