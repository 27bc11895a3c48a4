// Templates: text files with typed holes. The language is described on one page, templates/README.md.
//
// Strict: a hole that is not declared, a value that is missing, left over or of the wrong type, a declared hole that
// nothing uses, is an InternalError that names the template's file, line and column.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "generator/plan/holes.hpp"

namespace monomorph::generator {

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

 private:
  Template();
  std::string path_;
  std::vector<HoleDeclaration> declarations_;
  std::shared_ptr<TemplateNode> root_;
};

/// A finite f32 or double as a literal of GLSL and C++ that reads back as the same value: "1e-05", "0.125", "1.0".
std::string float_literal(double value);

}  // namespace monomorph::generator
