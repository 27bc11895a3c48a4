// What an error of Clang's means for someone who writes against an emitted model: one sentence for each mistake.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <cstdint>
#include <string>
#include <vector>

#include "generator/clang/host_calls.hpp"
#include "generator/clang/messages.hpp"

namespace monomorph::generator {

struct HostMistake {
  std::string rule;
  std::string text;
  clang::SourceLocation place;  ///< where the error or the call stands; the user's own place is found from it
  std::string argument;         ///< "argument 3 (attended)", or ""
  clang::SourceLocation argument_place;
  bool in_clangs_words = false;  ///< then Clang's notes belong to it
};

/// At least one mistake; `vocab_sizes` as for mismatch_sentence.
std::vector<HostMistake> explain(clang::ASTContext& context, const Message& message, const HostCalls& calls,
                                 const std::vector<std::int64_t>& vocab_sizes);

}  // namespace monomorph::generator
