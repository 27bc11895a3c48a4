#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include "generator/clang/clang.hpp"
#include "generator/clang/lookup.hpp"
#include "generator/clang/parse.hpp"

namespace monomorph::generator {
namespace {

/// The value, or what is wrong in `fault`.
std::int64_t evaluate(clang::ASTContext& context, const std::string& name, std::string& fault) {
  auto* variable = clang::dyn_cast_or_null<clang::VarDecl>(find_declaration(context, name));
  if (variable == nullptr) {
    fault = "no variable of this name";
  } else if (!variable->isConstexpr()) {
    fault = "not constexpr";
  } else if (const clang::APValue* value = variable->evaluateValue(); value == nullptr || !value->isInt()) {
    fault = "not an integer constant";
  } else if (!value->getInt().isRepresentableByInt64()) {
    fault = "does not fit in 64 bits with a sign";
  } else {
    return value->getInt().getExtValue();
  }
  return 0;
}

}  // namespace

std::map<std::string, std::int64_t> evaluate_constants(const CppInput& input, const std::vector<std::string>& names) {
  std::map<std::string, std::int64_t> values;
  std::string faults;
  parse_emitted_cpp(input, [&](clang::ASTContext& context) {
    for (const std::string& name : names) {
      std::string fault;
      values[name] = evaluate(context, name, fault);
      if (!fault.empty()) faults += " " + name + ": " + fault + ";";
    }
  });
  if (!faults.empty()) throw InternalError("check_cpp: constants of " + input.path + ":" + faults);
  return values;
}

}  // namespace monomorph::generator
