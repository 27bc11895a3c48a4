#include <fmt/format.h>

#include <set>
#include <vector>

#include "generator/blocks/embedding.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/engine_section.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

constexpr std::int64_t widest_element = 4;  // bytes
/// Kernels count elements of activations and caches in 32 bits.
constexpr std::int64_t max_elements = max_size;
/// A slice of a matrix is bound as one buffer, of which every device takes 128 MiB; a row cannot be cut.
constexpr std::int64_t max_row_elements = (std::int64_t{128} << 20) / widest_element;

/// Whether every size of the layer's sub-blocks is in range.
bool usable_everywhere(const LayerKind& kind) {
  for (const Block* block : kind.blocks()) {
    Block copy = *block;
    for (const auto& [field, slot] : bind_block(copy)) {
      const auto* size = std::get_if<Field<std::int64_t>*>(&slot);
      if (size != nullptr && !is_absent(slot) && !usable(**size)) return false;
    }
  }
  return true;
}

Checked product(const std::vector<AxisId>& axes, const AxisTable& table) {
  Checked elements = 1;
  for (const AxisId axis : axes) elements = elements * table[axis].size;
  return elements;
}

void report(const Span& span, const char* what, Diagnostics& diagnostics) {
  diagnostics.error("model.sizes_overflow", span,
                    fmt::format("{} exceed 2^63 - 1 bytes: at least one of the sizes is wrong", what));
}

/// What the weights of a scope weigh at most, and the field of the widest axis that its layers have of their own.
struct Weighed {
  Checked bytes = 0;
  Span field;
};

Weighed weigh(Scope scope, const Declarations& declared) {
  const Contract& contract = declared.contract();
  Weighed sum;
  std::int64_t widest = 0;
  for (const WeightId id : contract.weights_of(scope)) {
    const WeightContract& weight = contract.weights[id];
    sum.bytes = sum.bytes + product(weight.axes, contract.axes) * widest_element;
    const Axis& rows = contract.axes[weight.axes[0]];
    if (rows.users.empty() || rows.size <= widest) continue;  // the model's own are not this layer's fault
    widest = rows.size;
    sum.field = declared.field_of(weight.axes[0]);
  }
  return sum;
}

struct Width {
  std::string name;
  std::int64_t elements;
  const Span* span;
};

/// Widths of the rows that a kind of layer computes: each axis, and what stands side by side.
std::vector<Width> widths(const LayerKind& kind, const Declarations& declared) {
  const AxisTable& axes = declared.contract().axes;
  std::vector<Width> result;
  for (const ProjectionGroup& group : declared.groups()) {
    if (group.kind != kind.name) continue;
    Checked sum = 0;
    std::string names;
    std::set<AxisId> distinct;
    for (const Projection& one : group.projections) {
      const AxisId columns = one.columns;
      result.push_back({axes[columns].word, axes[columns].size, &declared.field_of(columns)});
      const AxisId rows = one.result();
      result.push_back({axes[rows].word, axes[rows].size, &declared.field_of(rows)});
      sum = sum + axes[rows].size;
      names += (names.empty() ? "" : " + ") + one.word;
      distinct.insert(one.rows);
    }
    // Projections of one width become one: gate and up.
    if (distinct.size() < 2 && group.projections.front().heads == 0) continue;
    if (!sum.overflowed()) result.push_back({names, sum.value(), &declared.field_of(group.projections.front().rows)});
  }
  return result;
}

/// Whether they do.
bool rows_fit_a_slice(const std::vector<Width>& widths, Diagnostics& diagnostics) {
  std::set<std::pair<int, int>> reported;  // a place is told once
  for (const Width& width : widths) {
    if (width.elements <= max_row_elements || !reported.insert({width.span->line, width.span->column}).second) continue;
    diagnostics.error("model.row_range", *width.span,
                      fmt::format("{} is {}; a row of a matrix has at most {} elements (128 MiB of f32)", width.name,
                                  width.elements, max_row_elements));
  }
  return reported.empty();
}

