#include "generator/blocks/layer.hpp"

#include <fmt/format.h>

#include "generator/blocks/norm.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

/// Side by side there is one addition, and perhaps one norm before all of them.
void check_norms_beside(const Step& step, Diagnostics& diagnostics) {
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

void check_block_norms(const Block& block, Diagnostics& diagnostics) {
  const SubBlockNorms& norms = block.norms;
  if (norms.residual_from.value == "input_norm" && !norms.input_norm.value.present) {
    diagnostics.error("layers.residual_from", norms.residual_from.span,
                      fmt::format("{} adds to what its input norm gives, and has none", block.instance));
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

/// residual_norm(stream_scale * h + residual_scale * sum of output_norm(output_scale * block(input_norm(h)))): every
/// place of a norm there is. Where the output norm is shared, it is that of the sum.
ValueId build_step(const Step& step, const ModelSection& model, const LayerKind& kind, Builder& build,
                   ValueId hidden_states) {
  std::vector<ValueId> terms = {hidden_states};
  ValueId input;
  for (const Block& block : step.blocks) {
    const BlockContext context{model, kind, block};
    build.enter(role_of(block));
    if (!input || !step.shared_input_norm) {
      const Field<NormChoice>& norm = block.norms.input_norm;
      input = norm.value.present ? build_norm("input_norm", norm, block, build, hidden_states, "input") : hidden_states;
    }
    if (block.norms.residual_from.value == "input_norm") terms[0] = input;
    ValueId projected = block.type->build(context, build, input);
    if (const double scale = block.norms.output_scale.value; scale != 1)
      projected = build.scaled(projected, scale, "scaled_output");
    const Field<NormChoice>& norm = block.norms.output_norm;
    const bool normed = norm.value.present && !step.shared_output_norm;
    terms.push_back(normed ? build_norm("output_norm", norm, block, build, projected, "output") : projected);
  }
  const Block& first = step.blocks.front();
  if (step.shared_output_norm) {
    build.enter(role_of(first));
    const ValueId given = build.sum({terms.begin() + 1, terms.end()}, "added");
    terms = {terms[0], build_norm("output_norm", first.norms.output_norm, first, build, given, "output")};
  }
  build.enter("");
  if (const double scale = first.norms.stream_scale.value; scale != 1)
    terms[0] = build.scaled(terms[0], scale, "scaled_stream");
  Diagnostics none;
  const ValueId sum = build.sum(terms, "hidden_states", residual_scale(model, kind, none).value());
  const NormChoice& residual = first.norms.residual_norm.value;
  if (!residual.present) return sum;
  return build.norm(first.instance + "_residual_norm", derive_norm(residual.norm), role_of(first) + "::residual_norm",
                    sum, "hidden_states");
}

}  // namespace

void check_layer(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics) {
  const ModelSection& model = spec.model_of(kind.stack);
  residual_scale(model, kind, diagnostics);
  for (const Step& step : kind.steps) {
    check_norms_beside(step, diagnostics);
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
    declare_stream_norm("input_norm", block->norms.input_norm);
    block->type->declare({model, kind, *block}, declare);
    declare_stream_norm("output_norm", block->norms.output_norm);
    declare_stream_norm("residual_norm", block->norms.residual_norm);
  }
}

ValueId build_layer(const ModelSection& model, const LayerKind& kind, Builder& build, ValueId hidden_states) {
  for (const Step& step : kind.steps) hidden_states = build_step(step, model, kind, build, hidden_states);
  return hidden_states;
}

}  // namespace monomorph::generator
