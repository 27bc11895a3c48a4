#include "generator/audit/config_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <sstream>

#include "generator/blocks/pooling.hpp"
#include "generator/expression/node.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/document.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/list_properties.hpp"
#include "generator/spec/sources.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

using Form = ExpressionNode::Form;

/// An expression as facts have it. `kind`: what that name stands for.
Json tree_of(const ExpressionNode& node, const Json& kind) {
  if (node.form == Form::number && node.type == Type::integer) return static_cast<std::int64_t>(node.value);
  if (node.form == Form::number) return node.value;
  if (node.form == Form::word) return "'" + node.word;
  if (node.form == Form::widened) return tree_of(*node.operands[0], kind);
  if (node.form == Form::name) {
    if (node.word == "null") return {};
    if (node.word == "true" || node.word == "false") return node.word == "true";
    return node.word == "kind" ? kind : Json(node.word);
  }
  Json tree = Json::array({node.form == Form::inversion     ? "!"
                           : node.form == Form::conditional ? "?"
                           : node.form == Form::index       ? "[]"
                           : node.form == Form::negation    ? "-"
                                                            : node.word});
  if (node.form == Form::negation) tree.push_back(0);
  for (const ExpressionNode::Pointer& operand : node.operands) tree.push_back(tree_of(*operand, kind));
  return tree;
}

/// What an expression names, or with `words` the words in it.
std::set<std::string> strings_in(const Json& tree, bool words = false) {
  std::set<std::string> found;
  const std::function<void(const Json&)> visit = [&](const Json& part) {
    for (std::size_t i = 1; part.is_array() && i < part.size(); ++i) visit(part[i]);
    if (!part.is_string()) return;
    const std::string& text = part.string();
    if (text.starts_with('\'') == words) found.insert(words ? text.substr(1) : text);
  };
  visit(tree);
  return found;
}

/// The value that a line of TOML has; of a list of one, that one; a text where JSON has no such value, or a list that
/// is not of numbers.
Json from_toml(const std::string& text) {
  const std::optional<Json> value = Json::try_parse(text);
  const auto is_number = [](const Json& each) { return each.is_number(); };
  if (value && value->is_array() && std::all_of(value->begin(), value->end(), is_number)) return *value;
  if (value && value->is_array() && value->size() == 1) return (*value)[0];
  return !value || value->is_structured() ? Json(text) : *value;
}

/// Whether a constant is one of the fact's values.
bool accepts(const Json& fact, const Json& constant) {
  const Json value = constant.is_string() ? Json(constant.string().substr(1)) : constant;
  return std::find(fact[2].begin(), fact[2].end(), value) != fact[2].end();
}

/// Whether keys of config.json can make the expression one of the fact's values.
bool can_hold(const Json& fact, const Json& tree) {
  if (tree.is_array() && (tree[0] == "?" || tree[0] == "??")) {
    return can_hold(fact, tree[tree.size() - 2]) || can_hold(fact, tree.back());
  }
  const bool is_key = tree.is_string() && !tree.string().starts_with('\'');
  return tree.is_array() || is_key ? !fact[2].empty() : accepts(fact, tree);
}

/// A section of the model, or of a kind of layer.
struct Place {
  std::string section;
  BoundFields fields;
  ExpressionNames numbers = {};  ///< that its expressions may name
};

/// A fact, and the layers of a stack that it holds of; none: it holds of the model.
struct FactOfLayers {
  Json fact;
  std::size_t stack;
  std::vector<std::size_t> layers;
};

class FactsOfSpec {
 public:
  FactsOfSpec(const Spec& spec, const Family& family, Meanings& meanings)
      : spec_(spec), family_(family), meanings_(meanings) {
    for (const std::size_t stack : {own_stack, encoder_stack}) {
      if (!family.kinds[stack].empty()) kinds_[stack] = tree_of(*family.kinds[stack].root, {});
    }
  }

