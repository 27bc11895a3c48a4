// One layer whose keys and values are rings, and what a caller does with a sequence: passes of every size, and going
// back as far as rings allow, over more than eight windows of text. What it is held against keeps every position.
#pragma once

#include <random>
#include <string>

#include "tests/generator/plan/agreement.hpp"
#include "tests/support/small_graph.hpp"

namespace monomorph::test {

constexpr std::int64_t window_chunk = 8;

/// Windows about as long as a pass, and with first positions that stay.
inline const std::vector<generator::Window> windows = {{1, 0}, {5, 0}, {7, 0}, {8, 0}, {9, 0}, {3, 2}, {1, 9}};

inline std::int64_t text_length(const generator::Window& window) {
  return 8 * (window.recent + window.first) + 2 * window_chunk;
}

inline RandomGraphOptions window_options(const generator::Window& window) {
  RandomGraphOptions options;
  options.prefill_chunk = window_chunk;
  options.max_sequence_length = text_length(window);
  return options;
}

inline RandomGraph window_graph(const generator::Window& window, const std::string& mask = "") {
  return small_graph(
      [&](LayerWriter& layer) { return layer.attention(layer.norm(layer.hidden()), window, window, mask); },
      window_options(window));
}

/// A condition of query and key that holds for a query's own key, and of others wherever it likes.
inline std::string random_mask(std::mt19937_64& random) {
  const auto number = [&](std::uint64_t least, std::uint64_t most) {
    return std::to_string(least + random() % (most - least + 1));
  };
  const auto condition = [&]() -> std::string {
    switch (random() % 5) {
      case 0:
        return "query - key < " + number(1, 12);
      case 1:
        return "key % " + number(2, 7) + " == 0";
      case 2:
        return "(query - key) % " + number(2, 5) + " == 0";
      case 3:
        return "key < " + number(1, 12);
      default:
        return "query % " + number(2, 5) + " != 0";
    }
  };
  std::string mask = condition();
  for (std::uint64_t more = random() % 3; more > 0; --more) {
    mask = "(" + mask + (random() % 2 == 0 ? ") || !(" : ") && (") + condition() + ")";
  }
  return "key == query || " + mask;
}

/// Passes up to the end of the sequence, at random; `too_far`: some go back by more than a ring allows.
inline std::vector<Pass> passes_of(const RandomGraph& graph, std::uint64_t seed, bool too_far = false) {
  std::mt19937_64 random(seed);
  const auto up_to = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  const std::int64_t chunk = graph.contract.prefill_chunk, length = graph.contract.max_sequence_length;
  std::vector<Pass> passes;
  std::int64_t position = 0, furthest = 0;
  while (position < length) {
    const std::int64_t back = too_far ? chunk + 1 : up_to(2) == 1 ? chunk : up_to(chunk);
    if (furthest > chunk && up_to(4) == 1) position = std::min(position, furthest - back);
    const std::int64_t tokens = std::min(up_to(3) == 1 ? 1 : up_to(2) == 1 ? chunk : up_to(chunk), length - position);
    passes.push_back({position, tokens});
    position += tokens;
    furthest = std::max(furthest, position);
  }
  return passes;
}

}  // namespace monomorph::test
