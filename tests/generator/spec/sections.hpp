// The fields of every section, for tests.
#pragma once

#include <string>

#include "generator/blocks/attention.hpp"
#include "generator/blocks/embedding.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/mlp.hpp"
#include "generator/blocks/moe.hpp"
#include "generator/blocks/position.hpp"
#include "generator/spec/chat_section.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/engine_section.hpp"
#include "generator/spec/import_section.hpp"
#include "generator/spec/tokenizer_section.hpp"

namespace monomorph::generator::testing {

/// The kind has a sub-block of this name.
template <class Section>
const Section& section(const LayerKind& kind, const std::string& instance) {
  return section_of<Section>(*kind.find(instance));
}

inline const AttentionSection& attention(const LayerKind& kind) { return section<AttentionSection>(kind, "attention"); }
inline const MlpSection& mlp(const LayerKind& kind) { return section<MlpSection>(kind, "mlp"); }
inline const MoeSection& moe(const LayerKind& kind) { return section<MoeSection>(kind, "moe"); }
/// Of its MLP, or of its experts.
inline const MlpUnit& unit(const LayerKind& kind) {
  return kind.find("mlp") != nullptr ? static_cast<const MlpUnit&>(mlp(kind)) : moe(kind);
}

}  // namespace monomorph::generator::testing
