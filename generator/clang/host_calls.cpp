#include "generator/clang/host_calls.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace monomorph::generator {
namespace {

template <class Declarations>
void add_candidates(FailedCall& call, const Declarations& declarations) {
  for (const clang::NamedDecl* declaration : declarations) {
    if (const auto* function = clang::dyn_cast<clang::FunctionDecl>(declaration->getUnderlyingDecl())) {
      call.candidates.push_back(function);
    }
  }
}

/// The call whose pieces these are; without a name where the pieces are no call.
FailedCall read_call(const clang::RecoveryExpr& pieces) {
  FailedCall call;
  const auto expressions = const_cast<clang::RecoveryExpr&>(pieces).subExpressions();
  if (expressions.empty()) return call;
  call.callee = expressions.front();
  call.begin = pieces.getBeginLoc();
  const clang::Expr* callee = call.callee->IgnoreParenImpCasts();
  if (const auto* reference = clang::dyn_cast<clang::DeclRefExpr>(callee)) {
    add_candidates(call, llvm::ArrayRef<const clang::NamedDecl*>{reference->getDecl()});
  } else if (const auto* member = clang::dyn_cast<clang::MemberExpr>(callee)) {
    add_candidates(call, llvm::ArrayRef<const clang::NamedDecl*>{member->getMemberDecl()});
  } else if (const auto* overloads = clang::dyn_cast<clang::OverloadExpr>(callee)) {
    add_candidates(call, overloads->decls());
    call.name = overloads->getName().getAsString();
  }
  if (!call.candidates.empty()) call.name = call.candidates.front()->getNameAsString();
  call.arguments.assign(expressions.begin() + 1, expressions.end());
  return call;
}

class Visitor : public clang::RecursiveASTVisitor<Visitor> {
 public:
  bool shouldVisitTemplateInstantiations() const { return true; }

  /// The bodies made of a generic lambda for its calls are reached neither through the expression nor otherwise.
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    if (clang::FunctionTemplateDecl* call = lambda->getDependentCallOperator()) {
      for (clang::FunctionDecl* instance : call->specializations()) TraverseDecl(instance);
    }
    return true;
  }

  bool VisitRecoveryExpr(clang::RecoveryExpr* pieces) {
    FailedCall call = read_call(*pieces);
    if (!call.name.empty()) {
      ends.push_back(pieces->getEndLoc());
      failed.push_back(std::move(call));
    }
    return true;
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    if (const clang::FunctionDecl* function = call->getDirectCallee()) {
      // The outermost of several calls that begin at one place is visited first.
      called.emplace(call->getBeginLoc(), function->getNameAsString());
    }
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    declared.emplace(function->getLocation(), function);
    return true;
  }

  std::vector<FailedCall> failed;
  std::map<clang::SourceLocation, const clang::FunctionDecl*> declared;
  std::vector<clang::SourceLocation> ends;
  std::map<clang::SourceLocation, std::string> called;
};

}  // namespace

HostCalls::HostCalls(clang::ASTContext& context) {
  Visitor visitor;
  for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
    if (!context.getSourceManager().isInSystemHeader(declaration->getLocation())) visitor.TraverseDecl(declaration);
  }
  failed_ = std::move(visitor.failed);
  called_ = std::move(visitor.called);
  declared_ = std::move(visitor.declared);
  for (std::size_t index = 0; index < failed_.size(); ++index) {
    const FailedCall& call = failed_[index];
    by_callee_.emplace(call.begin, index);
    if (call.callee->getExprLoc() != call.begin) by_callee_.emplace(call.callee->getExprLoc(), index);
    by_argument_.emplace(visitor.ends[index], index);
    for (const clang::Expr* argument : call.arguments) {
      by_argument_.emplace(argument->getBeginLoc(), index);
      if (argument->getExprLoc() != argument->getBeginLoc()) by_argument_.emplace(argument->getExprLoc(), index);
    }
  }
}

std::vector<const FailedCall*> HostCalls::failed_at(clang::SourceLocation location) const {
  std::vector<const FailedCall*> calls;
  for (const auto* index : {&by_callee_, &by_argument_}) {
    const auto [first, last] = index->equal_range(location);
    for (auto entry = first; entry != last; ++entry) calls.push_back(&failed_[entry->second]);
  }
  return calls;
}

const clang::FunctionDecl* HostCalls::declared_at(clang::SourceLocation location) const {
  const auto found = declared_.find(location);
  return found == declared_.end() ? nullptr : found->second;
}

std::string HostCalls::called_at(clang::SourceLocation location) const {
  const auto found = called_.find(location);
  return found == called_.end() ? "" : found->second;
}

}  // namespace monomorph::generator
