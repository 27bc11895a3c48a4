// Kernels that compute each head of a row by itself: norms of heads (QK-norm: Henry et al. 2020), rotary embedding
// (Su et al. 2021), differential attention's difference (Ye et al. 2024), and what becomes entries of states.
#pragma once

#include "runtime/cpu/kernels/norms.hpp"

namespace monomorph::cpu {

/// A unit is a row of the pass and a head of the dispatch: K::head(row, head) computes it.
template <class P, class K>
struct OfHeads {
  static std::int64_t units(const Call& call) { return rows_in_use<P>(call.pass) * call.rows; }
  static void run(const Call& call, std::int64_t begin, std::int64_t end) {
    const K kernel(call);
    for (std::int64_t unit = begin; unit < end; ++unit) kernel.head(unit / call.rows, unit % call.rows);
  }
};

/// Turns a head's first elements by the angles of a row, (cosine, sine) of each frequency; `in` may be `out`.
template <class P>
void turn(const float* angles, const float* in, float* out) {
  for (std::int64_t j = 0; j < P::rotary_dim / 2; ++j) {
    const std::int64_t first = P::layout == "half" ? j : 2 * j;
    const std::int64_t second = P::layout == "half" ? j + P::rotary_dim / 2 : 2 * j + 1;
    const float a = in[first], b = in[second], cosine = angles[2 * j], sine = angles[2 * j + 1];
    out[first] = a * cosine - b * sine;
    out[second] = b * cosine + a * sine;
  }
}

template <class P>
const float* angles_of(const Call& call, std::int64_t row) {
  const StepToken& token = call.pass.tokens[static_cast<std::size_t>(row)];
  const std::uint32_t angle_row = token.position + call.pass.slots[token.slot].angle_offset;
  return data<const float>(call, place<P>("angles")) + 2 * angle_row * P::angle_stride;
}

template <class P>
struct Rotary : OfHeads<P, Rotary<P>> {
  explicit Rotary(const Call& call) : call(call) {}
  void head(std::int64_t row, std::int64_t head) const {
    const float* from = inputs_of<P>(call, row) + head * P::head_dim;
    float* to = outputs_of<P>(call, row) + head * P::head_dim;
    turn<P>(angles_of<P>(call, row), from, to);
    std::copy(from + P::rotary_dim, from + P::head_dim, to + P::rotary_dim);
  }
  const Call& call;
};

/// What a norm of a head takes from its elements, and what it multiplies the rest by.
struct HeadScale {
  float mean, scale;
};
template <std::int64_t n>
HeadScale scale_of_head(const float* x, bool centred, float eps) {
  const float mean = centred ? sum_of<n>(x) / static_cast<float>(n) : 0.0f;
  return {mean, 1 / std::sqrt(squares_of<n>(x, mean) / static_cast<float>(n) + eps)};
}

template <class P>
struct NormHeads : OfHeads<P, NormHeads<P>> {
  explicit NormHeads(const Call& call) : call(call) {}
  void head(std::int64_t row, std::int64_t head) const {
    const float* from = inputs_of<P>(call, row) + head * P::head_dim;
    float* to = outputs_of<P>(call, row) + head * P::head_dim;
    const std::int64_t own = P::norm_per_head ? head * P::head_dim : 0;
    const auto [mean, scale] = scale_of_head<P::head_dim>(from, P::norm == "layer_norm", P::eps);
    for (std::int64_t d = 0; d < P::head_dim; ++d) to[d] = (from[d] - mean) * scale * gain(own + d) + shift(own + d);
  }
  float gain(std::int64_t d) const {
    if constexpr (!P::norm_weighted) {
      return 1;
    } else {
      return norm_gain<P>(data<const float>(call, place<P>("norm_weight"))[d]);
    }
  }
  float shift(std::int64_t d) const {
    if constexpr (P::norm_bias) {
      return data<const float>(call, place<P>("norm_bias_vector"))[d];
    } else {
      return 0;
    }
  }
  const Call& call;
};

/// The first of two attentions minus lambda times the second, through an RMSNorm of heads where it is normed.
template <class P>
struct Differential : OfHeads<P, Differential<P>> {
  explicit Differential(const Call& call) : output(call), call(call) {
    lambda = std::exp(product(0)) - std::exp(product(2)) + data<const float>(call, place<P>("lambda_init"))[0];
  }
  /// The scalar product of two neighbouring vectors, the first of which is the `nth`.
  float product(std::int64_t nth) const {
    const float* vectors = data<const float>(call, place<P>("vectors")) + nth * P::lambda_size;
    float sum = 0;
    for (std::int64_t i = 0; i < P::lambda_size; ++i) sum += vectors[i] * vectors[P::lambda_size + i];
    return sum;
  }
  void head(std::int64_t row, std::int64_t head) const {
    const std::int64_t column = P::normed ? head * P::head_dim : 0;
    const float* first = data<const float>(call, place<P>("first")) + row * P::first_stride + P::first_column + column;
    const float* second =
        data<const float>(call, place<P>("second")) + row * P::second_stride + P::second_column + column;
    std::array<float, P::head_dim> difference;
    for (std::int64_t d = 0; d < P::head_dim; ++d) difference[d] = first[d] - lambda * second[d];
    float scale = 1;
    if constexpr (P::normed) scale = scale_of_head<P::head_dim>(difference.data(), false, P::eps).scale;
    for (std::int64_t d = 0; d < P::head_dim; ++d) output.write(row, column + d, difference[d] * scale);
  }
  Epilogue<P> output;
  const Call& call;
  float lambda = 0;
};

/// A head of a token becomes the entry of the token's position.
template <class P>
struct Append : OfHeads<P, Append<P>> {
  explicit Append(const Call& call) : call(call) {}
  void head(std::int64_t row, std::int64_t head) const {
    const StepToken& token = call.pass.tokens[static_cast<std::size_t>(row)];
    if ((token.flags & token_writes) == 0) return;
    const float* from = inputs_of<P>(call, row) + head * P::head_dim;
    constexpr std::int64_t bytes = entry_bytes(P::state_dtype, P::state_stride, 2);
    store_entry(P::state_dtype, from, P::head_dim,
                call.arguments[place<P>("state")].data + state_row<P>(token.slot, head, token.position) * bytes);
  }
  const Call& call;
};

/// Queries, keys and values of a projected row, each normed and turned as its chain says: queries become rows, keys and
/// values entries of states. Heads are numbered over the dispatch, chain after chain.
template <class P>
struct Heads : OfHeads<P, Heads<P>> {
  explicit Heads(const Call& call) : call(call) {}
  void head(std::int64_t row, std::int64_t head) const {
    for_each(typename P::chains{}, [&]<class Chain, std::size_t>() {
      if (head >= Chain::begin && head < Chain::end) go<Chain>(row, head - Chain::begin);
    });
  }
  template <class Chain>
  void go(std::int64_t row, std::int64_t head) const {
    const StepToken& token = call.pass.tokens[static_cast<std::size_t>(row)];
    const float* from =
        data<const float>(call, place<P>("projected")) + row * P::projected_stride + Chain::column + head * P::head_dim;
    std::array<float, P::head_dim> values;
    std::copy_n(from, P::head_dim, values.begin());
    if constexpr (Chain::norm != "none") norm<Chain>(head, values.data());
    if constexpr (Chain::rotary) turn<P>(angles_of<P>(call, row), values.data(), values.data());
    if constexpr (Chain::name == "queries") {
      float* to = data(call, place<P>("queries")) + row * P::queries_stride + P::queries_column + head * P::head_dim;
      std::copy(values.begin(), values.end(), to);
    } else if ((token.flags & token_writes) != 0) {
      constexpr std::int64_t bytes = [] {
        if constexpr (Chain::name == "keys") {
          return entry_bytes(Chain::dtype, P::keys_stride, 2);
        } else {
          return entry_bytes(Chain::dtype, P::values_stride, 2);
        }
      }();
      store_entry(Chain::dtype, values.data(), P::head_dim,
                  call.arguments[place<P>(Chain::name)].data + state_row<P>(token.slot, head, token.position) * bytes);
    }
  }
  template <class Chain>
  void norm(std::int64_t head, float* values) const {
    const auto [mean, scale] = scale_of_head<P::head_dim>(values, Chain::norm == "layer_norm", Chain::eps);
    const std::int64_t own = Chain::per_head ? head * P::head_dim : 0;
    for (std::int64_t d = 0; d < P::head_dim; ++d) {
      float gain = scale;
      if constexpr (Chain::weighted) {
        const float weight = vector<Chain>(true)[own + d];
        gain *= Chain::offset ? static_cast<float>(Chain::weight_offset) + weight : weight;
      }
      values[d] = (values[d] - mean) * gain;
      if constexpr (Chain::biased) values[d] += vector<Chain>(false)[own + d];
    }
  }
  /// The weights of a chain's norm, or its bias.
  template <class Chain>
  const float* vector(bool weight) const {
    for (std::size_t i = 0; i < std::size(P::bindings); ++i) {
      const std::string_view binding = P::bindings[i];
      if (binding.starts_with(Chain::name) && binding.ends_with(weight ? "_norm_weight" : "_norm_bias")) {
        return data<const float>(call, i);
      }
    }
    return nullptr;
  }
  const Call& call;
};

}  // namespace monomorph::cpu
