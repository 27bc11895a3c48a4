#include "generator/import/spec_like.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "generator/import/steps.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/new_spec.hpp"

namespace monomorph::generator {
namespace {

/// A config.json that says nothing but the type of the tensors, so that a family's defaults hold.
JsonFile empty_config() {
  Diagnostics none;
  const auto text = std::make_shared<const Source>(Source{"config.json", R"({"dtype": "bfloat16"})"});
  return *parse_json_file(text, none);
}

constexpr double small_hidden_size = 768, small_experts = 8, small_choice = 2, small_expert = 512, small_groups = 2;
constexpr double small_key_heads = 4;
constexpr double small_query = 384, small_latent = 128;  // what latent attention makes heads of
constexpr std::size_t small_layers = 12;

/// The family with what has to be said as its default; of a list of words one for each layer.
Family with_start(Family family) {
  for (auto& [name, value] : family.start) {
    if (const auto* words = std::get_if<Words>(&value.is)) {
      std::vector<std::string> list;
      while (list.size() < small_layers) list.push_back((*words->list)[list.size() % words->list->size()]);
      value.is = Words{std::make_shared<const std::vector<std::string>>(std::move(list))};
    }
    family.keys.at(name).fallback = value;
  }
  return family;
}

/// A field of the spec, or of a kind of layer, as a family's defaults give it.
struct Size {
  std::string key;  ///< of config.json, where the field is its value; "" where the family works it out
  double value = 0;
};

Size default_size(const Family& family, Config& defaults, const std::string& field) {
  for (const FamilyLine& line : family.lines) {
    if (line.place() + "." + line.key != field || line.value.empty()) continue;
    const Datum datum =
        value_of(line.value, [&](const std::string& name) { return name == "i" ? Datum{0.0} : defaults.value(name); });
    if (!datum.is_null()) return {datum.computed ? "" : datum.name, std::get<double>(datum.is)};
  }
  return {};
}

/// Makes small sizes the defaults of a stack, in its own proportions.
void shrink(Family& small, Config& defaults, std::size_t stack) {
  const std::string prefix = section_prefix(stack);
  const auto find = [&](const std::string& own, const std::string& field) {
    const Size found = default_size(small, defaults, field);
    return found.value != 0 ? found
                            : Size{"", default_size(small, defaults, own).value};  // the model's, made small there
  };
  const auto size = [&](const std::string& field) { return find(field, prefix + field); };
  const auto of_model = [&](const std::string& key) {
    return find("model." + key, (stack == own_stack ? "model." : prefix) + key);
  };
  const Size hidden = of_model("hidden_size"), head = size("attention.head_dim"),
             heads = size("attention.num_attention_heads"), shared = size("attention.num_key_value_heads"),
             layers = of_model("num_hidden_layers");
  Size inner = size("mlp.intermediate_size");
  if (inner.key.empty()) inner = size("layers.dense.mlp.intermediate_size");
  const auto set = [&](const Size& which, double value) {
    if (!which.key.empty()) small.keys.at(which.key).fallback = Datum{value};
  };
  // A width of heads that no key says follows from hidden_size.
  const double num_heads = std::max(1.0, std::floor(small_hidden_size / (head.key.empty() ? 64 : head.value)));
  double shared_heads = std::max(1.0, std::floor(num_heads * shared.value / heads.value));
  while (std::fmod(num_heads, shared_heads) != 0) --shared_heads;
  set(shared, shared_heads);
  set(heads, num_heads);  // after what may be the same key
  set(inner, std::max(1.0, std::round(inner.value / hidden.value * small_hidden_size / 256)) * 256);
  const auto set_at_most = [&](const std::string& field, double most) {
    const Size found = size(field);
    set(found, std::min(found.value, most));
  };
  set_at_most("moe.num_experts", small_experts);
  set_at_most("moe.num_experts_per_tok", small_choice);
  set_at_most("moe.intermediate_size", small_expert);
  set_at_most("moe.num_groups", small_groups);
  set_at_most("moe.num_groups_per_tok", small_groups / 2);
  set_at_most("shared.intermediate_size", small_expert);
  set_at_most("delta_net.num_key_heads", small_key_heads);
  set_at_most("delta_net.num_value_heads", 2 * small_key_heads);
  set_at_most("latent_attention.q_lora_rank", small_query);
  set_at_most("latent_attention.kv_lora_rank", small_latent);
  // Its heads share no width with what it reads, and each has a key of its own.
  const Size latent_heads = size("latent_attention.num_attention_heads");
  set(latent_heads, small_hidden_size / 64);
  const auto keys = small.keys.find("num_key_value_heads");
  if (!latent_heads.key.empty() && keys != small.keys.end()) keys->second.fallback = Datum{small_hidden_size / 64};
  set(hidden, small_hidden_size);
  set(layers, static_cast<double>(small.has_encoder() ? small_layers / 2 : small_layers));
}

/// The family with small sizes as its defaults.
Family shrink(const Family& family) {
  Family small = with_start(family);
  const JsonFile file = empty_config();
  Diagnostics none;  // refusals look at defaults that are about to change
  Config defaults(file, none);
  defaults.resolve(small);
  shrink(small, defaults, own_stack);
  if (family.has_encoder()) shrink(small, defaults, encoder_stack);
  for (auto& [name, key] : small.keys) {
    if (name == "vocab_size" || name.ends_with(".vocab_size")) key.fallback = Datum{32000.0};
  }
  return small;
}

/// The row of a key: of "layers.local.attention" that of [attention], of a sub-block's own section the family's.
const FieldDescription* find_row(const Family& family, const std::string& section, const std::string& key) {
  const std::string own = section.substr(section.rfind('.') + 1);
  for (const FamilyLine& line : family.lines) {
    if (line.section == own && line.key == key) return line.row;
  }
  for (const SectionDescription& each : sections()) {
    if (each.name != own) continue;
    for (const BoundField& field : each.fields) {
      if (field.field->key == key) return field.field;
    }
  }
  return nullptr;
}

/// "Which normalisation: rms_norm, layer_norm or scale_norm": what stands behind a value, which is short.
std::string meaning_of(const FieldDescription& row) {
  constexpr std::size_t longest = 90;
  std::string text = row.meaning;
  if (text.size() > longest) {
    text.resize(std::min({text.find(": "), text.find("; "), text.find(". "), text.rfind(", ", longest), text.size()}));
  }
  return row.choices.empty() || row.choices.size() > 8 ? text : text + ": " + one_of(row.choices);
}

/// What each key means behind it, and behind each section the keys that the family may have there.
SpecLines explained(const SpecLines& lines, const Family& family) {
  SpecLines result;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    result.push_back(*line);
    const FieldDescription* row = find_row(family, line->section, line->key);
    if (!line->key.empty()) result.back().note = row != nullptr ? meaning_of(*row) : "";
    if (std::next(line) != lines.end() && std::next(line)->section == line->section) continue;
    for (const FamilyLine& left_out : family.lines) {
      const bool is_written = std::ranges::any_of(
          lines, [&](const SpecLine& each) { return each.section == line->section && each.key == left_out.key; });
      if (left_out.whole_section() != line->section || !left_out.kind.empty() || is_written) continue;
      row = left_out.row;
      if (row == nullptr || row->selector != "type") continue;  // of what another key asks for
      result.push_back({line->section, "", "", fmt::format("{} = ...  # {}", row->key, meaning_of(*row))});
    }
  }
  return result;
}

}  // namespace

