#include <fmt/format.h>

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
    const Checked heads = Checked(2) * attention.num_attention_heads.value + Checked(2) * attention.num_key_value_heads.value;
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

}  // namespace

void check_total_rules(const Spec& spec, Diagnostics& diagnostics) {
  const ModelSection& model = spec.model;
  if (!usable(model.vocab_size) || !usable(model.hidden_size) || !usable(model.max_position_embeddings)) return;
  const Checked embedding =
      (Checked(2) * model.vocab_size.value + model.max_position_embeddings.value) * model.hidden_size.value * widest_element;
  if (embedding.overflowed()) return report(model.vocab_size.span, "the embedding and the head", diagnostics);

  Checked total = embedding, cache = 0;
  bool all_usable = true;
  for (const LayerKind& kind : spec.kinds) {
    if (!usable_everywhere(kind)) {
      all_usable = false;
      continue;
    }
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
  if ((cache * spec.engine.max_sequence_length.value).overflowed()) {
    report(spec.engine.max_sequence_length.span, "the keys and values of max_sequence_length tokens", diagnostics);
  }
}

}  // namespace monomorph::generator
