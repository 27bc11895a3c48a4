#include "generator/clang/messages.hpp"

#include <llvm/ADT/SmallString.h>

namespace monomorph::generator {
namespace {

void fill(MessageNote& note, const clang::Diagnostic& info) {
  note.id = info.getID();
  note.location = info.getLocation();
  llvm::SmallString<256> text;
  info.FormatDiagnostic(text);
  note.text = text.str().str();
  for (unsigned index = 0; index < info.getNumArgs(); ++index) {
    MessageArgument argument;
    long long number = 0;
    switch (info.getArgKind(index)) {
      case clang::DiagnosticsEngine::ak_qualtype:
        argument.type = clang::QualType::getFromOpaquePtr(reinterpret_cast<void*>(info.getRawArg(index)));
        break;
      case clang::DiagnosticsEngine::ak_std_string:
        argument.text = info.getArgStdStr(index);
        break;
      case clang::DiagnosticsEngine::ak_sint:
        number = info.getArgSInt(index);
        break;
      case clang::DiagnosticsEngine::ak_uint:
        number = info.getArgUInt(index);
        break;
      default:
        break;
    }
    note.arguments.push_back(std::move(argument));
    note.numbers.push_back(number);
  }
}

}  // namespace

void MessageCollector::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
  clang::DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level >= clang::DiagnosticsEngine::Error) {
    fill(messages.emplace_back(), info);
    keeps_notes_ = true;
  } else if (level == clang::DiagnosticsEngine::Note) {
    if (keeps_notes_) fill(messages.back().notes.emplace_back(), info);
  } else {
    keeps_notes_ = false;
  }
}

}  // namespace monomorph::generator
