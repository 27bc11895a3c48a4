#include "generator/blocks/layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "generator/blocks/norm.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

/// Side by side there is one addition, and perhaps one norm before all of them.
void check_norms_beside(const Step& step, Diagnostics& diagnostics) {
  if (!step.has_several()) return;
  const Block& first = step.blocks.front();
  for (std::size_t i = 1; i < step.blocks.size(); ++i) {
    const Block& block = step.blocks[i];
    if (block.norms.residual_norm.value.present) {
      diagnostics.error("layers.steps_norm", block.norms.residual_norm.span,
                        fmt::format("{0} stands beside {1}: the norm after their addition is {1}.residual_norm",
                                    block.instance, first.instance));
    }
    if (block.norms.residual_from.value != "stream") {
      diagnostics.error("layers.steps_norm", block.norms.residual_from.span,
                        fmt::format("{0} stands beside {1}: what both are added to is {1}.residual_from",
                                    block.instance, first.instance));
    }
    if (block.norms.stream_scale.value != 1) {
      diagnostics.error("layers.steps_norm", block.norms.stream_scale.span,
                        fmt::format("{0} stands beside {1}: what both are added to is multiplied by {1}.stream_scale",
                                    block.instance, first.instance));
    }
  }
}

/// Where sub-blocks side by side share a norm, the first has it and the others have none. `place`: "input".
void check_shared_norm(const Step& step, bool shared, Field<NormChoice> SubBlockNorms::* norm, const std::string& place,
                       Diagnostics& diagnostics) {
  if (!shared) return;
  const Block& first = step.blocks.front();
  if (!(first.norms.*norm).value.present) {
    diagnostics.error("layers.steps_norm", (first.norms.*norm).span,
                      fmt::format("{0} is to share its {1} norm (layers.shared_{1}_norm), and has none; give it "
                                  "{0}.{1}_norm, or leave layers.shared_{1}_norm out",
                                  first.instance, place));
  }
  for (std::size_t i = 1; i < step.blocks.size(); ++i) {
    const Block& block = step.blocks[i];
    if (!(block.norms.*norm).value.present) continue;
    diagnostics.error("layers.steps_norm", (block.norms.*norm).span,
                      fmt::format("{0} shares the {2} norm of {1} (layers.shared_{2}_norm): it has none of its own",
                                  block.instance, first.instance, place));
  }
}

/// What a sub-block reads, and what it is added to, follow from its place in the step.
void check_chain(const Step& step, Diagnostics& diagnostics) {
  for (const Block& block : step.blocks) {
    const SubBlockNorms& norms = block.norms;
    const bool first = &block == &step.blocks.front(), last = &block == &step.blocks.back();
    if (norms.with_stream.value && (first || !step.chained)) {
      diagnostics.error("layers.with_stream", norms.with_stream.span,
                        fmt::format("{} reads the residual stream already: with_stream belongs to what stands behind > "
                                    "in layers.steps",
                                    block.instance));
    }
    if (norms.with_embedding.value && (!first || step.has_several())) {
      diagnostics.error(
          "layers.with_embedding", norms.with_embedding.span,
          fmt::format("{} does not read the residual stream by itself: what reads the embedding beside it "
                      "stands alone in a step of layers.steps, or first in a chain",
                      block.instance));
    }
    if (!step.chained) continue;
    if (norms.residual_from.value != "stream") {
      diagnostics.error("layers.steps_norm", norms.residual_from.span,
                        fmt::format("{} stands in a chain, which adds to the residual stream", block.instance));
    }
    if (last) continue;
    for (const auto& [key, span] :
         {std::pair{"residual_norm",
                    norms.residual_norm.value.present ? std::optional(norms.residual_norm.span) : std::nullopt},
          {"stream_scale", norms.stream_scale.value != 1 ? std::optional(norms.stream_scale.span) : std::nullopt}}) {
      if (!span) continue;
      diagnostics.error("layers.steps_norm", *span,
                        fmt::format("{0} adds nothing to the residual stream: what does is the last of its chain, {1}; "
                                    "write {1}.{2}",
                                    block.instance, step.blocks.back().instance, key));
    }
  }
}

void check_block_norms(const Block& block, Diagnostics& diagnostics) {
  const SubBlockNorms& norms = block.norms;
  if (norms.residual_from.value == "input_norm" && !norms.input_norm.value.present) {
    diagnostics.error("layers.residual_from", norms.residual_from.span,
                      fmt::format("{} adds to what its input norm gives, and has none", block.instance));
  }
  if (norms.residual_from.value == "input_norm" && norms.with_embedding.value) {
    diagnostics.error(
        "layers.residual_from", norms.residual_from.span,
        fmt::format("{} adds to what its input norm gives, which is twice as wide with the embedding", block.instance));
  }
  for (const auto& [key, scale] :
       {std::pair{"output_scale", &norms.output_scale}, {"stream_scale", &norms.stream_scale}})
    check_factor(scale->value, scale->span, block.instance + "." + key, key, "1", diagnostics);
  Block bound = block;  // binding may write
  check_norms(block.instance, bind_block(bound), diagnostics);
}

std::optional<double> residual_scale(const ModelSection& model, const LayerKind& kind, Diagnostics& diagnostics) {
  return positive_constant(kind.residual_scale, "layers.residual_scale", model_numbers(model),
                           "1.4 / sqrt(num_hidden_layers)", diagnostics);
}

/// The residual stream, and beside it what the embedding gives where the sub-block reads that.
ValueId build_read(const Block& block, Builder& build, ValueId hidden_states) {
  if (!block.norms.with_embedding.value) return hidden_states;
  build.enter("");
  const ValueId embeddings = build.taken_once(embeddings_role, hidden_states);
  build.enter(role_of(block));
  return build.concat("concat", hidden_states, embeddings, "stream_and_embedding");
}

