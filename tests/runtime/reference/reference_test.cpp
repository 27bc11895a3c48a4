// The operations against formulas written another way: whole sequences at once, no cache, element by element, on two
// models with odd sizes.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "runtime/weights/weights.hpp"
#include "tests/runtime/reference/example_programs.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

using Matrix = std::vector<std::vector<double>>;  // [tokens][columns]

Matrix multiply(const HostWeights& weights, std::int32_t weight, std::int32_t bias, const Matrix& x) {
  const WeightPattern& pattern = *weights.weights()[static_cast<std::size_t>(weight)].pattern;
  Matrix y(x.size(), std::vector<double>(static_cast<std::size_t>(pattern.rows)));
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::int64_t r = 0; r < pattern.rows; ++r) {
      double sum = bias < 0 ? 0 : weights.at(bias, 0, r);
      for (std::int64_t c = 0; c < pattern.columns; ++c)
        sum += weights.at(weight, r, c) * x[t][static_cast<std::size_t>(c)];
      y[t][static_cast<std::size_t>(r)] = sum;
    }
  }
  return y;
}

/// Products side by side in each row.
Matrix beside(Matrix first, const Matrix& second, const Matrix& third) {
  for (std::size_t t = 0; t < first.size(); ++t) {
    for (const Matrix* more : {&second, &third}) first[t].insert(first[t].end(), (*more)[t].begin(), (*more)[t].end());
  }
  return first;
}

/// RMSNorm (bias < 0, not centred) or LayerNorm of columns [begin, begin + size).
void normalize(const HostWeights& weights, std::int32_t weight, std::int32_t bias, bool centred, double eps,
               std::size_t begin, std::size_t size, std::vector<double>& x) {
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < size; ++i) mean += x[begin + i] / static_cast<double>(size);
  if (!centred) mean = 0;
  for (std::size_t i = 0; i < size; ++i) square += std::pow(x[begin + i] - mean, 2) / static_cast<double>(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto column = static_cast<std::int64_t>(i);
    x[begin + i] = (x[begin + i] - mean) / std::sqrt(square + eps) * weights.at(weight, 0, column) +
                   (bias < 0 ? 0 : weights.at(bias, 0, column));
  }
}

/// Queries, keys and values side by side in each row of `joint`.
Matrix attend(const Matrix& joint, std::size_t heads, std::size_t kv_heads, std::size_t head_dim, double scale) {
  Matrix out(joint.size(), std::vector<double>(heads * head_dim));
  for (std::size_t t = 0; t < joint.size(); ++t) {
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t key = (heads + h / (heads / kv_heads)) * head_dim, value = key + kv_heads * head_dim;
      std::vector<double> weight(t + 1);
      for (std::size_t s = 0; s <= t; ++s) {
        double score = 0;
        for (std::size_t i = 0; i < head_dim; ++i) score += joint[t][h * head_dim + i] * joint[s][key + i];
        weight[s] = std::exp(scale * score);
      }
      const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
      for (std::size_t s = 0; s <= t; ++s) {
        for (std::size_t i = 0; i < head_dim; ++i) out[t][h * head_dim + i] += weight[s] / total * joint[s][value + i];
      }
    }
  }
  return out;
}

/// Rotation of (a, b) as the product of complex numbers.
void rotate(std::vector<double>& row, std::size_t begin, std::size_t rotary_dim, std::span<const float> frequencies,
            std::size_t position) {
  for (std::size_t j = 0; j < rotary_dim / 2; ++j) {
    const double angle = static_cast<float>(position) * frequencies[j];
    double& a = row[begin + j];
    double& b = row[begin + j + rotary_dim / 2];
    const double radius = std::hypot(a, b), phase = std::atan2(b, a);
    a = radius * std::cos(phase + angle);
    b = radius * std::sin(phase + angle);
  }
}

void add(Matrix& h, const Matrix& x) {
  for (std::size_t t = 0; t < h.size(); ++t) {
    for (std::size_t i = 0; i < h[t].size(); ++i) h[t][i] += x[t][i];
  }
}

Matrix embed(const HostWeights& weights, std::int32_t table, std::span<const std::int32_t> tokens,
             std::int64_t columns) {
  Matrix h(tokens.size(), std::vector<double>(static_cast<std::size_t>(columns)));
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    for (std::int64_t c = 0; c < columns; ++c) h[t][static_cast<std::size_t>(c)] = weights.at(table, tokens[t], c);
  }
  return h;
}

