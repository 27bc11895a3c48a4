#include "generator/blocks/added_positions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/blocks/embedding.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rotary.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

constexpr std::int64_t largest_offset = 4096;

constexpr const char *learned = "learned", *sinusoidal = "sinusoidal";

bool is_learned(const PositionSection& position) { return position.type.value == learned; }
bool is_sinusoidal(const PositionSection& position) { return position.type.value == sinusoidal; }

/// Sines and cosines stand in pairs; of one pair the frequency is 1, which cannot also be the last one's.
bool has_sinusoids(const PositionSection& position, std::int64_t columns) {
  return columns % 2 == 0 && columns >= (position.ends_at_theta.value ? 4 : 2);
}

}  // namespace

bool adds_positions(const std::string& position_type) {
  return position_type == learned || position_type == sinusoidal;
}

void check_added_positions(const StackInput& input, Diagnostics& diagnostics) {
  const PositionSection& position = input.position;
  if (!adds_positions(position.type.value)) return;
  const ModelSection& model = input.model;
  check_range(position.offset, "position.offset", 0, largest_offset, diagnostics);
  if (is_learned(position)) {
    if (model.max_position_embeddings.given) return;
    diagnostics.error("spec.missing_key", position.type.span,
                      "model.max_position_embeddings is missing: learned positions are a table of so many rows");
    return;
  }
  check_base(position, diagnostics);
  const Field<std::int64_t>& width = added_width(model, input.embedding);
  const std::int64_t columns = width.value;
  if (!usable(width) || has_sinusoids(position, columns)) return;
  diagnostics.error("position.sinusoidal_columns", position.type.span,
                    fmt::format("sines and cosines stand in pairs, {}; {} is {}",
                                position.ends_at_theta.value ? "and at least two with position.ends_at_theta"
                                                             : "so that a row is an even number of elements",
                                &width == &model.hidden_size ? "model.hidden_size" : "embedding.size", columns));
}

void declare_added_positions(const StackInput& input, AxisId columns, Declarations& declare) {
  const PositionSection& position = input.position;
  const Field<std::int64_t>& width = added_width(input.model, input.embedding);
  if (is_learned(position)) {
    const Field<std::int64_t>& positions = input.model.max_position_embeddings;
    const std::int64_t rows = sane(positions) + std::clamp<std::int64_t>(position.offset.value, 0, largest_offset);
    declare.matrix("positions", declare.model_axis("position_embeddings", rows, positions.span), columns);
  } else if (is_sinusoidal(position) && usable(width) && has_sinusoids(position, width.value)) {
    declare.angles("position_angles", sinusoids_of(position, width.value), width);
  }
}

ValueId build_added_positions(const StackContract& stack, AxisId columns, Builder& build) {
  const PositionSection& position = *stack.position;
  if (is_learned(position)) {
    return build.gather("embed_positions", build.weight("embedding::positions"), build.host(HostList::positions),
                        "position_embeddings", position.offset.value);
  }
  if (!is_sinusoidal(position)) return {};
  const AnglesId angles = build.contract().find_angles(sinusoids_of(position, build.axes()[columns].size));
  return build.sinusoids("embed_positions", layout_of(position), angles, columns, "position_embeddings");
}

}  // namespace monomorph::generator
