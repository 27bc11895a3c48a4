// What random graphs are written with: draws, axes, weights, the values that a layer has so far, and the operations
// that several of them begin with.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "generator/graph/builder.hpp"
#include "tests/support/random_graph.hpp"

namespace monomorph::test {

using namespace generator;

class RandomWriter {
 protected:
  RandomWriter(std::uint64_t seed, const RandomGraphOptions& options) : random_(seed), options_(options) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  std::int64_t between(std::int64_t first, std::int64_t last) { return first + below(last - first + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  }

  /// As models have it, and so large that its place under the root shows.
  double eps() { return chance(50) ? 0.1 : 1e-5; }

  AxisId axis(const std::string& word, std::int64_t size, std::vector<AxisId> factors = {}, Live live = Live::all,
              const std::string& user = "") {
    return contract_.axes.intern({word, size, std::move(factors), live, {}, {}}, user);
  }

  WeightId weight(Scope scope, const std::string& role, std::vector<AxisId> axes, Dtype dtype) {
    WeightContract weight;
    weight.role = weight.part = role;
    weight.scope = scope;
    weight.axes = std::move(axes);
    weight.dtype = dtype;
    weight.sources = {{role, {1, 0, 1, false}}};
    return contract_.weights.add(weight);
  }
  Dtype format() { return options_.formats ? static_cast<Dtype>(below(3)) : Dtype::f32; }

  /// A value and whether anything reads it.
  struct Known {
    ValueId id;
    bool read = false;
  };

  std::string new_role() { return chance(40) ? "work" : "v" + std::to_string(++count_); }

  ValueId read(Known& value) {
    value.read = true;
    return value.id;
  }
  void know(ValueId id) { known_.push_back({id, false}); }

  std::vector<std::size_t> of_axis(AxisId wanted) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (graph_.values[known_[i].id].axes[1] == wanted) result.push_back(i);
    }
    return result;
  }
  AxisId axis_of(const Known& value) { return graph_.values[value.id].axes[1]; }

  /// Half the time one of the latest.
  std::size_t some() {
    const auto count = static_cast<std::int64_t>(known_.size());
    return static_cast<std::size_t>(chance(50) ? count - 1 - below(std::min<std::int64_t>(3, count)) : below(count));
  }

  void linear(Builder& build, std::size_t from, AxisId to, Dtype dtype) {
    const std::string word = "w" + std::to_string(++count_) + "_proj";
    const std::string bias = chance(30) ? "w" + std::to_string(count_) + "_bias" : "";
    weight(scope_, word, {to, axis_of(known_[from])}, dtype);
    if (!bias.empty()) weight(scope_, bias, {to}, Dtype::f32);
    know(build.linear(word, word, bias, read(known_[from]), new_role()));
  }

  void norm(Builder& build, std::size_t from, bool of_heads) {
    const AxisId row = axis_of(known_[from]);
    const AxisId over = of_heads ? contract_.axes[row].factors[1] : row;
    const std::string word = "n" + std::to_string(++count_);
    NormContract norm{NormType::rms_norm, eps(), false};
    if (chance(55)) norm.type = of_heads || chance(75) ? NormType::layer_norm : NormType::scale_norm;
    const bool one = norm.type == NormType::scale_norm;
    norm.weight = one || chance(85);
    norm.weight_offset = norm.weight && chance(30) ? 0.5 : 0;
    norm.bias = norm.type == NormType::layer_norm && chance(70);
    const AxisId weighted = chance(40) ? row : over;  // of heads: each head's own, or one head's for all
    if (norm.weight) weight(scope_, word, {one ? one_ : weighted}, Dtype::f32);
    if (norm.bias) weight(scope_, word + "_bias", {weighted}, Dtype::f32);
    know(build.norm(word, norm, word, read(known_[from]), new_role(), over));
  }

  /// A value of this axis: a known one, or a new projection.
  std::size_t some_of(Builder& build, AxisId axis) {
    const std::vector<std::size_t> known = of_axis(axis);
    if (!known.empty()) return pick(known);
    linear(build, some(), axis, format());
    return known_.size() - 1;
  }

  std::mt19937_64 random_;
  const RandomGraphOptions options_;
  Contract contract_;
  Graph graph_;
  AxisId one_, slots_, positions_;
  Scope scope_;
  std::vector<Known> known_;
  int count_ = 0;
};

}  // namespace monomorph::test