  Json facts() {
    const ExpressionNames numbers = model_numbers(spec_.model);
    add({{"model", bind(spec_.model)},
         {"embedding", bind(*spec_.embedding), numbers},
         {"norm", bind(spec_.norm)},
         pools(*spec_.pooling) ? Place{"pooling", bind(*spec_.pooling), numbers}
                               : Place{"lm_head", bind(*spec_.lm_head), numbers}},
        nullptr);
    for (std::size_t index = 0; index < spec_.kinds.size(); ++index) {
      LayerKind& kind = spec_.kinds[index];
      LayersSection layers;
      layers.repeat = spec_.repeat;
      layers.steps = kind.written_steps;
      layers.shared_input_norm = kind.shared_input_norm;
      layers.shared_output_norm = kind.shared_output_norm;
      layers.residual_scale = kind.residual_scale;
      layers.weight_sets = kind.weight_sets;
      if (kind.stack == encoder_stack) layers.repeat = spec_.encoder->repeat;
      const std::string stack = section_prefix(kind.stack);
      const ModelSection& model = spec_.model_of(kind.stack);
      std::vector<Place> places = {{stack + "norm", bind(kind.norm)},
                                   {stack + "position", bind(*kind.position)},
                                   {stack + "layers", bind(layers), model_numbers(model)}};
      for (Step& step : kind.steps) {
        for (Block& block : step.blocks) {
          places.push_back({stack + block.instance, bind_block(block), spec_numbers({model, kind, block})});
        }
      }
      std::vector<std::size_t> of_kind;
      const std::vector<std::size_t>& kinds = kinds_of(kind.stack);
      for (std::size_t layer = 0; layer < kinds.size(); ++layer) {
        if (kinds[layer] == index) of_kind.push_back(layer);
      }
      add(places, &kind, of_kind);
    }
    if (spec_.encoder) {
      EncoderSpec& encoder = *spec_.encoder;
      add({{"encoder", bind(*encoder.section)},
           {"encoder.embedding", bind(*encoder.embedding), model_numbers(encoder.model)}},
          nullptr);
    }
    Json result = Json::array();
    for (const auto& [fact, stack, layers] : facts_) {
      if (strings_in(fact[1]).empty() && accepts(fact, fact[1])) continue;  // whatever config.json says
      result.push_back(fact);
      // An engine counts the model's own layers.
      const bool are_told = stack == own_stack ? layers.size() < spec_.layer_kinds.size() : names_layer(fact[1]);
      if (!layers.empty() && are_told) result.back().push_back(layers);
    }
    // Of the spec's own family, layers.steps says that no layer has what the spec has no section of.
    const bool own = spec_.checkpoint->names.value == family_.name;
    for (const FamilyLine& line : family_.lines) {
      if (!own && !known_.contains(line.whole_section()) && line.section != tensors_section) {
        result.push_back(Json::array({line.field(), tree_of_field(line.field()), Json::array({Json()})}));
      }
    }
    return result;
  }

 private:
  static bool names_layer(const Json& tree) { return strings_in(tree).contains("i"); }

  /// The field as config.json has it; null where the family never says it.
  Json tree_of_field(const std::string& field) const {
    const auto tree = [&](const FamilyLine* line) {
      if (line == nullptr) return Json();
      return line->value.empty() ? Json("'" + line->text) : tree_of(*line->value.root, kinds_[line->stack]);
    };
    Json result = tree(family_.find_line(field));
    for (const FamilyLine& line : family_.lines) {
      if (line.kind.empty() || line.field() != field) continue;
      result = Json::array({"?", Json::array({"==", kinds_[line.stack], "'" + line.kind}), tree(&line), result});
    }
    return result;
  }

  /// Of each layer of a stack, the index of its kind.
  const std::vector<std::size_t>& kinds_of(std::size_t stack) const {
    return stack == encoder_stack ? spec_.encoder->layer_kinds : spec_.layer_kinds;
  }

