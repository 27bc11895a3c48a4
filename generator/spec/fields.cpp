#include "generator/spec/fields.hpp"

#include <algorithm>

#include "generator/spec/chat_section.hpp"
#include "generator/spec/checkpoint_names.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/engine_section.hpp"
#include "generator/spec/family_files.hpp"
#include "generator/spec/field_rows.hpp"
#include "generator/spec/held_members.hpp"
#include "generator/spec/import_section.hpp"
#include "generator/spec/tokenizer_section.hpp"
#include "runtime/program/program.hpp"

namespace monomorph::generator {

bool FieldDescription::applies_to(const std::string& type) const {
  return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
}

std::optional<Span> given_at(const Slot& slot) {
  return std::visit(
      [](const auto* stored) -> std::optional<Span> {
        if constexpr (requires { stored->given; }) {
          if (stored->given) return stored->span;
        }
        return std::nullopt;
      },
      slot);
}

Field<std::string>* find_word(const BoundFields& section, const std::string& key) {
  for (const auto& [row, slot] : section) {
    const auto* word = std::get_if<Field<std::string>*>(&slot);
    if (row->key == key && word != nullptr) return *word;
  }
  return nullptr;
}

bool applies(const FieldDescription& field, const BoundFields& section) {
  const Field<std::string>* selected = find_word(section, field.selector);
  return field.applies_to(selected != nullptr ? selected->value : "");
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
      row<S>("max_position_embeddings", at(&S::max_position_embeddings), computed("none; learned positions ask for it"),
             "tokens", "Longest sequence the model was made for; rows of a learned position table"),
  };
  return rows;
}

template class Held<ModelSection>;

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

template class Held<NormSection>;

template <>
const std::vector<FieldRow<HeadNormSection>>& fields() {
  using S = HeadNormSection;
  static const std::vector<FieldRow<S>> rows = [] {
    std::vector<FieldRow<S>> all;
    for (const FieldRow<NormSection>& row : fields<NormSection>()) all.push_back({row, row.slot});
    all.push_back(row<S>("over", at(&S::over), literal("\"head\""), "",
                         "What is normed: each head, or the whole projection", {"head", "projection"}));
    all.push_back(
        row<S>("per_head", at(&S::per_head), literal("false"), "", "Whether each head has weights of its own"));
    all.push_back(row<S>("after_rotation", at(&S::after_rotation), literal("false"), "",
                         "Whether it stands after the rotary embedding"));
    return all;
  }();
  return rows;
}

template <>
const std::vector<FieldRow<SubBlockNorms>>& fields() {
  using S = SubBlockNorms;
  static const std::vector<FieldRow<S>> rows = {
      row<S>(
          "with_embedding", at(&S::with_embedding), literal("false"), "",
          "Whether the sub-block reads what the embedding gives beside the residual stream: it is twice as wide then"),
      row<S>("with_stream", at(&S::with_stream), literal("false"), "",
             "In a chain: whether the sub-block reads the residual stream plus what the one before it gives, not that "
             "alone"),
      row<S>("input_norm", at(&S::input_norm), literal("true"), "",
             "Normalise what the sub-block reads: true, false, or keys laid over those of [norm]"),
      row<S>("output_scale", at(&S::output_scale), literal("1.0"), "", "What the sub-block gives is multiplied by it"),
      row<S>("output_norm", at(&S::output_norm), literal("false"), "",
             "Normalise what the sub-block adds to the residual stream"),
      row<S>("residual_norm", at(&S::residual_norm), literal("false"), "",
             "Normalise the residual stream after the addition"),
      row<S>("residual_from", at(&S::residual_from), literal("\"stream\""), "",
             "What the output is added to: the residual stream, or what input_norm makes of it",
             {"stream", "input_norm"}),
      row<S>("stream_scale", at(&S::stream_scale), literal("1.0"), "",
             "What the output is added to is multiplied by it"),
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
      row<S>(
          "steps", at(&S::steps), literal("[\"attention\", \"mlp\"]"), "",
          "Sub-blocks of a layer, one after the other on the residual stream; those of \"attention + mlp\" read it "
          "side by side, and it becomes the sum of all; of \"attention > mlp\" each reads what the one before gives, "
          "and what the last gives is added"),
      row<S>("shared_input_norm", at(&S::shared_input_norm), literal("false"), "",
             "Whether sub-blocks side by side read one normed input, by the input norm of the first"),
      row<S>(
          "shared_output_norm", at(&S::shared_output_norm), literal("false"), "",
          "Whether what sub-blocks side by side give is added up before it is normed, by the output norm of the first"),
      expression(row<S>("residual_scale", at(&S::residual_scale), literal("\"1\""), "",
                        "Factor of what each sub-block adds to the residual stream: an expression of the model's own "
                        "numbers")),
      row<S>("weight_sets", at(&S::weight_sets), computed("one for each layer"), "sets",
             "Of a kind: its layers have so many sets of weights, in turn. A tensor whose name has {s} in place of {i} "
             "is of a set"),
  };
  return rows;
}

template class Held<LayersSection>;

