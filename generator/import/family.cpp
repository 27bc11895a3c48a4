#include "generator/import/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "generator/expression/node.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/by_layer.hpp"
#include "generator/spec/name_tables.hpp"
#include "generator/spec/section_reader.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

using Form = TomlValue::Form;

/// No size is beyond 2^31; what is made of several is then far from overflowing.
bool is_whole_from(std::uint64_t least, const Json& value) {
  return value.is_unsigned() && value.unsigned_integer() >= least &&
         value.unsigned_integer() <= std::uint64_t{std::numeric_limits<std::int32_t>::max()};
}

bool is_list(const Json& value) { return value.is_array() && value.size() > 0; }

constexpr KeyForm key_forms[] = {
    {"size", Type::integer, "a positive integer below 2^31", [](const Json& v) { return is_whole_from(1, v); }},
    {"count", Type::integer, "an integer from 0 on, below 2^31", [](const Json& v) { return is_whole_from(0, v); }},
    {"index", Type::integer, "an integer from -1 on, below 2^31",
     [](const Json& v) { return is_whole_from(0, v) || (v.is_integer() && v.integer() == -1); }},
    {"number", Type::real, "a positive number", [](const Json& v) { return v.is_number() && v.real() > 0; }},
    {"amount", Type::real, "a number from 0 on", [](const Json& v) { return v.is_number() && v.real() >= 0; }},
    {"boolean", Type::boolean, "true or false", [](const Json& v) { return v.is_boolean(); }},
    {"word", Type::word, "a string", [](const Json& v) { return v.is_string(); }},
    {"words", Type::words, "a list of strings",
     [](const Json& v) {
       return v.is_array() && std::all_of(v.begin(), v.end(), [](const Json& item) { return item.is_string(); });
     }},
    {"table", Type::words, "an object", [](const Json& v) { return v.is_object(); }},  // as the list of its keys
    {"sizes", Type::sizes, "a list of positive integers below 2^31",
     [](const Json& v) {
       return is_list(v) && std::all_of(v.begin(), v.end(), [](const Json& item) { return is_whole_from(1, item); });
     }},
    {"each", Type::sizes, "a positive integer below 2^31, or a list of them",
     [](const Json& v) {
       return is_whole_from(1, v) ||
              (is_list(v) && std::all_of(v.begin(), v.end(), [](const Json& item) { return is_whole_from(1, item); }));
     }},
    {"counts", Type::sizes, "a list of integers from 0 on, below 2^31",
     [](const Json& v) {
       return is_list(v) && std::all_of(v.begin(), v.end(), [](const Json& item) { return is_whole_from(0, item); });
     }},
    {"indices", Type::sizes, "a list, perhaps empty, of integers from 0 on, below 2^31",
     [](const Json& v) {
       return v.is_array() && std::all_of(v.begin(), v.end(), [](const Json& item) { return is_whole_from(0, item); });
     }},
    {"numbers", Type::numbers, "a list of positive numbers",
     [](const Json& v) {
       return is_list(v) &&
              std::all_of(v.begin(), v.end(), [](const Json& item) { return item.is_number() && item.real() > 0; });
     }},
    {"amounts", Type::numbers, "a list of numbers from 0 on",
     [](const Json& v) {
       return is_list(v) &&
              std::all_of(v.begin(), v.end(), [](const Json& item) { return item.is_number() && item.real() >= 0; });
     }},
};

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

