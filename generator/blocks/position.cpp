#include "generator/blocks/position.hpp"

#include <fmt/format.h>

#include <cmath>

#include "generator/blocks/embedding.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rotary.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/field_rows.hpp"
#include "generator/spec/held_members.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<PositionSection>>& fields() {
  using S = PositionSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("type", at(&S::type), required(), "",
             "How positions are told: rotated queries and keys, scores that fall with the distance by a "
             "slope of each head (ALiBi), a learned bias of each bucket of distances and head (T5), a learned vector "
             "of each distance, which keys have added to themselves (Shaw), a learned table or sines and cosines "
             "(Vaswani), which the embedding has added to itself, or not at all",
             {"rope", "alibi", "relative_buckets", "relative", "learned", "sinusoidal", "none"}),
      row<S>("rope_theta", at(&S::rope_theta), literal("10000.0"), "",
             "Base of the frequencies, rotary ones and those of sines and cosines", {}, {"rope", "sinusoidal"}),
      row<S>("rotary_dim", at(&S::rotary_dim), computed("head_dim"), "elements",
             "Elements of a head that are rotated, from its first", {}, {"rope"}),
      row<S>(
          "layout", at(&S::layout), literal("\"half\""), "",
          "Which elements turn together: j and j + rotary_dim / 2 (GPT-NeoX, Llama), or neighbours (GPT-J). Of sines "
          "and cosines: all sines before all cosines, or each before the cosine of its angle (Vaswani)",
          {name_of(RotaryLayout::half), name_of(RotaryLayout::interleaved)}, {"rope", "sinusoidal"}),
      row<S>("ends_at_theta", at(&S::ends_at_theta), literal("false"), "",
             "Whether the last frequency is 1 / rope_theta (tensor2tensor, fairseq); else the one after it would be "
             "(Vaswani)",
             {}, {"sinusoidal"}),
      row<S>("offset", at(&S::offset), literal("0"), "positions",
             "The number that the first token's position has (OPT's 2); a learned table has so many rows more", {},
             {"learned", "sinusoidal"}),
      row<S>("direction", at(&S::direction), literal("\"forward\""), "",
             "Which way a head turns as positions grow: the first of two elements towards the second, or away from it "
             "(NanoChat)",
             {"forward", "reversed"}, {"rope"}),
      row<S>(
          "scaling", at(&S::scaling), literal("\"none\""), "",
          "What makes the frequencies those of longer sequences: positions divided by factor, or slow angles alone, a "
          "base that grows with the length, or a factor for each angle, of short sequences and of long ones",
          {"none", "linear", "llama3", "yarn", "dynamic", "longrope"}, {"rope"}),
      where("scaling", {"linear", "llama3", "yarn", "dynamic"},
            row<S>("factor", at(&S::factor), required(), "", "How many times longer sequences are made")),
      where("scaling", {"linear", "llama3", "yarn", "dynamic", "longrope"},
            row<S>("original_max_position_embeddings", at(&S::original_max_position_embeddings),
                   computed("max_position_embeddings"), "tokens",
                   "Longest sequence before it was made longer; times factor, what engine.max_sequence_length may be")),
      where("scaling", {"llama3"},
            row<S>("low_freq_factor", at(&S::low_freq_factor), required(), "turns",
                   "Angles that turn less often in the original length are divided by factor")),
      where("scaling", {"llama3"},
            row<S>("high_freq_factor", at(&S::high_freq_factor), required(), "turns",
                   "Angles that turn more often in the original length stay as they are")),
      where("scaling", {"yarn"},
            row<S>("beta_fast", at(&S::beta_fast), literal("32.0"), "turns",
                   "Angles that turn more often in the original length stay as they are")),
      where("scaling", {"yarn"},
            row<S>("beta_slow", at(&S::beta_slow), literal("1.0"), "turns",
                   "Angles that turn less often in the original length are divided by factor")),
      where("scaling", {"yarn"},
            row<S>("truncate", at(&S::truncate), literal("true"), "",
                   "Whether the first and the last angle between the two are rounded to whole ones")),
      where("scaling", {"longrope"},
            row<S>("short_factor", at(&S::short_factor), required(), "",
                   "What each frequency is divided by where the sequence is no longer than the original length")),
      where(
          "scaling", {"longrope"},
          row<S>(
              "long_factor", at(&S::long_factor), required(), "",
              "What each is divided by in a longer one; a sequence that crosses the original length is computed anew")),
      where("scaling", {"yarn", "longrope"},
            row<S>("attention_factor", at(&S::attention_factor),
                   computed("yarn: 1 + 0.1 * log(factor); longrope: sqrt(1 + log(max_position_embeddings / original) / "
                            "log(original)); at least 1"),
                   "", "Factor of cosines and sines, of queries and keys")),
      row<S>("alibi_bias_max", at(&S::alibi_bias_max), literal("8.0"), "",
             "The last head's slope is 2 to the power of minus this; those before it fall evenly in the logarithm", {},
             {"alibi"}),
      row<S>("num_buckets", at(&S::num_buckets), literal("32"), "",
             "Into how many buckets distances fall: half of them hold one each, the others grow with the logarithm. "
             "Where attention.causal is false, half of all are of keys after the query",
             {}, {"relative_buckets"}),
      row<S>("max_distance", at(&S::max_distance), required(), "tokens",
             "Distances from this one on are one: they share the last bucket, or the vector of this distance", {},
             {"relative_buckets", "relative"}),
      row<S>("max_distance_ahead", at(&S::max_distance_ahead), computed("max_distance"), "tokens",
             "The same of keys after the query; the checkpoint has max_distance + 1 + max_distance_ahead vectors", {},
             {"relative"}),
  };
  return rows;
}

