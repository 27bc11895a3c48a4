// A family of the hub: what its config.json means, or the metadata of its GGUF files, as data. families/README.md tells
// the language of the files.
//
// Reading a file judges all that can be judged without a model: every expression parses and has the type that its place
// wants, every field is one of the spec's, no key of config.json stands twice, and every key that is declared is used.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "generator/expression/expression.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/family_files.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/spec.hpp"
#include "generator/spec/tokenizer_section.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph::generator {

/// What a key of config.json may be.
struct KeyForm {
  const char* word;    ///< in a family's file: "size"
  Type type;           ///< in an expression
  const char* wanted;  ///< in a message: "a positive integer below 2^31"
  bool (*fits)(const Json& value);
};

/// A key of config.json that expressions may name.
struct ConfigKey {
  const KeyForm* form = nullptr;
  bool optional = false;               ///< may be null
  std::optional<Datum> fallback = {};  ///< where config.json does not say; nothing: it has to
  std::vector<std::string> paths;      ///< every spelling: its own name, then the others
};

/// A key that has one value that runs, or few.
struct OnlyValue {
  std::string runs;  ///< JSON texts, separated by spaces
  std::string asks;  ///< what another value would ask for
};

/// What a model is told that does not run, or that contradicts itself.
struct FamilyRefusal {
  std::string rule;
  Expression when;                 ///< may name `i` and `kind`: then of any layer
  std::vector<std::string> texts;  ///< the message is these, with what is shown between them
  std::vector<Expression> shown;
};

struct LineNote {
  Expression when;
  std::string says;  ///< stands behind the value, in place of what is said of defaults; "" for nothing
};

/// The section of lines that say what a part's tensor is called, where config.json decides: the key is the part, the
/// value the name; "" where the model has no such part.
inline constexpr const char* tensors_section = "checkpoint.tensors";

/// A field of the spec. Where the expression names `i`, each layer's is its own.
struct FamilyLine {
  std::size_t stack = own_stack;          ///< whose layers it is about
  std::string kind;                       ///< of layer; "": of all
  std::string section;                    ///< "attention", or tensors_section
  std::string key;                        ///< "head_dim"
  Expression value;                       ///< null leaves the line out
  std::string text;                       ///< of a constant, which has no expression
  Type type = Type::null;                 ///< of the field
  const FieldDescription* row = nullptr;  ///< that; null of tensors_section
  bool is_list = false;                   ///< of words: an expression gives its only one
  bool is_toml = false;  ///< the word that an expression gives is TOML: of biases a list, of a norm its keys
  std::optional<LineNote> note = {};
  /// "encoder.attention", whatever the kind of layer.
  std::string whole_section() const { return section_prefix(stack) + section; }
  std::string field() const { return whole_section() + "." + key; }
  /// Where the spec says it: "encoder.layers.local.attention".
  std::string place() const {
    if (kind.empty()) return whole_section();
    const std::string of_kind = section_prefix(stack) + ("layers." + kind);
    return section == "layers" ? of_kind : of_kind + "." + section;
  }
};

/// A field that the spec does not say, or says otherwise, where a checkpoint has a tensor of a part, or has none.
struct ToldByTensor {
  std::string part;
  bool is_there = true;  ///< of the tensor: [present], or [absent]
  std::string field;
  Expression value;  ///< a constant; empty: the spec does not say the field
};

struct Family {
  std::string name;                        ///< of its file, and what checkpoint.names says
  std::vector<std::string> architectures;  ///< names in config.json; the first is today's
  std::string model_type;
  std::string defaults_of = "transformers'";  ///< whose defaults they are, as a comment of the spec begins
  std::vector<std::string> objects;  ///< of config.json, in which keys of files stand that it includes `under` them
  std::map<std::string, ConfigKey> keys;
  std::vector<FamilyLine> lines;  ///< in the order of the field table
  std::vector<FamilyRefusal> refusals;
  std::map<std::string, OnlyValue> only;
  std::map<std::string, std::string> ignored;  ///< key, or a pattern with * -> why
  std::array<Expression, 2> kinds;             ///< of layer i of a stack; empty: all are alike
  CheckpointSection checkpoint;                ///< what the tensors are called
  std::vector<ToldByTensor> told_by_tensor;    ///< which config.json does not say
  TokenizerSection tokenizer;                  ///< the ids that hold where config.json has none
  std::map<std::string, Datum> start;          ///< what `new --like` takes of keys that have to be said
  bool gguf = false;                           ///< of GGUF files' metadata

  /// What it says of a field for the layers of a kind, or with "" for those of all; null: nothing.
  const FamilyLine* find_line(const std::string& field, const std::string& kind = "") const {
    const auto found =
        std::ranges::find_if(lines, [&](const FamilyLine& line) { return line.kind == kind && line.field() == field; });
    return found == lines.end() ? nullptr : &*found;
  }

  /// Whether its models answer to a source.
  bool has_encoder() const {
    return std::ranges::any_of(lines, [](const FamilyLine& line) { return line.section == "encoder"; });
  }
};

/// The family of NAME.toml and of what it includes. A mistake is a diagnostic at its place in families/NAME.toml.
std::optional<Family> read_family(const std::string& name, const FamilyFiles& files, Diagnostics& diagnostics);

/// Every embedded family that has architectures, by name: those of config.json, and of gguf/ those of GGUF files, whose
/// metadata are read as runtime/formats/gguf_config.hpp has them. A mistake in one is an InternalError.
const std::map<std::string, Family>& families();
const std::map<std::string, Family>& gguf_families();

}  // namespace monomorph::generator