template <>
const std::vector<FieldRow<EncoderSection>>& fields() {
  using S = EncoderSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("num_hidden_layers", at(&S::num_hidden_layers), computed("model.num_hidden_layers"), "layers", "Layers"),
      row<S>("hidden_size", at(&S::hidden_size), computed("model.hidden_size"), "elements",
             "Width of its residual stream"),
      row<S>("max_position_embeddings", at(&S::max_position_embeddings), computed("model.max_position_embeddings"),
             "tokens", "Longest source it was made for; rows of a learned position table"),
      row<S>("final_norm", at(&S::final_norm), literal("true"), "",
             "Normalise what its layers give: true, false, or keys laid over those of [encoder.norm]"),
      row<S>("own_embedding", at(&S::own_embedding), literal("false"), "",
             "Whether its tokens have a table of their own; else they have the model's"),
  };
  return rows;
}

template class Held<EncoderSection>;

template <>
const std::vector<FieldRow<CheckpointSection>>& fields() {
  using S = CheckpointSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("names", at(&S::names), computed("none: every name stands in tensors"), "",
             "The family whose names the tensors have; lines of tensors override them", family_names()),
      row<S>("dtype", at(&S::dtype), required(), "", "Type of the checkpoint's tensors", dtype_names()),
      row<S>("dtypes", at(&S::dtypes), computed("none"), "",
             "Pattern of part names (with *) = type, for tensors of another type; the last that matches holds"),
      row<S>("prefix", at(&S::prefix), computed("that of names, or [\"\"]"), "",
             "One of these stands before every tensor's name"),
      row<S>("tensors", at(&S::tensors), computed("those of names"), "",
             "Part = name, or { name, transposed, fused, interleaved, exact, shared }; .weight and .bias are implied "
             "unless exact; {i} is the layer, {j} the head or the expert that a tensor holds. Of a kind with "
             "layers.weight_sets, {s} is the first layer of the same set, and {k} the layer's number among those of "
             "its kind"),
      row<S>(
          "ignore", at(&S::ignore), computed("those of names"), "",
          "Tensors that may be present and are not used: { name, why }; {i} is any layer, {n} the one past the last, "
          "and * at the end anything"),
  };
  return rows;
}

template class Held<CheckpointSection>;

template <>
const std::vector<FieldRow<ImportSection>>& fields() {
  using S = ImportSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("ignored", at(&S::ignored), computed("none"), "",
             "Key of config.json = why import was told to ignore it; a record, which changes nothing"),
  };
  return rows;
}

template class Held<ImportSection>;

template <>
const std::vector<FieldRow<TokenizerSection>>& fields() {
  using S = TokenizerSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("bos_token_id", at(&S::bos_token_id), computed("none"), "", "Token that begins a sequence"),
      row<S>("eos_token_id", at(&S::eos_token_id), computed("none"), "", "Token that ends a generation, or a list"),
      row<S>("decoder_start_token_id", at(&S::decoder_start_token_id), computed("none"), "",
             "Of a model with an encoder: the token that an answer to a source begins after"),
      row<S>("mask_token_id", at(&S::mask_token_id), computed("none"), "",
             "Where attention.causal is false: the token that stands where a token is to be found, of which `run "
             "--denoise` makes a text"),
  };
  return rows;
}

template class Held<TokenizerSection>;

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

template class Held<ChatSection>;

template <>
const std::vector<FieldRow<EngineSection>>& fields() {
  using S = EngineSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("max_sequence_length", at(&S::max_sequence_length), computed("4096, and at most max_position_embeddings"),
             "tokens", "Tokens the KV cache has room for"),
      row<S>("beyond_positions", at(&S::beyond_positions), literal("false"), "",
             "Whether max_sequence_length may be more than the model was trained, or is scaled, for"),
      row<S>("kv_cache", at(&S::kv_cache), computed("\"f32\" where checkpoint.dtype is f32, else \"f16\""), "",
             "Type of cached keys and values: one for both, or a table of two, { keys = \"q8_0\", values = \"f16\" }. "
             "q8_0 wants heads of whole blocks of 32. Of latent attention, keys is the type of both"),
      row<S>("weights", at(&S::weights), computed("the checkpoint's types"), "",
             "Type that matrices which are wider in the checkpoint are converted to when they are loaded, those of "
             "routers aside",
             {"f16", "bf16", "q8_0", "q4_0"}),
      row<S>(
          "prefill_chunk", at(&S::prefill_chunk),
          computed("min(128, max_sequence_length); where attention.causal is false, min(32768, max_sequence_length)"),
          "tokens", "Tokens of a prompt that are run at once"),
      row<S>("max_source_length", at(&S::max_source_length),
             computed("512, and at most encoder.max_position_embeddings"), "tokens",
             "Of a model with an encoder: tokens of a source, and of all sources that are read at once"),
      row<S>("max_batch", at(&S::max_batch), computed("1; where [pooling] is there and attention.causal is false, 32"),
             "slots", "Sequences that the engine remembers at once, and texts that a pass may have"),
      row<S>("head_rows", at(&S::head_rows),
             computed("8, or max_batch; with tokenizer.mask_token_id 64; at most prefill_chunk"), "rows",
             "Rows whose logits are computed, and held, at once; max_batch at least"),
      row<S>("fusion", at(&S::fusion), literal("true"), "",
             "Whether a kernel computes several operations where it can; false is slower, and for finding faults"),
      row<S>("devices", at(&S::devices), literal("[\"vulkan\", \"cpu\"]"), "",
             "What the engine is built for. One that is left out makes it smaller and its build shorter",
             {backend_names.begin(), backend_names.end()}),
  };
  return rows;
}

template class Held<EngineSection>;

std::string one_of(const std::vector<std::string>& choices) {
  std::string result;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) result += i + 1 == choices.size() ? " or " : ", ";
    result += choices[i];
  }
  return result;
}

}  // namespace monomorph::generator
