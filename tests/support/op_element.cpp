#include "tests/support/op_element.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace monomorph::test {
namespace {

using namespace generator;

double dot(std::int64_t count, const std::function<double(std::int64_t)>& a,
           const std::function<double(std::int64_t)>& b) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += a(i) * b(i);
  return sum;
}

/// Operands of a Recurrence: what head, key and value each is of.
struct RecurrenceElement {
  const Graph& graph;
  const Op& op;
  const OperandReader& read;
  std::int64_t row;
  std::int64_t heads = size(axis(0, 3).factors[0]), keys = size(matrix().factors[1]),
               values = size(matrix().factors[0]);

  std::int64_t size(AxisId id) const { return graph.axes[id].size; }
  const Axis& axis(std::size_t operand, std::size_t index) const {
    return graph.axes[graph.values[op.in[operand]].axes[index]];
  }
  const Axis& matrix() const { return graph.axes[axis(0, 3).factors[1]]; }

  std::int64_t column_of(std::int64_t head, std::int64_t key, std::int64_t value) const {
    return (head * values + value) * keys + key;
  }
  double before(std::int64_t head, std::int64_t key, std::int64_t value) const {
    return read(0, row, column_of(head, key, value));
  }
  double after(std::int64_t head, std::int64_t key, std::int64_t value) const {
    return read(0, row + 1, column_of(head, key, value));
  }
  /// Of queries, keys and what is removed; heads in a row may share it.
  double of_key(std::size_t operand, std::int64_t head, std::int64_t key) const {
    if (!op.in[operand]) return 1;
    if (operand == 4 && beside()) return read(operand, row, head * keys + key);
    const std::int64_t shared = heads * keys / axis(operand, 1).size;
    return read(operand, row, head / shared * keys + key);
  }
  bool beside() const { return std::get<Recurrence>(op.what).erased_beside; }
  double erased(std::int64_t head, std::int64_t key) const {
    return beside() ? read(4, row, (heads + head) * keys + key) : of_key(4, head, key);
  }
  double of_value(std::int64_t head, std::int64_t value) const { return read(3, row, head * values + value); }
  double rate(std::int64_t head) const {
    if (!op.in[5]) return 1;
    return read(5, graph.values[op.in[5]].storage == Storage::weight ? 0 : row, head);
  }
  double decay(std::int64_t head, std::int64_t key, std::int64_t value) const {
    const auto& recurrence = std::get<Recurrence>(op.what);
    if (recurrence.log_decay.empty()) return 1;
    std::map<std::string, double> numbers = {{"head", static_cast<double>(head)}};
    for (std::size_t i = 0; i < recurrence.names.size(); ++i) {
      const std::size_t operand = 7 + i;
      const Value& number = graph.values[op.in[operand]];
      const std::int64_t count = size(number.axes.back());
      const std::vector<AxisId>& factors = graph.axes[number.axes.back()].factors;
      std::int64_t at = head;
      if (count == heads * keys * values && factors.size() == 2 && !graph.axes[factors[0]].factors.empty() &&
          factors[1] == matrix().factors[1]) {
        at = (head * values + value) * keys + key;
      } else if (!factors.empty() && factors[0] == axis(0, 3).factors[0]) {
        at = factors[1] == matrix().factors[1] ? head * keys + key : head * values + value;
      }
      numbers[recurrence.names[i]] = read(operand, number.storage == Storage::weight ? 0 : row, at);
    }
    return std::exp(evaluate(recurrence.log_decay, numbers));
  }
};

struct Element {
  const Graph& graph;
  const Op& op;
  const OperandReader& read;
  std::span<const std::int64_t> positions;
  std::int64_t row, column;
  std::int64_t source;

  const Axis& axis(std::size_t operand, std::size_t index) const {
    return graph.axes[graph.values[op.in[operand]].axes[index]];
  }

  double operator()(const Gather& gather) const {
    return read(0, static_cast<std::int64_t>(read(1, row, 0)) + gather.offset, column);
  }

