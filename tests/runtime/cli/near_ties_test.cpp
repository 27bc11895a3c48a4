#include "runtime/cli/near_ties.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "runtime/reference/mixtures.hpp"

using namespace monomorph::cli;
using namespace monomorph::reference;

namespace {

/// Two layers of one choice each, of the same scores for three tokens; a row counts how often each column was chosen.
ReferenceLayers chosen_of(const Activations<4>& scores, Choices& choices) {
  ReferenceLayers layers;
  choices.begin_pass(0, 7, &layers);
  const InPass in_pass(choices);
  Activations<4> counts(scores.tokens());
  for (int layer = 0; layer < 2; ++layer) {
    const Activations<2> chosen = top_k<2, 1, 1>(scores);
    for (std::int64_t t = 0; t < scores.tokens(); ++t) {
      for (const double c : chosen.row(t)) counts.row(t)[static_cast<std::size_t>(c)] += 1;
    }
    layers.push_back(counts.values);
  }
  return layers;
}

double hundredth(std::int64_t) { return 0.01; }

struct Outcome {
  ReferenceLayers layers;
  NearTies told;
  int passes = 0;
};

/// Against a device that has these scores of its own.
Outcome compared(const Activations<4>& scores, const Activations<4>& of_device) {
  Choices none, choices;
  DeviceLayers device;
  for (const std::vector<double>& layer : chosen_of(of_device, none)) device.emplace_back(layer.begin(), layer.end());
  Outcome outcome;
  const auto pass = [&] {
    ++outcome.passes;
    return chosen_of(scores, choices);
  };
  outcome.layers = pass_as_device(device, 4, 7, hundredth, choices, pass, outcome.told);
  return outcome;
}

Activations<4> rows_of(const std::vector<double>& values) { return activations_of<4>(values); }

}  // namespace

TEST_CASE("a choice that nearly ties is made as the device made it, in each layer, and nothing else is") {
  const Activations<4> scores = rows_of({4, 3, 2.99, 1, 1, 2, 3, 4, 0, -4, 0.03, 0.02});
  const Activations<4> of_device = rows_of({4, 3, 3.01, 1, 1, 2, 3, 4, 0, -4, 0.02, 0.03});
  const Outcome same = compared(scores, scores);
  CHECK(same.passes == 1);
  CHECK(same.told.count == 0);
  const Outcome other = compared(scores, of_device);
  CHECK(other.told.count == 2);
  CHECK(other.told.widest == doctest::Approx(0.01 / 4));
  CHECK(other.layers[0] == std::vector<double>{1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1});
  CHECK(other.layers[1] == std::vector<double>{2, 0, 2, 0, 0, 0, 2, 2, 0, 0, 2, 2});
}

TEST_CASE("a choice whose margin rounding does not explain stays the reference's, and so does one that ties exactly") {
  const Activations<4> scores = rows_of({4, 3, 2.9, 1, 4, 3, 3, 1});
  const ReferenceLayers own = compared(scores, scores).layers;
  const Outcome other = compared(scores, rows_of({4, 3, 3.1, 1, 4, 3, 3.01, 1}));
  CHECK(other.told.count == 0);
  CHECK(other.layers == own);
}

TEST_CASE("what does not mend its row is put back") {
  // The device lacks the first column, which no near tie of the second and third explains.
  const Activations<4> scores = rows_of({4, 3, 2.99, 1});
  const ReferenceLayers own = compared(scores, scores).layers;
  const Outcome other = compared(scores, rows_of({0, 3, 2.99, 1}));
  CHECK(other.passes == 3);
  CHECK(other.told.count == 0);
  CHECK(other.told.widest == 0);
  CHECK(other.layers == own);
}
