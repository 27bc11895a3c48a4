// The service that reads and formats C++ with Clang, in process. Nothing of LLVM shows here: this folder is the only
// one that includes it.
//
// Takes C++ as a file or as text, with compiler flags. Gives formatted text, values of constants, layouts of records,
// and what is wrong with a user's own file. Assumes Clang's own headers (libclang-common-19-dev) and a C++ standard
// library are installed: EnvironmentError names the package where they are not. C++ given to evaluate_constants and
// record_layouts is the generator's own, so what is wrong with it is an InternalError.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// A translation unit: a file, or `text` in its place (the path then only names it).
struct CppInput {
  std::string path;
  std::optional<std::string> text;
  std::vector<std::string> flags;  ///< as for clang++: "-I...", "-D..."; C++20 unless they say otherwise
};

/// `text` in the style of emitted code: Google's, 120 columns, pointers to the left, includes left as they are.
std::string format_cpp(const std::string& text);

/// Whether C++20 keeps the word for itself: "int", "and", "co_await".
bool is_cpp_keyword(const std::string& word);

/// The values of constexpr integer variables, by qualified name ("tiny::total_parameters").
std::map<std::string, std::int64_t> evaluate_constants(const CppInput& input, const std::vector<std::string>& names);

/// Where a field stands in its record, in bytes.
struct FieldLayout {
  std::string name;
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

struct RecordLayout {
  std::int64_t size = 0;
  std::int64_t alignment = 0;
  std::vector<FieldLayout> fields;  ///< in order of declaration
};

/// The layouts of records, by qualified name ("tiny::Step"), as the compiler for this machine lays them out.
std::map<std::string, RecordLayout> record_layouts(const CppInput& input, const std::vector<std::string>& names);

/// What a user's translation unit is held against.
struct HostCheck {
  CppInput input;                         ///< the user's file and flags
  std::vector<std::string> include_dirs;  ///< of the emitted headers and of the runtime: searched after the user's own
  std::string spec_hash;                  ///< of the SPEC it is checked against
};

/// Everything that keeps the file from compiling, and every result thrown away, sorted by place: a mistake in shapes,
/// roles or element types is one sentence in the model's words; what else Clang finds is kept in its words. Places are
/// in the user's own files, or in a header where nothing of the user's leads there.
Diagnostics check_host(const HostCheck& check);

}  // namespace monomorph::generator