void activations_can_be_counted(const Spec& spec, const std::vector<Width>& widths, Diagnostics& diagnostics) {
  const EngineSection& engine = *spec.engine;
  const bool more_of_source = spec.encoder && engine.max_source_length.value > engine.prefill_chunk.value;
  const Field<std::int64_t>& chunk = more_of_source ? engine.max_source_length : engine.prefill_chunk;
  if (!usable(chunk)) return;
  for (const Width& width : widths) {
    // Half of what can be counted leaves room for the padding of rows.
    if (chunk.value <= max_elements / 2 / width.elements) continue;
    diagnostics.error(
        "engine.activations_range", chunk.span,
        fmt::format("{} tokens of {} ({}) are too many elements to count in 32 bits; {} may be {}", chunk.value,
                    width.elements, width.name, more_of_source ? "max_source_length" : "prefill_chunk",
                    max_elements / 2 / width.elements));
    return;
  }
}

void caches_can_be_counted(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  const std::int64_t slots = spec.engine->max_batch.value;
  if (!usable(spec.engine->max_batch)) return;
  const Contract& contract = declared.contract();
  for (const StateContract& state : contract.states) {
    const Field<std::int64_t>& length =
        state.source() ? spec.engine->max_source_length : spec.engine->max_sequence_length;
    if (!usable(length) || state.recurrent()) continue;
    const Checked row = elements_per_position(state, contract.axes);
    if (row.overflowed() || row.value() > max_elements || length.value <= max_elements / 2 / row.value()) continue;
    diagnostics.error(
        "engine.cache_range", length.span,
        fmt::format("{} of {} positions, {} elements each{}, are too many elements to count in 32 bits; "
                    "{} may be {}",
                    state.role, length.value, row.value() / slots,
                    slots > 1 ? fmt::format(", of {} slots (max_batch)", slots) : "",
                    state.source() ? "max_source_length" : "max_sequence_length", max_elements / 2 / row.value()));
    return;
  }
}

}  // namespace

Checked elements_per_position(const StateContract& state, const AxisTable& table) {
  std::vector<AxisId> axes;
  for (const AxisId axis : state.axes) {
    if (table[axis].live != Live::positions) axes.push_back(axis);
  }
  return product(axes, table);
}

void check_total_rules(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  const ModelSection& model = spec.model;
  if (!usable(model.vocab_size) || !usable(model.hidden_size)) return;
  if (model.max_position_embeddings.given && !usable(model.max_position_embeddings)) return;
  Checked total = weigh({}, declared).bytes;
  if (total.overflowed()) return report(model.vocab_size.span, "the embedding and the head", diagnostics);
  std::vector<Checked> layers;
  const auto rows_fit = [&](const std::vector<Width>& widths) {
    if (rows_fit_a_slice(widths, diagnostics)) activations_can_be_counted(spec, widths, diagnostics);
  };
  if (const Field<std::int64_t>& embedded = spec.embedding->size; embedded.given && usable(embedded)) {
    rows_fit({{"embedding.size", embedded.value, &embedded.span}});
  }
  for (std::size_t index = 0; index < spec.kinds.size(); ++index) {
    const LayerKind& kind = spec.kinds[index];
    if (!usable_everywhere(kind)) continue;
    rows_fit(widths(kind, declared));
    const Weighed layer = weigh({index}, declared);
    layers.push_back(layer.bytes);
    if (layer.bytes.overflowed()) return report(layer.field, "the weights of one layer", diagnostics);
  }
  if (layers.size() < spec.kinds.size()) return;
  caches_can_be_counted(spec, declared, diagnostics);
  for (const StackContract& stack : declared.contract().stacks) {
    for (const std::size_t kind : stack.layer_kinds) total = total + layers[kind] * stack.repeat;
  }
  if ((total * 2).overflowed())  // two operations an element and token
    return report(model.num_hidden_layers.span, "the weights of all layers", diagnostics);
  if (!usable(spec.engine->max_sequence_length) || !usable(spec.engine->max_batch)) return;
  Checked caches = 0;
  const Contract& contract = declared.contract();
  for (const StateContract& state : contract.states) {
    caches = caches + product(state.axes, contract.axes) * widest_element * contract.runs(state.scope);
  }
  if (caches.overflowed()) {
    report(spec.engine->max_sequence_length.span, "the keys and values of max_sequence_length tokens", diagnostics);
  }
}

}  // namespace monomorph::generator
