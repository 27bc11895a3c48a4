#include "generator/import/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "generator/expression/node.hpp"
#include "generator/import/family_lines.hpp"
#include "generator/spec/list_properties.hpp"
#include "generator/spec/name_tables.hpp"
#include "generator/spec/section_reader.hpp"

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
    {"letters", Type::words, "a string", [](const Json& v) { return v.is_string(); }},  // as the list of its letters
    {"table", Type::words, "an object", [](const Json& v) { return v.is_object(); }},   // as the list of its keys
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
    {"each_count", Type::sizes, "an integer from 0 on, below 2^31, or a list of them",
     [](const Json& v) {
       return is_whole_from(0, v) ||
              (is_list(v) && std::all_of(v.begin(), v.end(), [](const Json& item) { return is_whole_from(0, item); }));
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

class FamilyReader : FamilyText {
 public:
  FamilyReader(const FamilyFiles& files, Diagnostics& diagnostics) : FamilyText(diagnostics), files_(files) {}

  Family read(const std::string& name) {
    family_.name = name;
    const JoinedFamily joined = join_family(name, files_, diagnostics());
    family_.objects = joined.objects;
    for (const TomlEntry& entry : joined.document.entries) add(entry);
    for (const TomlEntry& entry : sections_["keys"]) read_key(entry);
    for (const TomlEntry& entry : sections_["spellings"]) read_spellings(entry);
    for (const TomlEntry& entry : sections_["new"]) read_start(entry);
    refusal_names_ = names_;
    read_kind("layer", own_stack);
    read_kind("encoder_layer", encoder_stack);
    family_.lines = read_family_lines(sections_["spec"], names_, family_.kinds, *this);
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
    family_.checkpoint = read_name_table(joined, diagnostics());
    for (const TomlEntry& entry : sections_["spec"]) check_part(entry, part_of(entry.key));
    for (const TomlEntry& entry : sections_["absent"]) read_by_tensor(entry, false);
    for (const TomlEntry& entry : sections_["present"]) read_by_tensor(entry, true);
    const TomlValue tokenizer = spec_section(joined, "tokenizer");
    read_section(&tokenizer, "tokenizer", {}, false, bind(family_.tokenizer), diagnostics());
    for (const TomlEntry& entry : sections_["keys"]) {
      if (!is_used(entry.key)) {
        error("family.unused", entry.key_span, fmt::format("no expression names '{}'; drop the key", entry.key));
      }
    }
    return std::move(family_);
  }

 private:
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
    const bool has_no_length = key.optional || word.starts_with("each");
    if (is_list) names_[entry.key + std::string(length_of_list)] = {Type::integer, {}, has_no_length};
    const bool is_of_numbers = key.form->type == Type::sizes || key.form->type == Type::numbers;
    const Type number = key.form->type == Type::sizes ? Type::integer : Type::real;
    const bool may_be_empty = word == "indices";
    if (is_of_numbers) names_[entry.key + std::string(largest_of_list)] = {number, {}, key.optional || may_be_empty};
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
      ExpressionNames names = names_;
      names["i"] = {Type::integer};
      Expression& kind = family_.kinds[stack];
      kind = expression(string(entry.value), entry.value.span, Type::word, names);
      if (stack == own_stack) refusal_names_["kind"] = {Type::word};
      if (!kind.empty() && kind.root->optional) {
        error("family.form", entry.value.span, "every layer has a kind; this may be null");
      }
    }
  }

  /// Only a part that [checkpoint.tensors] names may be called otherwise, or be absent.
  void check_part(const TomlEntry& entry, const std::string& part) {
    if (!part.empty() && !family_.checkpoint.tensors.contains(part)) {
      error("family.unknown", entry.key_span, fmt::format("[checkpoint.tensors] has no line {}", part));
    }
  }

  /// A part, and the field that the spec does not say, or a table of fields and what it says, where there is a tensor
  /// of the part, or none.
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
      } else if (const Expression value = expression(string(told.value), told.value.span, line->type, {});
                 !value.empty()) {
        family_.told_by_tensor.push_back({entry.key, is_there, told.key, value});
      }
    }
  }

  /// The line of [spec] that says a field, for all layers; null where there is none, which is then told.
  FamilyLine* find_spoken(const std::string& field, const Span& span) {
    const FamilyLine* line = family_.find_line(field);
    if (line != nullptr) return &family_.lines[static_cast<std::size_t>(line - family_.lines.data())];
    error("family.unknown", span, fmt::format("[spec] has no line {}", field));
    return nullptr;
  }

  void read_note(const TomlEntry& entry) {
    FamilyLine* line = find_spoken(entry.key, entry.key_span);
    if (line == nullptr) return;
    line->note = LineNote{expression(member(entry.value, "when"), entry.value.span, Type::boolean, names_),
                          member(entry.value, "says")};
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
  Family family_;
  std::map<std::string, std::vector<TomlEntry>> sections_;
  ExpressionNames names_, refusal_names_;  ///< of any expression; with a layer's number, and its kind
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
