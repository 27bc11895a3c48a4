// A front-end action of Clang's that only hands the tree of a translation unit to a function.
#pragma once

#include <clang/Frontend/FrontendAction.h>

#include <functional>
#include <memory>

namespace clang {
class ASTContext;
}

namespace monomorph::generator {

/// `visit` must outlive the action.
std::unique_ptr<clang::FrontendAction> make_visit_action(const std::function<void(clang::ASTContext&)>& visit);

}  // namespace monomorph::generator
