// Templates: text files with typed holes. The language is described on one page, templates/README.md.
//
// Strict: a hole that is not declared, a value that is missing, left over or of the wrong type, a declared hole that
// nothing uses, a buffer that is not bound or not declared, is an InternalError that names the template's file, line
// and column.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace monomorph::generator {

struct HoleValue;
using Holes = std::map<std::string, HoleValue>;

/// What fills a hole: a flag, a number, a text, or a list of records.
struct HoleValue {
  std::variant<bool, std::int64_t, double, std::string, std::vector<Holes>> value;

  HoleValue(bool flag) : value(flag) {}
  HoleValue(int number) : value(std::int64_t{number}) {}
  HoleValue(std::int64_t number) : value(number) {}
  HoleValue(double number) : value(number) {}
  HoleValue(const char* text) : value(std::string(text)) {}
  HoleValue(std::string text) : value(std::move(text)) {}
  HoleValue(std::vector<Holes> list) : value(std::move(list)) {}
};

enum class HoleType { boolean, uint, real, text, choice, list };

struct HoleDeclaration {
  std::string name;
  HoleType type = HoleType::text;
  std::string meaning;
  std::string when;                  ///< a condition: the hole exists only where it holds; empty: always
  std::vector<std::string> choices;  ///< of a choice
  std::vector<std::string> fields;   ///< of a list's records
  std::shared_ptr<HoleValue> sample;
  std::string place;  ///< file:line:column
};

/// A storage buffer that a kernel's template reads or writes.
struct BufferDeclaration {
  std::string name;
  std::string view;                          ///< the type of its elements in GLSL; or, by the value of a hole:
  std::string by;                            ///< that hole
  std::map<std::string, std::string> views;  ///< and the type for each value
  std::string words;                         ///< a condition: where it holds, <name>_words is the same as 32-bit words
  std::string meaning;
  std::string when;  ///< a condition: the buffer exists only where it holds
  std::string place;
};

/// A buffer that the plan binds: its name in the template, and "readonly", "writeonly" or "".
struct BufferUse {
  std::string name, access;
};

/// Where a template's text is found, by path relative to templates/.
using TextSource = std::function<std::string_view(const std::string& path)>;

struct TemplateNode;

class Template {
 public:
  /// Parses "kernels/matvec.comp" and what it includes.
  static Template parse(const std::string& path, const TextSource& source);
  ~Template();
  Template(Template&&) noexcept;

  std::string render(const Holes& holes) const;
  const std::vector<HoleDeclaration>& declarations() const { return declarations_; }
  /// The declared samples: rendering with them gives a text that compiles alone.
  Holes samples() const;
  /// Drops values whose declaration does not exist under these values ("when"), so that callers may give all they know.
  Holes applicable(const Holes& holes) const;
  /// The list `buffers` for these bindings, from binding 1 on.
  std::vector<Holes> buffers(const Holes& holes, const std::vector<BufferUse>& uses) const;

 private:
  Template();
  std::string path_;
  std::vector<HoleDeclaration> declarations_;
  std::vector<BufferDeclaration> buffers_;
  std::shared_ptr<TemplateNode> root_;
};

/// A finite f32 or double as a literal of GLSL and C++ that reads back as the same value: "1e-05", "0.125", "1.0".
std::string float_literal(double value);

}  // namespace monomorph::generator
