#include "generator/clang/model_types.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/PrettyPrinter.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace monomorph::generator {
namespace {

std::string type_name(clang::QualType type, bool qualified) {
  const clang::RecordDecl* record = type->getAsRecordDecl();
  if (record == nullptr) return type.getAsString();
  return qualified ? record->getQualifiedNameAsString() : record->getNameAsString();
}

/// The words of a role: what follows the emitted `roles::`; of a user's own role its name.
std::string role_name(clang::QualType type, bool qualified) {
  const std::string whole = type_name(type, true), mark = "::roles::";
  const std::size_t found = whole.find(mark);
  return qualified || found == std::string::npos ? type_name(type, qualified) : whole.substr(found + mark.size());
}

/// Type arguments, packs flattened; nothing where an argument is no type.
std::vector<clang::QualType> type_arguments(const clang::ClassTemplateSpecializationDecl& specialization) {
  std::vector<clang::QualType> types;
  for (const clang::TemplateArgument& argument : specialization.getTemplateArgs().asArray()) {
    if (argument.getKind() == clang::TemplateArgument::Type) types.push_back(argument.getAsType());
    if (argument.getKind() != clang::TemplateArgument::Pack) continue;
    for (const clang::TemplateArgument& member : argument.pack_elements()) {
      if (member.getKind() == clang::TemplateArgument::Type) types.push_back(member.getAsType());
    }
  }
  return types;
}

void describe_shape(ModelType& described, const std::vector<clang::QualType>& arguments, bool qualified) {
  std::size_t next = 0;
  if (next < arguments.size()) described.role = role_name(arguments[next++], qualified);
  if (next < arguments.size()) described.element = type_name(arguments[next++], false);
  while (next < arguments.size()) described.axes.push_back(type_name(arguments[next++], qualified));
}

void describe_specialization(ModelType& described, const clang::ClassTemplateSpecializationDecl& specialization,
                             bool qualified) {
  const std::string name = specialization.getQualifiedNameAsString();
  const std::vector<clang::QualType> arguments = type_arguments(specialization);
  static const std::map<std::string, ModelTypeKind> shapes = {{"monomorph::Tensor", ModelTypeKind::tensor},
                                                              {"monomorph::Weight", ModelTypeKind::weight},
                                                              {"monomorph::State", ModelTypeKind::state}};
  if (const auto shape = shapes.find(name); shape != shapes.end()) {
    described.kind = shape->second;
    describe_shape(described, arguments, qualified);
  } else if ((name == "std::span" || name == "std::array") && !arguments.empty() &&
             arguments.front()->isRealFloatingType()) {
    described.kind = ModelTypeKind::values;
    const auto all = specialization.getTemplateArgs().asArray();
    // A span without an extent of its own has the largest number there is.
    if (all.size() > 1 && all[1].getKind() == clang::TemplateArgument::Integral &&
        !all[1].getAsIntegral().isAllOnes()) {
      described.extent = all[1].getAsIntegral().getExtValue();
    }
  }
}

std::string named_shape(const ModelType& type, bool with_element) {
  return fmt::format("{} ({}{})", type.role, with_element ? type.element + " " : "", fmt::join(type.axes, " x "));
}

const char* kind_word(ModelTypeKind kind) {
  switch (kind) {
    case ModelTypeKind::tensor:
      return "tensor";
    case ModelTypeKind::weight:
      return "weight";
    case ModelTypeKind::state:
      return "state";
    default:
      return "value";
  }
}

bool is_vocab(const ModelType& type, const std::vector<std::int64_t>& vocab_sizes) {
  return type.extent && std::find(vocab_sizes.begin(), vocab_sizes.end(), *type.extent) != vocab_sizes.end();
}

std::string values_text(const ModelType& type, const std::vector<std::int64_t>& vocab_sizes) {
  if (!type.extent) return "a number known only at run time";
  return is_vocab(type, vocab_sizes) ? fmt::format("vocab ({})", *type.extent) : fmt::format("{}", *type.extent);
}

std::string any_text(const ModelType& type, const std::vector<std::int64_t>& vocab_sizes) {
  if (is_typed_shape(type)) {
    return fmt::format("a {} {}", kind_word(type.kind), named_shape(type, true));
  }
  if (type.kind == ModelTypeKind::values && is_vocab(type, vocab_sizes)) {
    return "a span of " + values_text(type, vocab_sizes) + " logits";
  }
  return "'" + type.spelling + "'";
}

ShapeSentence values_sentence(const ModelType& given, const ModelType& required,
                              const std::vector<std::int64_t>& vocab_sizes) {
  const bool logits = is_vocab(given, vocab_sizes) || is_vocab(required, vocab_sizes);
  return {"host.logits", fmt::format("these are {} {}; {} is required here", values_text(given, vocab_sizes),
                                     logits ? "logits" : "values", values_text(required, vocab_sizes))};
}

}  // namespace

ModelType describe_type(const clang::ASTContext& context, clang::QualType type, bool qualified) {
  ModelType described;
  described.type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  described.spelling = type.getNonReferenceType().getUnqualifiedType().getAsString(policy);
  if (const auto* array = context.getAsConstantArrayType(described.type)) {
    if (array->getElementType()->isRealFloatingType()) {
      described.kind = ModelTypeKind::values;
      described.extent = static_cast<std::int64_t>(array->getSize().getZExtValue());
    }
  } else if (const auto* record = described.type->getAsCXXRecordDecl()) {
    if (const auto* specialization = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(record)) {
      describe_specialization(described, *specialization, qualified);
    }
  }
  return described;
}

bool is_typed_shape(const ModelType& type) {
  return type.kind == ModelTypeKind::tensor || type.kind == ModelTypeKind::weight || type.kind == ModelTypeKind::state;
}

bool shapes_differ(const ModelType& given, const ModelType& required) {
  if (is_typed_shape(required)) return given.type != required.type;
  return required.kind == ModelTypeKind::values && given.kind == ModelTypeKind::values && given.extent &&
         required.extent && *given.extent != *required.extent;
}

ShapeSentence mismatch_sentence(const clang::ASTContext& context, const ModelType& given, const ModelType& required,
                                const std::vector<std::int64_t>& vocab_sizes) {
  if (given.kind == ModelTypeKind::values && required.kind == ModelTypeKind::values) {
    return values_sentence(given, required, vocab_sizes);
  }
  if (given.kind != required.kind || !is_typed_shape(given)) {
    return {"host.kind", fmt::format("this is {}; {} is required here", any_text(given, vocab_sizes),
                                     any_text(required, vocab_sizes))};
  }
  const bool with_element = given.element != required.element;
  std::string given_text = named_shape(given, with_element);
  std::string required_text = named_shape(required, with_element);
  if (given_text == required_text) {  // two models have axes or roles of the same name
    given_text = named_shape(describe_type(context, given.type, true), with_element);
    required_text = named_shape(describe_type(context, required.type, true), with_element);
  }
  const char* rule = given.role != required.role   ? "host.role"
                     : given.axes != required.axes ? "host.shape"
                     : with_element                ? "host.element_type"
                                                   : "host.model";
  return {rule, fmt::format("this {} is {}; {} is required here", kind_word(given.kind), given_text, required_text)};
}

ShapeSentence exchange_sentence(const ModelType& one, const ModelType& other) {
  const bool with_element = one.element != other.element;
  return {"host.exchanged", fmt::format("{} and {} stand in each other's place", named_shape(one, with_element),
                                        named_shape(other, with_element))};
}

}  // namespace monomorph::generator
