// [engine]: capacities of the engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/spec/field.hpp"
#include "generator/spec/kv_cache.hpp"

namespace monomorph::generator {

struct EngineSection {
  Field<std::int64_t> max_sequence_length;  ///< default 4096, and at most max_position_embeddings
  Field<CacheTypes> kv_cache;               ///< default f32 where the weights are f32, else f16
  Field<std::string> weights;               ///< what wider matrices are converted to; absent: ""
  Field<std::int64_t> prefill_chunk;        ///< default min(128, max_sequence_length)
  Field<std::int64_t> max_source_length;    ///< with an encoder; default 512, and at most its positions
  Field<std::int64_t> max_batch;            ///< slots
  Field<std::int64_t> head_rows;            ///< rows of logits in one submission; absent: -1, and the contract's to say
  Field<bool> beyond_positions;             ///< max_sequence_length may be more than the model was made for
  Field<bool> fusion;                       ///< kernels compute several operations where they can
  Field<std::vector<std::string>> devices;  ///< backends that the engine is built for: runtime/engine/backend.hpp
};

}  // namespace monomorph::generator