ValueId build_normed(const Block& block, Builder& build, ValueId in) {
  const Field<NormChoice>& norm = block.norms.input_norm;
  return norm.value.present ? build_norm("input_norm", norm, block, build, in, "input") : in;
}

/// What the sub-block gives for its normed input, times its scale.
ValueId build_given(const BlockContext& context, Builder& build, ValueId input) {
  const ValueId projected = context.block.type->build(context, build, input);
  const double scale = context.block.norms.output_scale.value;
  return scale != 1 ? build.scaled(projected, scale, "scaled_output") : projected;
}

ValueId build_output_normed(const Block& block, Builder& build, ValueId given) {
  const Field<NormChoice>& norm = block.norms.output_norm;
  return norm.value.present ? build_norm("output_norm", norm, block, build, given, "output") : given;
}

/// residual_norm(stream_scale * h + residual_scale * sum of terms), the first of which is h.
ValueId build_sum(const Block& block, const ModelSection& model, const LayerKind& kind, Builder& build,
                  std::vector<ValueId> terms) {
  build.enter("");
  if (const double scale = block.norms.stream_scale.value; scale != 1)
    terms[0] = build.scaled(terms[0], scale, "scaled_stream");
  Diagnostics none;
  const ValueId sum = build.sum(terms, "hidden_states", residual_scale(model, kind, none).value());
  const NormChoice& residual = block.norms.residual_norm.value;
  if (!residual.present) return sum;
  return build.norm(block.instance + "_residual_norm", derive_norm(residual.norm), role_of(block) + "::residual_norm",
                    sum, "hidden_states");
}

/// What the last of a chain gives is added, where each reads what the one before gives.
ValueId build_chain(const Step& step, const ModelSection& model, const LayerKind& kind, Builder& build,
                    ValueId hidden_states) {
  ValueId given;
  for (const Block& block : step.blocks) {
    build.enter(role_of(block));
    ValueId read = given ? given : build_read(block, build, hidden_states);
    if (block.norms.with_stream.value) read = build.sum({hidden_states, given}, "read");
    const ValueId projected = build_given({model, kind, block}, build, build_normed(block, build, read));
    given = build_output_normed(block, build, projected);
  }
  return build_sum(step.blocks.back(), model, kind, build, {hidden_states, given});
}

/// residual_norm(stream_scale * h + residual_scale * sum of output_norm(output_scale * block(input_norm(h)))): every
/// place of a norm there is. Where the output norm is shared, it is that of the sum.
ValueId build_step(const Step& step, const ModelSection& model, const LayerKind& kind, Builder& build,
                   ValueId hidden_states) {
  if (step.chained) return build_chain(step, model, kind, build, hidden_states);
  std::vector<ValueId> terms = {hidden_states};
  ValueId input;
  for (const Block& block : step.blocks) {
    build.enter(role_of(block));
    if (!input || !step.shared_input_norm) input = build_normed(block, build, build_read(block, build, hidden_states));
    if (block.norms.residual_from.value == "input_norm") terms[0] = input;
    const ValueId projected = build_given({model, kind, block}, build, input);
    terms.push_back(step.shared_output_norm ? projected : build_output_normed(block, build, projected));
  }
  const Block& first = step.blocks.front();
  if (step.shared_output_norm) {
    build.enter(role_of(first));
    const ValueId given = build.sum({terms.begin() + 1, terms.end()}, "added");
    terms = {terms[0], build_norm("output_norm", first.norms.output_norm, first, build, given, "output")};
  }
  return build_sum(first, model, kind, build, std::move(terms));
}

}  // namespace

void check_layer(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics) {
  const ModelSection& model = spec.model_of(kind.stack);
  residual_scale(model, kind, diagnostics);
  if (kind.weight_sets.given) check_range(kind.weight_sets, "layers.weight_sets", 1, max_hidden_layers, diagnostics);
  for (const Step& step : kind.steps) {
    check_norms_beside(step, diagnostics);
    check_chain(step, diagnostics);
    check_shared_norm(step, step.shared_input_norm, &SubBlockNorms::input_norm, "input", diagnostics);
    check_shared_norm(step, step.shared_output_norm, &SubBlockNorms::output_norm, "output", diagnostics);
  }
  Held<PositionSection> position = kind.position;  // binding may write
  check_norms("position", bind(*position), diagnostics);
  for (const Block* block : kind.blocks()) {
    check_block_norms(*block, diagnostics);
    block->type->check({model, kind, *block, &spec}, diagnostics);
  }
}

void declare_layer(const ModelSection& model, const LayerKind& kind, std::size_t index, Declarations& declare) {
  for (const Block* block : kind.blocks()) {
    declare.enter(index, *block);
    const auto declare_stream_norm = [&](const char* word, const Field<NormChoice>& choice) {
      if (choice.value.present) declare_norm(word, choice.value.norm, declare.hidden(), declare);
    };
    const NormChoice& input_norm = block->norms.input_norm.value;
    if (input_norm.present) declare_norm("input_norm", input_norm.norm, declare.input(), declare);
    block->type->declare({model, kind, *block}, declare);
    declare_stream_norm("output_norm", block->norms.output_norm);
    declare_stream_norm("residual_norm", block->norms.residual_norm);
  }
}

bool reads_embedding(const LayerKind& kind) {
  return std::ranges::any_of(kind.blocks(), [](const Block* block) { return block->norms.with_embedding.value; });
}

ValueId build_layer(const ModelSection& model, const LayerKind& kind, Builder& build, ValueId hidden_states) {
  for (const Step& step : kind.steps) hidden_states = build_step(step, model, kind, build, hidden_states);
  return hidden_states;
}

}  // namespace monomorph::generator
