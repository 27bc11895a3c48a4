// report: what a model costs, before it is built. Parameters by component, operations and bytes per token, and the
// memory that its plan lays out.
//
// Takes an accepted contract and its plan; gives numbers, and them as text or JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/contract/contract.hpp"
#include "generator/plan/plan.hpp"

namespace monomorph::generator {

/// Work and traffic where `length` tokens stand in the sequence.
struct LengthReport {
  std::int64_t length = 0;
  std::int64_t prefill_flops = 0;  ///< for a prompt of `length` tokens, the head for its last alone; at most 2^63 - 1
  std::int64_t prefill_flops_per_token = 0;  ///< that, divided by length
  std::int64_t decode_flops = 0;             ///< for the token that makes the sequence `length` long
  std::int64_t decode_bytes_read = 0;        ///< weights and cached keys and values that this token reads
  std::int64_t cache_bytes = 0;              ///< cached keys and values of it
};

struct Report {
  std::string name;
  std::int64_t total_parameters = 0, active_parameters = 0;  ///< of all, what a token is computed with
  std::vector<ComponentContract> components;                 ///< sum to the total
  std::int64_t kv_bytes_per_token = 0;
  std::int64_t max_position_embeddings = -1;  ///< -1: nothing says it
  std::int64_t full_context_bytes = 0;        ///< keys and values that grow, of so many positions
  std::vector<LengthReport> lengths;
  std::int64_t max_sequence_length = 0, prefill_chunk = 0;
  std::int64_t max_batch = 1, slot_bytes = 0;  ///< slots, and bytes of states that each takes
  std::int64_t slot_bytes_saved = 0;           ///< what more it would take if windows were kept whole
  std::int64_t weight_bytes = 0, state_bytes = 0, activation_bytes = 0, host_bytes = 0,
               total_bytes = 0;  ///< on the device, padding included
  Conversions conversions;
  std::int64_t kernels = 0, decode_dispatches = 0;
};

Report make_report(const Contract& contract, const Plan& plan);

/// 1536 -> "1.5 KiB"
std::string in_bytes(std::int64_t bytes);

std::string report_text(const Report& report);
std::string report_json(const Report& report);

}  // namespace monomorph::generator
