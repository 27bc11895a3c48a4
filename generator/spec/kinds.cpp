#include "generator/spec/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/spec/block_type.hpp"
#include "generator/spec/section_reader.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {

TomlValue lay_over(const TomlValue* base, const TomlValue& over, const BoundFields& fields) {
  if (base == nullptr || base->form != TomlValue::Form::table) return over;
  const auto lost = [&](const FieldDescription& field) {
    const std::string type = word_at(over, field.selector);
    return !type.empty() && type != word_at(*base, field.selector) && !field.applies_to(type);
  };
  TomlValue kept = *base;
  std::erase_if(kept.entries, [&](const TomlEntry& entry) {
    for (const auto& [field, slot] : fields) {
      if (field->key != entry.key) continue;
      const bool replaced = over.find(field->in_place_of) != nullptr && over.find(field->key) == nullptr;
      const bool selector_lost = std::any_of(fields.begin(), fields.end(), [&](const BoundField& other) {
        return other.field->key == field->selector && lost(*other.field);
      });
      return replaced || lost(*field) || selector_lost;
    }
    return false;
  });
  return overlay(kept, over);
}

namespace {

/// The norm of one place.
template <class Section>
void read_norm_choice(const std::string& path, const TomlEntry* base, const TomlEntry* kind,
                      Field<NormChoiceOf<Section>>& place, Diagnostics& diagnostics) {
  Section& norm = place.value.norm;
  TomlValue values = base != nullptr ? base->value : TomlValue{};
  const Span file{place.span.source, 0, 0, 1};
  if (kind != nullptr) values = lay_over(&values, kind->value, bind(norm));
  Diagnostics said;  // of the keys that it shares
  if (place.value.own == nullptr) return read_section(&values, path, file, false, bind(norm), said);
  TomlValue keys = *place.value.own;
  keys.is_inline = false;  // laid over, whichever way it is written
  values = lay_over(&values, keys, bind(norm));
  read_section(&values, path, file, true, bind(norm), diagnostics);
}

/// Whether `test` holds of how some sub-block is told positions.
template <class Test>
bool any_position(const LayerKind& kind, const Test& test) {
  const std::vector<const Block*> all = kind.blocks();
  return std::any_of(all.begin(), all.end(), [&](const Block* block) {
    const Field<PositionChoice>* choice = position_choice(*block);
    return choice != nullptr && test(choice->value);
  });
}

/// Reads the kinds of layer, each from the base sections and its own table.
class KindReader {
 public:
  KindReader(const TomlValue& root, const ModelSection& model, const TomlValue* judged, Diagnostics& diagnostics)
      : root_(root), model_(model), judged_(judged), diagnostics_(diagnostics) {}

  /// `table`: [layers.NAME], or null.
  LayerKind read(const TomlValue* table, const std::string& name, const Span& place) {
    table_ = table;
    LayerKind kind;
    kind.name = name;
    kind.identifier = identifier_of(name);
    kind.span = place;
    read_own_keys(kind, place);
    read_steps(kind);
    read_shared("norm", true, bind(kind.norm));
    for (Step& step : kind.steps) {
      for (Block& block : step.blocks) {
        read_block(block, place);
        tell_no_position(block);
      }
      share_input_norm(step);
    }
    read_shared("position", kind.uses_position(), bind(*kind.position));
    refuse_unused(kind);
    for (Step& step : kind.steps) {
      for (Block& block : step.blocks) {
        read_own_position(block);
        if (block.type->complete != nullptr) block.type->complete(block, kind, model_);
      }
    }
    return kind;
  }

  bool steps_are_known() const { return steps_are_known_; }

 private:
  const TomlEntry* base(const std::string& section) const { return root_.find(section); }
  const TomlEntry* over(const std::string& section) const {
    return table_ != nullptr ? table_->find(section) : nullptr;
  }