class FamilyReader {
 public:
  FamilyReader(const FamilyFiles& files, Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

  Family read(const std::string& name) {
    family_.name = name;
    const JoinedFamily joined = join_family(name, files_, diagnostics_);
    family_.objects = joined.objects;
    for (const TomlEntry& entry : joined.document.entries) add(entry);
    for (const TomlEntry& entry : sections_["keys"]) read_key(entry);
    for (const TomlEntry& entry : sections_["spellings"]) read_spellings(entry);
    for (const TomlEntry& entry : sections_["new"]) read_start(entry);
    numbered_names_ = names_;
    numbered_names_["i"] = {Type::integer};
    refusal_names_ = names_;
    read_kind("layer", own_stack);
    read_kind("encoder_layer", encoder_stack);
    for (const TomlEntry& entry : sections_["spec"]) read_own_block(entry);
    for (const TomlEntry& entry : sections_["spec"]) read_line(entry);
    std::stable_sort(lines_.begin(), lines_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [order, line] : lines_) family_.lines.push_back(std::move(line));
    for (const TomlEntry& entry : sections_["notes"]) read_note(entry);
    for (const TomlEntry& rule : sections_["refuse"]) {
      for (const TomlEntry& entry : rule.value.entries) read_refusal(rule.key, entry);
    }
    for (const TomlEntry& entry : sections_["only"]) {
      claim(entry.key, entry.key_span);
      family_.only[entry.key] = {member(entry.value, "runs"), member(entry.value, "asks")};
    }
    for (const TomlEntry& entry : sections_["ignored"]) {
      for (const TomlValue& key : entry.value.items) {
        claim(key.string, key.span);
        family_.ignored[key.string] = entry.key;
      }
    }
    family_.checkpoint = read_name_table(joined, diagnostics_);
    for (const TomlEntry& entry : sections_["spec"]) check_part(entry, part_of(entry.key));
    for (const TomlEntry& entry : sections_["absent"]) read_by_tensor(entry, false);
    for (const TomlEntry& entry : sections_["present"]) read_by_tensor(entry, true);
    const TomlValue tokenizer = spec_section(joined, "tokenizer");
    read_section(&tokenizer, "tokenizer", {}, false, bind(family_.tokenizer), diagnostics_);
    for (const TomlEntry& entry : sections_["keys"]) {
      if (!used_.contains(entry.key)) {
        error("family.unused", entry.key_span, fmt::format("no expression names '{}'; drop the key", entry.key));
      }
    }
    return std::move(family_);
  }

 private:
  void error(const char* rule, const Span& span, const std::string& message) {
    diagnostics_.error(rule, span, message);
  }

  void add(const TomlEntry& entry) {
    static const std::set<std::string> known = {"keys",  "spellings", "layer",   "encoder_layer", "spec",
                                                "notes", "refuse",    "only",    "ignored",       "checkpoint",
                                                "new",   "absent",    "present", "tokenizer"};
    if (entry.key == "architectures") {
      for (const TomlValue& item : entry.value.items) family_.architectures.push_back(item.string);
    } else if (entry.key == "model_type") {
      family_.model_type = string(entry.value);
    } else if (entry.key == "defaults_of") {
      family_.defaults_of = string(entry.value);
    } else if (!known.contains(entry.key) || entry.value.form != Form::table) {
      error("family.section", entry.key_span, fmt::format("a family has no section [{}]", entry.key));
    } else {
      sections_[entry.key] = entry.value.entries;
    }
  }

  std::string string(const TomlValue& value) {
    if (value.form != Form::string) error("family.form", value.span, "a string is required here");
    return value.string;
  }

  std::string member(const TomlValue& table, const std::string& key) {
    const TomlEntry* entry = table.find(key);
    if (entry != nullptr) return string(entry->value);
    error("family.form", table.span, fmt::format("a table with {} is required here", key));
    return "";
  }

  /// Every key of config.json stands once in a family, and every field of the spec, which may be called alike.
  void claim(const std::string& key, const Span& span, bool is_field = false) {
    if (!claimed_.emplace(is_field, key).second) {
      error("family.twice", span, fmt::format("'{}' is accounted for twice", key));
    }
  }

  Expression expression(const std::string& text, const Span& span, Type wanted, const ExpressionNames& names) {
    const auto parsed = parse_expression(text, span, names, wanted, diagnostics_, Vocabulary::values);
    if (!parsed) return {};
    for (const std::string& name : names_in(*parsed)) {
      used_.insert(name.ends_with(".length") ? name.substr(0, name.rfind('.')) : name);
    }
    return *parsed;
  }

  /// "size? = 8": a form, whether it may be null, and what is taken where config.json does not say.
  void read_key(const TomlEntry& entry) {
    claim(entry.key, entry.key_span);
    const std::string text = string(entry.value);
    const std::string word = text.substr(0, text.find_first_of("? ="));
    ConfigKey key;
    for (const KeyForm& form : key_forms) {
      if (word == form.word) key.form = &form;
    }
    if (key.form == nullptr) {
      return error("family.form", entry.value.span, fmt::format("'{}' is no form of a key: size, number ...", word));
    }
    key.optional = text.compare(word.size(), 1, "?") == 0;
    if (key.optional) key.fallback = Datum{};
    if (const std::size_t equals = text.find('='); equals != std::string::npos) {
      const Expression value = expression(text.substr(equals + 1), entry.value.span, key.form->type, {});
      if (!value.empty()) key.fallback = value_of(value, nullptr);
    }
    key.paths = {entry.key};
    names_[entry.key] = {key.form->type, {}, key.optional};
    const bool is_list =
        key.form->type == Type::words || key.form->type == Type::sizes || key.form->type == Type::numbers;
    const bool has_no_length = key.optional || word == "each";
    if (is_list) names_[entry.key + ".length"] = {Type::integer, {}, has_no_length};
    family_.keys[entry.key] = std::move(key);
  }

  /// The key of [keys] that a line is about; null where there is none, which is then told.
  ConfigKey* find_key(const TomlEntry& entry) {
    const auto key = family_.keys.find(entry.key);
    if (key != family_.keys.end()) return &key->second;
    error("family.unknown", entry.key_span, fmt::format("[keys] has no '{}'", entry.key));
    return nullptr;
  }

  void read_spellings(const TomlEntry& entry) {
    ConfigKey* key = find_key(entry);
    for (const TomlValue& path : key != nullptr ? entry.value.items : std::vector<TomlValue>()) {
      claim(path.string, path.span);
      key->paths.push_back(path.string);
    }
  }

  /// An expression, or a list of words.
  void read_start(const TomlEntry& entry) {
    const ConfigKey* key = find_key(entry);
    if (key == nullptr || key->form == nullptr) return;
    if (key->form->type != Type::words) {
      const Expression value = expression(string(entry.value), entry.value.span, key->form->type, {});
      if (!value.empty()) family_.start[entry.key] = value_of(value, nullptr);
      return;
    }
    std::vector<std::string> words;
    for (const TomlValue& item : entry.value.items) words.push_back(string(item));
    if (words.empty()) return error("family.form", entry.value.span, "a list of words is required here");
    family_.start[entry.key] = {Words{std::make_shared<const std::vector<std::string>>(std::move(words))}};
  }

  /// What kind each layer of a stack is.
  void read_kind(const char* section, std::size_t stack) {
    for (const TomlEntry& entry : sections_[section]) {
      refusal_names_["i"] = {Type::integer};
      Expression& kind = family_.kinds[stack];
      kind = expression(string(entry.value), entry.value.span, Type::word, numbered_names_);
      if (stack == own_stack) refusal_names_["kind"] = {Type::word};
      if (!kind.empty() && kind.root->optional) {
        error("family.form", entry.value.span, "every layer has a kind; this may be null");
      }
    }
  }

  /// "checkpoint.tensors.PART": the part, or nothing.
  static std::string part_of(const std::string& key) {
    const std::string section = std::string(tensors_section) + ".";
    return key.starts_with(section) ? key.substr(section.size()) : "";
  }

  /// Only a part that [checkpoint.tensors] names may be called otherwise, or be absent.
  void check_part(const TomlEntry& entry, const std::string& part) {
    if (!part.empty() && !family_.checkpoint.tensors.contains(part)) {
      error("family.unknown", entry.key_span, fmt::format("[checkpoint.tensors] has no line {}", part));
    }
  }

  /// A part, and the field that the spec does not say, or a table of fields and what it says, where there is a tensor of
  /// the part, or none.
  void read_by_tensor(const TomlEntry& entry, bool is_there) {
    check_part(entry, entry.key);
    if (entry.value.form != Form::table) {
      const std::string field = string(entry.value);
      if (find_spoken(field, entry.value.span) != nullptr) {
        family_.told_by_tensor.push_back({entry.key, is_there, field, {}});
      }
      return;
    }
    for (const TomlEntry& told : entry.value.entries) {
      const FamilyLine* line = find_spoken(told.key, told.key_span);
      if (line == nullptr) continue;
      if (line->value.empty() || line->value.root->optional) {
        error("family.form", told.key_span, fmt::format("[spec] gives {} no value, or none at times", told.key));
      } else if (const Expression value = expression(string(told.value), told.value.span, line->type, {}); !value.empty()) {
        family_.told_by_tensor.push_back({entry.key, is_there, told.key, value});
      }
    }
  }

  /// The line of [spec] that says a field, for all layers; null where there is none, which is then told.
  const FamilyLine* find_spoken(const std::string& field, const Span& span) {
    const FamilyLine* line = family_.find_line(field);
    if (line == nullptr) error("family.unknown", span, fmt::format("[spec] has no line {}", field));
    return line;
  }

  /// "shared.block": the type of a sub-block that the spec gives a section of its own, which stands after that of the
  /// type; null leaves it out.
  void read_own_block(const TomlEntry& entry) {
    if (!entry.key.ends_with(".block")) return;
    FamilyLine line;
    line.section = entry.key.substr(0, entry.key.find('.'));
    line.key = "block";
    line.type = Type::word;
    line.value = expression(string(entry.value), entry.value.span, line.type, names_);
    if (line.value.empty()) return;
    const std::vector<std::string> types = block_type_names();
    const auto type = std::ranges::find_if(
        types, [&](const std::string& word) { return line.value.text.find("'" + word + "'") != std::string::npos; });
    if (type == types.end()) {
      return error("family.unknown", entry.value.span,
                   fmt::format("'{}' names no type of sub-block: {}", line.value.text, one_of(types)));
    }
    claim(entry.key, entry.key_span, true);
    own_blocks_[line.section] = *type;
    lines_.emplace_back(Order{section_order(*type), line.section, 0}, std::move(line));
  }

  static std::ptrdiff_t section_order(const std::string& name) {
    return std::ranges::find(sections(), name, &SectionDescription::name) - sections().begin();
  }

  /// Of the keys of [layers].
  static bool may_differ_by_kind(const std::string& key) { return key != "pattern" && key != "repeat"; }

  /// "attention.head_dim", or "layers.KIND.attention.head_dim" for the layers of a kind, whose own keys of [layers] are
  /// "layers.KIND.steps"; or what a part's tensor is called.
  void read_line(const TomlEntry& entry) {
    if (entry.key.ends_with(".block")) return;  // read_own_block's
    FamilyLine line;
    if (const std::string part = part_of(entry.key); !part.empty()) {
      line.section = tensors_section;
      line.key = part;
      line.type = Type::word;
      line.value = expression(string(entry.value), entry.value.span, line.type, names_);
      claim(entry.key, entry.key_span, true);
      lines_.emplace_back(Order{std::ssize(sections()), "", 0}, std::move(line));
      return;
    }
    std::string field = entry.key;
    const std::string of_encoder = section_prefix(encoder_stack);
    if (field.starts_with(of_encoder) && std::ranges::count(field, '.') >= 2) {
      line.stack = encoder_stack;
      field = field.substr(of_encoder.size());
    }
    const bool is_own = line.stack == own_stack;
    const auto dots = std::count(field.begin(), field.end(), '.');
    if (field.starts_with("layers.") && dots >= 2) {
      line.kind = field.substr(7, field.find('.', 7) - 7);
      field = (dots == 2 ? "layers." : "") + field.substr(8 + line.kind.size());
    }
    line.section = field.substr(0, field.find('.'));
    line.key = field.substr(std::min(field.size(), line.section.size() + 1));
    const auto own = own_blocks_.find(line.section);
    const std::string described = own != own_blocks_.end() ? own->second : line.section;
    for (const SectionDescription& section : sections()) {
      int order = 0;
      for (const auto& [row, slot] : section.fields) {
        ++order;
        if (section.name != described || row->key != line.key) continue;
        const bool has_kind = family_.kinds[line.stack].text.find("'" + line.kind + "'") != std::string::npos;
        const bool in_kinds = section.in_kinds || (section.name == "layers" && may_differ_by_kind(row->key));
        if (!line.kind.empty() && !(in_kinds && has_kind)) continue;
        const bool in_stacks = section.in_kinds || section.name == "layers" || section.name == "embedding";
        if (!is_own && !in_stacks) continue;
        line.type = std::visit(TypeOfField{}, slot);
        line.row = row;
        line.is_list = std::holds_alternative<Field<std::vector<std::string>>*>(slot);
        const bool by_layer = line.kind.empty() && is_own && section.in_kinds && may_be_by_layer(slot);
        read_line_value(entry, *row, slot, by_layer ? numbered_names_ : names_, line);
        if (!line.value.empty() && line.value.root->optional && names_in(line.value).contains("i")) {
          error("family.form", entry.value.span, "every layer has a value; this may be null");
        }
        claim(entry.key, entry.key_span, true);
        const std::string own_section = own != own_blocks_.end() ? line.section : "";
        // Those of the encoder stand behind its own keys, in the order of the model's.
        const Order place = is_own ? Order{section_order(section.name), own_section, order}
                                   : Order{section_order("encoder"),
                                           fmt::format("{:03}{}", section_order(section.name), own_section), order};
        lines_.emplace_back(place, std::move(line));
        return;
      }
    }
    error("family.unknown", entry.key_span, fmt::format("the spec has no field {}", entry.key));
  }

  void read_line_value(const TomlEntry& entry, const FieldDescription& row, const Slot& slot,
                       const ExpressionNames& names, FamilyLine& line) {
    const bool is_boolean = entry.value.form == Form::boolean;
    if ((is_boolean || entry.value.form == Form::string) && line.type != Type::null) {
      const std::string text = is_boolean ? (entry.value.boolean ? "true" : "false") : entry.value.string;
      Diagnostics none;
      const auto parses = [&](Type type) {
        return parse_expression(text, entry.value.span, names, type, none, Vocabulary::values).has_value();
      };
      if (row.is_expression && parses(Type::real)) line.type = Type::real;
      // Which of several have a bias is a list, in words, and so are the keys of a norm.
      const bool is_table =
          std::holds_alternative<Field<Biases>*>(slot) || std::holds_alternative<Field<HeadNormChoice>*>(slot);
      line.is_toml = is_table && parses(Type::word);
      if (line.is_toml) line.type = Type::word;
      line.value = expression(text, entry.value.span, line.type, names);
      return;
    }
    line.text = std::visit(
        [&](auto* stored) {
          std::remove_pointer_t<decltype(stored)> own{};
          read_value(entry.value, &own, row, entry.key, diagnostics_);
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
        error("family.unknown", entry.key_span, fmt::format("{} has no key {}", section, entry.key));
        continue;
      }
      read_value(entry.value, found->slot, *found->field, table.key + "." + entry.key, diagnostics_);
      keys += fmt::format("{}{} = {}", keys.empty() ? "" : ", ", entry.key, write_value(found->slot));
    }
    return "{ " + keys + " }";
  }

  void read_note(const TomlEntry& entry) {
    for (FamilyLine& line : family_.lines) {
      if (line.kind.empty() && line.field() == entry.key) {
        line.note = LineNote{expression(member(entry.value, "when"), entry.value.span, Type::boolean, names_),
                             member(entry.value, "says")};
        return;
      }
    }
    error("family.unknown", entry.key_span, fmt::format("[spec] has no line {}", entry.key));
  }

  void read_refusal(const std::string& rule, const TomlEntry& entry) {
    FamilyRefusal refusal{
        "import." + rule, expression(entry.key, entry.key_span, Type::boolean, refusal_names_), {}, {}};
    std::string message = string(entry.value);
    for (std::size_t open = message.find('{'); open != std::string::npos; open = message.find('{')) {
      const std::size_t close = std::min(message.find('}', open), message.size() - 1);
      refusal.texts.push_back(message.substr(0, open));
      refusal.shown.push_back(
          expression(message.substr(open + 1, close - open - 1), entry.value.span, Type::null, refusal_names_));
      message = message.substr(close + 1);
    }
    refusal.texts.push_back(message);
    family_.refusals.push_back(std::move(refusal));
  }

  const FamilyFiles& files_;
  Diagnostics& diagnostics_;
  Family family_;
  std::set<std::pair<bool, std::string>> claimed_;  ///< fields of the spec, and keys
  std::set<std::string> used_;
  std::map<std::string, std::vector<TomlEntry>> sections_;
  ExpressionNames names_, numbered_names_, refusal_names_;  ///< of any expression; with a layer's number; with its kind
  std::map<std::string, std::string> own_blocks_;           ///< the type of each
  /// Of a line: its section's, that of a sub-block's own behind its type's, and its row's.
  using Order = std::tuple<std::ptrdiff_t, std::string, int>;
  std::vector<std::pair<Order, FamilyLine>> lines_;
};

}  // namespace

std::optional<Family> read_family(const std::string& name, const FamilyFiles& files, Diagnostics& diagnostics) {
  Diagnostics found;
  Family family = FamilyReader(files, found).read(name);
  diagnostics.append(found);
  return found.has_errors() ? std::nullopt : std::optional(std::move(family));
}

namespace {

std::map<std::string, Family> read_all(bool gguf) {
  std::map<std::string, Family> result;
  for (const std::string& name : family_names()) {
    if (name.starts_with("gguf/") != gguf) continue;
    Diagnostics diagnostics;
    std::optional<Family> family = read_family(name, family_files(), diagnostics);
    if (!family) throw InternalError("import.families: " + render(diagnostics));
    family->gguf = gguf;
    if (gguf) family->defaults_of = "the";
    result.emplace(name, std::move(*family));
  }
  return result;
}

}  // namespace

const std::map<std::string, Family>& families() {
  static const std::map<std::string, Family> all = read_all(false);
  return all;
}

const std::map<std::string, Family>& gguf_families() {
  static const std::map<std::string, Family> all = read_all(true);
  return all;
}

}  // namespace monomorph::generator
