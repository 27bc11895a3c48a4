#include <fmt/format.h>

#include <algorithm>

#include "generator/blocks/embedding.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/pooling.hpp"
#include "generator/blocks/position.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/engine_section.hpp"
#include "generator/spec/tokenizer_section.hpp"

namespace monomorph::generator {
namespace {

/// What is said of sources where none are read.
void nothing_is_said_of_sources(const Spec& spec, Diagnostics& diagnostics) {
  const auto unused = [&](const Field<std::int64_t>& field, const char* path) {
    if (!field.given) return;
    diagnostics.error("spec.unused_key", field.span,
                      fmt::format("{} has no meaning without [encoder]: the model reads no source", path));
  };
  unused(spec.engine->max_source_length, "engine.max_source_length");
  unused(spec.tokenizer->decoder_start_token_id, "tokenizer.decoder_start_token_id");
}

void source_is_read(const Spec& spec, Diagnostics& diagnostics) {
  if (std::ranges::any_of(spec.kinds, [](const LayerKind& kind) { return reads_source(kind); })) return;
  diagnostics.error("encoder.unused", spec.encoder->span,
                    "no layer reads what [encoder] gives; a step that is attention with source = \"encoder\" does");
}

/// A source is one pass, of which its layers keep nothing.
void nothing_is_kept(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  for (const StateContract& state : declared.contract().states) {
    const LayerKind& kind = spec.kinds[state.scope.kind];
    if (kind.stack != encoder_stack || reads_source(kind)) continue;  // what reads a source is refused itself
    diagnostics.error("encoder.keeps_states", kind.span,
                      fmt::format("layers of the encoder read a source in one pass and keep nothing of it, and {} is "
                                  "kept; say causal = false of attention",
                                  state.role));
    return;
  }
}

void head_gives_logits(const Spec& spec, Diagnostics& diagnostics) {
  if (pools(*spec.pooling)) {
    diagnostics.error("encoder.pooling", spec.pooling->type.span,
                      "a model with an encoder gives logits, and [pooling] a text's vector");
  }
  if (reads_ahead(spec)) {
    diagnostics.error("encoder.one_pass", spec.encoder->span,
                      "the layers that read a source go on token by token: their attention is causal");
  }
}

/// Rows of a table that both stacks read are as wide as each of the two has them.
void shared_table_fits(const Spec& spec, Diagnostics& diagnostics) {
  const EncoderSpec& encoder = *spec.encoder;
  if (encoder.section->own_embedding.value) return;
  const Field<std::int64_t>&own = spec.embedding->size, &other = encoder.embedding->size;
  const Field<std::int64_t>& width = own.given ? own : spec.model.hidden_size;
  const Field<std::int64_t>& wanted = other.given ? other : encoder.model.hidden_size;
  if (!usable(width) || !usable(wanted) || (own.given == other.given && width.value == wanted.value)) return;
  diagnostics
      .error("encoder.shared_table", wanted.span,
             fmt::format("the encoder's tokens have the model's table, whose rows are {} wide, and the encoder wants "
                         "them {} wide; encoder.own_embedding = true gives it a table of its own",
                         width.value, wanted.value))
      .notes.push_back({"the width of the model's table is given here", width.span});
}

void source_within_positions(const Spec& spec, Diagnostics& diagnostics) {
  const EngineSection& engine = *spec.engine;
  check_range(engine.max_source_length, "engine.max_source_length", 1, max_text_in_one_pass, diagnostics);
  const Field<std::int64_t>& length = engine.max_source_length;
  const Field<std::int64_t>& positions = spec.encoder->model.max_position_embeddings;
  if (!length.given || !usable(length) || !usable(positions) || length.value <= positions.value) return;
  const bool learned = spec.encoder->position->type.value == "learned";
  if (engine.beyond_positions.value && !learned) return;
  diagnostics
      .error("engine.max_source_length_limit", length.span,
             fmt::format("max_source_length is {}; the encoder has {} positions (max_position_embeddings){}",
                         length.value, positions.value,
                         learned ? "" : "; engine.beyond_positions = true runs it beyond them, untrained"))
      .notes.push_back({"max_position_embeddings is given here", positions.span});
}

}  // namespace

void check_encoder_rules(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  if (!spec.encoder) return nothing_is_said_of_sources(spec, diagnostics);
  EncoderSpec encoder = *spec.encoder;  // binding may write
  const EncoderSection& section = *encoder.section;
  check_range(section.num_hidden_layers, "encoder.num_hidden_layers", 1, max_hidden_layers, diagnostics);
  check_range(section.hidden_size, "encoder.hidden_size", 1, max_size, diagnostics);
  check_range(section.max_position_embeddings, "encoder.max_position_embeddings", 1, max_size, diagnostics);
  const std::int64_t layers = std::clamp<std::int64_t>(encoder.model.num_hidden_layers.value, 1, max_hidden_layers);
  check_range(encoder.repeat, "encoder.layers.repeat", 1, max_hidden_layers / layers, diagnostics);
  check_norms("encoder", bind(*encoder.section), diagnostics);
  check_norms("encoder.embedding", bind(*encoder.embedding), diagnostics);
  check_embedding(input_of(spec, encoder_stack), diagnostics);
  source_is_read(spec, diagnostics);
  shared_table_fits(spec, diagnostics);
  nothing_is_kept(spec, declared, diagnostics);
  head_gives_logits(spec, diagnostics);
  source_within_positions(spec, diagnostics);
}

}  // namespace monomorph::generator
