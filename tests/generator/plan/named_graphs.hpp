// Graphs that a fusion which looks at neighbours, or tells operands apart by their order, gets wrong.
#pragma once

#include <map>
#include <string>

#include "tests/support/small_graph.hpp"

namespace monomorph::test {

inline std::map<std::string, RandomGraph> named_graphs() {
  using Layer = LayerWriter;
  using generator::ValueId;
  const std::string gated = "a * sigmoid(a) * b";
  return {
      {"three linears of one input", small_graph([](Layer& layer) -> ValueId {
         const ValueId x = layer.norm(layer.hidden());
         const ValueId one = layer.linear(x, 6), two = layer.linear(x, 6), three = layer.linear(x, 6);
         return layer.map("a + b - c", {one, two, three});
       })},
      {"a linear of a residual stream as it is, and of its norm", small_graph([](Layer& layer) -> ValueId {
         const ValueId one = layer.linear(layer.hidden(), 6), two = layer.linear(layer.norm(layer.hidden()), 6);
         return layer.map("a + b", {one, two});
       })},
      {"a norm of two readers", small_graph([](Layer& layer) -> ValueId {
         const ValueId x = layer.norm(layer.hidden());
         const ValueId one = layer.linear(x, 9);
         const ValueId two = layer.linear(x, 6, Dtype::bf16);
         return layer.map("a + b - c", {layer.linear(one, 6), two, x});
       })},
      {"gate after up", small_graph([gated](Layer& layer) -> ValueId {
         const ValueId x = layer.norm(layer.hidden());
         const ValueId up = layer.linear(x, 9, Dtype::f16), gate = layer.linear(x, 9, Dtype::f16);
         return layer.linear(layer.map(gated, {gate, up}), 6);
       })},
      {"gate and up of two formats", small_graph([gated](Layer& layer) -> ValueId {
         const ValueId x = layer.norm(layer.hidden());
         const ValueId gate = layer.linear(x, 9, Dtype::f16), up = layer.linear(x, 9, Dtype::bf16);
         return layer.linear(layer.map(gated, {gate, up}), 6);
       })},
      {"a linear of a linear", small_graph([](Layer& layer) -> ValueId {
         return layer.linear(layer.linear(layer.norm(layer.hidden()), 9), 6);
       })},
      {"a norm of a norm",
       small_graph([](Layer& layer) -> ValueId { return layer.linear(layer.norm(layer.norm(layer.hidden())), 6); })},
      {"an element for each head, and numbers for every token", small_graph([](Layer& layer) -> ValueId {
         const ValueId x = layer.norm(layer.hidden());
         const ValueId gate = layer.of_heads(x), other = layer.of_heads(layer.hidden());
         const ValueId gated = layer.map("a * sigmoid(b) * c", {layer.queries(x), gate, layer.vector(6)});
         const ValueId scaled = layer.map("a * b + c", {gated, layer.map("2 * a - b", {gate, other}), layer.vector(1)});
         return layer.linear(layer.map("a * b", {scaled, layer.vector(2)}), 6);
       })},
      {"two residual streams, and a value that some layers let pass by", stream_graph()},
      {"keys and values of an earlier layer", sharing_graph({4, 1}, {3, 1})},
      {"a chain of maps that its first value joins again", small_graph([](Layer& layer) -> ValueId {
         const ValueId x = layer.linear(layer.hidden(), 6);
         const ValueId y = layer.map("a * sigmoid(a)", {x});
         return layer.map("a - 0.5 * b", {layer.linear(y, 6), x});
       })},
  };
}

/// These, and random ones.
inline std::map<std::string, RandomGraph> some_graphs() {
  std::map<std::string, RandomGraph> graphs = named_graphs();
  for (std::uint64_t seed = 1; seed <= 12; ++seed) graphs.emplace(std::to_string(seed), random_graph(seed));
  return graphs;
}

}  // namespace monomorph::test
