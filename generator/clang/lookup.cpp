#include "generator/clang/lookup.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

namespace monomorph::generator {

clang::NamedDecl* find_declaration(clang::ASTContext& context, const std::string& qualified_name) {
  llvm::SmallVector<llvm::StringRef, 4> words;
  llvm::StringRef(qualified_name).split(words, "::");
  clang::DeclContext* scope = context.getTranslationUnitDecl();
  clang::NamedDecl* found = nullptr;
  for (const llvm::StringRef word : words) {
    if (scope == nullptr) return nullptr;
    const auto candidates = scope->lookup(&context.Idents.get(word));
    if (candidates.empty()) return nullptr;
    found = candidates.front();
    scope = clang::dyn_cast<clang::DeclContext>(found);
  }
  return found;
}

}  // namespace monomorph::generator
