#include "generator/contract/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "generator/blocks/embedding.hpp"
#include "generator/blocks/layer.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/pooling.hpp"
#include "generator/blocks/position.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/engine_section.hpp"

namespace monomorph::generator {
namespace {

/// A name that is no dtype has been reported.
Dtype dtype_of(const std::string& name) {
  const auto row =
      std::find_if(std::begin(dtype_rows), std::end(dtype_rows), [&](const DtypeRow& row) { return row.name == name; });
  return row == std::end(dtype_rows) ? Dtype::f32 : static_cast<Dtype>(row - std::begin(dtype_rows));
}

}  // namespace

PartRows rows_of(const Projection& one, const AxisTable& axes) {
  const Axis& rows = axes[one.rows];
  const std::int64_t in_tensor = one.turned ? one.heads * axes[one.columns].size : rows.size;
  return {in_tensor, one.heads, one.kv_heads, one.given ? axes[rows.factors.front()].size : 0};
}

std::int64_t first_layer(const Contract& contract, Scope scope) {
  return scope.kind == Scope::model ? -1 : contract.kinds[scope.kind].layers.front();
}

Declarations::Declarations(const Spec& spec, Contract& contract) : spec_(spec), contract_(contract) {}

void Declarations::enter_model(const std::string& instance, std::string role) {
  if (role.empty()) role = instance;
  scope_ = {};
  user_.clear();
  part_prefix_ = section_prefix(stack_) + (instance.empty() ? "" : instance + ".");
  role_prefix_ = name_prefix(stack_) + (role.empty() ? "" : role + "::");
  component_ = instance;
}

void Declarations::enter(std::size_t kind, const Block& block) {
  const bool own_section = find_block_type(block.instance) == nullptr;
  scope_ = {kind};
  user_ = spec_.kinds[kind].identifier + (own_section ? "_" + block.instance : "");
  part_prefix_ = section_prefix(stack_) + ("layers.{i}." + block.instance) + ".";
  role_prefix_ = role_of(block) + "::";
  component_ = block.type->name;
  with_embedding_ = block.norms.with_embedding.value;
}

AxisId Declarations::placed(AxisId axis, const Span& field) {
  if (axis.index == fields_.size()) fields_.push_back(field);
  return axis;
}

AxisId Declarations::axis(const std::string& word, std::int64_t size, const Span& field, std::vector<AxisId> factors) {
  return placed(contract_.axes.intern({word, size, std::move(factors), Live::all, {}, {}}, user_), field);
}

AxisId Declarations::model_axis(const std::string& word, std::int64_t size, const Span& field, Live live) {
  return placed(contract_.axes.intern({word, size, {}, live, {}, {}}), field);
}

AxisId Declarations::hidden_of(std::size_t stack) {
  const Field<std::int64_t>& size = spec_.model_of(stack).hidden_size;
  const bool alike = size.value == spec_.model.hidden_size.value;
  return model_axis(alike ? "hidden" : name_prefix(stack) + std::string("hidden"), sane(size), size.span);
}

AxisId Declarations::hidden() { return hidden_of(stack_); }

AxisId Declarations::input() {
  const AxisId stream = hidden();
  if (!with_embedding_) return stream;
  return beside(stream, spec_.model_of(stack_).hidden_size.span);
}

AxisId Declarations::beside(AxisId one, const Span& field) {
  return axis(concatenated_axis, 2 * contract_.axes[one].size, field);
}

AxisId Declarations::source_hidden() { return hidden_of(spec_.encoder ? encoder_stack : own_stack); }

AxisId Declarations::slots() {
  return model_axis("slots", sane(spec_.engine->max_batch), spec_.engine->max_batch.span);
}

AxisId Declarations::positions() {
  const Field<std::int64_t>& length = spec_.engine->max_sequence_length;
  return model_axis("positions", sane(length), length.span, Live::positions);
}

void Declarations::need(const std::string& part, bool weight, bool bias) {
  for (NeededPart& known : parts_) {
    if (known.part != part) continue;
    known.weight |= weight;
    known.bias |= bias;
    return;
  }
  parts_.push_back({part, weight, bias});
}

WeightContract& Declarations::weight(const std::string& part, const std::string& role, const std::string& tensor,
                                     bool bias, std::vector<AxisId> axes, std::vector<CheckpointPart> sources,
                                     const std::string& component) {
  need(tensor, !bias, bias);
  const Dtype in_file = dtype_of(dtype_field(*spec_.checkpoint, tensor, bias, first_layer(contract_, scope_)).value);
  WeightContract weight{bias ? part + ".bias" : part, role,     scope_, std::move(axes), in_file,
                        std::move(sources),           component};
  weight.of_source = stack_ == encoder_stack;
  weight.shared = scope_.kind != Scope::model && !is_of_each_layer(weight.sources.front().name);
  const std::string& asked = spec_.engine->weights.value;
  if (!asked.empty() && weight.axes.size() == 2 && element_bits(in_file) > element_bits(dtype_of(asked))) {
    weight.dtype = dtype_of(asked);
    weight.converted_from = in_file;
  }
  return contract_.weights[contract_.weights.add(std::move(weight))];
}

/// All rows of the part's own tensor, or of its tensors one after another, one for each group of the rows, where the
/// name counts them. That it has no name, or counts what has no groups or too many, has been reported.
std::vector<CheckpointPart> Declarations::whole(const std::string& part, bool bias, AxisId rows) const {
  const auto found = spec_.checkpoint->tensors.find(part);
  const std::string name = tensor_name(*spec_.checkpoint, part, bias).value_or("");
  const Axis& axis = contract_.axes[rows];
  const bool transposed = !bias && found != spec_.checkpoint->tensors.end() && found->second.transposed;
  const std::string first = with_number(name, "0");
  const std::int64_t groups = axis.factors.empty() ? 0 : contract_.axes[axis.factors.front()].size;
  if (first == name || groups == 0 || groups > most_tensors_of_a_part) {
    return {{name, {axis.size, 0, axis.size, transposed}}};
  }
  const std::int64_t size = axis.size / groups;
  std::vector<CheckpointPart> sources;
  for (std::int64_t group = 0; group < groups; ++group) {
    sources.push_back({with_number(name, fmt::format("{}", group)), {size, 0, size, transposed}, name});
  }
  return sources;
}

/// Leaves a view those of a tensor's rows that are one projection's: the tensor, one of several where they are counted,
/// holds `name.fused` part after part, or pieces of them in turn.
void Declarations::cut(RowView& view, std::size_t tensors, const TensorName& name, bool bias, const Projection& own,
                       const std::vector<Projection>& all) const {
  const Interleaving* interleaving = find_interleaving(name.interleaved);
  std::int64_t before = 0, stride = 0, pieces = 1;
  for (const std::string& word : name.fused) {
    const auto part = std::find_if(all.begin(), all.end(), [&](const Projection& one) { return one.word == word; });
    if (part == all.end()) continue;  // has been reported
    PartRows rows = rows_of(*part, contract_.axes);
    rows.rows /= static_cast<std::int64_t>(tensors);
    if (part->numbers && !bias) rows.rows *= contract_.axes[part->columns].size;
    if (interleaving != nullptr) pieces = std::max<std::int64_t>(interleaving->pieces(rows), 1);
    if (word == own.word) before = stride;
    stride += rows.rows / pieces;
  }
  if (own.turned) {
    view.first_line = before;
    view.lines = stride;
    return;
  }
  view.source_row = before;
  view.source_rows = stride * pieces;
  if (pieces == 1) return;
  view.run = view.rows / pieces;
  view.run_stride = stride;
}

/// Leaves a view of one part its rows in the order of the tensor's, where the halves of its heads alternate or stand
/// apart.
void Declarations::alternate(RowView& view, const std::string& part, const Projection& one) const {
  const auto found = spec_.checkpoint->tensors.find(part);
  if (found == spec_.checkpoint->tensors.end() || found->second.interleaved.empty()) return;
  const Interleaving* interleaving = find_interleaving(found->second.interleaved);
  if (interleaving == nullptr || !interleaving->of_one) return;  // has been reported
  const std::int64_t heads = interleaving->pieces(rows_of(one, contract_.axes));
  if (heads == 0 || view.rows % (2 * heads) != 0) return;  // has been reported
  (interleaving->apart ? view.apart : view.halves) = view.rows / heads;
}

/// Where a projection, or its bias, stands: in the tensor of its own, or in one that it shares.
std::vector<CheckpointPart> Declarations::sources(const std::string& tensor, const TensorName* fused, bool bias,
                                                  const Projection& one, const std::vector<Projection>& all) const {
  std::vector<CheckpointPart> sources = whole(tensor, bias, one.numbers && !bias ? one.numbers : one.rows);
  for (CheckpointPart& source : sources) {
    if (fused != nullptr) cut(source.view, sources.size(), *fused, bias, one, all);
    if (source.numbered.empty()) source.view.banks = one.by_head ? one.heads : rows_of(one, contract_.axes).experts;
    source.turned = one.turned && !bias;
    if (source.turned) source.view.transposed = !source.view.transposed;
  }
  if (fused == nullptr) alternate(sources.front().view, tensor, one);
  return sources;
}

WeightContract& Declarations::own_matrix(const std::string& word, AxisId rows, AxisId columns) {
  const std::string part = part_prefix_ + word;
  return weight(part, role_prefix_ + word, part, false, {rows, columns}, whole(part, false, rows),
                component_.empty() ? word : component_);
}

void Declarations::matrix(const std::string& word, AxisId rows, AxisId columns) { own_matrix(word, rows, columns); }

void Declarations::exact_matrix(const std::string& word, AxisId rows, AxisId columns) {
  WeightContract& made = own_matrix(word, rows, columns);
  made.dtype = made.file_dtype();
  made.converted_from.reset();
}

void Declarations::vector(const std::string& word, AxisId elements) {
  const std::string part = part_prefix_ + word;
  weight(part, role_prefix_ + word, part, false, {elements}, whole(part, false, elements), component_);
}

void Declarations::vectors(const std::string& use, const std::vector<std::string>& words, AxisId elements,
                           const Span& field) {
  const AxisId one = model_axis("one", 1, field);
  std::vector<Projection> all;
  for (const std::string& word : words) {
    all.push_back({.word = word, .rows = elements, .columns = one, .numbers = elements});
  }
  projections(use, std::move(all));
}

void Declarations::number(const std::string& word, const Span& field,
                          const std::function<double(std::int64_t layer)>& of_layer) {
  numbers(word, model_axis("one", 1, field), [&](std::int64_t layer, std::int64_t) { return of_layer(layer); });
}

void Declarations::numbers(const std::string& word, AxisId elements,
                           const std::function<double(std::int64_t layer, std::int64_t element)>& of_layer) {
  WeightContract weight;
  weight.part = part_prefix_ + word;
  weight.role = role_prefix_ + word;
  weight.scope = scope_;
  weight.axes = {elements};
  for (const std::int32_t layer : contract_.kinds[scope_.kind].layers) {
    for (std::int64_t element = 0; element < contract_.axes[elements].size; ++element) {
      weight.values.push_back(static_cast<float>(of_layer(layer, element)));
    }
  }
  contract_.weights.add(std::move(weight));
}

void Declarations::norm_weight(const std::string& word, AxisId elements) {
  const std::string part = part_prefix_ + word;
  weight(part, role_prefix_ + word, part, false, {elements}, whole(part, false, elements), "norm");
}

void Declarations::norm_bias(const std::string& word, AxisId elements) {
  const std::string part = part_prefix_ + word;
  weight(part, role_prefix_ + word + "_bias", part, true, {elements}, whole(part, true, elements), "norm");
}

void Declarations::bias(const std::string& word, AxisId rows) {
  const std::string part = part_prefix_ + word;
  weight(part, role_prefix_ + word + "_bias", part, true, {rows}, whole(part, true, rows),
         component_.empty() ? word : component_);
}

void Declarations::projections(const std::string& input, const Field<Biases>& bias, std::vector<Projection> all) {
  for (Projection& one : all) one.bias = bias.value.has(one.word);
  projections(input, std::move(all), bias.span);
}

void Declarations::projections(const std::string& input, std::vector<Projection> all, const Span& of_biases) {
  for (const Projection& one : all) {
    const auto* line = fused_line(*spec_.checkpoint, part_prefix_ + one.word);
    const std::string tensor = line != nullptr ? line->first : part_prefix_ + one.word;
    for (const bool of_bias : {false, true}) {
      if (of_bias && !one.bias) continue;
      const std::vector<AxisId> axes = of_bias       ? std::vector{one.rows}
                                       : one.numbers ? std::vector{one.numbers}
                                                     : std::vector{one.rows, one.columns};
      const std::string role = role_prefix_ + one.word + (of_bias ? "_bias" : one.numbers ? "" : "_proj");
      WeightContract& made =
          weight(part_prefix_ + one.word, role, tensor, of_bias, axes,
                 sources(tensor, line == nullptr ? nullptr : &line->second, of_bias, one, all), component_);
      if (one.given) made.chosen_rows = contract_.axes[one.given].size;
      made.of_source |= input == source_input;
      if (of_bias || !one.turned || !made.sources.front().view.transposed || !is_quantized(made.file_dtype())) continue;
      made.converted_from = made.file_dtype();  // blocks are of what is turned: they are decoded
      made.dtype = Dtype::f32;
    }
  }
  const std::string kind = scope_.kind == Scope::model ? "" : spec_.kinds[scope_.kind].name;
  groups_.push_back({part_prefix_, input, component_, kind, std::move(all), of_biases});
}

void Declarations::state(const std::string& word, AxisId heads, AxisId head, Dtype element, const Window& window) {
  const AxisId slots = this->slots();
  // A pass writes prefill_chunk entries before its first query reads the oldest that it sees.
  const std::int64_t ring = window.first + window.recent + sane(spec_.engine->prefill_chunk) - 1;
  const Field<std::int64_t>& length = spec_.engine->max_sequence_length;
  const bool grows = window.recent == 0 || ring >= sane(length);
  const AxisId entries =
      grows ? positions()
            : placed(contract_.axes.intern({"window", ring, {}, Live::positions, {}, {}}, user_), length.span);
  const StateKind kind = grows ? StateKind::growing : StateKind::ring;
  contract_.states.add(
      {role_prefix_ + word, scope_, {slots, heads, entries, head}, element, kind, grows ? Window{} : window});
}

void Declarations::source_state(const std::string& word, AxisId heads, AxisId head, Dtype element) {
  const AxisId slots = this->slots();
  const Field<std::int64_t>& length = spec_.engine->max_source_length;
  const AxisId entries = model_axis("source_positions", sane(length), length.span, Live::positions);
  contract_.states.add({role_prefix_ + word, scope_, {slots, heads, entries, head}, element, StateKind::source});
}

void Declarations::recurrent_state(const std::string& word, AxisId heads, AxisId value, AxisId key, const Span& field) {
  const AxisId matrix = axis("matrix", contract_.axes.elements({value, key}), field, {value, key});
  const AxisId matrices = axis("matrices", contract_.axes.elements({heads, matrix}), field, {heads, matrix});
  const AxisId slots = this->slots(), one = model_axis("one", 1, spec_.engine->max_batch.span);
  const AxisId copies = contract_.axes.intern({"copies", recurrent_copies, {}, Live::all, {}, {}});
  placed(copies, spec_.engine->max_batch.span);
  contract_.states.add({role_prefix_ + word, scope_, {slots, one, copies, matrices}, Dtype::f32, StateKind::recurrent});
}

void Declarations::angles(const std::string& role, const RotaryContract& rotary, const Field<std::int64_t>& columns) {
  const std::string user = scope_.kind == Scope::model ? name_prefix(stack_) + std::string("embedding")
                                                       : spec_.kinds[scope_.kind].identifier;
  for (AnglesContract& angles : contract_.angles) {
    if (angles.rotary != rotary) continue;
    if (std::find(angles.users.begin(), angles.users.end(), user) == angles.users.end()) angles.users.push_back(user);
    return;
  }
  const AxisId width = axis("angles", columns.value, columns.span);
  contract_.angles.add({role, width, rotary, {user}});
}

bool is_part(const std::string& part, const Declarations& declared) {
  const std::vector<std::string>& known = part_names();
  const Table<WeightContract>& weights = declared.contract().weights;
  const std::string of_encoder = section_prefix(encoder_stack);
  const std::string own = part.starts_with(of_encoder) ? part.substr(of_encoder.size()) : part;
  return std::find(known.begin(), known.end(), own) != known.end() ||
         std::any_of(weights.begin(), weights.end(), [&](const WeightContract& weight) { return weight.part == part; });
}

void declare_model(const Spec& spec, Declarations& declare) {
  declare_embedding(input_of(spec, own_stack), declare);
  if (spec.encoder) {
    declare.enter_stack(encoder_stack);
    declare_embedding(input_of(spec, encoder_stack), declare);
    declare.enter_stack(own_stack);
  }
  for (std::size_t kind = 0; kind < spec.kinds.size(); ++kind) {
    const std::size_t stack = spec.kinds[kind].stack;
    declare.enter_stack(stack);
    declare_layer(spec.model_of(stack), spec.kinds[kind], kind, declare);
  }
  if (spec.encoder) {
    declare.enter_stack(encoder_stack);
    declare.enter_model("");
    const NormChoice& norm = spec.encoder->section->final_norm.value;
    if (norm.present) declare_norm("final_norm", norm.norm, declare.hidden(), declare);
  }
  declare.enter_stack(own_stack);
  pools(*spec.pooling) ? declare_pooling(spec, declare) : declare_head(spec, declare);
}

std::int64_t parameters(const WeightContract& weight, const Contract& contract) {
  return contract.axes.elements(weight.axes);
}

}  // namespace monomorph::generator
