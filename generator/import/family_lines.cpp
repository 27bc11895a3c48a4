#include "generator/import/family_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "generator/expression/node.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/by_layer.hpp"
#include "generator/spec/section_reader.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {

std::string part_of(const std::string& key) {
  const std::string section = std::string(tensors_section) + ".";
  return key.starts_with(section) ? key.substr(section.size()) : "";
}

namespace {

using Form = TomlValue::Form;

/// The type of the expressions that give a field; Type::null where none does.
struct TypeOfField {
  Type operator()(const Field<bool>*) const { return Type::boolean; }
  template <class Section>
  Type operator()(const Field<NormChoiceOf<Section>>*) const {
    return Type::boolean;
  }
  Type operator()(const Field<PositionChoice>*) const { return Type::boolean; }
  Type operator()(const Field<std::int64_t>*) const { return Type::integer; }
  Type operator()(const Field<double>*) const { return Type::real; }
  Type operator()(const Field<std::string>*) const { return Type::word; }
  Type operator()(const Field<Biases>*) const { return Type::boolean; }
  Type operator()(const Field<Window>*) const { return Type::null; }
  Type operator()(const Field<CacheTypes>*) const { return Type::null; }
  Type operator()(const Field<std::vector<std::string>>*) const { return Type::word; }
  Type operator()(const Field<std::vector<std::int64_t>>*) const { return Type::null; }
  Type operator()(const Field<std::vector<double>>*) const { return Type::numbers; }
  Type operator()(const DtypePatterns*) const { return Type::null; }
  Type operator()(const TensorNames*) const { return Type::null; }
  Type operator()(const IgnoredTensors*) const { return Type::null; }
  Type operator()(const Reasons*) const { return Type::null; }
};

std::ptrdiff_t section_order(const std::string& name) {
  return std::ranges::find(sections(), name, &SectionDescription::name) - sections().begin();
}

/// Of the keys of [layers].
bool may_differ_by_kind(const std::string& key) { return key != "pattern" && key != "repeat"; }

/// A field that the spec has.
struct DescribedField {
  const SectionDescription& section;
  const BoundField& field;
  int order;  ///< within the section
};

/// The field of this key; "parameter_norm.eps": a key of a norm's own.
std::optional<DescribedField> find_field(const std::string& section_name, const std::string& key) {
  static NormSection norm;
  static const BoundFields of_norm = bind(norm);
  const std::string name = key.substr(0, key.find('.'));
  const auto is = [](const std::string& wanted) {
    return [&wanted](const BoundField& each) { return each.field->key == wanted; };
  };
  for (const SectionDescription& section : sections()) {
    if (section.name != section_name) continue;
    const auto found = std::ranges::find_if(section.fields, is(name));
    if (found == section.fields.end()) continue;
    const int order = static_cast<int>(found - section.fields.begin());
    if (name == key) return DescribedField{section, *found, order};
    const bool is_norm = std::holds_alternative<Field<NormChoice>*>(found->slot);
    const auto own = std::ranges::find_if(of_norm, is(key.substr(name.size() + 1)));
    if (is_norm && own != of_norm.end()) return DescribedField{section, *own, order};
  }
  return {};
}

class LineReader {
 public:
  LineReader(const ExpressionNames& names, const std::array<Expression, 2>& kinds, FamilyText& text)
      : names_(names), numbered_names_(names), kinds_(kinds), text_(text) {
    numbered_names_["i"] = {Type::integer};
  }

