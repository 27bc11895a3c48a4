#include "generator/spec/values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/spec/checkpoint_names.hpp"
#include "generator/spec/checkpoint_section.hpp"

namespace monomorph::generator {
namespace {

using Form = TomlValue::Form;

/// Reads into one slot; `read` is overloaded by what the slot holds.
class ValueReader {
 public:
  ValueReader(const FieldDescription& field, const std::string& path, Diagnostics& diagnostics)
      : field_(field), path_(path), diagnostics_(diagnostics) {}

  void read(const TomlValue& value, Field<bool>& slot) {
    slot.span = value.span;
    if (require(value, value.form == Form::boolean, "true or false")) set(slot, value.boolean);
  }
  template <class Section>
  void read(const TomlValue& value, Field<NormChoiceOf<Section>>& slot) {
    read_choice(value, slot, "a norm's keys");
  }
  void read(const TomlValue& value, Field<PositionChoice>& slot) { read_choice(value, slot, "keys of [position]"); }
  void read(const TomlValue& value, Field<std::int64_t>& slot) {
    slot.span = value.span;
    if (require(value, value.form == Form::integer, "an integer")) set(slot, value.integer);
  }
  void read(const TomlValue& value, Field<double>& slot) {
    slot.span = value.span;
    if (require(value, is_number(value), "a number")) set(slot, value.number);
  }
  void read(const TomlValue& value, Field<std::string>& slot) {
    slot.span = value.span;
    if (field_.is_expression && is_number(value)) {
      set(slot, write_number(value));
    } else if (require(value, value.form == Form::string, field_.is_expression ? "an expression" : "a string") &&
               is_choice(value)) {
      set(slot, value.string);
    }
  }
  void read(const TomlValue& value, Field<Biases>& slot) {
    slot.span = value.span;
    if (value.form == Form::boolean) {
      set(slot, {value.boolean, {}});
    } else if (auto list = strings(value, "true, false or a list of projections")) {
      set(slot, {false, std::move(*list)});
    }
  }
  void read(const TomlValue& value, Field<Window>& slot) {
    slot.span = value.span;
    if (!require(value, value.form == Form::table, "{ recent = ..., first = ... }")) return;
    allow_keys(value, {"recent", "first"});
    Window window;
    for (const auto& [key, member] : {std::pair{"recent", &window.recent}, std::pair{"first", &window.first}}) {
      const TomlEntry* entry = value.find(key);
      if (entry == nullptr) continue;
      if (!require(entry->value, entry->value.form == Form::integer, fmt::format("an integer for {}", key))) return;
      *member = entry->value.integer;
    }
    set(slot, window);
  }
  void read(const TomlValue& value, Field<CacheTypes>& slot) {
    slot.span = value.span;
    FieldDescription type = field_;
    type.choices = cache_type_names();
    CacheTypes types;
    if (value.form == Form::string) {
      ValueReader(type, path_, diagnostics_).read(value, types.keys);
      types.values = types.keys;
    } else {
      if (!require(value, value.form == Form::table, "a type, or { keys = ..., values = ... },")) return;
      allow_keys(value, {"keys", "values"});
      if (value.entries.empty()) {
        diagnostics_.error("spec.missing_key", value.span, path_ + ": a type of keys or of values is missing");
      }
      for (const auto& [key, field] : {std::pair{"keys", &types.keys}, std::pair{"values", &types.values}}) {
        const std::string path = path_ + "." + key;
        if (const TomlEntry* entry = value.find(key)) {
          ValueReader(type, path, diagnostics_).read(entry->value, *field);
        }
      }
    }
    if (types.keys.given || types.values.given) set(slot, std::move(types));
  }
  void read(const TomlValue& value, Field<std::vector<std::string>>& slot) {
    slot.span = value.span;
    auto list = strings(value, "a list of strings");
    if (!list) return;
    bool known = true;
    for (const TomlValue& item : value.items) known = is_choice(item) && known;
    if (known) set(slot, std::move(*list));
  }
  void read(const TomlValue& value, Field<std::vector<std::int64_t>>& slot) {
    slot.span = value.span;
    if (value.form == Form::integer) return set(slot, {value.integer});
    const bool fits =
        value.form == Form::array &&
        std::all_of(value.items.begin(), value.items.end(), [](const TomlValue& v) { return v.form == Form::integer; });
    if (!require(value, fits, "an integer or a list of integers")) return;
    std::vector<std::int64_t> list;
    for (const TomlValue& item : value.items) list.push_back(item.integer);
    set(slot, std::move(list));
  }
  void read(const TomlValue& value, Field<std::vector<double>>& slot) {
    slot.span = value.span;
    const bool fits = value.form == Form::array && std::all_of(value.items.begin(), value.items.end(), is_number);
    if (!require(value, fits, "a list of numbers")) return;
    std::vector<double> list;
    for (const TomlValue& item : value.items) list.push_back(item.number);
    set(slot, std::move(list));
  }
  void read(const TomlValue& value, DtypePatterns& slot) {
    if (!require(value, value.form == Form::table, "a table of pattern = type")) return;
    FieldDescription dtype = field_;
    dtype.choices = dtype_names();
    for (const TomlEntry& entry : value.entries) {
      Field<std::string> read_field;
      ValueReader(dtype, path_ + "." + write_key(entry.key), diagnostics_).read(entry.value, read_field);
      read_field.span = entry.key_span;  // what a rule finds wrong with it is the pattern
      if (read_field.given) slot.emplace_back(entry.key, read_field);
    }
  }
  void read(const TomlValue& value, TensorNames& slot) {
    if (!require(value, value.form == Form::table, "a table of part = name")) return;
    for (const TomlEntry& entry : value.entries) {
      TensorName name;
      name.span = entry.key_span;
      name.given = true;
      if (entry.value.form == Form::string) {
        name.name = entry.value.string;
        slot[entry.key] = name;
      } else if (read_tensor_name(entry, name)) {
        slot[entry.key] = name;
      }
    }
  }
  void read(const TomlValue& value, IgnoredTensors& slot) {
    if (!require(value, value.form == Form::array, "a list of { name, why }")) return;
    for (const TomlValue& item : value.items) {
      IgnoredTensor ignored{"", "", true, item.span};
      if (!require(item, item.form == Form::table, "{ name = \"...\", why = \"...\" }")) continue;
      allow_keys(item, {"name", "why"});
      if (read_member(item, "name", ignored.name) && read_member(item, "why", ignored.why)) slot.push_back(ignored);
    }
  }
  void read(const TomlValue& value, Reasons& slot) {
    if (!require(value, value.form == Form::table, "a table of key = reason")) return;
    for (const TomlEntry& entry : value.entries) {
      if (require(entry.value, entry.value.form == Form::string, "a reason, as a string")) {
        slot.emplace_back(entry.key, entry.value.string);
      }
    }
  }

