// Which sections there are, beside those that a spec names itself.
#include <list>

#include "generator/spec/block_type.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/fields.hpp"

namespace monomorph::generator {
namespace {

template <class Section>
SectionDescription describe_section(std::string name, std::string meaning, bool in_kinds = false) {
  static Held<Section> example;  // for the slots' alternatives alone
  return {std::move(name), std::move(meaning), in_kinds, bind(*example)};
}

SectionDescription describe_block(const BlockType& type) {
  static std::list<Block> examples;
  return {type.name, type.meaning, true, bind_block(examples.emplace_back(new_block(type, type.name)))};
}

}  // namespace

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
                 "shared_output_norm, residual_scale, weight_sets, norm, position, and the sub-blocks."),
             describe_section<EncoderSection>(
                 "encoder",
                 "The layers that read a source, which the model's own see by attention with `source = \"encoder\"`. "
                 "`[encoder.layers]`, `[encoder.attention]` and all other sections of layers, `[encoder.norm]`, "
                 "`[encoder.position]` and `[encoder.embedding]` say what differs from the model's; `[encoder.layers]` "
                 "has steps of its own."),
             describe_section<LmHeadSection>("lm_head", "From the last hidden state to logits."),
             describe_section<PoolingSection>(
                 "pooling",
                 "From the last hidden states to one vector of a text, in place of [lm_head]; without the section the "
                 "model gives logits."),
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

}  // namespace monomorph::generator