template class Held<PositionSection>;

namespace {

constexpr double largest_theta = 1e30;                        // powers of it must stay within f32
constexpr double smallest_scale = 1e-6, largest_scale = 1e6;  // what angles are scaled by leaves them within f32

void rotary_dim_is_even(const BlockContext& context, const Field<std::int64_t>& num_heads,
                        const Field<std::int64_t>& head_dim, const std::string& key, Diagnostics& diagnostics) {
  const PositionSection& position = position_of(context);
  if (!usable(position.rotary_dim) || position.rotary_dim.value % 2 == 0) return;
  // A head_dim that did not come out whole says nothing about rotary_dim.
  const bool head_dim_is_whole = head_dim.given || !usable(num_heads) || input_size(context) % num_heads.value == 0;
  if (!position.rotary_dim.given && !head_dim_is_whole) return;
  if (position.rotary_dim.given) {
    diagnostics.error(
        "position.rotary_dim_even", position.rotary_dim.span,
        fmt::format("rotary_dim is {}; elements are rotated in pairs: {} or {}", position.rotary_dim.value,
                    position.rotary_dim.value - 1, position.rotary_dim.value + 1));
  } else {
    diagnostics.error(
        "position.rotary_dim_even", position.rotary_dim.span,
        fmt::format("rotary_dim is {0}, {1}; elements are rotated in pairs: give an even rotary_dim or {0}", key,
                    position.rotary_dim.value));
  }
}

void rotary_dim_within_head(const Field<std::int64_t>& rotary_dim, const Field<std::int64_t>& head_dim,
                            const std::string& key, Diagnostics& diagnostics) {
  if (!usable(rotary_dim) || !usable(head_dim) || rotary_dim.value <= head_dim.value) return;
  diagnostics.error("position.rotary_dim_within_head", rotary_dim.span,
                    fmt::format("rotary_dim is {0} and {1} {2}; at most {1} elements can be rotated", rotary_dim.value,
                                key, head_dim.value));
}

/// Sub-blocks of one kind share [position]; a default that follows from a head takes heads of one width.
void rotary_dim_is_known(const PositionSection& position, const Field<std::int64_t>& head_dim,
                         Diagnostics& diagnostics) {
  if (position.rotary_dim.given || !usable(head_dim) || position.rotary_dim.value == head_dim.value) return;
  diagnostics.error("position.rotary_dim_given", head_dim.span,
                    fmt::format("heads of {} and of {} elements stand in one kind of layer; give position.rotary_dim, "
                                "which holds for both, or one of them a position of its own",
                                head_dim.value, position.rotary_dim.value));
}

void alibi_bias_max_in_range(const Field<double>& most, Diagnostics& diagnostics) {
  constexpr double largest = 64;  // 2^-64 times any distance is far below what scores tell
  if (!most.given || (most.value > 0 && most.value <= largest)) return;
  diagnostics.error(
      "position.alibi_bias_max_range", most.span,
      fmt::format("alibi_bias_max is {}; more than 0 and at most {} is valid, and 8 usual", most.value, largest));
}

void within_scales(const Field<double>& number, const std::string& key, const std::string& usual,
                   Diagnostics& diagnostics) {
  if (!number.given || (number.value >= smallest_scale && number.value <= largest_scale)) return;
  diagnostics.error(fmt::format("position.{}_range", key), number.span,
                    fmt::format("{} is {}; {} to {} is valid, and {} usual", key, number.value, smallest_scale,
                                largest_scale, usual));
}

/// One factor for each frequency.
void factors_fit(const Field<std::vector<double>>& factors, const std::string& key, const PositionSection& position,
                 Diagnostics& diagnostics) {
  if (!factors.given || !usable(position.rotary_dim)) return;
  const std::int64_t frequencies = position.rotary_dim.value / 2;
  if (static_cast<std::int64_t>(factors.value.size()) != frequencies) {
    diagnostics.error(fmt::format("position.{}_count", key), factors.span,
                      fmt::format("{} has {} factors; a rotary_dim of {} has {} frequencies", key, factors.value.size(),
                                  position.rotary_dim.value, frequencies));
  }
  for (const double factor : factors.value) {
    if (factor >= smallest_scale && factor <= largest_scale) continue;
    diagnostics.error(fmt::format("position.{}_range", key), factors.span,
                      fmt::format("{} holds {}; {} to {} is valid, and 1.0 to 64.0 usual", key, factor, smallest_scale,
                                  largest_scale));
    return;
  }
}

/// Angles that turn often are to stay, and those that turn seldom to be divided.
void fast_above_slow(const Field<double>& slow, const std::string& slow_key, const Field<double>& fast,
                     const std::string& fast_key, Diagnostics& diagnostics) {
  if (!slow.given && !fast.given) return;
  if (slow.value <= fast.value) return;
  diagnostics.error(fmt::format("position.{}_below_{}", slow_key, fast_key), slow.given ? slow.span : fast.span,
                    fmt::format("{} is {} and {} {}; {} has to be the smaller one, or the same", slow_key, slow.value,
                                fast_key, fast.value, slow_key));
}

void check_scaling(const PositionSection& position, const ModelSection& model, Diagnostics& diagnostics) {
  const std::string& scaling = position.scaling.value;
  const bool reads_length = scaling != "none" && scaling != "linear";
  if (reads_length && !position.original_max_position_embeddings.given && !model.max_position_embeddings.given) {
    diagnostics.error("spec.missing_key", position.scaling.span,
                      fmt::format("position.original_max_position_embeddings is missing: \"{}\" scales angles by "
                                  "it, and model.max_position_embeddings does not say it either",
                                  scaling));
  }
  within_scales(position.factor, "factor", "2.0 to 64.0", diagnostics);
  check_range(position.original_max_position_embeddings, "position.original_max_position_embeddings", 1, max_size,
              diagnostics);
  within_scales(position.low_freq_factor, "low_freq_factor", "1.0", diagnostics);
  within_scales(position.high_freq_factor, "high_freq_factor", "4.0", diagnostics);
  within_scales(position.beta_fast, "beta_fast", "32.0", diagnostics);
  within_scales(position.beta_slow, "beta_slow", "1.0", diagnostics);
  within_scales(position.attention_factor, "attention_factor", "1.0 to 1.5", diagnostics);
  factors_fit(position.short_factor, "short_factor", position, diagnostics);
  factors_fit(position.long_factor, "long_factor", position, diagnostics);
  if (scaling == "dynamic" && usable(position.rotary_dim) && position.rotary_dim.value == 2) {
    diagnostics.error("position.dynamic_dims", position.scaling.span,
                      "one angle does not depend on the base that \"dynamic\" changes: rotary_dim is 2");
  }
  if (scaling == "llama3") {
    fast_above_slow(position.low_freq_factor, "low_freq_factor", position.high_freq_factor, "high_freq_factor",
                    diagnostics);
  } else if (scaling == "yarn") {
    fast_above_slow(position.beta_slow, "beta_slow", position.beta_fast, "beta_fast", diagnostics);
  }
}

}  // namespace

