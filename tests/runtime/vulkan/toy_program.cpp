#include "tests/runtime/vulkan/toy_program.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "tests/support/glsl.hpp"

namespace monomorph::test {
namespace {

// The state as the kernels below see it; the emitted twin of a real model has more.
struct ToyState {
  std::uint32_t position, seq_len, logits_row, stop_position, done, generated, eos_count;
  std::uint32_t eos_tokens[max_eos_tokens];
};

const char* preamble = R"(#version 450
layout(constant_id = 0) const uint workgroup_size = 64;
layout(constant_id = 1) const uint subgroup_size = 4;
layout(constant_id = 2) const uint tile_rows = 1;
layout(constant_id = 3) const uint tile_tokens = 1;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Rows { uint first_row; uint row_count; };
struct ToyState { uint position, seq_len, logits_row, stop_position, done, generated, eos_count, eos_tokens[8]; };
const uint hidden_size = 6, hidden_stride = 8, vocab_size = 1000;
layout(set = 0, binding = 0) buffer State { ToyState state; };
)";

// Row `first_row + r` of a weight that splits is at `r`; every other buffer is whole.
const char* embed_text = R"(
layout(set = 0, binding = 1) readonly buffer Table { float table[]; };
layout(set = 0, binding = 2) readonly buffer Tokens { uint token_ids[]; };
layout(set = 0, binding = 3) writeonly buffer Hidden { float hidden[]; };
void main() {
  uint token = gl_WorkGroupID.y;
  if (state.done != 0 || token >= state.seq_len) return;
  uint id = token_ids[token];
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
  if (r >= row_count || token >= state.seq_len) return;
  float sum = bias[first_row + r];
  for (uint c = 0; c < hidden_size; ++c) sum += weights[r * hidden_stride + c] * hidden[token * hidden_stride + c];
  projected[token * hidden_stride + first_row + r] = sum;
}
)";

const char* project_prefill_text = R"(
void main() {
  if (state.done != 0) return;
  for (uint i = gl_LocalInvocationIndex; i < tile_rows * tile_tokens; i += workgroup_size)
    project(gl_WorkGroupID.x * tile_rows + i / tile_tokens, gl_WorkGroupID.y * tile_tokens + i % tile_tokens);
}
)";

const char* project_decode_text = R"(
void main() {
  if (state.done != 0) return;
  uint rows = workgroup_size / subgroup_size * tile_rows;
  for (uint i = gl_LocalInvocationIndex; i < rows; i += workgroup_size) project(gl_WorkGroupID.x * rows + i, 0);
}
)";

// Writes this token's row of the cache, then adds the rows so far: a position's sum is only right if those before it
// are. The rows of this call are summed from the projection itself, because no order holds between workgroups.
const char* remember_text = R"(
layout(set = 0, binding = 1) readonly buffer Projected { float projected[]; };
layout(set = 0, binding = 2) buffer Cache { float cache[]; };
layout(set = 0, binding = 3) buffer Hidden { float hidden[]; };
void main() {
  uint token = gl_WorkGroupID.y;
  uint r = first_row + gl_WorkGroupID.x;
  if (state.done != 0 || token >= state.seq_len || gl_LocalInvocationIndex != 0) return;
  float sum = 0.0;
  for (uint p = 0; p < state.position; ++p) sum += cache[p * hidden_stride + r];
  for (uint t = 0; t <= token; ++t) sum += projected[t * hidden_stride + r];
  cache[(state.position + token) * hidden_stride + r] = projected[token * hidden_stride + r];
  hidden[token * hidden_stride + r] = 0.5 * hidden[token * hidden_stride + r] + sum / float(state.position + token + 1);
}
)";

const char* head_text = R"(
layout(set = 0, binding = 1) readonly buffer Table { float table[]; };
layout(set = 0, binding = 2) readonly buffer Hidden { float hidden[]; };
layout(set = 0, binding = 3) writeonly buffer Logits { float logits[]; };
void main() {
  if (state.done != 0) return;
  uint rows = workgroup_size / subgroup_size * tile_rows;
  for (uint i = gl_LocalInvocationIndex; i < rows; i += workgroup_size) {
    uint r = gl_WorkGroupID.x * rows + i;
    if (r >= row_count) return;
    float sum = 0.0;
    for (uint c = 0; c < hidden_size; ++c)
      sum += table[r * hidden_stride + c] * hidden[state.logits_row * hidden_stride + c];
    logits[first_row + r] = sum;
  }
}
)";

