// Places: where every buffer, cache and weight lies.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "generator/plan/plan.hpp"

namespace monomorph::generator {

/// When a buffer is first written and last read within one section (a phase's prologue, a kind's layer, ...).
struct Lifetime {
  std::size_t section = 0;
  std::size_t first = 0, last = 0;
};

/// Activations while they are being planned: values become buffers, and each use extends a lifetime.
class ActivationBuffers {
 public:
  /// The buffer of a value; `whole` ones (the residual stream) live through everything.
  void use(const BufferPlan& buffer, std::size_t section, std::size_t step, bool whole);
  /// Lays the buffers out so that two share bytes only where their lifetimes never meet. Gives the arena's size.
  std::int64_t place(std::vector<BufferPlan>& out) const;

 private:
  struct Entry {
    BufferPlan buffer;
    bool whole = false;
    std::vector<Lifetime> lifetimes;
  };
  static bool conflict(const Entry& a, const Entry& b);
  std::vector<Entry> entries_;
};

inline constexpr std::int64_t view_alignment = 256;
std::int64_t aligned(std::int64_t bytes);

WeightPlan plan_weight(const WeightContract& weight);
std::vector<CachePlan> plan_caches(const Contract& contract, std::int64_t& total_bytes);
StructRecord sequence_state_record();

}  // namespace monomorph::generator
