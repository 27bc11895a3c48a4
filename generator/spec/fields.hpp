// The field table: one row for every key of every section of the spec language. The reader, the suggestions for unknown
// keys, `monomorph schema`, the reference in models/README.md and `check --explain` all come from it. To add a key: a
// member of the section, and a row beside the other rows of it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "generator/spec/kv_cache.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// `[layers]` as written, before it is resolved into kinds.
struct LayersSection {
  Field<std::vector<std::string>> pattern;
  Field<std::int64_t> repeat{1, {}, false};
  Field<std::vector<std::string>> steps;
  Field<bool> shared_input_norm, shared_output_norm;
  Field<std::string> residual_scale;  ///< an expression of the model's numbers
  Field<std::int64_t> weight_sets{-1, {}, false};
};

using DtypePatterns = std::vector<std::pair<std::string, Field<std::string>>>;
using TensorNames = std::map<std::string, TensorName>;
using IgnoredTensors = std::vector<IgnoredTensor>;
using Reasons = std::vector<std::pair<std::string, std::string>>;

/// Where a row's value is stored; its alternative is the form the value has in TOML.
using Slot = std::variant<Field<bool>*, Field<NormChoice>*, Field<HeadNormChoice>*, Field<PositionChoice>*,
                          Field<std::int64_t>*, Field<double>*, Field<std::string>*, Field<Biases>*, Field<Window>*,
                          Field<CacheTypes>*, Field<std::vector<std::string>>*, Field<std::vector<std::int64_t>>*,
                          Field<std::vector<double>>*, DtypePatterns*, TensorNames*, IgnoredTensors*, Reasons*>;

/// Calls `use` with the choice of a norm that is stored there, of whichever section; else nothing.
template <class Use>
void visit_norm(const Slot& slot, const Use& use) {
  if (auto* const* choice = std::get_if<Field<NormChoice>*>(&slot)) use(**choice);
  if (auto* const* choice = std::get_if<Field<HeadNormChoice>*>(&slot)) use(**choice);
}

struct Fallback {
  enum class Kind {
    required,
    literal,   ///< `text` is the TOML value
    computed,  ///< `text` says how, for people; the reader computes it
  };
  Kind kind = Kind::required;
  std::string text;
};

struct FieldDescription {
  std::string key;
  Fallback fallback;
  std::string unit;                  ///< "tokens", or ""
  std::string meaning;               ///< one line
  std::vector<std::string> choices;  ///< of a string: all it may be; empty: any
  std::vector<std::string> types;    ///< the values of the section's `selector` that have this key; empty: all
  bool is_expression = false;        ///< a string that may be written as a bare number
  std::string in_place_of;        ///< the key that this one replaces: a kind that says one drops the other it inherits
  std::string selector = "type";  ///< the key that `types` are values of

  bool applies_to(const std::string& type) const;
};

template <class Section>
struct FieldRow : FieldDescription {
  std::function<Slot(Section&)> slot;
};

/// The rows of a section, in the order in which they are documented and written.
template <class Section>
const std::vector<FieldRow<Section>>& fields();

/// A row and where its value is stored.
struct BoundField {
  const FieldDescription* field;
  Slot slot;
};
using BoundFields = std::vector<BoundField>;

/// The rows of this section, in order.
template <class Section>
BoundFields bind(Section& section) {
  BoundFields result;
  for (const FieldRow<Section>& row : fields<Section>()) result.push_back({&row, row.slot(section)});
  return result;
}

/// Where the value that is stored there was given; nothing where it was not, or where it is a table of its own.
std::optional<Span> given_at(const Slot& slot);

/// The string at this key of a section; null where the key is no string's, or not there.
Field<std::string>* find_word(const BoundFields& section, const std::string& key);

/// Whether a section has this row of its own, as its values stand.
bool applies(const FieldDescription& field, const BoundFields& section);

struct SectionDescription {
  std::string name;
  std::string meaning;
  bool in_kinds = false;  ///< may be overridden in [layers.NAME]
  BoundFields fields;     ///< of an example: a slot's alternative says the value's form
};

/// Every section, in the order in which they are documented and written.
const std::vector<SectionDescription>& sections();

/// The names of the sections; with `in_kinds`, of those that a kind of layer may override.
std::vector<std::string> section_names(bool in_kinds = false);

/// `a`, `b` or `c`.
std::string one_of(const std::vector<std::string>& choices);

}  // namespace monomorph::generator
