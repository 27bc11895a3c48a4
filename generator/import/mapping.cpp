#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "generator/import/steps.hpp"

namespace monomorph::generator {
namespace {

/// The shortest digits that read back as the same number: 1e-5, 500000.0.
std::string write_number(double value) {
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text.find('.') == std::string::npos ? text + ".0" : text;
  std::size_t digits = exponent + 1;
  if (text[digits] == '-' || text[digits] == '+') ++digits;
  while (text[digits] == '0' && digits + 1 < text.size()) text.erase(digits, 1);
  return text;
}

}  // namespace

std::string text_of(const FamilyLine& line, const Datum& value) {
  if (line.type == Type::word) {
    const std::string& text = std::get<std::string>(value.is);
    if (line.is_toml) return text;
    return line.is_list ? "[" + write_string(text) + "]" : write_string(text);
  }
  if (const auto* numbers = std::get_if<Numbers>(&value.is)) {
    std::string list;
    for (const double each : *numbers->list) list += (list.empty() ? "" : ", ") + write_number(each);
    return "[" + list + "]";
  }
  const double number = std::get<double>(value.is);
  if (line.type == Type::boolean) return number != 0 ? "true" : "false";
  return line.type == Type::integer ? fmt::format("{}", static_cast<std::int64_t>(number)) : write_number(number);
}

namespace {

/// The kinds of a stack's layers.
struct Kinds {
  std::vector<std::string> of_layers;  ///< for each layer
  std::vector<std::string> all;        ///< in order of first use
};

class Mapper {
 public:
  Mapper(Config& config, const Family& family, SpecLines& lines) : config_(config), family_(family), lines_(lines) {}

  std::map<std::string, Datum> map() {
    for (const FamilyLine& line : family_.lines) {
      if (line.value.empty()) continue;
      const Datum value = value_of(line.value);  // of kinds that no layer has, too: their keys are known
      if (line.kind.empty()) fields_[line.field()] = value;
    }
    find_kinds(own_stack, "model.num_hidden_layers");
    find_kinds(encoder_stack, "encoder.num_hidden_layers");
    for (const FamilyRefusal& refusal : family_.refusals) check(refusal);
    for (const FamilyLine& line : family_.lines) {
      const bool of_encoder = line.stack == encoder_stack || line.section == "encoder";
      if (of_encoder || line.section == "lm_head") write_kinds(own_stack);
      if (!of_encoder && line.section == "lm_head") write_kinds(encoder_stack);
      const std::string only = only_kind(line.stack);
      const bool replaced = line.kind.empty() && !only.empty() && family_.find_line(line.field(), only) != nullptr;
      if (line.section == tensors_section) continue;  // read_checkpoint's
      if ((line.kind.empty() || line.kind == only) && !replaced && has_meaning(line)) write(line, line.whole_section());
    }
    write_kinds(own_stack);
    write_kinds(encoder_stack);
    return std::move(fields_);
  }

 private:
  Datum value_of(const Expression& expression) {
    return generator::value_of(expression, [this](const std::string& name) { return name_value(name); });
  }

  Datum name_value(const std::string& name) {
    if (name == "i") return {static_cast<double>(layer_)};
    if (name == "kind") return {kinds_[own_stack].of_layers.at(layer_)};
    Datum value = config_.value(name);
    names_.push_back(value.name);
    return value;
  }

  /// A condition; null holds no more than false.
  bool holds(const Expression& condition) {
    const Datum value = value_of(condition);
    return !value.is_null() && std::get<double>(value.is) != 0;
  }

  void find_kinds(std::size_t stack, const char* num_layers) {
    const auto layers = fields_.find(num_layers);
    if (family_.kinds[stack].empty() || layers == fields_.end()) return;
    auto& [of_layers, all] = kinds_[stack];
    // Of more layers than a spec may have, the spec's reader speaks.
    const double count = std::min<double>(std::get<double>(layers->second.is), max_hidden_layers);
    for (layer_ = 0; static_cast<double>(layer_) < count; ++layer_) {
      of_layers.push_back(std::get<std::string>(value_of(family_.kinds[stack]).is));
      if (std::find(all.begin(), all.end(), of_layers.back()) == all.end()) all.push_back(of_layers.back());
    }
    layer_ = 0;
  }

  /// Where all layers are of one kind, its lines are the stack's; not the model's where an encoder would take them
  /// over.
  std::string only_kind(std::size_t stack) const {
    const bool are_taken_over = stack == own_stack && family_.has_encoder();
    return kinds_[stack].all.size() == 1 && !are_taken_over ? kinds_[stack].all.front() : "";
  }

