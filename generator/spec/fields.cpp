#include "generator/spec/fields.hpp"

#include <algorithm>
#include <list>

#include "generator/blocks/block.hpp"
#include "generator/spec/checkpoint_names.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {
namespace {

template <class Section>
SectionDescription describe_section(std::string name, std::string meaning, bool in_kinds = false) {
  static Section example;  // for the slots' alternatives alone
  return {std::move(name), std::move(meaning), in_kinds, bind(example)};
}

SectionDescription describe_block(const BlockType& type) {
  static std::list<Block> examples;
  return {type.name, type.meaning, true, bind_block(examples.emplace_back(new_block(type, type.name)))};
}

}  // namespace

bool FieldDescription::applies_to(const std::string& type) const {
  return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
}

bool applies(const FieldDescription& field, const BoundFields& section) {
  std::string selected;
  for (const auto& [row, slot] : section) {
    const auto* word = std::get_if<Field<std::string>*>(&slot);
    if (row->key == field.selector && word != nullptr) selected = (*word)->value;
  }
  return field.applies_to(selected);
}

template <>
const std::vector<FieldRow<ModelSection>>& fields() {
  using S = ModelSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("name", at(&S::name), required(), "",
             "Names the engine's executable; emitted code says model_<name>, with _ for what is not alphanumeric"),
      row<S>("vocab_size", at(&S::vocab_size), required(), "tokens", "Tokens the model knows"),
      row<S>("hidden_size", at(&S::hidden_size), required(), "elements", "Width of the residual stream"),
      row<S>("num_hidden_layers", at(&S::num_hidden_layers), required(), "layers", "Layers"),
      row<S>("max_position_embeddings", at(&S::max_position_embeddings), required(), "tokens",
             "Longest sequence the model was made for; rows of a learned position table"),
  };
  return rows;
}

template <>
const std::vector<FieldRow<NormSection>>& fields() {
  using S = NormSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("type", at(&S::type), required(), "", "Which normalisation", {"rms_norm", "layer_norm", "scale_norm"}),
      row<S>("eps", at(&S::eps), required(), "",
             "Added to the mean square or the variance; for scale_norm, to the sum of squares"),
      row<S>("weight", at(&S::weight), literal("true"), "", "Whether what is normed is multiplied by weights", {},
             {"rms_norm", "layer_norm"}),
      row<S>("weight_offset", at(&S::weight_offset), literal("0.0"), "",
             "Added to the weights: 1.0 where a checkpoint keeps them around zero"),
      row<S>("bias", at(&S::bias), literal("true"), "", "Whether a vector is added after the weights", {},
             {"layer_norm"}),
  };
  return rows;
}

template <>
const std::vector<FieldRow<PositionSection>>& fields() {
  using S = PositionSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("type", at(&S::type), required(), "",
             "How positions are told: rotated queries and keys (half layout), scores that fall with the distance by a "
             "slope of each head (ALiBi), a learned table, or not at all",
             {"rope", "alibi", "learned", "none"}),
      row<S>("rope_theta", at(&S::rope_theta), literal("10000.0"), "", "Base of the rotary frequencies", {}, {"rope"}),
      row<S>("rotary_dim", at(&S::rotary_dim), computed("head_dim"), "elements",
             "Elements of a head that are rotated, from its first", {}, {"rope"}),
      row<S>("scaling", at(&S::scaling), literal("\"none\""), "",
             "What makes the frequencies those of longer sequences: positions divided by factor, or slow angles alone",
             {"none", "linear", "llama3", "yarn"}, {"rope"}),
      where("scaling", {"linear", "llama3", "yarn"},
            row<S>("factor", at(&S::factor), required(), "", "How many times longer sequences are made")),
      where("scaling", {"linear", "llama3", "yarn"},
            row<S>("original_max_position_embeddings", at(&S::original_max_position_embeddings),
                   computed("max_position_embeddings"), "tokens",
                   "Longest sequence before it was made longer; times factor, what engine.max_sequence_length may be")),
      where("scaling", {"llama3"},
            row<S>("low_freq_factor", at(&S::low_freq_factor), required(), "turns",
                   "Angles that turn less often in the original length are divided by factor")),
      where("scaling", {"llama3"},
            row<S>("high_freq_factor", at(&S::high_freq_factor), required(), "turns",
                   "Angles that turn more often in the original length stay as they are")),
      where("scaling", {"yarn"},
            row<S>("beta_fast", at(&S::beta_fast), literal("32.0"), "turns",
                   "Angles that turn more often in the original length stay as they are")),
      where("scaling", {"yarn"},
            row<S>("beta_slow", at(&S::beta_slow), literal("1.0"), "turns",
                   "Angles that turn less often in the original length are divided by factor")),
      where("scaling", {"yarn"},
            row<S>("truncate", at(&S::truncate), literal("true"), "",
                   "Whether the first and the last angle between the two are rounded to whole ones")),
      where("scaling", {"yarn"},
            row<S>("attention_factor", at(&S::attention_factor), computed("1 + 0.1 * log(factor), and at least 1"), "",
                   "Factor of cosines and sines, of queries and keys")),
  };
  return rows;
}

