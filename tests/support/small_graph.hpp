// One layer written by hand, as a graph that stands by itself: an embedding before it, a final norm and a head after
// it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "generator/graph/builder.hpp"
#include "tests/support/random_graph.hpp"

namespace monomorph::test {

/// Declares what it uses as it goes. Axes are sizes: those of equal size are one.
class LayerWriter {
 public:
  LayerWriter(generator::Contract& contract, generator::Graph& graph, generator::Builder& builder, generator::ValueId h,
              std::size_t kind = 0)
      : contract_(contract), graph_(graph), builder_(builder), hidden_(h), kind_(kind) {}

  /// What the layer is given: tokens x 6.
  generator::ValueId hidden() const { return hidden_; }
  generator::ValueId linear(generator::ValueId x, std::int64_t rows, Dtype dtype = Dtype::f32);
  generator::ValueId norm(generator::ValueId x);
  /// Projections to two heads of three elements, to a number for each, and to one for the token.
  generator::ValueId queries(generator::ValueId x) { return projection(x, q(), Dtype::f32); }
  generator::ValueId of_heads(generator::ValueId x) { return projection(x, heads(), Dtype::f32); }
  generator::ValueId of_token(generator::ValueId x) { return projection(x, axis("one", 1), Dtype::f32); }
  /// A weight of 6 elements, those of queries; of 2, those of heads; or of 1.
  generator::ValueId vector(std::int64_t size);
  /// Attention of two query heads over one of keys and values, all of them projections of x; it sees `seen`, where a
  /// mask is given no more than that shows, and states keep `kept`.
  generator::ValueId attention(generator::ValueId x, const generator::Window& seen, const generator::Window& kept,
                               const std::string& mask = "");
  /// Attention to the states of the last layer of another kind.
  generator::ValueId shared_attention(generator::ValueId x, const generator::Window& seen, const std::string& kind);
  /// Of two heads' elements the mean of what projections of x give, by weights that others say, whose logarithms are
  /// `scale` times as large.
  generator::ValueId weighted_mean(generator::ValueId x, double scale, const std::string& log_decay);
  /// `text` over a, b, c...
  generator::ValueId map(const std::string& text, const std::vector<generator::ValueId>& operands);

 private:
  generator::AxisId axis(const std::string& word, std::int64_t size, std::vector<generator::AxisId> factors = {},
                         generator::Live live = generator::Live::all);
  generator::ValueId attend(generator::ValueId queries, const generator::Window& seen,
                            const std::vector<generator::ValueId>& states, const std::string& mask);
  generator::AxisId heads() { return axis("heads", 2, {axis("kv_heads", 1), axis("kv_group", 2)}); }
  generator::AxisId q() { return axis("q", 6, {heads(), axis("head", 3)}); }
  generator::ValueId projection(generator::ValueId x, generator::AxisId to, Dtype dtype);
  generator::WeightId declare(const std::string& role, std::vector<generator::AxisId> axes, Dtype dtype);
  generator::AxisId axis_of(generator::ValueId value) const { return graph_.values[value].axes[1]; }
  std::string next(const char* word) { return word + std::to_string(++count_); }

  generator::Contract& contract_;
  generator::Graph& graph_;
  generator::Builder& builder_;
  generator::ValueId hidden_;
  std::size_t kind_;
  int count_ = 0;
};

/// `layer` gives the layer's result, tokens x 6, which is added to the hidden states.
RandomGraph small_graph(const std::function<generator::ValueId(LayerWriter&)>& layer,
                        const RandomGraphOptions& options = {});

/// Two residual streams, which each layer reads and gives mixed by numbers of the layer and of the token, and a third
/// value: the first kind of layer gives it, the second lets it pass by, the third takes it. The head
/// joins the streams' rows; `joined_first`: it joins them and picks rows then, which is no valid graph.
RandomGraph stream_graph(bool joined_first = false);

/// Layers of a kind that keeps keys and values, by rings of this window, and of one that reads those of the last such
/// layer. All run twice.
RandomGraph sharing_graph(const generator::Window& kept, const generator::Window& seen);

}  // namespace monomorph::test
