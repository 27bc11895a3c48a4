// Values and operations of the forward pass. A value is written once; an operation says what it computes, never where
// or how. What an operation is (its operands, its checks, its kernel, its line of the reference) stands in ops/.
#pragma once

#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "generator/contract/contract.hpp"
#include "runtime/enumerators.hpp"

namespace monomorph::generator {

struct Value;
struct Op;
struct Function;
using ValueId = Id<Value>;
using OpId = Id<Op>;
using FunctionId = Id<Function>;

enum class Storage {
  activation,  ///< computed in this pass: tokens (or rows) x an axis
  weight,      ///< Contract::weights
  state,       ///< Contract::states, a version of it: each append gives the next
  angles,      ///< Contract::angles
  host,        ///< what the host says of each token: its id, its position, its type; and which rows are wanted
};

/// Of each token, or of each row whose logits are wanted: what the step says (runtime/program/step.hpp).
enum class HostList { token_ids, positions, token_types, head_rows };
inline constexpr const char* host_list_names[] = {"token_ids", "positions", "token_types", "head_rows"};
static_assert(std::size(host_list_names) == enumerator_count<HostList>());
/// As templates and the emitted reference call it.
constexpr const char* name_of(HostList list) { return host_list_names[static_cast<std::size_t>(list)]; }

struct Value {
  std::string role;  ///< "attention::queries": with element and axes its type in emitted C++
  Storage storage = Storage::activation;
  Dtype element = Dtype::f32;  ///< of an activation f32; of what the host says, 32-bit unsigned whatever stands here
  std::vector<AxisId> axes;    ///< outermost first
  std::uint32_t declared = 0;  ///< of a weight, a state or angles: its place in the contract
  HostList list = HostList::token_ids;  ///< of what the host says: which of it
  FunctionId function;                  ///< that it belongs to; none: every function may read it
  OpId writer;                          ///< none: a parameter, or no activation
};

/// (table, indices) -> row indices[t] + offset of the table, for each t
struct Gather {
  std::int64_t offset = 0;
  bool operator==(const Gather&) const = default;
};

/// (hidden states, rows) -> for each row that is wanted, the mean of the hidden states of all tokens of its run
struct Pool {
  bool operator==(const Pool&) const = default;
};

/// (x, weight?, bias?) -> x normed over an axis: the last one, or each run of it that a factor (head) says. Vectors
/// have the elements of one run, the same for all, or those of the whole row
struct Norm {
  NormType type = NormType::rms_norm;
  double eps = 0;
  AxisId over;
  double weight_offset = 0;  ///< added to the weights
  bool operator==(const Norm&) const = default;
};

/// (x, weight, bias?, choice?) -> weight x + bias. The rows of a weight may be those of banks: its row axis is banks x
/// rows. A choice says which of them each token has, and the result is choices x rows. In `segments`, x has a run of
/// columns for each of the choices, or for each bank where there is no choice, and each is multiplied with its own
struct Linear {
  bool segments = false;
  bool operator==(const Linear&) const = default;
};

/// What a group of neighbouring scores is worth: its largest, or the sum of its two largest.
enum class GroupScore { max, top2_sum };
inline constexpr const char* group_score_names[] = {"max", "top2_sum"};
static_assert(std::size(group_score_names) == enumerator_count<GroupScore>());
/// As specs, dumps and kernels call it.
constexpr const char* name_of(GroupScore score) { return group_score_names[static_cast<std::size_t>(score)]; }

/// (scores, bias?) -> a choice: the columns of a row's largest scores + bias, as many as the result has columns, the
/// largest first and of equal ones the first. What is no number is larger than all. Scores are in `groups` of as many
/// each; those of the `groups_kept` groups that are worth most compete
struct TopK {
  std::int64_t groups = 1, groups_kept = 1;
  GroupScore group_score = GroupScore::max;
  bool operator==(const TopK&) const = default;
};

/// (x, choice) -> the columns of x that were chosen. With a jitter, what SparseMixer (Liu et al. 2023) makes of them:
/// the softmax of each choice among the columns y that were not chosen before it and are near it, which are those with
/// x - y <= 2 * jitter * max(|y|, x)
struct Pick {
  std::optional<double> jitter = {};
  bool operator==(const Pick&) const = default;
};

/// How a row becomes shares of a whole: exp(x) over the sum of those, or x over its sum.
enum class ShareType { softmax, sum };
inline constexpr const char* share_type_names[] = {"softmax", "sum"};
static_assert(std::size(share_type_names) == enumerator_count<ShareType>());
/// As dumps and kernels call it.
constexpr const char* name_of(ShareType type) { return share_type_names[static_cast<std::size_t>(type)]; }

/// (x) -> x's elements as shares of their row
struct Shares {
  ShareType type = ShareType::softmax;
  double eps = 0, floor = 0;  ///< of a sum: added to it; what it is at least
  bool operator==(const Shares&) const = default;
};

/// (x, weights?) -> the sum of x's runs in order, each times its weight where there are weights
struct Combine {
  bool operator==(const Combine&) const = default;
};

/// (x, y) -> the elements of x, and behind them those of y
struct Concat {
  bool operator==(const Concat&) const = default;
};

/// (operands...) -> an expression of them, element by element of the first. Others may have one element for a run of
/// its (a gate for each head), and may be weights, which are the same for every token
struct Map {
  Expression expression;
  std::vector<std::string> names;  ///< of the operands in the expression
  bool operator==(const Map&) const = default;
};

/// Which elements of a head turn together by angle j: j and j + rotary_dim / 2, or the neighbours 2j and 2j + 1.
enum class RotaryLayout { half, interleaved };
inline constexpr const char* rotary_layout_names[] = {"half", "interleaved"};
static_assert(std::size(rotary_layout_names) == enumerator_count<RotaryLayout>());
/// As specs, dumps and kernels call it.
constexpr const char* name_of(RotaryLayout layout) { return rotary_layout_names[static_cast<std::size_t>(layout)]; }

/// (x, angles) -> each head's first rotary_dim elements turned by the token's position
struct Rotary {
  std::int64_t rotary_dim = 0;
  RotaryLayout layout = RotaryLayout::half;
  bool operator==(const Rotary&) const = default;
};

/// (angles, positions) -> of each token, the sines and the cosines of its angles: all sines before all cosines, or each
/// sine before the cosine of its angle
struct Sinusoids {
  RotaryLayout layout = RotaryLayout::half;
  bool operator==(const Sinusoids&) const = default;
};

/// (state, x) -> the state with x at the tokens' positions
struct Append {
  bool operator==(const Append&) const = default;
};

/// (state, taps?, bias?) -> of each token's elements, the sum of what the state has of them at the token's position and
/// those before it, each times its own number: taps has some for each element, that of the token's own position last.
/// What is before the sequence is 0 (a causal depthwise convolution). Without taps it is what the token before has (the
/// token shift of Peng et al. 2023), of taps 1 and 0
struct Convolve {
  bool operator==(const Convolve&) const = default;
};

/// (state, queries?, keys?, values, removed?, rates?, bonus?, decays...) -> of each token, and of each head,
/// what its queries read of the head's matrix S [key x value], which all tokens up to its own have written:
///   S' = decay * S + keys (x) values - erased (x) u,    u = rate * removed . (decay * S)
///   out = queries . S'
/// S is 0 before the sequence. `removed_first`: u = rate * removed . S. A rate is a number for each head, 1 where there
/// are none. A bonus, a number for each head and key, gives
/// out = queries . (S + bonus * keys (x) values). Without queries and keys, whose width is then 1, both are 1; without
/// what is removed there is no such term. What is removed is erased, too. `erased_beside`: a row of `removed` is twice
/// as long, and what is erased is its second half (Concat); only without it neighbouring heads may share what is
/// removed, as they may queries and keys. `normalized`: what is added, keys (x) values, is multiplied by
/// sqrt(1 - decay^2), but for a sequence's first token (RG-LRU, De et al. 2024). The decay's logarithm is an expression
/// of `head`, the head's number, and of operands by `names`, each with a number for each head, key, value or element of
/// S; without one the decay is 1. The result has the values' axes, and the state's next version stands beside it
struct Recurrence {
  Expression log_decay = {};
  std::vector<std::string> names = {};
  bool removed_first = false;
  bool erased_beside = false;
  bool normalized = false;
  bool operator==(const Recurrence&) const = default;
};

/// (state, log weights, values, decays, bonus) -> of each token's elements, with w and v what log weights and values
/// have of it at each token, the mean of the values up to its own, the longer ago they were the less they weigh (WKV of
/// RWKV-4, Peng et al. 2023):
///   (sum_{i<t} exp(w_i + (t - 1 - i) * log_decay) * v_i + exp(w_t + bonus) * v_t) / (the same without values)
/// log_decay is an expression of `x`, what decays has of the element; decays and bonus are weights. The state has three
/// numbers of each element: the sum of weighted values, that of weights, and the exponent that both lack as a factor.
/// Its next version stands beside the result
struct WeightedMean {
  Expression log_decay = {};
  bool operator==(const WeightedMean&) const = default;
};

/// What a query knows of how far a key is: the bucket of their distance, key - query, which is cut at -back and ahead.
struct Distances {
  std::int64_t back = 0, ahead = 0;
  std::vector<std::int32_t> buckets = {};  ///< of each distance from -back on; empty: one for each
  /// How many rows `relative` has at least.
  std::int64_t bucket_count() const;
  bool operator==(const Distances&) const = default;
};

/// (queries, keys, values, sinks?, relative?, layer_scale?, second queries?, second keys?) ->
/// softmax(score(scale * queries . keys)) x values, over the slot's positions up to the query's own that it sees: those
/// of the mask that are within the window (visibility.hpp). Where there are second queries and keys, of another width,
/// their products are added. Values have a width of their own, and the result has it. A sink, a number a head, is one
/// more score, of a value that is 0. `relative` has a row for each bucket of distances: a number for each head, the
/// score's bias, or a vector of a head's elements, which keys have added to themselves. `layer_scale`, one number,
/// multiplies the scale. Where it is not causal, keys and values are activations: a query sees those of all tokens of
/// the pass, and none is kept. Or they are `of_source`, states whose entries are the slot's source, all of which it
/// sees
struct Attention {
  double scale = 1;
  bool causal = true;
  /// Of score, query and key (positions), head, slope and bias; empty: the score as it is.
  Expression score = {};
  Expression mask = {};                ///< of query and key: whether it shows the key; empty: every one up to its own
  std::vector<float> slopes = {};      ///< slope, by head
  std::int64_t recent = 0, first = 0;  ///< the window, of the `recent` last keys and the `first`; 0, 0: of all
  Distances distances = {};            ///< of `relative`
  bool of_source = false;              ///< keys and values are those of the slot's source; not causal
  bool operator==(const Attention&) const = default;
};

/// (first, second, lambda_q1, lambda_k1, lambda_q2, lambda_k2, lambda_init) -> first - lambda * second, with lambda =
/// exp(lambda_q1 . lambda_k1) - exp(lambda_q2 . lambda_k2) + lambda_init (Differential Transformer, Ye et al. 2024).
/// The vectors are weights of one axis, and lambda_init is one number
struct Differential {
  bool operator==(const Differential&) const = default;
};

/// Equal where all attributes are: each type compares its own, whichever they are.
using Attributes = std::variant<Gather, Norm, Linear, Map, Rotary, Sinusoids, Append, Attention, Differential, TopK,
                                Pick, Shares, Combine, Pool, Convolve, Recurrence, WeightedMean, Concat>;

struct Op {
  std::string word;  ///< what kernels are named after: "q_proj", "mlp_input_norm", "add"; empty: not named
  Attributes what;
  std::vector<ValueId> in;  ///< by the operation's signature; none: an operand that it does without
  ValueId out;
  FunctionId function;
  ValueId next = {};  ///< of a state that it reads and writes: the next version; none: it gives `out` alone

  /// All that it gives.
  std::vector<ValueId> results() const { return next ? std::vector{out, next} : std::vector{out}; }
};

template <class T>
const T* as(const Op& op) {
  return std::get_if<T>(&op.what);
}

}  // namespace monomorph::generator
