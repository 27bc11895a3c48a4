// The forward pass of a decoder: embedding, layers kind by kind, final norm and head.
#include "generator/blocks/embedding.hpp"
#include "generator/blocks/layer.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {

Graph build_graph(const Contract& contract) {
  Graph graph;
  graph.axes = contract.axes;
  Builder embed(contract, graph, "embed", {});
  const ValueId hidden_states = build_embedding(contract, embed);
  graph.hidden_states = hidden_states;
  embed.result(hidden_states);
  graph.embed = embed.finish();

  for (std::size_t index = 0; index < contract.kinds.size(); ++index) {
    const LayerContract& layer = contract.kinds[index];
    Builder builder(contract, graph, layer.kind.identifier, {index});
    builder.result(build_layer(contract.model, layer.kind, builder, builder.parameter(hidden_states)));
    graph.layers.push_back(builder.finish());
  }

  Builder head(contract, graph, "head", {});
  head.result(build_head(contract, head, head.parameter(hidden_states)));
  graph.head = head.finish();
  graph.axes.name_all();
  verify_graph(graph, contract);
  return graph;
}

}  // namespace monomorph::generator