template <>
const std::vector<FieldRow<EmbeddingSection>>& fields() {
  using S = EmbeddingSection;
  static const std::vector<FieldRow<S>> rows = {
      expression(row<S>("scale", at(&S::scale), literal("\"1\""), "",
                        "Factor of the token embeddings: an expression of the model's own numbers")),
      row<S>("norm", at(&S::norm), literal("false"), "",
             "Normalise embeddings, positions added: true, false, or keys laid over those of [norm]"),
  };
  return rows;
}

template <>
const std::vector<FieldRow<SubBlockNorms>>& fields() {
  using S = SubBlockNorms;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("input_norm", at(&S::input_norm), literal("true"), "",
             "Normalise what the sub-block reads: true, false, or keys laid over those of [norm]"),
      row<S>("output_norm", at(&S::output_norm), literal("false"), "",
             "Normalise what the sub-block adds to the residual stream"),
      row<S>("residual_norm", at(&S::residual_norm), literal("false"), "",
             "Normalise the residual stream after the addition"),
      row<S>("residual_from", at(&S::residual_from), literal("\"stream\""), "",
             "What the output is added to: the residual stream, or what input_norm makes of it",
             {"stream", "input_norm"}),
  };
  return rows;
}

template <>
const std::vector<FieldRow<LayersSection>>& fields() {
  using S = LayersSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("pattern", at(&S::pattern), computed("one kind, made of the sections above"), "",
             "Kinds of layer in order, repeated and cut at the end; with counts (\"dense * 3\") they must add up"),
      row<S>("repeat", at(&S::repeat), literal("1"), "",
             "How often all layers run, one time after the other, over the same weights. Each time has keys and values "
             "of its own"),
      row<S>("steps", at(&S::steps), literal("[\"attention\", \"mlp\"]"), "",
             "Sub-blocks of a layer, one after the other on the residual stream; those of \"attention + mlp\" read it "
             "side by side, and it becomes the sum of all"),
      row<S>("shared_input_norm", at(&S::shared_input_norm), literal("false"), "",
             "Whether sub-blocks side by side read one normed input, by the input norm of the first"),
  };
  return rows;
}

template <>
const std::vector<FieldRow<LmHeadSection>>& fields() {
  using S = LmHeadSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("tie_word_embeddings", at(&S::tie_word_embeddings), literal("false"), "",
             "Whether the head is the embedding's matrix"),
      in_place_of("logits",
                  expression(row<S>(
                      "softcap", at(&S::softcap), computed("none"), "",
                      "Logits become softcap * tanh(logits / softcap): an expression of the model's own numbers"))),
      in_place_of("softcap",
                  expression(row<S>("logits", at(&S::logits), computed("none"), "",
                                    "An expression of x, what the head's matrix gives, and the model's own numbers"))),
  };
  return rows;
}

template <>
const std::vector<FieldRow<CheckpointSection>>& fields() {
  using S = CheckpointSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("names", at(&S::names), computed("none: every name stands in tensors"), "",
             "A named table of tensor names; lines of tensors override it", {"llama", "gpt2"}),
      row<S>("dtype", at(&S::dtype), required(), "", "Type of the checkpoint's tensors", dtype_names()),
      row<S>("dtypes", at(&S::dtypes), computed("none"), "",
             "Pattern of part names (with *) = type, for tensors of another type; the last that matches holds"),
      row<S>("prefix", at(&S::prefix), computed("that of names, or [\"\"]"), "",
             "One of these stands before every tensor's name"),
      row<S>("tensors", at(&S::tensors), computed("those of names"), "",
             "Part = name, or { name, transposed, fused, interleaved, exact }; .weight and .bias are implied unless "
             "exact"),
      row<S>("ignore", at(&S::ignore), computed("those of names"), "",
             "Tensors that may be present and are not used: { name, why }"),
  };
  return rows;
}

