// The rules of the spec language, one function each, in files by section. A rule's id is stable; every rule stands on
// its own: it is silent where what it compares is missing or out of range, since another rule says so.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "generator/contract/checked.hpp"
#include "generator/contract/contract.hpp"

namespace monomorph::generator {

class Declarations;

void check_model_rules(const Spec& spec, Diagnostics& diagnostics);
void check_layer_rules(const Spec& spec, Diagnostics& diagnostics);
void check_checkpoint_rules(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics);
/// Those on what tensors of several parts, or of one of several groups, hold.
void check_tensor_rules(const CheckpointSection& checkpoint, const Declarations& declared, Diagnostics& diagnostics);
void check_dtype_rules(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics);
/// Those on [encoder], and on what is said for one where there is none.
void check_encoder_rules(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics);
void check_engine_rules(const Spec& spec, Diagnostics& diagnostics);
/// Rows of logits that every device binds at once: 128 MiB of them.
std::int64_t bound_rows(const Spec& spec);
/// Products and sums beyond 64 bits.
void check_total_rules(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics);
/// Elements of a state that a position takes, in all slots.
Checked elements_per_position(const StateContract& state, const AxisTable& table);
/// Notes that a designer would act on: none on a design that is merely unusual; never errors.
void advise(const Contract& contract, const Spec& spec, Diagnostics& diagnostics);

/// Advice on a size that rows of matrices have, and that no quantized type holds; `what` is the size's name.
void advise_multiple(const std::string& what, std::int64_t size, const Span& span, Diagnostics& diagnostics);

/// Whether a size was given (or computed) and is in 1..max_size: what other rules may compute with.
inline bool usable(const Field<std::int64_t>& field) { return field.value >= 1 && field.value <= max_size; }

/// A size to compute with: 1 where the field's is not within 1..largest, which its rule says.
inline std::int64_t sane(const Field<std::int64_t>& field, std::int64_t largest = max_size) {
  return usable(field) && field.value <= largest ? field.value : 1;
}

/// "<path>_range": a given size outside minimum..maximum.
void check_range(const Field<std::int64_t>& field, const std::string& path, std::int64_t minimum, std::int64_t maximum,
                 Diagnostics& diagnostics);

/// The numbers of a norm that `section` says.
void check_norm(const NormSection& norm, const std::string& section, Diagnostics& diagnostics);

/// Whether a factor is above 0 and within f32; where it is not, `rule` says so of `what`, and what is usual.
bool check_factor(double value, const Span& span, const std::string& rule, const std::string& what,
                  const std::string& usual, Diagnostics& diagnostics);

/// The value of an expression that must be above 0 and within f32; nothing, and the rule `path`, where it is not.
std::optional<double> positive_constant(const Field<std::string>& field, const std::string& path,
                                        const ExpressionNames& names, const std::string& usual,
                                        Diagnostics& diagnostics);

/// cap * tanh(variable / cap), where `softcap` gives the cap; nothing where that is wrong.
std::optional<Expression> softcap_expression(const Field<std::string>& softcap, const std::string& path,
                                             const ExpressionNames& names, const std::string& variable,
                                             Diagnostics& diagnostics);

/// "engine.kv_cache_width": a row of what is kept as `type` that is not whole blocks of it. `kept` says what that is,
/// and `width`, of so many elements, is called `name` where it stands.
void check_cache_width(const Field<std::string>& type, const std::string& kept, const std::string& name,
                       const Field<std::int64_t>& width, std::int64_t elements, Diagnostics& diagnostics);

/// A bias list that names something that is no projection, or names one twice.
void check_bias_projections(const Field<Biases>& bias, const std::string& section,
                            const std::vector<std::string>& projections, Diagnostics& diagnostics);

}  // namespace monomorph::generator
