// The forward pass of a stack: embedding, layers kind by kind, then final norm and head, or a final norm of all tokens
// and pooling.
#include "generator/blocks/embedding.hpp"
#include "generator/blocks/layer.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/pooling.hpp"
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

  const bool vectors = pools(*contract.pooling);
  if (vectors && contract.pooling->input_norm.value.present) {
    Builder finish(contract, graph, "finish", {});
    finish.result(build_final_norm(contract, finish, finish.parameter(hidden_states)));
    graph.finish = finish.finish();
  }
  Builder head(contract, graph, "head", {});
  const ValueId given = head.parameter(hidden_states);
  head.result(vectors ? build_pooling(contract, head, given) : build_head(contract, head, given));
  graph.head = head.finish();
  graph.axes.name_all();
  verify_graph(graph, contract);
  return graph;
}

}  // namespace monomorph::generator
