// The fields of a sub-block, for tests.
#pragma once

#include <string>

#include "generator/blocks/attention.hpp"
#include "generator/blocks/mlp.hpp"

namespace monomorph::generator::testing {

/// The kind has a sub-block of this name.
template <class Section>
const Section& section(const LayerKind& kind, const std::string& instance) {
  return section_of<Section>(*kind.find(instance));
}

inline const AttentionSection& attention(const LayerKind& kind) { return section<AttentionSection>(kind, "attention"); }
inline const MlpSection& mlp(const LayerKind& kind) { return section<MlpSection>(kind, "mlp"); }

}  // namespace monomorph::generator::testing
