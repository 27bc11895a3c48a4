#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/LangOptions.h>

#include "generator/clang/clang.hpp"

namespace monomorph::generator {

bool is_cpp_keyword(const std::string& word) {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = options.CPlusPlus20 = true;
  options.CXXOperatorNames = options.Bool = options.WChar = options.Char8 = options.Coroutines = true;
  clang::IdentifierTable identifiers(options);
  const clang::IdentifierInfo& identifier = identifiers.get(word);
  return identifier.isKeyword(options) || identifier.isCPlusPlusOperatorKeyword();
}

}  // namespace monomorph::generator
