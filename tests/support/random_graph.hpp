// Random valid graphs over odd axes: values of several readers, norms of one value twice, matrices of several formats
// on one input, chains of Maps, attention in several forms; some with an encoder, of whose source layers keep what they
// like. The contract holds what the graph declares and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>

#include "generator/contract/contract.hpp"
#include "generator/graph/graph.hpp"

namespace monomorph::test {

struct RandomGraphOptions {
  std::int64_t most_ops = 12;  ///< of a layer, before what is left over is joined
  bool formats = true;         ///< matrices of f16 and bf16 too
  std::int64_t prefill_chunk = 5;
  std::int64_t max_sequence_length = 12;
  std::optional<bool> two_stacks{};  ///< an encoder too; where it is not said, every fourth graph has one
};

struct RandomGraph {
  generator::Contract contract;
  generator::Graph graph;
};

/// The same for the same seed.
RandomGraph random_graph(std::uint64_t seed, const RandomGraphOptions& options = {});

}  // namespace monomorph::test
