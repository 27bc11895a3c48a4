// Declarations: every weight, state and table of the model, with its axes, dtype and place in the checkpoint, in the
// order of the forward pass. They are made of specs with errors too: which parts there are does not depend on sizes, so
// that the rules of the checkpoint can tell what else is wrong. Without errors they are the contract's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "generator/contract/contract.hpp"
#include "generator/contract/parts.hpp"
#include "generator/spec/checkpoint_names.hpp"

namespace monomorph::generator {

/// A matrix of a sub-block and its bias, which may share a tensor with others of its group.
struct Projection {
  std::string word;  ///< "q"
  AxisId rows, columns;
  bool bias = false;
  std::int64_t heads = 0, kv_heads = 0;  ///< that its rows are cut by; 0: none
  AxisId given = {};     ///< of what it gives for a token, where its rows are those of banks; none: rows
  bool by_head = false;  ///< each head's rows are a matrix, multiplied with that head's columns
  /// Of one by head: checkpoints have each matrix the other way round, [columns, rows]; `transposed` ones as it is.
  bool turned = false;
  /// It is no matrix but a convolution of each row alone, or a vector: this axis, rows x columns, is that of its
  /// numbers.
  AxisId numbers = {};

  AxisId result() const { return given ? given : rows; }
};

/// What a tensor of several cuts its rows by; of a convolution, those of its bias.
PartRows rows_of(const Projection& one, const AxisTable& axes);

/// Projections of one input, or vectors of one use: what a checkpoint may keep in one tensor.
struct ProjectionGroup {
  std::string prefix;  ///< "layers.{i}.attention."
  std::string input;   ///< or the use: "input", "attended", "activated", "source", "convolution", "shifted"
  std::string block;   ///< type of the sub-block
  std::string kind;    ///< of layer
  std::vector<Projection> projections;
  Span bias_span;  ///< of what says which of them have a bias
};

/// ProjectionGroup::input of convolutions: what they have in one tensor, they have one after another.
inline constexpr const char* convolution_input = "convolution";
/// ProjectionGroup::input of what is multiplied with the encoder's hidden states.
inline constexpr const char* source_input = "source";

/// Tensors that one part may have: more is a mistake in a number of heads, and would fill memory.
constexpr std::int64_t most_tensors_of_a_part = 65536;

/// The first layer of a scope; -1: that of the model.
std::int64_t first_layer(const Contract& contract, Scope scope);

class Declarations {
 public:
  Declarations(const Spec& spec, Contract& contract);

  /// What follows belongs to a stack: its layers, or what of the model stands before and after them.
  void enter_stack(std::size_t stack) { stack_ = stack; }
  /// What follows belongs to the model; parts begin with `instance`, unless that is empty, and roles with `role`, which
  /// is `instance` where it is not given.
  void enter_model(const std::string& instance, std::string role = "");
  /// What follows belongs to a sub-block of this kind of layer.
  void enter(std::size_t kind, const Block& block);

  /// An axis of this kind of layer; `field` is the one whose size was too much where the axis is.
  AxisId axis(const std::string& word, std::int64_t size, const Span& field, std::vector<AxisId> factors = {});
  AxisId model_axis(const std::string& word, std::int64_t size, const Span& field, Live live = Live::all);
  /// The axis of two rows of `one` side by side (Concat).
  AxisId beside(AxisId one, const Span& field);
  /// Of the stack that has been entered; and of the encoder, whose hidden states are read as a source.
  AxisId hidden();
  AxisId source_hidden();
  /// What the sub-block that has been entered reads: the stream, or that and the embedding beside it.
  AxisId input();
  AxisId slots();
  AxisId positions();

