#include <fmt/format.h>

#include <vector>

#include "generator/contract/checked.hpp"
#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

constexpr std::int64_t widest_element = 4;  // bytes

bool usable_everywhere(const LayerKind& kind) {
  const AttentionSection& attention = kind.attention;
  const bool attends = kind.has_step("attention");
  return (!attends || (usable(attention.num_attention_heads) && usable(attention.num_key_value_heads) &&
                       usable(attention.head_dim))) &&
         (!kind.has_step("mlp") || usable(kind.mlp.intermediate_size));
}

/// What a layer weighs is at most this: norms and biases are below one more row of each matrix.
Checked layer_elements(const ModelSection& model, const LayerKind& kind) {
  const Checked hidden = Checked(model.hidden_size.value) + 1;
  Checked sum = Checked(8) * hidden;
  if (kind.has_step("attention")) {
    const AttentionSection& attention = kind.attention;
    const Checked heads =
        Checked(2) * attention.num_attention_heads.value + Checked(2) * attention.num_key_value_heads.value;
    sum = sum + (heads * attention.head_dim.value + 1) * hidden;
  }
  if (kind.has_step("mlp")) sum = sum + (Checked(3) * kind.mlp.intermediate_size.value + 1) * hidden;
  return sum;
}

Checked kv_elements(const LayerKind& kind) {
  if (!kind.has_step("attention")) return 0;
  return Checked(2) * kind.attention.num_key_value_heads.value * kind.attention.head_dim.value;
}

void report(const Span& span, const char* what, Diagnostics& diagnostics) {
  diagnostics.error("model.sizes_overflow", span,
                    fmt::format("{} exceed 2^63 - 1 bytes: at least one of the sizes is wrong", what));
}

/// Kernels count elements of activations and caches in 32 bits.
constexpr std::int64_t max_elements = max_size;
/// A slice of a matrix is bound as one buffer, of which every device takes 128 MiB; a row cannot be cut.
constexpr std::int64_t max_row_elements = (std::int64_t{128} << 20) / widest_element;

struct Width {
  const char* name;
  std::int64_t elements;
  const Span* span;
};

std::vector<Width> widths(const ModelSection& model, const LayerKind& kind) {
  std::vector<Width> result = {{"hidden_size", model.hidden_size.value, &model.hidden_size.span}};
  if (kind.has_step("attention")) {
    const AttentionSection& attention = kind.attention;
    const std::int64_t heads = attention.num_attention_heads.value + 2 * attention.num_key_value_heads.value;
    const Checked rows = Checked(heads) * attention.head_dim.value;
    if (!rows.overflowed()) result.push_back({"q_size + 2 kv_size", rows.value(), &attention.num_attention_heads.span});
  }
  if (kind.has_step("mlp")) {
    result.push_back({"intermediate_size", kind.mlp.intermediate_size.value, &kind.mlp.intermediate_size.span});
  }
  return result;
}

void rows_fit_a_slice(const ModelSection& model, const LayerKind& kind, Diagnostics& diagnostics) {
  for (const Width& width : widths(model, kind)) {
    if (width.elements <= max_row_elements) continue;
    diagnostics.error("model.row_range", *width.span,
                      fmt::format("{} is {}; a row of a matrix has at most {} elements (128 MiB of f32)", width.name,
                                  width.elements, max_row_elements));
  }
}

void activations_can_be_counted(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics) {
  const Field<std::int64_t>& chunk = spec.engine.prefill_chunk;
  if (!usable(chunk)) return;
  for (const Width& width : widths(spec.model, kind)) {
    // Rows that are too wide have been refused; half of what can be counted leaves room for their padding.
    if (width.elements > max_row_elements || chunk.value <= max_elements / 2 / width.elements) continue;
    diagnostics.error(
        "engine.activations_range", chunk.span,
        fmt::format("{} tokens of {} ({}) are too many elements to count in 32 bits; prefill_chunk may be {}",
                    chunk.value, width.elements, width.name, max_elements / 2 / width.elements));
  }
}

void cache_can_be_counted(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics) {
  const Field<std::int64_t>& length = spec.engine.max_sequence_length;
  if (!kind.has_step("attention") || !usable(length)) return;
  if (!usable(spec.engine.max_batch)) return;
  const std::int64_t slots = spec.engine.max_batch.value;
  const Checked row = Checked(kind.attention.num_key_value_heads.value) * kind.attention.head_dim.value * slots;
  if (row.overflowed() || row.value() > max_elements || length.value <= max_elements / 2 / row.value()) return;
  diagnostics.error(
      "engine.cache_range", length.span,
      fmt::format("the keys of {} positions, {} elements each{}, are too many elements to count in 32 bits; "
                  "max_sequence_length may be {}",
                  length.value, row.value() / slots, slots > 1 ? fmt::format(", of {} slots (max_batch)", slots) : "",
                  max_elements / 2 / row.value()));
}

}  // namespace

void check_total_rules(const Spec& spec, Diagnostics& diagnostics) {
  const ModelSection& model = spec.model;
  if (!usable(model.vocab_size) || !usable(model.hidden_size) || !usable(model.max_position_embeddings)) return;
  const Checked embedding = (Checked(2) * model.vocab_size.value + model.max_position_embeddings.value) *
                            model.hidden_size.value * widest_element;
  if (embedding.overflowed()) return report(model.vocab_size.span, "the embedding and the head", diagnostics);

  Checked total = embedding, cache = 0;
  bool all_usable = true;
  for (const LayerKind& kind : spec.kinds) {
    if (!usable_everywhere(kind)) {
      all_usable = false;
      continue;
    }
    rows_fit_a_slice(model, kind, diagnostics);
    activations_can_be_counted(spec, kind, diagnostics);
    cache_can_be_counted(spec, kind, diagnostics);
    const Checked layer = layer_elements(model, kind) * widest_element;
    if (!layer.overflowed()) continue;
    return report(kind.has_step("mlp") ? kind.mlp.intermediate_size.span : kind.attention.num_attention_heads.span,
                  "the weights of one layer", diagnostics);
  }
  if (!all_usable) return;
  for (const std::size_t kind : spec.layer_kinds) {
    total = total + layer_elements(model, spec.kinds[kind]) * widest_element;
    cache = cache + kv_elements(spec.kinds[kind]) * widest_element;
  }
  // Two operations an element and token.
  if ((total * 2).overflowed()) return report(model.num_hidden_layers.span, "the weights of all layers", diagnostics);
  if (!usable(spec.engine.max_sequence_length)) return;
  if (!usable(spec.engine.max_batch)) return;
  if ((cache * spec.engine.max_sequence_length.value * spec.engine.max_batch.value).overflowed()) {
    report(spec.engine.max_sequence_length.span, "the keys and values of max_sequence_length tokens", diagnostics);
  }
}

}  // namespace monomorph::generator