template <>
const std::vector<FieldRow<ImportSection>>& fields() {
  using S = ImportSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("ignored", at(&S::ignored), computed("none"), "",
             "Key of config.json = why import was told to ignore it; a record, which changes nothing"),
  };
  return rows;
}

template <>
const std::vector<FieldRow<TokenizerSection>>& fields() {
  using S = TokenizerSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("bos_token_id", at(&S::bos_token_id), computed("none"), "", "Token that begins a sequence"),
      row<S>("eos_token_id", at(&S::eos_token_id), computed("none"), "", "Token that ends a generation, or a list"),
  };
  return rows;
}

template <>
const std::vector<FieldRow<ChatSection>>& fields() {
  using S = ChatSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("template", at(&S::text), computed("none: the engine does not chat"), "",
             "Jinja template of a conversation, as transformers reads it; compiled into the engine"),
      row<S>("special_tokens", at(&S::special_tokens), computed("none"), "",
             "Variable = text, beside what a conversation gives: bos_token, eos_token"),
  };
  return rows;
}

template <>
const std::vector<FieldRow<EngineSection>>& fields() {
  using S = EngineSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("max_sequence_length", at(&S::max_sequence_length), computed("min(max_position_embeddings, 4096)"),
             "tokens", "Tokens the KV cache has room for"),
      row<S>("kv_cache", at(&S::kv_cache), computed("\"f32\" where checkpoint.dtype is f32, else \"f16\""), "",
             "Type of cached keys and values", {"f16", "f32"}),
      row<S>("weights", at(&S::weights), computed("the checkpoint's types"), "",
             "Type that matrices which are wider in the checkpoint are converted to when they are loaded",
             {"f16", "bf16", "q8_0", "q4_0"}),
      row<S>("prefill_chunk", at(&S::prefill_chunk), computed("min(128, max_sequence_length)"), "tokens",
             "Tokens of a prompt that are run at once"),
      row<S>("max_batch", at(&S::max_batch), literal("1"), "slots", "Sequences that the engine remembers at once"),
      row<S>("fusion", at(&S::fusion), literal("true"), "",
             "Whether a kernel computes several operations where it can; false is slower, and for finding faults"),
  };
  return rows;
}

const std::vector<SectionDescription>& sections() {
  static const std::vector<SectionDescription> result = [] {
    std::vector<SectionDescription> all = {
        describe_section<ModelSection>("model", "The model as a whole."),
        describe_section<EmbeddingSection>("embedding", "From token ids to the residual stream."),
        describe_section<NormSection>("norm", "Normalisation, in the layers and before the head.", true),
        describe_section<PositionSection>("position", "How attention knows where a token stands.", true),
    };
    for (const BlockType& type : block_types()) all.push_back(describe_block(type));
    for (const SectionDescription& section : {
             describe_section<LayersSection>(
                 "layers",
                 "The kinds of layer. `[layers.NAME]` says what differs for the kind NAME: steps, shared_input_norm, "
                 "norm, position, and the sub-blocks."),
             describe_section<LmHeadSection>("lm_head", "From the last hidden state to logits."),
             describe_section<CheckpointSection>("checkpoint", "Where the weights stand, and their types."),
             describe_section<ImportSection>("import", "What import left out."),
             describe_section<TokenizerSection>("tokenizer", "Special tokens."),
             describe_section<ChatSection>("chat", "How a conversation is written down for the model."),
             describe_section<EngineSection>("engine", "Capacities of the engine."),
         }) {
      all.push_back(section);
    }
    return all;
  }();
  return result;
}

std::vector<std::string> section_names(bool in_kinds) {
  std::vector<std::string> result;
  for (const SectionDescription& section : sections()) {
    if (!in_kinds || section.in_kinds) result.push_back(section.name);
  }
  return result;
}

std::string one_of(const std::vector<std::string>& choices) {
  std::string result;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) result += i + 1 == choices.size() ? " or " : ", ";
    result += choices[i];
  }
  return result;
}

}  // namespace monomorph::generator