const char* sample_text = R"(
layout(set = 0, binding = 1) readonly buffer Logits { float logits[]; };
layout(set = 0, binding = 2) buffer Tokens { uint token_ids[]; };
layout(set = 0, binding = 3) writeonly buffer Generated { uint generated[]; };
void main() {
  if (state.done != 0 || gl_LocalInvocationIndex != 0) return;
  uint best = 0;
  for (uint id = 1; id < vocab_size; ++id) if (logits[id] > logits[best]) best = id;
  state.position += state.seq_len;
  state.seq_len = 1;
  state.logits_row = 0;
  token_ids[0] = best;
  generated[state.generated++] = best;
  if (state.position + 1 > state.stop_position) state.done = 1;
  for (uint i = 0; i < state.eos_count; ++i) if (state.eos_tokens[i] == best) state.done = 1;
}
)";

std::span<const std::byte> spirv(std::vector<std::uint32_t>& words, const std::string& text) {
  words = compile_glsl(preamble + text);
  return std::as_bytes(std::span(words));
}

constexpr std::int64_t row = row_bytes<f32>(toy_hidden_size);
constexpr BufferView hidden_view{Arena::activations, 0, toy_prefill_chunk* row};
constexpr BufferView projected_view{Arena::activations, 512, toy_prefill_chunk* row};
constexpr BufferView state_view{Arena::state, 0, sizeof(ToyState)};
constexpr BufferView token_ids_view{Arena::state, 256, toy_prefill_chunk * 4};
constexpr BufferView generated_view{Arena::state, 512, toy_decode_steps * 4};
constexpr BufferView logits_view{Arena::state, 768, toy_vocab_size * 4};
constexpr std::int64_t cache_bytes = toy_max_sequence_length * row;

constexpr BufferView cache_view(std::int64_t layer) { return {Arena::cache, layer * cache_bytes, cache_bytes}; }

Argument buffer(const BufferView& view) { return Tensor<f32>{view}; }
Argument weight(std::int64_t id) { return Weight<void, f32>{static_cast<std::int32_t>(id)}; }
constexpr std::int32_t id(ToyKernel kernel) { return static_cast<std::int32_t>(kernel); }

void layers(Recorder& record, ToyKernel project, ToyKernel remember, std::int64_t tokens) {
  record.dispatch(id(ToyKernel::embed), {buffer(state_view), weight(0), buffer(token_ids_view), buffer(hidden_view)},
                  toy_vocab_size, tokens);
  for (std::int64_t layer = 0; layer < toy_layers; ++layer) {
    record.dispatch(
        id(project),
        {buffer(state_view), weight(1 + 2 * layer), weight(2 + 2 * layer), buffer(hidden_view), buffer(projected_view)},
        toy_hidden_size, tokens);
    record.dispatch(id(remember),
                    {buffer(state_view), buffer(projected_view), buffer(cache_view(layer)), buffer(hidden_view)},
                    toy_hidden_size, tokens);
    record.end_of_layer(layer, hidden_view);
  }
}

void prefill(Recorder& record) {
  layers(record, ToyKernel::project_prefill, ToyKernel::remember_prefill, toy_prefill_chunk);
}
void decode(Recorder& record) { layers(record, ToyKernel::project_decode, ToyKernel::remember_decode, 1); }
void head(Recorder& record) {
  record.dispatch(id(ToyKernel::head), {buffer(state_view), weight(0), buffer(hidden_view), buffer(logits_view)},
                  toy_vocab_size, 1);
}
void sample(Recorder& record) {
  record.dispatch(id(ToyKernel::sample),
                  {buffer(state_view), buffer(logits_view), buffer(token_ids_view), buffer(generated_view)}, 1, 1);
}

void write_state(const SequenceRequest& request, std::byte* bytes) {
  ToyState state{
      request.position, request.seq_len, request.logits_row, request.stop_position, 0, 0, request.eos_count, {}};
  std::copy(request.eos_tokens.begin(), request.eos_tokens.end(), state.eos_tokens);
  std::memcpy(bytes, &state, sizeof state);
}

SequenceReport read_state(const std::byte* bytes) {
  ToyState state;
  std::memcpy(&state, bytes, sizeof state);
  return {state.position, state.done, state.generated};
}

constexpr Binding embed_bindings[] = {{"state", Access::read, false},
                                      {"table", Access::read, true},
                                      {"token_ids", Access::read, false},
                                      {"hidden", Access::write, false}};
