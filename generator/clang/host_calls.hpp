// The calls of a translation unit, found by place: those that failed (Clang keeps their pieces in a RecoveryExpr), with
// the functions that they could mean, and the names of those that went through.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <map>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
}  // namespace clang

namespace monomorph::generator {

struct FailedCall {
  const clang::Expr* callee = nullptr;
  std::string name;                                    ///< of the function, unqualified
  std::vector<const clang::FunctionDecl*> candidates;  ///< those that its scope has; templates aside
  std::vector<const clang::Expr*> arguments;
  clang::SourceLocation begin;
};

class HostCalls {
 public:
  explicit HostCalls(clang::ASTContext& context);

  /// The calls that an error at `location` may be about, the likeliest first: calls that begin or are named there, then
  /// calls with an argument (or their closing parenthesis) there.
  std::vector<const FailedCall*> failed_at(clang::SourceLocation location) const;
  /// The function declared at `location`, or null: where Clang's notes on candidates stand. Argument-dependent lookup
  /// finds candidates that the call itself does not know.
  const clang::FunctionDecl* declared_at(clang::SourceLocation location) const;
  /// The function whose call begins at `location`, or "".
  std::string called_at(clang::SourceLocation location) const;

 private:
  std::vector<FailedCall> failed_;
  std::multimap<clang::SourceLocation, std::size_t> by_callee_;
  std::multimap<clang::SourceLocation, std::size_t> by_argument_;
  std::map<clang::SourceLocation, std::string> called_;
  std::map<clang::SourceLocation, const clang::FunctionDecl*> declared_;
};

}  // namespace monomorph::generator