void check_rotated(const BlockContext& context, const std::string& section, Diagnostics& diagnostics) {
  const Field<std::string>& type = position_of(context).type;
  const std::string& said = type.value;
  if (said.empty() || said == "rope" || said == "none" || adds_positions(said)) return;
  diagnostics.error(
      section + ".position", type.span,
      fmt::format("position.type is \"{}\"; {} is told positions by \"rope\", or not at all with position "
                  "= false",
                  said, section));
}

RotaryLayout layout_of(const PositionSection& position) {
  return position.layout.value == name_of(RotaryLayout::half) ? RotaryLayout::half : RotaryLayout::interleaved;
}

void check_base(const PositionSection& position, Diagnostics& diagnostics) {
  const Field<double>& theta = position.rope_theta;
  if (theta.value > 1 && theta.value <= largest_theta) return;
  diagnostics.error("position.rope_theta_range", theta.span,
                    fmt::format("rope_theta is {}; more than 1 and at most {} is valid, and 10000.0 usual", theta.value,
                                largest_theta));
}

void complete_position(PositionSection& position, std::int64_t head_dim, const ModelSection& model) {
  if (!position.max_distance_ahead.given) position.max_distance_ahead.value = position.max_distance.value;
  if (position.type.value != "rope") return;
  if (!position.rotary_dim.given) position.rotary_dim.value = head_dim;
  if (!position.original_max_position_embeddings.given) {
    position.original_max_position_embeddings.value = model.max_position_embeddings.value;
  }
  if (!position.attention_factor.given) {
    const auto original = position.original_max_position_embeddings.value;
    const double factor = position.scaling.value == "longrope" && original > 0
                              ? static_cast<double>(model.max_position_embeddings.value) / static_cast<double>(original)
                              : position.factor.value;
    position.attention_factor.value = default_attention_factor(position.scaling.value, factor, original);
  }
}