  /// The keys of [layers] that a kind may have of its own.
  void read_own_keys(LayerKind& kind, const Span& place) {
    const TomlEntry* layers = base("layers");
    LayersSection own;
    for (const auto& [row, slot] : bind(own)) {
      if (row->key == "pattern") continue;
      if (row->fallback.kind == Fallback::Kind::literal) store_fallback(*row, slot, place);
      for (const TomlValue* from : {layers != nullptr ? &layers->value : nullptr, table_}) {
        const TomlEntry* entry = from != nullptr ? from->find(row->key) : nullptr;
        if (entry != nullptr) read_value(entry->value, slot, *row, "layers." + row->key, diagnostics_);
      }
    }
    kind.written_steps = own.steps;
    kind.shared_input_norm = own.shared_input_norm;
    kind.shared_output_norm = own.shared_output_norm;
    kind.residual_scale = own.residual_scale;
    kind.weight_sets = own.weight_sets;
  }

  /// The type of a sub-block: the one that is called so, or what its section says.
  const BlockType* type_of_block(const std::string& instance) const {
    if (const BlockType* type = find_block_type(instance)) return type;
    for (const TomlEntry* section : {over(instance), base(instance)}) {
      const TomlEntry* type = section != nullptr ? section->value.find("block") : nullptr;
      if (type != nullptr && type->value.form == TomlValue::Form::string) return find_block_type(type->value.string);
    }
    return nullptr;
  }

  void read_steps(LayerKind& kind) {
    const Field<std::vector<std::string>>& written = kind.written_steps;
    if (written.value.empty()) {
      steps_are_known_ = false;
      diagnostics_.error("layers.steps_empty", written.span,
                         fmt::format("a layer of the kind {} has no steps; a layer has at least one of {}", kind.name,
                                     one_of(block_type_names())));
    }
    for (const std::string& text : written.value) {
      Step step;
      step.chained = text.find('>') != std::string::npos;
      if (step.chained && text.find('+') != std::string::npos) {
        steps_are_known_ = false;
        diagnostics_.error("layers.steps_mixed", written.span,
                           fmt::format("the step \"{}\" has both + and >: sub-blocks stand side by side or in a chain, "
                                       "not both in one step",
                                       text));
        continue;
      }
      const char between = step.chained ? '>' : '+';
      for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
        end = text.find(between, begin);
        const std::string word = trimmed(text.substr(begin, end - begin));
        const BlockType* type = type_of_block(word);
        if (type == nullptr) {
          report_unknown_step(word, written.span);
        } else if (kind.find(word) != nullptr || has(step, word)) {
          diagnostics_.error("layers.steps_repeat", written.span,
                             fmt::format("the step \"{0}\" occurs twice in one layer, which has weights for one; give "
                                         "the other a section of its own, with block = \"{1}\"",
                                         word, type->name));
        } else {
          step.blocks.push_back(new_block(*type, word));
        }
      }
      step.shared_input_norm = step.has_several() && kind.shared_input_norm.value;
      step.shared_output_norm = step.has_several() && kind.shared_output_norm.value;
      if (!step.blocks.empty()) kind.steps.push_back(std::move(step));
    }
    // Said of all kinds, it concerns those that have sub-blocks side by side.
    if (std::ranges::any_of(kind.steps, &Step::has_several)) return;
    const auto is_own = [&](const char* key) { return table_ != nullptr && table_->find(key) != nullptr; };
    if (!is_own("shared_input_norm")) kind.shared_input_norm.value = false;
    if (!is_own("shared_output_norm")) kind.shared_output_norm.value = false;
  }

  static bool has(const Step& step, const std::string& word) {
    return std::any_of(step.blocks.begin(), step.blocks.end(), [&](const Block& b) { return b.instance == word; });
  }

  void report_unknown_step(const std::string& word, const Span& span) {
    steps_are_known_ = false;
    const TomlEntry* section = base(word);
    if (section != nullptr && is_own_block(*section)) return;  // its type is unknown, which has been reported
    std::vector<std::string> known = block_type_names();
    for (const TomlEntry& entry : root_.entries) {
      if (is_own_block(entry)) known.push_back(entry.key);
    }
    diagnostics_.error("layers.steps_known", span,
                       fmt::format("there is no step \"{}\"; a step is {}, or several of them with + or > between{}",
                                   word, one_of(known), did_you_mean(nearest(word, known))));
  }

