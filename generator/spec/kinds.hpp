// One kind of layer: its steps and every section, from the base sections with its own table laid over them.
#pragma once

#include <string>
#include <vector>

#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// Without spaces at its ends.
std::string trimmed(const std::string& text);

struct KindResult {
  LayerKind kind;
  bool steps_are_known = true;  ///< each names a sub-block
};

/// `table`: [layers.NAME], or null. `model` gives the sizes that defaults are computed from. `judged`: what of the
/// table has to be of use to this kind; null: all of it.
KindResult read_kind(const TomlValue& root, const TomlValue* table, const std::string& name, const Span& place,
                     const ModelSection& model, Diagnostics& diagnostics, const TomlValue* judged = nullptr);

/// A section laid over another: a change of type drops what the new type does not have, and a key drops the one that it
/// stands in place of. `base`: null where there is none.
TomlValue lay_over(const TomlValue* base, const TomlValue& over, const BoundFields& fields);

/// Base sections that no kind reads, in the order of the spec.
std::vector<const TomlEntry*> never_used(const TomlValue& root, const std::vector<LayerKind>& kinds);
void refuse_never_used(const TomlValue& root, const std::vector<LayerKind>& kinds, Diagnostics& diagnostics);

/// Whether this is a section that the spec itself names: that of a sub-block, whose type its key `block` says.
bool is_own_block(const TomlEntry& section);

/// Every norm that is a field of this section: its own keys over those of a kind's [norm], and those over the base's.
/// Keys of its own are judged.
void read_norms(const std::string& section, const BoundFields& fields, const TomlEntry* base, const TomlEntry* kind,
                Diagnostics& diagnostics);

}  // namespace monomorph::generator