void check_position(const BlockContext& context, const Field<std::int64_t>& num_heads,
                    const Field<std::int64_t>& head_dim, const std::string& key, Diagnostics& diagnostics) {
  const PositionSection& position = position_of(context);
  alibi_bias_max_in_range(position.alibi_bias_max, diagnostics);
  if (position.type.value != "rope") return;
  check_range(position.rotary_dim, "position.rotary_dim", 2, max_size, diagnostics);
  rotary_dim_is_even(context, num_heads, head_dim, key, diagnostics);
  rotary_dim_is_known(position, head_dim, diagnostics);
  if (position.rotary_dim.given) rotary_dim_within_head(position.rotary_dim, head_dim, key, diagnostics);
  check_base(position, diagnostics);
  check_scaling(position, context.model, diagnostics);
}

void declare_position(const BlockContext& context, Declarations& declare) {
  constexpr std::int64_t widest = 4096;  // a rotary_dim beyond any head has been reported
  const PositionSection& position = position_of(context);
  const std::int64_t rotary_dim = position.rotary_dim.value;
  if (position.type.value != "rope" || rotary_dim < 2 || rotary_dim > widest) return;
  declare.angles("rotary_angles", rotary_of(position), position.rotary_dim);
}

// The slopes of a power of two n of heads are 2^(-alibi_bias_max (h + 1) / n); heads beyond it take every other one of
// 2n.
std::vector<float> position_slopes(const BlockContext& context, std::int64_t num_heads) {
  std::vector<float> slopes;
  if (position_of(context).type.value != "alibi") return slopes;
  const double most = position_of(context).alibi_bias_max.value;
  std::int64_t power = 1;
  while (2 * power <= num_heads) power *= 2;
  for (std::int64_t head = 0; head < num_heads; ++head) {
    const double exponent = head < power
                                ? -most * static_cast<double>(head + 1) / static_cast<double>(power)
                                : -most / 2 * static_cast<double>(2 * (head - power) + 1) / static_cast<double>(power);
    slopes.push_back(static_cast<float>(std::exp2(exponent)));
  }
  return slopes;
}

ValueId build_turned(const BlockContext& context, Builder& build, ValueId in, const std::string& role) {
  const PositionSection& position = position_of(context);
  if (position.type.value != "rope") return in;
  const Rotary how{position.rotary_dim.value, layout_of(position)};
  return build.rotary(how, build.contract().find_angles(rotary_of(position)), in, role);
}

}  // namespace monomorph::generator