  void add(const std::vector<Place>& places, const LayerKind* kind, const std::vector<std::size_t>& layers = {}) {
    static const std::set<std::string> never = {"model.name", "model.max_position_embeddings", "layers.pattern",
                                                "encoder.max_position_embeddings", "encoder.layers.pattern"};
    for (const auto& [section, fields, numbers] : places) {
      known_.insert(section);
      for (const auto& [row, slot] : fields) {
        const std::string field = section + "." + row->key;
        if (std::ranges::any_of(family_.lines,
                                [&](const FamilyLine& line) { return line.field().starts_with(field + "."); })) {
          visit_norm(slot, [&](auto& choice) { add({{field, bind(choice.value.norm), numbers}}, kind, layers); });
          continue;
        }
        const Json tree = tree_of_field(field);
        if (never.contains(field) || !applies(*row, fields) || (tree.is_null() && !is_given(slot))) continue;
        Json fact = Json::array({field, tree, Json::array({value_in(slot, *row, numbers)})});
        // Whether the checkpoint has the tensor is its audit's business.
        const auto by_tensor = [&](const ToldByTensor& told) {
          return told.field == field && (told.value.empty() || accepts(fact, tree_of(*told.value.root, {})));
        };
        if (std::ranges::any_of(family_.told_by_tensor, by_tensor)) continue;
        for (const Json& value : candidates(tree, *row)) {
          if (accepts(fact, value) || !means_the_same(section, row->key, value, slot, kind)) continue;
          fact[2].push_back(value.is_string() ? Json(value.string().substr(1)) : value);
        }
        const auto same = std::ranges::find(facts_, fact, &FactOfLayers::fact);
        if (same == facts_.end()) {
          facts_.push_back({fact, kind != nullptr ? kind->stack : own_stack, layers});
        } else {
          same->layers.insert(same->layers.end(), layers.begin(), layers.end());
        }
      }
    }
  }

  static bool is_given(const Slot& slot) {
    return std::visit(
        [](const auto* stored) {
          if constexpr (requires { stored->given; }) return stored->given;
          return true;
        },
        slot);
  }

  /// An expression that is a number is that number.
  static Json value_in(const Slot& slot, const FieldDescription& row, const ExpressionNames& numbers) {
    if (is_absent(slot)) return {};
    const auto* text = std::get_if<Field<std::string>*>(&slot);
    if (text == nullptr || !row.is_expression) return from_toml(write_value(slot));
    Diagnostics none;
    const auto constant = parse_expression((*text)->value, {}, numbers, Type::real, none);
    return constant ? Json(evaluate(*constant, {})) : Json((*text)->value);
  }

  bool may_be_null(const Json& tree) const {
    if (tree.is_string()) {
      const auto key = family_.keys.find(tree.string());
      return key != family_.keys.end() && key->second.optional;
    }
    if (!tree.is_array()) return tree.is_null();
    if (tree[0] == "?") return may_be_null(tree[2]) || may_be_null(tree[3]);
    return tree[0] == "??" ? may_be_null(tree[2]) : tree[0] == "[]";
  }

