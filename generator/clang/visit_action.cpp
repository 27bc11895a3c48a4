#include "generator/clang/visit_action.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Frontend/CompilerInstance.h>

namespace monomorph::generator {
namespace {

class VisitConsumer : public clang::ASTConsumer {
 public:
  explicit VisitConsumer(const std::function<void(clang::ASTContext&)>& visit) : visit_(visit) {}
  void HandleTranslationUnit(clang::ASTContext& context) override { visit_(context); }

 private:
  const std::function<void(clang::ASTContext&)>& visit_;
};

class VisitAction : public clang::ASTFrontendAction {
 public:
  explicit VisitAction(const std::function<void(clang::ASTContext&)>& visit) : visit_(visit) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<VisitConsumer>(visit_);
  }

 private:
  const std::function<void(clang::ASTContext&)>& visit_;
};

}  // namespace

std::unique_ptr<clang::FrontendAction> make_visit_action(const std::function<void(clang::ASTContext&)>& visit) {
  return std::make_unique<VisitAction>(visit);
}

}  // namespace monomorph::generator