Matrix llama_logits(const HostWeights& weights, std::span<const std::int32_t> tokens) {
  using namespace example_llama;
  Matrix h = embed(weights, embed_tokens, tokens, hidden::size);
  for (std::int64_t layer = 0; layer < num_hidden_layers; ++layer) {
    Matrix x = h;
    for (auto& row : x) normalize(weights, id(layer, input_layernorm), -1, false, rms_norm_eps, 0, hidden::size, row);
    Matrix joint = beside(multiply(weights, id(layer, q_proj), id(layer, q_bias), x),
                          multiply(weights, id(layer, k_proj), id(layer, k_bias), x),
                          multiply(weights, id(layer, v_proj), id(layer, v_bias), x));
    for (std::size_t t = 0; t < joint.size(); ++t) {
      for (std::size_t i = 0; i < heads::size + kv_heads::size; ++i) {
        const PerLayer norm_weight = i < heads::size ? q_norm : k_norm;
        normalize(weights, id(layer, norm_weight), -1, false, rms_norm_eps, i * head_dim::size, head_dim::size,
                  joint[t]);
        rotate(joint[t], i * head_dim::size, rotary_dim, rotary_frequencies, t);
      }
    }
    const Matrix attended = attend(joint, heads::size, kv_heads::size, head_dim::size, attention_scale);
    add(h, multiply(weights, id(layer, o_proj), -1, attended));
    x = h;
    for (auto& row : x) {
      normalize(weights, id(layer, post_attention_layernorm), -1, false, rms_norm_eps, 0, hidden::size, row);
    }
    Matrix gate = multiply(weights, id(layer, gate_proj), -1, x);
    const Matrix up = multiply(weights, id(layer, up_proj), -1, x);
    for (std::size_t t = 0; t < gate.size(); ++t) {
      for (std::size_t i = 0; i < gate[t].size(); ++i) gate[t][i] *= up[t][i] / (1 + std::exp(-gate[t][i]));
    }
    add(h, multiply(weights, id(layer, down_proj), -1, gate));
  }
  for (auto& row : h) normalize(weights, norm, -1, false, rms_norm_eps, 0, hidden::size, row);
  return multiply(weights, embed_tokens, -1, h);
}

Matrix gpt2_logits(const HostWeights& weights, std::span<const std::int32_t> tokens) {
  using namespace example_gpt2;
  Matrix h = embed(weights, embed_tokens, tokens, hidden::size);
  std::vector<std::int32_t> order(tokens.size());
  std::iota(order.begin(), order.end(), 0);
  add(h, embed(weights, embed_positions, order, hidden::size));
  for (std::int64_t layer = 0; layer < num_hidden_layers; ++layer) {
    const auto part = [&](PerLayer which) { return id(layer, which); };
    Matrix x = h;
    for (auto& row : x) {
      normalize(weights, part(input_layernorm), part(input_layernorm_bias), true, layer_norm_eps, 0, hidden::size, row);
    }
    const Matrix joint =
        beside(multiply(weights, part(q_proj), part(q_bias), x), multiply(weights, part(k_proj), part(k_bias), x),
               multiply(weights, part(v_proj), part(v_bias), x));
    const Matrix attended = attend(joint, heads::size, heads::size, head_dim::size, attention_scale);
    add(h, multiply(weights, part(o_proj), part(o_bias), attended));
    x = h;
    for (auto& row : x) {
      normalize(weights, part(post_attention_layernorm), part(post_attention_layernorm_bias), true, layer_norm_eps, 0,
                hidden::size, row);
    }
    Matrix up = multiply(weights, part(up_proj), part(up_bias), x);
    for (auto& row : up) {
      for (double& value : row) {
        const double u = std::sqrt(2 / std::acos(-1.0)) * (value + 0.044715 * std::pow(value, 3));
        value /= 1 + std::exp(-2 * u);
      }
    }
    add(h, multiply(weights, part(down_proj), part(down_bias), up));
  }
  for (auto& row : h) normalize(weights, norm, norm_bias, true, layer_norm_eps, 0, hidden::size, row);
  return multiply(weights, lm_head, -1, h);
}

double largest_difference(const std::vector<double>& values, const Matrix& expected, std::size_t first_token) {
  double largest = 0;
  const std::size_t columns = expected[0].size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double difference = std::abs(values[i] - expected[first_token + i / columns][i % columns]);
    if (!(difference <= largest)) largest = std::isnan(difference) ? 1e300 : difference;
  }
  return largest;
}

/// Logits of every token.
std::vector<double> forward(Reference& reference, std::int64_t slot, std::span<const std::int32_t> tokens,
                            std::int64_t first_position) {
  const std::vector<double> hidden = reference.layers(slot, tokens, first_position, 0, nullptr);
  std::vector<std::int64_t> rows(tokens.size());
  std::iota(rows.begin(), rows.end(), 0);
  return reference.head(hidden, rows);
}