  /// What may come out of an expression and be another way to say what the spec says.
  std::vector<Json> candidates(const Json& tree, const FieldDescription& row) const {
    const std::set<std::string> names = strings_in(tree);
    if (names.empty()) return {tree};
    std::vector<Json> values;
    if (may_be_null(tree)) values.emplace_back();
    std::set<std::string> words = strings_in(tree, true);
    const bool is_word = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return family_.keys.contains(name) && family_.keys.at(name).form->type == Type::word;
    });
    if (is_word) words.insert(row.choices.begin(), row.choices.end());
    for (const auto& [activation, text] : named_activations()) {
      if (is_word && row.is_expression) words.insert(activation);
    }
    for (const std::string& word : words) values.emplace_back("'" + word);
    return values;
  }

  /// A pattern that ends in this kind of layer, behind the kinds that it reads of.
  std::string pattern_to(const LayerKind& kind) const {
    std::string before;
    for (const Block* block : kind.blocks()) {
      const auto source = std::ranges::find(spec_.kinds, kind_read_by(*block), &LayerKind::name);
      if (source != spec_.kinds.end()) before += pattern_to(*source) + ", ";
    }
    return before + write_string(kind.in_pattern);
  }

  /// Whether the layers of this kind (null: the model) are the same with `value` in the field's place.
  bool means_the_same(const std::string& section, const std::string& key, const Json& value, const Slot& slot,
                      const LayerKind* kind) {
    // A window that no sequence is longer than is none.
    const auto* window = std::get_if<Field<std::int64_t>*>(&slot);
    const std::size_t stack = kind != nullptr ? kind->stack : own_stack;
    const Field<std::int64_t>& positions = spec_.model_of(stack).max_position_embeddings;
    if ((key == "sliding_window" || key == "chunk_size") && value.is_null() && positions.given &&
        (*window)->value >= positions.value) {
      return true;
    }
    const std::string of_stack = section_prefix(stack);
    std::vector<Override> alone;
    if (kind != nullptr && !kind->in_pattern.empty()) {
      alone = {{of_stack + "layers.pattern", "[" + pattern_to(*kind) + "]"}};
    }
    const std::optional<Meaning>& as_it_is = meanings_.of(alone);
    std::vector<std::string> places = {section + "." + key};
    if (!alone.empty()) {
      const std::string own = places.front().substr(of_stack.size());
      places.push_back(of_stack + "layers." + write_key(kind->in_pattern) + "." +
                       (own.starts_with("layers.") ? key : own));
    }
    if (value.is_null()) {
      for (const std::string& place : places) alone.push_back({place, std::nullopt});
    } else {
      std::string text = value.is_string() ? value.string().substr(1) : value.dump();
      if (std::holds_alternative<Field<std::string>*>(slot)) text = write_string(text);
      if (std::holds_alternative<Field<std::vector<std::string>>*>(slot)) text = "[" + write_string(text) + "]";
      alone.push_back({places.back(), text});
    }
    const std::optional<Meaning>& changed = meanings_.of(alone);
    return as_it_is && changed && same(*as_it_is, *changed);
  }

  Spec spec_;  ///< its own: fields are bound to be read, and binding may write
  const Family& family_;
  Meanings& meanings_;
  std::array<Json, 2> kinds_;    ///< what says the kind of a layer, by stack
  std::set<std::string> known_;  ///< sections
  std::vector<FactOfLayers> facts_;
};

Json json_of(const Datum& value, Type type) {
  if (const auto* number = std::get_if<double>(&value.is)) {
    if (type == Type::boolean) return *number != 0;
    return type == Type::integer ? Json(static_cast<std::int64_t>(*number)) : Json(*number);
  }
  const auto* word = std::get_if<std::string>(&value.is);
  return word != nullptr ? Json(*word) : Json();
}

/// Whether the family has names for every tensor of the spec, and its matrices lie the same way.
bool names_tensors_of(const Family& family, const Contract& contract) {
  const CheckpointSection& checkpoint = family.checkpoint;
  std::vector<std::string> prefixes = checkpoint.prefix.value;
  prefixes.emplace_back("");
  std::set<std::pair<std::string, bool>> names;
  for (const std::string& prefix : prefixes) {
    for (const auto& [part, tensor] : checkpoint.tensors) {
      for (const char* suffix : {"", ".weight"}) names.emplace(prefix + tensor.name + suffix, tensor.transposed);
      names.emplace(prefix + tensor.name + ".bias", false);
    }
    for (const FamilyLine& line : family.lines) {
      if (line.section != tensors_section) continue;
      for (const std::string& name : strings_in(tree_of(*line.value.root, {}), true)) {
        for (const char* suffix : {".weight", ".bias"}) names.emplace(prefix + name + suffix, false);
      }
    }
  }
  return std::all_of(contract.weights.begin(), contract.weights.end(), [&](const WeightContract& weight) {
    return std::all_of(weight.sources.begin(), weight.sources.end(), [&](const CheckpointPart& source) {
      const bool transposed = source.view.transposed != source.turned;
      // Blocks are a row's, whichever way round wider types lie.
      return names.contains({source.pattern(), transposed}) ||
             (weight.file_dtype() == Dtype::mxfp4 && names.contains({source.pattern(), !transposed}));
    });
  });
}