 private:
  template <class T>
  static void set(Field<T>& slot, T value) {
    slot.value = std::move(value);
    slot.given = true;
  }
  template <class Choice>
  void read_choice(const TomlValue& value, Field<Choice>& slot, const std::string& keys) {
    slot.span = value.span;
    if (value.form == Form::table) {
      set(slot, Choice{true, std::make_shared<const TomlValue>(value), {}});
    } else if (require(value, value.form == Form::boolean, "true, false or a table of " + keys)) {
      set(slot, Choice{value.boolean, nullptr, {}});
    }
  }
  static bool is_number(const TomlValue& value) { return value.form == Form::integer || value.form == Form::number; }
  static std::string write_number(const TomlValue& value) {
    return value.form == Form::integer ? fmt::format("{}", value.integer) : fmt::format("{}", value.number);
  }

  bool require(const TomlValue& value, bool fits, const std::string& wanted) {
    if (!fits) {
      diagnostics_.error("spec.type", value.span,
                         fmt::format("{} is {}; {} is required here", path_, describe(value), wanted));
    }
    return fits;
  }

  bool is_choice(const TomlValue& value) {
    const std::vector<std::string>& choices = field_.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), value.string) != choices.end()) return true;
    const std::string suggestion = nearest(value.string, choices);
    diagnostics_.error("spec.choice", value.span,
                       fmt::format("{} is \"{}\"; it may be {}{}", path_, value.string, one_of(choices),
                                   suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
    return false;
  }

  std::optional<std::vector<std::string>> strings(const TomlValue& value, const std::string& wanted) {
    const bool fits =
        value.form == Form::array &&
        std::all_of(value.items.begin(), value.items.end(), [](const TomlValue& v) { return v.form == Form::string; });
    if (!require(value, fits, wanted)) return std::nullopt;
    std::vector<std::string> list;
    for (const TomlValue& item : value.items) list.push_back(item.string);
    return list;
  }

  void allow_keys(const TomlValue& table, const std::vector<std::string>& keys) {
    for (const TomlEntry& entry : table.entries) {
      if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
      const std::string suggestion = nearest(entry.key, keys);
      diagnostics_.error("spec.unknown_key", entry.key_span,
                         fmt::format("{} has no key {}; its keys are {}{}", path_, entry.key, one_of(keys),
                                     suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
    }
  }

  bool read_member(const TomlValue& table, const std::string& key, std::string& result) {
    const TomlEntry* entry = table.find(key);
    if (entry == nullptr) {
      diagnostics_.error("spec.missing_key", table.span, fmt::format("{}: a {} is missing", path_, key));
      return false;
    }
    if (!require(entry->value, entry->value.form == Form::string, "a string for " + key)) return false;
    result = entry->value.string;
    return true;
  }

  bool read_tensor_name(const TomlEntry& entry, TensorName& name) {
    const TomlValue& value = entry.value;
    if (!require(value, value.form == Form::table,
                 "a name, or { name, transposed, fused, interleaved, exact, shared },"))
      return false;
    allow_keys(value, {"name", "transposed", "fused", "interleaved", "exact", "shared"});
    bool fits = read_member(value, "name", name.name);
    for (const auto& [key, member] : {std::pair{"transposed", &name.transposed}, std::pair{"exact", &name.exact},
                                      std::pair{"shared", &name.shared}}) {
      const TomlEntry* flag = value.find(key);
      if (flag == nullptr) continue;
      fits &= require(flag->value, flag->value.form == Form::boolean, fmt::format("true or false for {}", key));
      *member = flag->value.boolean;
    }
    if (const TomlEntry* fused = value.find("fused")) {
      auto parts = strings(fused->value, "a list of parts for fused");
      fits &= parts.has_value();
      if (parts) name.fused = std::move(*parts);
    }
    if (value.find("interleaved") != nullptr) fits &= read_member(value, "interleaved", name.interleaved);
    return fits;
  }

  const FieldDescription& field_;
  const std::string& path_;
  Diagnostics& diagnostics_;
};

std::string write(bool value) { return value ? "true" : "false"; }
std::string write(std::int64_t value) { return fmt::format("{}", value); }
std::string write(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}
std::string write(const std::string& value) { return write_string(value); }

template <class T>
std::string write(const std::vector<T>& values) {
  std::string result = "[";
  for (std::size_t i = 0; i < values.size(); ++i) result += (i > 0 ? ", " : "") + write(values[i]);
  return result + "]";
}

std::string write(const Biases& value) {
  return value.projections.empty() ? write(value.all) : write(value.projections);
}

std::string write(const Window& window) {
  return fmt::format("{{ recent = {}, first = {} }}", window.recent, window.first);
}

std::string write(const CacheTypes& types) {
  const std::string &keys = types.keys.value, &values = types.values.value;
  return keys == values ? write(keys) : fmt::format("{{ keys = {}, values = {} }}", write(keys), write(values));
}

std::string write(const TensorName& name) {
  if (name.is_plain()) return write(name.name);
  std::string result = "{ name = " + write(name.name);
  if (!name.fused.empty()) result += ", fused = " + write(name.fused);
  if (!name.interleaved.empty()) result += ", interleaved = " + write(name.interleaved);
  if (name.transposed) result += ", transposed = true";
  if (name.exact) result += ", exact = true";
  if (name.shared) result += ", shared = true";
  return result + " }";
}

/// A choice with keys of its own: all that have a value, so that nothing depends on what they lie over.
template <class Choice>
std::string write_choice(const Choice& choice, const BoundFields& keys) {
  if (choice.own == nullptr) return write(choice.present);
  std::string result;
  for (const auto& [field, slot] : keys) {
    if (!applies(*field, keys) || is_absent(slot)) continue;
    result += fmt::format("{}{} = {}", result.empty() ? "" : ", ", field->key, write_value(slot));
  }
  return "{ " + result + " }";
}

// Binding may write.
template <class Section>
std::string write(const NormChoiceOf<Section>& choice) {
  Section norm = choice.norm;
  return write_choice(choice, bind(norm));
}
std::string write(const PositionChoice& choice) {
  Held<PositionSection> position = choice.section;
  return write_choice(choice, bind(*position));
}

struct TableLines {
  template <class T>
  std::vector<std::string> operator()(const T*) const {
    return {};
  }
  std::vector<std::string> operator()(const DtypePatterns* patterns) const {
    std::vector<std::string> lines;
    for (const auto& [pattern, dtype] : *patterns) lines.push_back(write_key(pattern) + " = " + write(dtype.value));
    return lines;
  }
  std::vector<std::string> operator()(const TensorNames* names) const {
    std::vector<std::string> lines;
    for (const auto& [part, name] : *names) {
      if (name.given) lines.push_back(write_key(part) + " = " + write(name));
    }
    return lines;
  }
  std::vector<std::string> operator()(const Reasons* reasons) const {
    std::vector<std::string> lines;
    for (const auto& [key, why] : *reasons) lines.push_back(write_key(key) + " = " + write(why));
    return lines;
  }
};

struct Writer {
  template <class T>
  std::string operator()(const Field<T>* field) const {
    return write(field->value);
  }
  std::string operator()(const IgnoredTensors* ignored) const {
    std::string result;
    for (const IgnoredTensor& tensor : *ignored) {
      if (!tensor.given) continue;
      result +=
          fmt::format("{}{{ name = {}, why = {} }}", result.empty() ? "" : ", ", write(tensor.name), write(tensor.why));
    }
    return "[" + result + "]";
  }
  template <class Table>
  std::string operator()(const Table* table) const {
    return fmt::format("{{ {} }}", fmt::join(TableLines{}(table), ", "));
  }
};

struct Absence {
  template <class T>
  bool operator()(const Field<T>*) const {
    return false;
  }
  bool operator()(const Field<std::int64_t>* field) const { return field->value < 0 && !field->given; }
  bool operator()(const Field<Window>* field) const { return !field->given; }
  bool operator()(const Field<std::string>* field) const { return field->value.empty() && !field->given; }
  bool operator()(const Field<std::vector<std::int64_t>>* field) const { return !field->given; }
  bool operator()(const Field<std::vector<double>>* field) const { return !field->given; }
  bool operator()(const Field<std::vector<std::string>>* field) const { return field->value.empty() && !field->given; }
  bool operator()(const DtypePatterns* patterns) const { return patterns->empty(); }
  bool operator()(const TensorNames* names) const {
    return std::none_of(names->begin(), names->end(), [](const auto& entry) { return entry.second.given; });
  }
  bool operator()(const IgnoredTensors* ignored) const {
    return std::none_of(ignored->begin(), ignored->end(), [](const IgnoredTensor& tensor) { return tensor.given; });
  }
  bool operator()(const Reasons* reasons) const { return reasons->empty(); }
};

}  // namespace

void read_value(const TomlValue& value, const Slot& slot, const FieldDescription& field, const std::string& path,
                Diagnostics& diagnostics) {
  ValueReader reader(field, path, diagnostics);
  std::visit([&](auto* into) { reader.read(value, *into); }, slot);
}

void store_fallback(const FieldDescription& field, const Slot& slot, const Span& span) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const Source>(Source{"defaults", "x = " + field.fallback.text});
  const std::optional<TomlValue> document = parse_document(source, diagnostics);
  if (document) read_value(document->find("x")->value, slot, field, field.key, diagnostics);
  if (diagnostics.has_errors()) throw InternalError("field table: the default of " + field.key + " does not read");
  const auto place = [&](auto* stored) {
    if constexpr (requires { stored->given; }) {
      stored->span = span;
      stored->given = false;
    }
  };
  std::visit(place, slot);
}

std::string write_value(const Slot& slot) { return std::visit(Writer{}, slot); }

std::vector<std::string> write_table(const Slot& slot) { return std::visit(TableLines{}, slot); }

bool is_absent(const Slot& slot) { return std::visit(Absence{}, slot); }

}  // namespace monomorph::generator