const Family& find_family_like(const std::string& word) {
  std::vector<std::string> all, similar;
  const std::string start = word.substr(0, std::min<std::size_t>(word.size(), 3));
  for (const auto& [name, family] : families()) {
    if (name == word || family.model_type == word || std::ranges::count(family.architectures, word) > 0) return family;
    all.push_back(name);
    if (!start.empty() && name.starts_with(start)) similar.push_back(name);
  }
  const std::string near = nearest(word, all);
  if (!near.empty() && std::ranges::count(similar, near) == 0) similar.insert(similar.begin(), near);
  throw EnvironmentError(fmt::format("--like {}: there is no such family; {} {}", word,
                                     similar.empty() ? "there are" : "similar names are",
                                     fmt::join(similar.empty() ? all : similar, ", ")));
}

std::string spec_like(const std::string& name, const Family& family) {
  const Family small = shrink(family);
  const JsonFile file = empty_config();
  Diagnostics found;
  Config config(file, found);
  const ImportedModel model = {name, "", "",
                               [&](const CheckpointSection& names, bool tied, SpecLines& lines) {
                                 read_checkpoint(config, "", small, names, tied, lines, found);
                               },
                               [](SpecLines&) {}};
  const SpecLines lines = lines_of(small, config, model, {}, found);
  if (found.has_errors()) throw InternalError("new --like " + family.name + ": " + render(found));
  const std::string heading =
      fmt::format("{}: a small decoder as {} makes it. Change what differs; `monomorph check` says what does not", name,
                  family.architectures.front());
  const char* const more =
      "# fit, and `monomorph check --explain` writes out every default. models/README.md has the reference of every "
      "key.\n";
  std::string text = write_spec(heading, explained(lines, small), config.source()).text;
  return text.insert(text.find('\n') + 1, more) + engine_to_uncomment();
}

}  // namespace monomorph::generator
