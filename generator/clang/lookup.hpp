// Finds declarations by qualified name.
#pragma once

#include <string>

namespace clang {
class ASTContext;
class NamedDecl;
}  // namespace clang

namespace monomorph::generator {

/// The first declaration of "tiny::Step", or null.
clang::NamedDecl* find_declaration(clang::ASTContext& context, const std::string& qualified_name);

}  // namespace monomorph::generator