constexpr Binding linear_bindings[] = {{"state", Access::read, false},
                                       {"weights", Access::read, true},
                                       {"bias", Access::read, false},
                                       {"hidden", Access::read, false},
                                       {"projected", Access::write, false}};
constexpr Binding remember_bindings[] = {{"state", Access::read, false},
                                         {"projected", Access::read, false},
                                         {"cache", Access::read_write, false},
                                         {"hidden", Access::read_write, false}};
constexpr Binding head_bindings[] = {{"state", Access::read, false},
                                     {"table", Access::read, true},
                                     {"hidden", Access::read, false},
                                     {"logits", Access::write, false}};
constexpr Binding sample_bindings[] = {{"state", Access::read_write, false},
                                       {"logits", Access::read, false},
                                       {"token_ids", Access::read_write, false},
                                       {"generated", Access::write, false}};

constexpr TensorPart table_parts[] = {{"embed.weight", toy_vocab_size, 0, toy_vocab_size, false}};
constexpr TensorPart project_parts[] = {{"layers.{i}.project.weight", toy_hidden_size, 0, toy_hidden_size, false}};
constexpr TensorPart bias_parts[] = {{"layers.{i}.project.bias", toy_hidden_size, 0, toy_hidden_size, false}};
constexpr TensorPattern table_pattern[] = {
    {"embedding.tokens", Dtype::f32, Dtype::f32, toy_vocab_size, toy_hidden_size, 8, table_parts}};
constexpr TensorPattern layer_patterns[] = {
    {"layers.{i}.project", Dtype::f32, Dtype::f32, toy_hidden_size, toy_hidden_size, 1, project_parts},
    {"layers.{i}.project.bias", Dtype::bf16, Dtype::f32, 1, toy_hidden_size, 1, bias_parts}};
constexpr std::int32_t layer_list[] = {0, 1};
constexpr TensorGroup groups[] = {{table_pattern, {}}, {layer_patterns, layer_list}};

}  // namespace

const Program& toy_program(std::int32_t eos_token) {
  static std::vector<std::uint32_t> words[7];
  static const Kernel kernels[] = {
      {"embed", KernelKind::embed, spirv(words[0], embed_text), embed_bindings, {0, row, 0, 0, 0}, 1},
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
  program.hidden_size = toy_hidden_size;
  program.num_hidden_layers = toy_layers;
  program.max_sequence_length = toy_max_sequence_length;
  program.prefill_chunk = toy_prefill_chunk;
  program.decode_steps = toy_decode_steps;
  program.cache_bytes_per_token = toy_layers * row;
  program.eos_tokens = std::span(&eos, eos_token < 0 ? 0u : 1u);
  program.kernels = kernels;
  program.tensors = groups;
  program.arena_bytes = {1024, toy_layers * cache_bytes, 768 + toy_vocab_size * 4, 0};
  program.sequence_state = state_view;
  program.token_ids = token_ids_view;
  program.generated = generated_view;
  program.logits = logits_view;
  program.prefill = prefill;
  program.decode = decode;
  program.head = head;
  program.sample = sample;
  program.write_state = write_state;
  program.read_state = read_state;
  return program;
}

void ToyReference::reset() { sums_.clear(); }

std::vector<double> ToyReference::append(std::int32_t token) {
  std::vector<double> hidden;
  for (std::int64_t c = 0; c < toy_hidden_size; ++c) hidden.push_back(weights_.at(0, token, c));
  if (sums_.empty()) sums_.assign(toy_layers, std::vector<double>(toy_hidden_size + 1));
  layers_.clear();
  for (std::int32_t layer = 0; layer < toy_layers; ++layer) {
    std::vector<double>& sums = sums_[static_cast<std::size_t>(layer)];
    sums.back() += 1;  // tokens so far
    std::vector<double> next;
    for (std::int64_t r = 0; r < toy_hidden_size; ++r) {
      double projected = weights_.at(2 + 2 * layer, 0, r);
      for (std::int64_t c = 0; c < toy_hidden_size; ++c) {
        projected += weights_.at(1 + 2 * layer, r, c) * hidden[static_cast<std::size_t>(c)];
      }
      sums[static_cast<std::size_t>(r)] += projected;
      next.push_back(0.5 * hidden[static_cast<std::size_t>(r)] + sums[static_cast<std::size_t>(r)] / sums.back());
    }
    hidden = next;
    layers_.push_back(hidden);
  }
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