  double operator()(const Pool&) const {
    double sum = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) sum += read(0, static_cast<std::int64_t>(i), column);
    return sum / static_cast<double>(positions.size());
  }

  double operator()(const Norm& norm) const {
    const std::int64_t size = graph.axes[norm.over].size;
    const std::int64_t first = column / size * size;
    double mean = 0, squares = 0;
    if (norm.type == NormType::layer_norm) {
      for (std::int64_t i = 0; i < size; ++i) mean += read(0, row, first + i) / static_cast<double>(size);
    }
    for (std::int64_t i = 0; i < size; ++i) {
      const double x = read(0, row, first + i) - mean;
      squares += x * x;
    }
    const bool of_sum = norm.type == NormType::scale_norm;
    const double scale = 1 / std::sqrt(squares / (of_sum ? 1.0 : static_cast<double>(size)) + norm.eps);
    const auto element = [&](std::size_t vector) {
      const std::int64_t elements = axis(vector, 0).size;
      return read(vector, 0, elements == 1 ? 0 : elements == size ? column - first : column);
    };
    const double gain = op.in[1] ? norm.weight_offset + element(1) : 1;
    const double bias = op.in[2] ? element(2) : 0;
    return (read(0, row, column) - mean) * scale * gain + bias;
  }

  double operator()(const Linear& linear) const {
    const std::int64_t columns = axis(1, 1).size;
    std::int64_t weight_row = column, first = 0;
    if (linear.segments || op.in[3]) {
      const std::int64_t rows = graph.axes[axis(1, 0).factors[1]].size, choice = column / rows;
      const std::int64_t bank = op.in[3] ? static_cast<std::int64_t>(read(3, row, choice)) : choice;
      weight_row = bank * rows + column % rows;
      first = linear.segments ? choice * columns : 0;
    }
    const double sum = dot(
        columns, [&](std::int64_t i) { return read(0, row, first + i); },
        [&](std::int64_t i) { return read(1, weight_row, i); });
    return sum + (op.in[2] ? read(2, 0, weight_row) : 0);
  }

  double operator()(const TopK& top) const {
    const std::int64_t columns = axis(0, 1).size, of_a_group = columns / top.groups;
    std::vector<double> scores;
    for (std::int64_t i = 0; i < columns; ++i) scores.push_back(read(0, row, i) + (op.in[1] ? read(1, 0, i) : 0));
    /// Indices of the largest, of equal ones the first.
    const auto largest = [](const std::vector<double>& of) {
      std::vector<std::int64_t> order(of.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return of[static_cast<std::size_t>(a)] > of[static_cast<std::size_t>(b)];
      });
      return order;
    };
    std::vector<double> worth;
    for (std::int64_t group = 0; group < top.groups; ++group) {
      std::vector<double> of(scores.begin() + group * of_a_group, scores.begin() + (group + 1) * of_a_group);
      std::sort(of.rbegin(), of.rend());
      worth.push_back(top.group_score == GroupScore::max ? of[0] : of[0] + of[1]);
    }
    const std::vector<std::int64_t> groups = largest(worth);
    const std::set<std::int64_t> kept(groups.begin(), groups.begin() + top.groups_kept);
    std::vector<std::int64_t> order = largest(scores);
    std::erase_if(order, [&](std::int64_t each) { return !kept.contains(each / of_a_group); });
    return static_cast<double>(order[static_cast<std::size_t>(column)]);
  }

  double operator()(const Pick& pick) const {
    const auto chosen = [&](std::int64_t choice) { return static_cast<std::int64_t>(read(1, row, choice)); };
    const double picked = read(0, row, chosen(column));
    if (!pick.jitter) return picked;
    std::set<std::int64_t> before;
    for (std::int64_t choice = 0; choice < column; ++choice) before.insert(chosen(choice));
    double sum = 0;
    for (std::int64_t i = 0; i < axis(0, 1).size; ++i) {
      const double score = read(0, row, i);
      if (before.contains(i) || picked - score > 2 * *pick.jitter * std::max(std::abs(score), picked)) continue;
      sum += std::exp(score - picked);
    }
    return 1 / sum;
  }

  double operator()(const Shares& shares) const {
    const std::int64_t columns = axis(0, 1).size;
    const bool softmax = shares.type == ShareType::softmax;
    double largest = read(0, row, 0), sum = 0;
    for (std::int64_t i = 1; i < columns; ++i) largest = std::max(largest, read(0, row, i));
    const auto term = [&](std::int64_t i) { return softmax ? std::exp(read(0, row, i) - largest) : read(0, row, i); };
    for (std::int64_t i = 0; i < columns; ++i) sum += term(i);
    return term(column) / (softmax ? sum : std::max(sum + shares.eps, shares.floor));
  }

  double operator()(const Combine&) const {
    const std::int64_t columns = graph.axes[graph.values[op.out].axes[1]].size;
    return dot(
        axis(0, 1).size / columns, [&](std::int64_t run) { return op.in[1] ? read(1, row, run) : 1; },
        [&](std::int64_t run) { return read(0, row, run * columns + column); });
  }

  double operator()(const Concat&) const {
    const std::int64_t of_first = axis(0, 1).size;
    return column < of_first ? read(0, row, column) : read(1, row, column - of_first);
  }

  double operator()(const Map& map) const {
    std::map<std::string, double> variables;
    const std::int64_t columns = graph.axes[graph.values[op.out].axes[1]].size;
    for (std::size_t i = 0; i < map.names.size(); ++i) {
      const Value& operand = graph.values[op.in[i]];
      const std::int64_t run = columns / graph.axes[operand.axes.back()].size;
      variables[map.names[i]] = read(i, operand.storage == Storage::weight ? 0 : row, column / run);
    }
    return evaluate(map.expression, variables);
  }

  double operator()(const Rotary& rotary) const {
    const std::int64_t head_dim = graph.axes[axis(0, 1).factors[1]].size;
    const bool half = rotary.layout == RotaryLayout::half;
    const std::int64_t d = column % head_dim, first = column - d;
    const double x = read(0, row, column);
    if (d >= rotary.rotary_dim) return x;
    const std::int64_t j = half ? d % (rotary.rotary_dim / 2) : d / 2, distance = half ? rotary.rotary_dim / 2 : 1;
    const double cosine = read(1, row, 2 * j), sine = read(1, row, 2 * j + 1);
    return d == (half ? j : 2 * j) ? x * cosine - read(0, row, first + d + distance) * sine
                                   : x * cosine + read(0, row, first + d - distance) * sine;
  }

  double operator()(const Sinusoids& sinusoids) const {
    const bool half = sinusoids.layout == RotaryLayout::half;
    const std::int64_t pairs = axis(0, 1).size / 2;
    const std::int64_t j = half ? column % pairs : column / 2;
    const bool sine = half ? column < pairs : column % 2 == 0;
    return read(0, row, 2 * j + (sine ? 1 : 0));
  }

  double operator()(const Differential&) const {
    const auto exp_of = [&](std::size_t vector) {
      return std::exp(dot(
          axis(vector, 0).size, [&](std::int64_t i) { return read(vector, 0, i); },
          [&](std::int64_t i) { return read(vector + 1, 0, i); }));
    };
    return read(0, row, column) - (exp_of(2) - exp_of(4) + read(6, 0, 0)) * read(1, row, column);
  }

  double operator()(const Convolve&) const {
    if (!op.in[1]) {
      const std::int64_t now = positions[static_cast<std::size_t>(row)];
      return now == 0 ? 0 : read(0, now - 1, column);
    }
    const std::int64_t taps = graph.axes[axis(1, 0).factors[1]].size,
                       position = positions[static_cast<std::size_t>(row)];
    double sum = op.in[2] ? read(2, 0, column) : 0;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t from = position - (taps - 1) + tap;
      if (from >= 0) sum += read(0, from, column) * read(1, 0, column * taps + tap);
    }
    return sum;
  }

  double operator()(const Recurrence&) const {
    const RecurrenceElement element{graph, op, read, row};
    const std::int64_t head = column / element.values, value = column % element.values;
    double sum = 0;
    for (std::int64_t key = 0; key < element.keys; ++key) {
      const double added = element.of_key(2, head, key) * element.of_value(head, value);
      const double matrix = op.in[6] ? element.before(head, key, value) + read(6, 0, head * element.keys + key) * added
                                     : element.after(head, key, value);
      sum += element.of_key(1, head, key) * matrix;
    }
    return sum;
  }

  /// The mean over the tokens before, whose sums the state has, and the token itself.
  double operator()(const WeightedMean&) const {
    if (positions[static_cast<std::size_t>(row)] == 0) return read(2, row, column);
    const double log_own = read(1, row, column) + read(4, 0, column), log_before = read(0, row, 3 * column + 2),
                 largest = std::max(log_own, log_before);
    const double own = std::exp(log_own - largest), before = std::exp(log_before - largest);
    return (before * read(0, row, 3 * column) + own * read(2, row, column)) /
           (before * read(0, row, 3 * column + 1) + own);
  }

  double operator()(const Append&) const {
    const auto token = std::find(positions.begin(), positions.end(), row);
    return token == positions.end() ? read(0, row, column) : read(1, token - positions.begin(), column);
  }

  /// The first element of the row that a distance has.
  std::int64_t row_of(const Distances& distances, std::int64_t distance) const {
    const std::int64_t nth = std::clamp(distance, -distances.back, distances.ahead) + distances.back;
    const std::int64_t row = distances.buckets.empty() ? nth : distances.buckets[static_cast<std::size_t>(nth)];
    return row * graph.axes[axis(4, 0).factors[1]].size;
  }

  double operator()(const Attention& attention) const {
    const std::int64_t head_dim = graph.axes[axis(0, 1).factors[1]].size;
    const std::int64_t group = graph.axes[graph.axes[axis(0, 1).factors[0]].factors[1]].size;
    const auto width = [&](std::size_t keys) {
      const bool kept = attention.causal || attention.of_source;
      return kept ? axis(keys, 3).size : graph.axes[axis(keys, 1).factors[1]].size;
    };
    const std::int64_t value_dim = width(2), head = column / value_dim, kv_head = head / group;
    const std::int64_t kv_first = kv_head * head_dim;
    const std::int64_t query = positions[static_cast<std::size_t>(row)];
    // Rows of a state are positions, or the tokens of a source; those of an activation the tokens of the pass.
    const std::int64_t first = attention.causal || attention.of_source ? 0 : positions.front();
    const std::int64_t end = attention.of_source ? source : attention.causal ? query + 1 : positions.back() + 1;
    std::vector<double> scores;
    std::vector<std::int64_t> seen;
    for (std::int64_t key = first; key < end; ++key) {
      std::map<std::string, double> names = {{"query", query}, {"key", key}, {"head", head}};
      const bool kept = attention.recent == 0 || query - key < attention.recent || key < attention.first;
      if (!kept || (!attention.mask.empty() && evaluate(attention.mask, names) == 0)) continue;
      seen.push_back(key - first);
      const auto relative = [&](std::int64_t i) { return read(4, 0, row_of(attention.distances, key - query) + i); };
      const bool relative_keys = op.in[4] && axis(4, 0).factors[1] == axis(0, 1).factors[1];
      double score =
          attention.scale * (op.in[5] ? read(5, 0, 0) : 1) *
          dot(
              head_dim, [&](std::int64_t i) { return read(0, row, head * head_dim + i); },
              [&](std::int64_t i) { return read(1, key - first, kv_first + i) + (relative_keys ? relative(i) : 0); });
      if (const std::int64_t second = op.in[7] ? width(7) : 0; second > 0) {
        score += attention.scale * (op.in[5] ? read(5, 0, 0) : 1) *
                 dot(
                     second, [&](std::int64_t i) { return read(6, row, head * second + i); },
                     [&](std::int64_t i) { return read(7, key - first, kv_head * second + i); });
      }
      names["score"] = score;
      if (op.in[4] && !relative_keys) names["bias"] = relative(head);
      if (!attention.slopes.empty()) names["slope"] = attention.slopes[static_cast<std::size_t>(head)];
      if (!attention.score.empty()) score = evaluate(attention.score, names);
      scores.push_back(score);
    }
    if (op.in[3]) scores.push_back(read(3, 0, head));
    const double largest = *std::max_element(scores.begin(), scores.end());
    double total = op.in[3] ? std::exp(scores.back() - largest) : 0, sum = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const double weight = std::exp(scores[i] - largest);
      total += weight;
      sum += weight * read(2, seen[i], kv_head * value_dim + column % value_dim);
    }
    return sum / total;
  }
};

