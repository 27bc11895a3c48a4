// The table of operations, in the order of Attributes.
#include "generator/ops/op_type.hpp"

namespace monomorph::generator {

const OpType& type_of(const Op& op) {
  static const OpType* const types[] = {
      &gather_type,  &norm_type,      &linear_type,       &map_type,        &rotary_type,        &sinusoids_type,
      &append_type,  &attention_type, &differential_type, &top_k_type,      &pick_type,          &shares_type,
      &combine_type, &pool_type,      &convolve_type,     &recurrence_type, &weighted_mean_type, &concat_type};
  static_assert(std::size(types) == std::variant_size_v<Attributes>, "every operation has a row");
  return *types[op.what.index()];
}

}  // namespace monomorph::generator
