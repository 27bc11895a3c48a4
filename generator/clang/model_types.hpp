// C++ types in the model's words: `monomorph::Tensor<tiny::roles::mlp::input, monomorph::f32, tiny::tokens,
// tiny::hidden>` is the tensor "mlp::input (tokens x hidden)". Axes and roles are named without the model's namespace,
// unless that would hide the difference.
#pragma once

#include <clang/AST/Type.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace monomorph::generator {

enum class ModelTypeKind {
  tensor,  ///< monomorph::Tensor
  weight,  ///< monomorph::Weight
  state,   ///< monomorph::State
  values,  ///< std::span, std::array or T[N] of floating point numbers: what the host sees of logits
  other,
};

struct ModelType {
  ModelTypeKind kind = ModelTypeKind::other;
  clang::QualType type;  ///< canonical, without reference and const
  std::string role;      ///< of a tensor, weight or state: "mlp::input"
  std::string element;
  std::vector<std::string> axes;
  std::optional<std::int64_t> extent;  ///< of values, where the type fixes it
  std::string spelling;                ///< as Clang prints it
};

/// `qualified` keeps the namespaces of axes and roles.
ModelType describe_type(const clang::ASTContext& context, clang::QualType type, bool qualified = false);

/// Tensor, Weight or State: what only a value of the very same type may stand for.
bool is_typed_shape(const ModelType& type);

/// Whether giving `given` where `required` stands is a mistake in shapes, judged from the types alone.
bool shapes_differ(const ModelType& given, const ModelType& required);

/// What a mistake is about; the last part of its rule id.
struct ShapeSentence {
  std::string rule;  ///< host.role, host.shape, host.element_type, host.model, host.kind, host.logits, host.exchanged
  std::string text;  ///< "this weight is mlp::gate_proj (intermediate x hidden); mlp::up_proj (...) is required here"
};

/// `vocab_sizes`: the sizes of the vocabulary axes that the emitted headers define.
ShapeSentence mismatch_sentence(const clang::ASTContext& context, const ModelType& given, const ModelType& required,
                                const std::vector<std::int64_t>& vocab_sizes);
/// Of two arguments of one call, each of the type that the other's place requires.
ShapeSentence exchange_sentence(const ModelType& one, const ModelType& other);

}  // namespace monomorph::generator