  void read_shared(const std::string& name, bool in_effect, const BoundFields& fields) {
    const TomlEntry* shared = base(name);
    const TomlEntry* own = over(name);
    const TomlValue* values = shared != nullptr ? &shared->value : nullptr;
    if (shared == nullptr && own == nullptr) {
      read_section(nullptr, name, root_.span, in_effect, fields, diagnostics_);
      return read_norms(name, fields, base("norm"), over("norm"), diagnostics_);
    }
    TomlValue resolved = own != nullptr ? lay_over(values, own->value, fields) : *values;
    if (find_block_type(name) == nullptr) {  // read with the steps
      std::erase_if(resolved.entries, [](const TomlEntry& entry) { return entry.key == "block"; });
    }
    read_section(&resolved, name, root_.span, in_effect, fields, diagnostics_);
    read_norms(name, fields, base("norm"), over("norm"), diagnostics_);
  }

  void read_block(Block& block, const Span& place) {
    const TomlEntry* own = over(block.instance);
    const TomlEntry* section = own != nullptr ? own : base(block.instance);
    block.span = section != nullptr ? section->value.span : Span{place.source, 0, 0, 1};
    read_shared(block.instance, true, bind_block(block));
  }

  /// Of a source's tokens positions are told where the spec says so.
  static void tell_no_position(Block& block) {
    if (!reads_source(block)) return;
    Field<PositionChoice>& place = block.type->position(block.section);
    if (!place.given) place.value.present = false;
  }

  /// [position] as the kind has it.
  TomlValue position_of_kind(const BoundFields& fields) const {
    const TomlEntry *shared = base("position"), *own = over("position");
    const TomlValue values = shared != nullptr ? shared->value : TomlValue{};
    return own != nullptr ? lay_over(&values, own->value, fields) : values;
  }

  /// type = "none"
  static TomlValue untold(const Span& place) {
    TomlValue type, table;
    type.form = TomlValue::Form::string;
    type.string = "none";
    type.span = table.span = place;
    table.entries.push_back({"type", place, type});
    return table;
  }

  /// The position of a sub-block that does not have the kind's.
  void read_own_position(Block& block) {
    if (block.type->position == nullptr) return;
    Field<PositionChoice>& place = block.type->position(block.section);
    if (place.value.shares()) return;
    const BoundFields fields = bind(*place.value.section);
    TomlValue values = untold(place.span);
    if (place.value.present) {
      TomlValue keys = *place.value.own;
      keys.is_inline = false;  // laid over, whichever way it is written
      const TomlValue shared = position_of_kind(fields);
      values = lay_over(&shared, keys, fields);
    }
    read_section(&values, block.instance + ".position", place.span, true, fields, diagnostics_);
  }

  /// Sub-blocks that read the input norm of another have none of their own, unless they say so.
  static void share_input_norm(Step& step) {
    for (std::size_t i = 1; step.shared_input_norm && i < step.blocks.size(); ++i) {
      Field<NormChoice>& input_norm = step.blocks[i].norms.input_norm;
      if (!input_norm.given) input_norm.value.present = false;
    }
  }

  /// Sections of the kind's table that none of its steps reads, and keys that are no section.
  void refuse_unused(const LayerKind& kind) {
    if (judged_ == nullptr) return;
    std::vector<std::string> keys = section_names(true);
    const std::vector<std::string> of_layers = {"steps", "shared_input_norm", "shared_output_norm", "residual_scale",
                                                "weight_sets"};
    keys.insert(keys.end(), of_layers.begin(), of_layers.end());
    for (const TomlEntry& entry : judged_->entries) {
      const bool shared = entry.key == "norm" || std::ranges::count(of_layers, entry.key) > 0;
      if (shared || kind.find(entry.key) != nullptr || (entry.key == "position" && kind.reads_position())) continue;
      if (std::find(keys.begin(), keys.end(), entry.key) != keys.end() || type_of_block(entry.key) != nullptr) {
        diagnostics_.error("spec.unused_section", entry.key_span,
                           fmt::format("{} is set for a kind of layer that has no step to use it", entry.key));
        continue;
      }
      const std::string suggestion = nearest(entry.key, keys);
      diagnostics_.error("spec.unknown_key", entry.key_span,
                         fmt::format("[layers.{}] has no key {}{}", kind.name, entry.key,
                                     suggestion.empty() ? "; its keys are " + one_of(keys) : did_you_mean(suggestion)));
    }
  }