  std::vector<FamilyLine> read(const std::vector<TomlEntry>& spec) {
    const auto names_block = [](const TomlEntry& entry) { return entry.key.ends_with(".block"); };
    for (const TomlEntry& entry : spec) {
      if (names_block(entry)) read_own_block(entry);
    }
    for (const TomlEntry& entry : spec) {
      if (!part_of(entry.key).empty()) {
        read_name(entry);
      } else if (!names_block(entry)) {
        read_field(entry);
      }
    }
    std::stable_sort(lines_.begin(), lines_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<FamilyLine> lines;
    for (auto& [order, line] : lines_) lines.push_back(std::move(line));
    return lines;
  }

 private:
  /// "shared.block": the type of a sub-block that the spec gives a section of its own, which stands after that of the
  /// type; null leaves it out.
  void read_own_block(const TomlEntry& entry) {
    FamilyLine line;
    line.section = entry.key.substr(0, entry.key.find('.'));
    line.key = "block";
    read_word(entry, line);
    if (line.value.empty()) return;
    const std::vector<std::string> types = block_type_names();
    const auto type = std::ranges::find_if(
        types, [&](const std::string& word) { return line.value.text.find("'" + word + "'") != std::string::npos; });
    if (type == types.end()) {
      return text_.error("family.unknown", entry.value.span,
                         fmt::format("'{}' names no type of sub-block: {}", line.value.text, one_of(types)));
    }
    own_blocks_[line.section] = *type;
    lines_.emplace_back(Order{section_order(*type), line.section, 0}, std::move(line));
  }

  /// What a part's tensor is called.
  void read_name(const TomlEntry& entry) {
    FamilyLine line;
    line.section = tensors_section;
    line.key = part_of(entry.key);
    read_word(entry, line);
    lines_.emplace_back(Order{std::ssize(sections()), "", 0}, std::move(line));
  }

  void read_word(const TomlEntry& entry, FamilyLine& line) {
    line.type = Type::word;
    line.value = text_.expression(text_.string(entry.value), entry.value.span, line.type, names_);
    text_.claim(entry.key, entry.key_span, true);
  }

  /// "attention.head_dim", or "layers.KIND.attention.head_dim" for the layers of a kind, whose own keys of [layers] are
  /// "layers.KIND.steps"; of an encoder with "encoder." before it.
  void read_field(const TomlEntry& entry) {
    FamilyLine line = place_of(entry.key);
    const auto own = own_blocks_.find(line.section);
    const bool has_own_section = own != own_blocks_.end(), is_own = line.stack == own_stack;
    const std::optional<DescribedField> found = find_field(has_own_section ? own->second : line.section, line.key);
    if (!found || !may_say(line, found->section)) {
      return text_.error("family.unknown", entry.key_span, fmt::format("the spec has no field {}", entry.key));
    }
    const auto& [section, field, order] = *found;
    line.type = std::visit(TypeOfField{}, field.slot);
    line.row = field.field;
    line.is_list = std::holds_alternative<Field<std::vector<std::string>>*>(field.slot);
    const bool by_layer = line.kind.empty() && is_own && section.in_kinds && may_be_by_layer(field.slot);
    read_value_of(entry, field.slot, by_layer ? numbered_names_ : names_, line);
    if (!line.value.empty() && line.value.root->optional && names_in(line.value).contains("i")) {
      text_.error("family.form", entry.value.span, "every layer has a value; this may be null");
    }
    text_.claim(entry.key, entry.key_span, true);
    const std::string own_section = has_own_section ? line.section : "";
    // Those of the encoder stand behind its own keys, in the order of the model's.
    const Order place = is_own ? Order{section_order(section.name), own_section, order}
                               : Order{section_order("encoder"),
                                       fmt::format("{:03}{}", section_order(section.name), own_section), order};
    lines_.emplace_back(place, std::move(line));
  }

  /// A line that has its stack, kind, section and key.
  static FamilyLine place_of(std::string field) {
    FamilyLine line;
    const std::string of_encoder = section_prefix(encoder_stack);
    if (field.starts_with(of_encoder) && std::ranges::count(field, '.') >= 2) {
      line.stack = encoder_stack;
      field = field.substr(of_encoder.size());
    }
    const auto dots = std::ranges::count(field, '.');
    if (field.starts_with("layers.") && dots >= 2) {
      line.kind = field.substr(7, field.find('.', 7) - 7);
      field = (dots == 2 ? "layers." : "") + field.substr(8 + line.kind.size());
    }
    line.section = field.substr(0, field.find('.'));
    line.key = field.substr(std::min(field.size(), line.section.size() + 1));
    return line;
  }

  /// Whether a spec may say the field in that place.
  bool may_say(const FamilyLine& line, const SectionDescription& section) const {
    const bool has_kind = kinds_[line.stack].text.find("'" + line.kind + "'") != std::string::npos;
    const bool in_kinds = section.in_kinds || (section.name == "layers" && may_differ_by_kind(line.key));
    const bool in_stacks = section.in_kinds || section.name == "layers" || section.name == "embedding";
    return (line.kind.empty() || (in_kinds && has_kind)) && (line.stack == own_stack || in_stacks);
  }

  void read_value_of(const TomlEntry& entry, const Slot& slot, const ExpressionNames& names, FamilyLine& line) {
    const bool is_boolean = entry.value.form == Form::boolean;
    if ((is_boolean || entry.value.form == Form::string) && line.type != Type::null) {
      const std::string text = is_boolean ? (entry.value.boolean ? "true" : "false") : entry.value.string;
      Diagnostics none;
      const auto parses = [&](Type type) {
        return parse_expression(text, entry.value.span, names, type, none, Vocabulary::values).has_value();
      };
      if (line.row->is_expression && parses(Type::real)) line.type = Type::real;
      // Which of several have a bias is a list, in words, and so are the keys of a norm.
      const bool is_table =
          std::holds_alternative<Field<Biases>*>(slot) || std::holds_alternative<Field<HeadNormChoice>*>(slot);
      line.is_toml = is_table && parses(Type::word);
      if (line.is_toml) line.type = Type::word;
      line.value = text_.expression(text, entry.value.span, line.type, names);
      return;
    }
    line.text = std::visit(
        [&](auto* stored) {
          std::remove_pointer_t<decltype(stored)> own{};
          read_value(entry.value, &own, *line.row, entry.key, text_.diagnostics());
          if constexpr (requires { own.value.norm; }) {
            if (own.value.own != nullptr) return own_keys(entry, bind(own.value.norm), "a norm");
          } else if constexpr (requires { own.value.section; }) {
            if (own.value.own != nullptr) return own_keys(entry, bind(*own.value.section), "[position]");
          }
          return write_value(&own);
        },
        slot);
  }

  /// The keys that a table of its own says, as TOML: what they lie over is a spec's matter.
  std::string own_keys(const TomlEntry& table, const BoundFields& fields, const char* section) {
    std::string keys;
    for (const TomlEntry& entry : table.value.entries) {
      const auto found =
          std::ranges::find_if(fields, [&](const BoundField& each) { return each.field->key == entry.key; });
      if (found == fields.end()) {
        text_.error("family.unknown", entry.key_span, fmt::format("{} has no key {}", section, entry.key));
        continue;
      }
      read_value(entry.value, found->slot, *found->field, table.key + "." + entry.key, text_.diagnostics());
      keys += fmt::format("{}{} = {}", keys.empty() ? "" : ", ", entry.key, write_value(found->slot));
    }
    return "{ " + keys + " }";
  }

  ExpressionNames names_, numbered_names_;
  const std::array<Expression, 2>& kinds_;
  FamilyText& text_;
  std::map<std::string, std::string> own_blocks_;  ///< the type of each
  /// Of a line: its section's, that of a sub-block's own behind its type's, and its row's.
  using Order = std::tuple<std::ptrdiff_t, std::string, int>;
  std::vector<std::pair<Order, FamilyLine>> lines_;
};

}  // namespace

std::vector<FamilyLine> read_family_lines(const std::vector<TomlEntry>& spec, const ExpressionNames& names,
                                          const std::array<Expression, 2>& kinds, FamilyText& text) {
  return LineReader(names, kinds, text).read(spec);
}

}  // namespace monomorph::generator
