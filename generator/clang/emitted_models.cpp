#include "generator/clang/emitted_models.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

namespace monomorph::generator {
namespace {

/// The text in an initialiser: of a char array or of a string_view.
const clang::StringLiteral* first_literal(const clang::Stmt* statement) {
  if (statement == nullptr) return nullptr;
  if (const auto* literal = clang::dyn_cast<clang::StringLiteral>(statement)) return literal;
  for (const clang::Stmt* child : statement->children()) {
    if (const auto* literal = first_literal(child)) return literal;
  }
  return nullptr;
}

void read_hash(EmittedModels& models, const clang::NamedDecl* declaration) {
  const auto* variable = clang::dyn_cast<clang::VarDecl>(declaration);
  const auto* literal = variable != nullptr ? first_literal(variable->getInit()) : nullptr;
  if (literal == nullptr) return;
  models.spec_hashes.push_back({literal->getString().str(), variable->getLocation()});
  models.library_locations.push_back(variable->getLocation());
}

void read_vocab(EmittedModels& models, clang::ASTContext& context, clang::NamedDecl* declaration) {
  auto* axis = clang::dyn_cast<clang::CXXRecordDecl>(declaration);
  if (axis == nullptr) return;
  for (clang::NamedDecl* member : axis->lookup(&context.Idents.get("size"))) {
    auto* size = clang::dyn_cast<clang::VarDecl>(member);
    const clang::APValue* value = size != nullptr && size->isConstexpr() ? size->evaluateValue() : nullptr;
    if (value != nullptr && value->isInt()) models.vocab_sizes.push_back(value->getInt().getExtValue());
  }
}

}  // namespace

EmittedModels find_emitted_models(clang::ASTContext& context) {
  EmittedModels models;
  for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
    auto* space = clang::dyn_cast<clang::NamespaceDecl>(declaration);
    if (space == nullptr || !space->isFirstDecl()) continue;
    for (clang::NamedDecl* found : space->lookup(&context.Idents.get("spec_hash"))) read_hash(models, found);
    for (clang::NamedDecl* found : space->lookup(&context.Idents.get("vocab"))) read_vocab(models, context, found);
    if (space->getName() != "monomorph") continue;
    for (clang::NamedDecl* found : space->lookup(&context.Idents.get("Tensor"))) {
      models.library_locations.push_back(found->getLocation());
    }
  }
  return models;
}

}  // namespace monomorph::generator