/// All at once, then in calls of 1, 3, 1 and the rest: the same logits.
void check_model(const Program& program,
                 const std::function<Matrix(const HostWeights&, std::span<const std::int32_t>)>& logits,
                 const std::vector<std::int32_t>& tokens) {
  const HostWeights weights = HostWeights::random(program, 5);
  const Matrix expected = logits(weights, tokens);
  const auto whole = program.make_reference(weights);
  const std::vector<double> values = forward(*whole, 0, tokens, 0);
  REQUIRE(values.size() == tokens.size() * static_cast<std::size_t>(program.vocab_size));
  CHECK(largest_difference(values, expected, 0) < 1e-12);

  const auto parts = program.make_reference(weights);
  std::size_t done = 0;
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{1}, tokens.size() - 5}) {
    const std::vector<double> some =
        forward(*parts, 1, std::span(tokens).subspan(done, count), static_cast<std::int64_t>(done));
    forward(*parts, 0, std::span(tokens).subspan(done, count), static_cast<std::int64_t>(done));  // another sequence
    CHECK(largest_difference(some, expected, done) < 1e-12);
    done += count;
  }
  // A sequence that starts over forgets the first one.
  CHECK(largest_difference(forward(*parts, 1, std::span(tokens).first(2), 0), expected, 0) < 1e-12);
  // The rows that are asked for, in that order.
  const std::vector<double> hidden = parts->layers(0, tokens, 0, 0, nullptr);
  const std::vector<double> last = parts->head(hidden, std::vector<std::int64_t>{3, 1});
  const auto row = [&](std::size_t t) { return Matrix(1, expected[t]); };
  CHECK(largest_difference({last.begin(), last.begin() + program.vocab_size}, row(3), 0) < 1e-12);
  CHECK(largest_difference({last.begin() + program.vocab_size, last.end()}, row(1), 0) < 1e-12);
}

}  // namespace

TEST_CASE("a Llama with grouped queries, QK-norm, partial rotation and biases agrees with its formulas") {
  check_model(llama_program(), llama_logits, {3, 36, 0, 17, 17, 5, 22, 9, 30, 1});
}

TEST_CASE("a GPT-2 agrees with its formulas") { check_model(gpt2_program(), gpt2_logits, {30, 2, 2, 0, 11, 7, 19}); }

TEST_CASE("the factor of a rotary embedding multiplies what turns, and nothing else") {
  const float frequencies[] = {1.0f, 0.1f};
  reference::Activations<12> x(3);
  std::iota(x.values.begin(), x.values.end(), 1.0);
  const auto plain = reference::rotary_half<2, 6, 4>({frequencies}, x, 5);
  const auto scaled = reference::rotary_half<2, 6, 4>({frequencies, 1.25f}, x, 5);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    CAPTURE(i);
    CHECK(scaled.values[i] == doctest::Approx((i % 6 < 4 ? 1.25 : 1) * plain.values[i]).epsilon(1e-14));
  }
}

TEST_CASE("the outputs of every layer are handed out on request") {
  const Program program = llama_program();
  const HostWeights weights = HostWeights::random(program, 5);
  const std::vector<std::int32_t> tokens{1, 2, 3};
  std::vector<std::vector<double>> layers;
  const std::vector<double> with = program.make_reference(weights)->layers(0, tokens, 0, 0, &layers);
  CHECK(with == program.make_reference(weights)->layers(0, tokens, 0, 0, nullptr));
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].size() == tokens.size() * static_cast<std::size_t>(program.hidden_size));
  CHECK(layers[0] != layers[1]);
  CHECK(layers[1] == with);
}

TEST_CASE("a sum of products has the same bits however many threads share the rows") {
  using namespace monomorph::reference;
  std::vector<double> once(5000), parted(5000);
  const auto fill = [](std::vector<double>& out) {
    return [&out](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) out[static_cast<std::size_t>(i)] += std::sin(static_cast<double>(i));
    };
  };
  parallel_for(5000, 0, fill(once));
  parallel_for(5000, std::int64_t{1} << 40, fill(parted));
  CHECK(once == parted);
  CHECK(once[4999] != 0);
}

TEST_CASE("a dot product of any length takes every element once") {
  using monomorph::reference::dot;
  std::vector<double> a(19), ones(19, 1.0);
  std::iota(a.begin(), a.end(), 1.0);
  CHECK(dot<1>(a.data(), ones.data()) == 1);
  CHECK(dot<7>(a.data(), ones.data()) == 28);
  CHECK(dot<8>(a.data(), ones.data()) == 36);
  CHECK(dot<19>(a.data(), ones.data()) == 190);
}