/// A line for every key and every fact.
std::string as_lines(const Json& family) {
  std::string text;
  for (const auto& [key, value] : family.members()) {
    std::string items;
    for (std::size_t i = 0; value.is_structured() && i < value.size(); ++i) {
      const Json& item = value.begin()[i];
      if (!item.is_structured()) continue;
      const std::string name = value.is_object() ? Json(value.keys()[i]).dump() + ": " : "";
      items += (items.empty() ? "\n  " : ",\n  ") + name + item.dump();
    }
    text += fmt::format("{}{}: ", text.empty() ? "{" : ",\n ", Json(key).dump());
    text += items.empty() ? value.dump() : value.is_object() ? "{" + items + "}" : "[" + items + "]";
  }
  return text + "}";
}

Json facts_of(const Spec& spec, const Family& family, Meanings& meanings) {
  Json result = Json::object({{"architectures", family.architectures},
                              {"model_type", family.model_type},
                              {"keys", Json::object()},
                              {"facts", FactsOfSpec(spec, family, meanings).facts()},
                              {"only", Json::object()},
                              {"refused", Json::array()}});
  std::set<std::string> names;
  for (const Json& fact : result["facts"]) names.merge(strings_in(fact[1]));
  const std::set<std::string> in_facts = names;
  const Expression& of_layer = family.kinds[own_stack];
  const Json kind = of_layer.empty() ? Json() : tree_of(*of_layer.root, {});
  for (const FamilyRefusal& refusal : family.refusals) {
    Json row = Json::array({tree_of(*refusal.when.root, kind), refusal.texts[0]});
    std::set<std::string> own = strings_in(row[0]);
    // Fields show what their keys say, and not that a key has to say it.
    const bool is_shown = std::includes(in_facts.begin(), in_facts.end(), own.begin(), own.end());
    if (is_shown && refusal.rule != "import.missing_key") continue;
    for (std::size_t i = 0; i < refusal.shown.size(); ++i) {
      row.push_back(tree_of(*refusal.shown[i].root, kind));
      row.push_back(refusal.texts[i + 1]);
      names.merge(strings_in(row[row.size() - 2]));
    }
    names.merge(own);
    result["refused"].push_back(std::move(row));
  }
  for (const auto& [name, key] : family.keys) {
    const auto says = [&, &key_name = name](std::string_view property) {
      return names.contains(key_name + std::string(property));
    };
    if (!names.contains(name) && std::ranges::none_of(list_properties, says)) continue;
    Json& row = result["keys"][name] = Json::array({key.fallback ? json_of(*key.fallback, key.form->type) : Json()});
    for (std::size_t i = 1; i < key.paths.size(); ++i) row.push_back(key.paths[i]);
  }
  for (const auto& [path, only] : family.only) {
    std::istringstream values(only.runs);
    for (std::string value; values >> value;) result["only"][path].push_back(Json::parse(value));
  }
  return result;
}

}  // namespace

Json config_facts(const Spec& spec, Meanings& meanings, const Family& family) {
  return facts_of(spec, family, meanings);
}

std::string config_facts(const Spec& spec, Meanings& meanings, const Contract& contract) {
  std::string text;
  for (const auto* of : {&families(), &gguf_families()}) {
    for (const auto& [name, family] : *of) {
      if (!names_tensors_of(family, contract)) continue;
      const Json facts = facts_of(spec, family, meanings);
      const bool can_agree = std::all_of(facts["facts"].begin(), facts["facts"].end(),
                                         [](const Json& fact) { return can_hold(fact, fact[1]); });
      if (can_agree) text += (text.empty() ? "[" : ",\n") + as_lines(facts);
    }
  }
  return text.empty() ? text : text + "]";
}

}  // namespace monomorph::generator
