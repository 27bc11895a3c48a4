// Diagnostics: what a stage says about its input, gathered until all of it is known, then printed the way Clang does.
//
// A user's mistake is a Diagnostic. A fault of the generator is an InternalError (exit status 3); a failure of the
// world around it (a file, a disk, a compiler) is an EnvironmentError (exit status 2).
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/nearest.hpp"

namespace monomorph::generator {

/// A text that spans point into: a spec, a config.json, a C++ file.
struct Source {
  std::string name;  ///< as the user named it
  std::string text;
};

/// A place in a source: 1-based line and column, in bytes; length >= 1. Line 0: the file as a whole.
struct Span {
  std::shared_ptr<const Source> source;
  int line = 0;
  int column = 0;
  int length = 1;
};

enum class Severity { error, warning, note };

struct Note {
  std::string message;
  Span span;  ///< without a source: the note is text alone
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string rule;     ///< a stable id, "attention.kv_heads_divide_heads"
  std::string message;  ///< one sentence with the numbers and what would be valid
  Span span;
  std::vector<Note> notes;
};

class Diagnostics {
 public:
  Diagnostic& error(std::string rule, Span span, std::string message);
  Diagnostic& warning(std::string rule, Span span, std::string message);
  /// Design advice: never makes a spec unacceptable.
  Diagnostic& advice(std::string rule, Span span, std::string message);
  void append(const Diagnostics& other);

  bool has_errors() const;
  const std::vector<Diagnostic>& all() const { return diagnostics_; }
  std::vector<Diagnostic>& all() { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// "file:line:column: error: message [rule]", the source line, a caret; then the notes in the same form.
std::string render(const Diagnostic& diagnostic);
std::string render(const Diagnostics& diagnostics);

/// A fault of the generator itself: names the rule and the field it concerns. Exit status 3.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// A file that cannot be read or written, a tool that is missing. Exit status 2.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A stage's input was rejected: the diagnostics say why. Exit status 1.
class Rejected : public std::exception {
 public:
  explicit Rejected(Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {}
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const char* what() const noexcept override { return "rejected"; }

 private:
  Diagnostics diagnostics_;
};

}  // namespace monomorph::generator