/// The nth number that a WeightedMean keeps of an element: the weighted sum of values and the sum of weights, both
/// divided by the largest weight, and the logarithm of that.
double mean_number(const WeightedMean& mean, const OperandReader& read, std::int64_t position, std::int64_t row,
                   std::int64_t element, std::int64_t nth) {
  const double log_own = read(1, row, element), added = nth == 0 ? read(2, row, element) : 1;
  if (position == 0) return nth == 2 ? log_own : added;
  const double log_decay = evaluate(mean.log_decay, {{"x", read(3, 0, element)}}),
               log_before = read(0, row, 3 * element + 2) + log_decay, largest = std::max(log_own, log_before);
  if (nth == 2) return largest;
  return std::exp(log_before - largest) * read(0, row, 3 * element + nth) + std::exp(log_own - largest) * added;
}

}  // namespace

double state_element(const Graph& graph, const Op& op, const OperandReader& read, std::int64_t position,
                     std::int64_t row, std::int64_t column) {
  if (const auto* mean = as<WeightedMean>(op)) {
    return mean_number(*mean, read, position, row, column / 3, column % 3);
  }
  const RecurrenceElement element{graph, op, read, row};
  const std::int64_t key = column % element.keys, value = column / element.keys % element.values,
                     head = column / element.keys / element.values;
  const auto decayed = [&](std::int64_t k) { return element.decay(head, k, value) * element.before(head, k, value); };
  double added = element.of_key(2, head, key) * element.of_value(head, value);
  if (std::get<Recurrence>(op.what).normalized && position > 0) {
    added *= std::sqrt(1 - std::pow(element.decay(head, key, value), 2));
  }
  const double result = decayed(key) + added;
  if (!op.in[4]) return result;
  double removed = 0;
  for (std::int64_t k = 0; k < element.keys; ++k) {
    const bool first = std::get<Recurrence>(op.what).removed_first;
    removed += element.of_key(4, head, k) * (first ? element.before(head, k, value) : decayed(k));
  }
  return result - element.erased(head, key) * element.rate(head) * removed;
}

double op_element(const Graph& graph, const Op& op, const OperandReader& read, std::span<const std::int64_t> positions,
                  std::int64_t row, std::int64_t column, std::int64_t source) {
  return std::visit(Element{graph, op, read, positions, row, column, source}, op.what);
}

}  // namespace monomorph::test
