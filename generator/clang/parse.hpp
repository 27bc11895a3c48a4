// Parses one translation unit in process, as clang++ would, and hands its tree to a function.
//
// Gives what Clang said, in order. Throws EnvironmentError naming the Debian package where Clang's own headers or the
// C++ standard library's are missing. A tree is handed over whenever the flags make sense, errors or not.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "generator/clang/clang.hpp"
#include "generator/clang/messages.hpp"

namespace clang {
class ASTContext;
}

namespace monomorph::generator {

/// `visit` sees the tree and the messages so far (all but those of the driver have been said by then); it must not
/// throw, since it is called from code built without exceptions.
void parse_cpp(const CppInput& input, const std::vector<std::string>& extra_flags,
               const std::function<void(clang::ASTContext&)>& visit, MessageCollector& messages);

/// The same for C++ of the generator's own: an error is an InternalError with Clang's words.
void parse_emitted_cpp(const CppInput& input, const std::function<void(clang::ASTContext&)>& visit);

}  // namespace monomorph::generator
