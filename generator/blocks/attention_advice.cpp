#include "generator/blocks/attention_advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/blocks/attention.hpp"
#include "generator/blocks/differential.hpp"
#include "generator/blocks/scores.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/engine_section.hpp"
#include "runtime/vulkan/tuning.hpp"

namespace monomorph::generator {
namespace {

/// Invocations of a GPU's workgroup of attention, each of which adds four elements of values.
constexpr std::int64_t lanes = vulkan::gpu_attention_workgroup, elements_of_a_lane = 4;
constexpr std::int64_t few_idle = lanes / 16, many_idle = lanes / 5;

/// Lanes that add no values so wide: groups of as many as a value has quads are whole.
std::int64_t idle_lanes(std::int64_t width) { return lanes % ((width + elements_of_a_lane - 1) / elements_of_a_lane); }

/// The first width from `from` on, in steps, that leaves few lanes idle; 0: none up to all of them.
std::int64_t better_width(std::int64_t from, std::int64_t step) {
  for (std::int64_t width = from / std::abs(step) * std::abs(step);
       width >= elements_of_a_lane && width <= lanes * elements_of_a_lane; width += step) {
    if (idle_lanes(width) <= few_idle) return width;
  }
  return 0;
}

/// Elements that a row of the cache is padded to a multiple of; 1 of blocks, which a rule wants whole.
std::int64_t padded_to(Dtype type) { return is_quantized(type) ? 1 : row_alignment / element_bytes(type); }

/// Elements that such a row has a multiple of and none wasted.
std::int64_t whole(Dtype type) { return is_quantized(type) ? row_of(type).block_elements : padded_to(type); }

/// Rows of the cache are padded to whole groups of 16 bytes.
void advise_rows_of_the_cache(const AttentionSection& attention, std::int64_t row_elements, Diagnostics& diagnostics) {
  const std::int64_t head_dim = attention.head_dim.value;
  const std::int64_t padded = (head_dim + row_elements - 1) / row_elements * row_elements;
  if (padded == head_dim || !attention.causal.value) return;
  diagnostics.advice("advice.head_dim", attention.head_dim.span,
                     fmt::format("head_dim is {}, and a cached key or value takes the room of {}; a multiple of {} "
                                 "wastes none",
                                 head_dim, padded, row_elements));
}

void advise_lanes(const AttentionSection& attention, std::int64_t row_elements, Diagnostics& diagnostics) {
  const std::int64_t keys = is_differential(attention) ? 2 : 1;  // that a value is as wide as
  const std::int64_t head_dim = attention.head_dim.value, idle = idle_lanes(keys * head_dim);
  if (idle < many_idle) return;
  const std::int64_t step = keys * row_elements, less = better_width(keys * head_dim, -step) / keys,
                     more = better_width(keys * head_dim, step) / keys;
  diagnostics.advice("advice.head_lanes", attention.head_dim.span,
                     fmt::format("head_dim is {}, and {} of the {} lanes of a GPU's workgroup ({}%) add no values; {} "
                                 "or {} leave at most {}",
                                 head_dim, idle, lanes, idle * 100 / lanes, less, more, few_idle));
}

void advise_window(const AttentionSection& attention, const ModelSection& model, const EngineSection& engine,
                   Diagnostics& diagnostics) {
  const std::int64_t recent =
      attention.sliding_window.given ? attention.sliding_window.value : window_of(attention).recent;
  const std::int64_t positions = std::max(model.max_position_embeddings.value, engine.max_sequence_length.value);
  if (recent <= 0 || !model.max_position_embeddings.given || recent < positions) return;
  const Span& span = attention.sliding_window.given ? attention.sliding_window.span
                     : attention.chunk_size.given   ? attention.chunk_size.span
                                                    : attention.window.span;
  diagnostics.advice("advice.window", span,
                     fmt::format("a window of {} keys hides none of the {} positions that a sequence may have; leave "
                                 "it out, or say less than {}",
                                 recent, positions, positions));
}

}  // namespace

void advise_attention(const BlockContext& context, const EngineSection& engine, Diagnostics& diagnostics) {
  const auto& attention = section_of<AttentionSection>(context.block);
  const CacheTypes& cache = engine.kv_cache.value;
  const Dtype keys = cache_type(cache.keys.value), values = cache_type(cache.values.value);
  advise_rows_of_the_cache(attention, std::max(padded_to(keys), padded_to(values)), diagnostics);
  advise_lanes(attention, std::max(whole(keys), whole(values)), diagnostics);
  advise_window(attention, context.model, engine, diagnostics);
  advise_multiple("num_attention_heads * head_dim", attention.num_attention_heads.value * attention.head_dim.value,
                  attention.head_dim.span, diagnostics);
}

}  // namespace monomorph::generator