  /// A matrix with a tensor of its own.
  void matrix(const std::string& word, AxisId rows, AxisId columns);
  /// The same, which engine.weights leaves as it is: what is chosen by it would be another.
  void exact_matrix(const std::string& word, AxisId rows, AxisId columns);
  /// A vector with a tensor of its own.
  void vector(const std::string& word, AxisId elements);
  /// Vectors of one use, over one axis, which a checkpoint may keep in one tensor, one after another.
  void vectors(const std::string& use, const std::vector<std::string>& words, AxisId elements, const Span& field);
  /// Numbers of each layer of the kind that the spec says, and no checkpoint has: one, or a vector of them.
  void number(const std::string& word, const Span& field, const std::function<double(std::int64_t layer)>& of_layer);
  void numbers(const std::string& word, AxisId elements,
               const std::function<double(std::int64_t layer, std::int64_t element)>& of_layer);
  void norm_weight(const std::string& word, AxisId elements);
  /// The bias of the norm of this word.
  void norm_bias(const std::string& word, AxisId elements);
  /// The bias of the matrix of this word.
  void bias(const std::string& word, AxisId rows);
  /// Projections of one input, each with a bias where it says so itself. `of_biases`: the field that says which, if
  /// any.
  void projections(const std::string& input, std::vector<Projection> all, const Span& of_biases = {});
  /// The same, each with a bias where `bias` names it.
  void projections(const std::string& input, const Field<Biases>& bias, std::vector<Projection> all);
  /// What slots remember of each head, kept as `element`; `window`: what queries see of it at most.
  void state(const std::string& word, AxisId heads, AxisId head, Dtype element, const Window& window);
  /// The same of the tokens of a source, all of which are seen.
  void source_state(const std::string& word, AxisId heads, AxisId head, Dtype element);
  /// What slots remember of a recurrence: heads x (value x key). It is f32 whatever engine.kv_cache says.
  void recurrent_state(const std::string& word, AxisId heads, AxisId value, AxisId key, const Span& field);
  /// Angles, a cosine and a sine for each frequency. Kinds of layer whose frequencies are equal share them.
  void angles(const std::string& role, const RotaryContract& rotary, const Field<std::int64_t>& columns);

  const Contract& contract() const { return contract_; }
  /// What rules ask: the parts with a tensor, what may share one, and the field behind an axis.
  const std::vector<NeededPart>& parts() const { return parts_; }
  const std::vector<ProjectionGroup>& groups() const { return groups_; }
  const Span& field_of(AxisId axis) const { return fields_.at(axis.index); }

 private:
  AxisId placed(AxisId axis, const Span& field);
  AxisId hidden_of(std::size_t stack);
  std::vector<CheckpointPart> whole(const std::string& part, bool bias, AxisId rows) const;
  void alternate(RowView& view, const std::string& part, const Projection& one) const;
  void cut(RowView& view, std::size_t tensors, const TensorName& name, bool bias, const Projection& own,
           const std::vector<Projection>& all) const;
  std::vector<CheckpointPart> sources(const std::string& tensor, const TensorName* fused, bool bias,
                                      const Projection& one, const std::vector<Projection>& all) const;
  void need(const std::string& part, bool weight, bool bias);
  /// `tensor`: the part whose line says where it stands.
  WeightContract& own_matrix(const std::string& word, AxisId rows, AxisId columns);
  WeightContract& weight(const std::string& part, const std::string& role, const std::string& tensor, bool bias,
                         std::vector<AxisId> axes, std::vector<CheckpointPart> sources, const std::string& component);

  const Spec& spec_;
  Contract& contract_;
  std::size_t stack_ = own_stack;
  Scope scope_;
  bool with_embedding_ = false;
  std::string user_, part_prefix_, role_prefix_, component_;
  std::vector<Span> fields_;  ///< by axis
  std::vector<NeededPart> parts_;
  std::vector<ProjectionGroup> groups_;
};

/// Whether this is a part of some model, or of this one.
bool is_part(const std::string& part, const Declarations& declared);

/// Declares the whole model.
void declare_model(const Spec& spec, Declarations& declare);

/// Elements of a weight.
std::int64_t parameters(const WeightContract& weight, const Contract& contract);

}  // namespace monomorph::generator
