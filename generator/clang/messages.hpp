// What Clang says, kept as values: every error with its notes, together with the types it speaks of.
//
// Valid as long as the translation unit they came from: locations and types point into it.
#pragma once

#include <clang/AST/Type.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceLocation.h>

#include <optional>
#include <string>
#include <vector>

namespace monomorph::generator {

/// One argument of a diagnostic: a type, a text, or (for what is neither) nothing.
struct MessageArgument {
  clang::QualType type;
  std::string text;
};

struct MessageNote {
  unsigned id = 0;
  clang::SourceLocation location;
  std::string text;
  std::vector<MessageArgument> arguments;
  std::vector<long long> numbers;  ///< of the same index; 0 where the argument is no number
};

/// An error and the notes that follow it.
struct Message : MessageNote {
  std::vector<MessageNote> notes;
};

/// Gathers errors (and warnings promoted to errors) with their notes; drops warnings with theirs.
class MessageCollector : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override;

  std::vector<Message> messages;

 private:
  bool keeps_notes_ = false;
};

}  // namespace monomorph::generator