  const TomlValue& root_;
  const ModelSection& model_;
  const TomlValue* judged_;
  Diagnostics& diagnostics_;
  const TomlValue* table_ = nullptr;
  bool steps_are_known_ = true;
};

}  // namespace

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

KindResult read_kind(const TomlValue& root, const TomlValue* table, const std::string& name, const Span& place,
                     const ModelSection& model, Diagnostics& diagnostics, const TomlValue* judged) {
  KindReader reader(root, model, judged != nullptr ? judged : table, diagnostics);
  LayerKind kind = reader.read(table, name, place);
  return {std::move(kind), reader.steps_are_known()};
}

std::vector<const TomlEntry*> never_used(const TomlValue& root, const std::vector<LayerKind>& kinds) {
  std::vector<const TomlEntry*> result;
  if (kinds.empty()) return result;
  for (const TomlEntry& section : root.entries) {
    const bool position = section.key == "position";
    if (position ? adds_positions(type_of(section.value))
                 : find_block_type(section.key) == nullptr && !is_own_block(section)) {
      continue;
    }
    const auto reads = [&](const LayerKind& kind) {
      return position ? kind.reads_position() : kind.find(section.key) != nullptr;
    };
    if (std::none_of(kinds.begin(), kinds.end(), reads)) result.push_back(&section);
  }
  return result;
}

void refuse_never_used(const TomlValue& root, const std::vector<LayerKind>& kinds, Diagnostics& diagnostics) {
  for (const TomlEntry* section : never_used(root, kinds)) {
    diagnostics.error("spec.unused_section", section->key_span,
                      fmt::format("[{}] is never used: no kind of layer has {}", section->key,
                                  section->key == "position" ? "a step that reads it"
                                                             : fmt::format("the step \"{}\"", section->key)));
  }
}

std::vector<const Block*> LayerKind::blocks() const {
  std::vector<const Block*> result;
  for (const Step& step : steps) {
    for (const Block& block : step.blocks) result.push_back(&block);
  }
  return result;
}

std::vector<const PositionSection*> LayerKind::positions() const {
  std::vector<const PositionSection*> result;
  for (const Block* block : blocks()) {
    if (block->type->position != nullptr && !reads_source(*block)) result.push_back(&position_of(*this, *block));
  }
  return result;
}

bool LayerKind::uses_position() const {
  return any_position(*this, [](const PositionChoice& choice) { return choice.shares(); });
}

bool LayerKind::reads_position() const {
  return any_position(*this, [](const PositionChoice& choice) { return choice.present; });
}

const Block* LayerKind::find(const std::string& instance) const {
  for (const Block* block : blocks()) {
    if (block->instance == instance) return block;
  }
  return nullptr;
}

void read_norms(const std::string& section, const BoundFields& fields, const TomlEntry* base, const TomlEntry* kind,
                Diagnostics& diagnostics) {
  for (const auto& [field, slot] : fields) {
    const std::string path = section + "." + field->key;
    visit_norm(slot, [&](auto& choice) { read_norm_choice(path, base, kind, choice, diagnostics); });
  }
}

bool is_own_block(const TomlEntry& section) {
  const std::vector<std::string> known = section_names();
  return section.value.form == TomlValue::Form::table && section.value.find("block") != nullptr &&
         std::find(known.begin(), known.end(), section.key) == known.end();
}

}  // namespace monomorph::generator