  void check(const FamilyRefusal& refusal) {
    const std::set<std::string> named = names_in(refusal.when);
    const std::size_t own = kinds_[own_stack].of_layers.size(), others = kinds_[encoder_stack].of_layers.size();
    const std::size_t layers = named.contains("kind") ? own : named.contains("i") ? std::max(own, others) : 1;
    for (layer_ = 0; layer_ < layers; ++layer_) {
      names_.clear();
      if (!holds(refusal.when)) continue;
      const std::vector<std::string> names = names_;
      std::string message = refusal.texts.front();
      for (std::size_t i = 0; i < refusal.shown.size(); ++i) {
        message += shown(value_of(refusal.shown[i])) + refusal.texts[i + 1];
      }
      config_.refuse_values(refusal.rule, names, message);
      break;
    }
    layer_ = 0;
  }

  /// Whether a line has a meaning beside what the one kind says: a factor has none where that says "none" of scaling.
  bool has_meaning(const FamilyLine& line) {
    const std::string only = only_kind(line.stack);
    return std::ranges::none_of(family_.lines, [&](const FamilyLine& other) {
      if (only.empty() || other.kind != only || other.value.empty()) return false;
      if (other.whole_section() != line.whole_section()) return false;
      const Datum chosen = value_of(other.value);
      const auto* word = std::get_if<std::string>(&chosen.is);
      return line.row != nullptr && line.row->selector == other.key && word != nullptr && !line.row->applies_to(*word);
    });
  }

  void write(const FamilyLine& line, const std::string& section) {
    SpecLine result{section, line.key, line.text};
    if (!line.value.empty()) {
      const Datum value = value_of(line.value);
      if (value.is_null()) return;
      result.value = names_in(line.value).contains("i") ? text_by_layer(line) : text_of(line, value);
      result.place = config_.place(value.name);
      if (!value.computed && result.place.source == nullptr)
        result.note = fmt::format("{} default; {} does not say", family_.defaults_of, config_.called());
    }
    if (line.note && holds(line.note->when)) result.note = line.note->says;
    lines_.push_back(std::move(result));
  }

  /// One value where all layers have the same, else a list.
  std::string text_by_layer(const FamilyLine& line) {
    std::vector<std::string> texts;
    const auto layers = static_cast<std::size_t>(std::get<double>(fields_.at("model.num_hidden_layers").is));
    for (layer_ = 0; layer_ < std::min<std::size_t>(layers, max_hidden_layers); ++layer_) {
      texts.push_back(text_of(line, value_of(line.value)));
    }
    layer_ = 0;
    const bool are_same = std::ranges::all_of(texts, [&](const std::string& text) { return text == texts.front(); });
    return are_same ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
  }

  /// Of a stack that has several, once: the pattern, repeated where it repeats and counted where it does not; then what
  /// each kind has of its own.
  void write_kinds(std::size_t stack) {
    const auto [of_layers, all] = std::exchange(kinds_written_[stack], true) ? Kinds{} : kinds_[stack];
    if (all.empty() || !only_kind(stack).empty()) return;
    const std::size_t layers = of_layers.size();
    std::size_t period = 1;
    while (!std::equal(of_layers.begin() + static_cast<std::ptrdiff_t>(period), of_layers.end(), of_layers.begin())) {
      ++period;
    }
    std::vector<std::string> pattern;
    for (std::size_t begin = 0; begin < std::min(period, layers);) {
      std::size_t end = begin + 1;
      while (period == layers && end < layers && of_layers[end] == of_layers[begin]) ++end;
      pattern.push_back(
          write_string(of_layers[begin] + (period == layers ? fmt::format(" * {}", end - begin) : std::string())));
      begin = end;
    }
    const std::string section = section_prefix(stack) + std::string("layers");
    lines_.push_back({section, "pattern", fmt::format("[{}]", fmt::join(pattern, ", "))});
    for (const std::string& kind : all) {
      lines_.push_back({section + "." + kind, "", ""});
      for (const bool of_layer : {true, false}) {
        for (const FamilyLine& line : family_.lines) {
          const bool is_its = line.stack == stack && line.kind == kind;
          if (is_its && (line.section == "layers") == of_layer) write(line, line.place());
        }
      }
    }
  }

  Config& config_;
  const Family& family_;
  SpecLines& lines_;
  std::map<std::string, Datum> fields_;
  std::size_t layer_ = 0;
  std::vector<std::string> names_;  ///< read since it was last cleared
  std::array<Kinds, 2> kinds_;      ///< by stack
  std::array<bool, 2> kinds_written_{};
};

}  // namespace

std::map<std::string, Datum> map_config(Config& config, const Family& family, SpecLines& lines) {
  return Mapper(config, family, lines).map();
}

}  // namespace monomorph::generator
