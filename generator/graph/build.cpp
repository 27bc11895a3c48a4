// The forward pass: of each stack its embedding and layers, kind by kind; of the encoder its final norm, and what
// layers keep of a source; then final norm and head, or a final norm of all tokens and pooling.
#include "generator/blocks/embedding.hpp"
#include "generator/blocks/layer.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/pooling.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

void build_stack(const Contract& contract, std::size_t index, Graph& graph) {
  const StackContract& stack = contract.stacks[index];
  Builder embed(contract, graph, name_prefix(index) + std::string("embed"), {}, index);
  const ValueId hidden_states = build_embedding(stack, embed);
  graph.stacks[index].hidden_states = hidden_states;
  embed.result(hidden_states);
  const auto reads = [&](std::size_t kind) { return reads_embedding(contract.kinds[kind].kind); };
  if (std::ranges::any_of(stack.layer_kinds, reads)) {
    embed.enter("");
    embed.result(embed.map("", known_expression("x", {"x"}), {"x"}, {hidden_states}, embeddings_role));
  }
  graph.stacks[index].embed = embed.finish();
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
    const LayerKind& layer = contract.kinds[kind].kind;
    if (layer.stack != index) continue;
    Builder builder(contract, graph, layer.identifier, {kind}, index);
    builder.result(build_layer(stack.model, layer, builder, builder.parameter(hidden_states)));
    graph.layers[kind] = builder.finish();
  }
}

void build_finish(const Contract& contract, std::size_t index, const NormChoice& norm, Graph& graph) {
  if (!norm.present) return;
  Builder finish(contract, graph, name_prefix(index) + std::string("finish"), {}, index);
  const ValueId hidden_states = finish.parameter(graph.stacks[index].hidden_states);
  finish.result(finish.norm("final_norm", derive_norm(norm.norm), "final_norm", hidden_states, "hidden_states"));
  graph.stacks[index].finish = finish.finish();
}

/// What each kind of layer keeps of a source.
void build_sources(const Contract& contract, Graph& graph) {
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
    const LayerKind& layer = contract.kinds[kind].kind;
    if (!reads_source(layer)) continue;
    Builder builder(contract, graph, layer.identifier + "_source", {kind}, encoder_stack);
    const ValueId source = builder.parameter(graph.stacks[encoder_stack].hidden_states);
    for (const Block* block : layer.blocks()) {
      if (!reads_source(*block)) continue;
      builder.enter(role_of(*block));
      block->type->build_source({contract.own().model, layer, *block}, builder, source);
    }
    graph.sources[kind] = builder.finish();
  }
}

}  // namespace

Graph build_graph(const Contract& contract) {
  Graph graph;
  graph.axes = contract.axes;
  graph.stacks.resize(contract.stacks.size());
  graph.layers.resize(contract.kinds.size());
  graph.sources.resize(contract.kinds.size());
  for (std::size_t stack = 0; stack < contract.stacks.size(); ++stack) build_stack(contract, stack, graph);
  if (const StackContract* encoder = contract.encoder()) {
    build_finish(contract, encoder_stack, encoder->final_norm, graph);
    build_sources(contract, graph);
  }

  const bool vectors = pools(*contract.pooling);
  if (vectors) build_finish(contract, own_stack, contract.pooling->input_norm.value, graph);
  Builder head(contract, graph, "head", {});
  const ValueId given = head.parameter(graph.own().hidden_states);
  head.result(vectors ? build_pooling(contract, head, given) : build_head(contract, head, given));
  graph.head = head.finish();
  graph.axes.name_all();
  verify_graph(graph, contract);
  return graph;
}

}  // namespace monomorph::generator
