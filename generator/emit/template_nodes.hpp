// The parsed form of a template: shared by its parser and its renderer only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "generator/emit/template.hpp"

namespace monomorph::generator {

struct TemplatePlace {
  std::string file;
  int line = 0;
};

/// A piece of a line: literal text, or the hole `name` (possibly "item.field").
struct TemplatePiece {
  bool hole = false;
  std::string text;
  int column = 0;
};

struct TemplateNode {
  enum class Kind { sequence, line, constants, condition, loop } kind = Kind::sequence;
  TemplatePlace place;
  std::vector<TemplatePiece> pieces;                    ///< line
  std::vector<std::shared_ptr<TemplateNode>> children;  ///< sequence; loop: its body; condition: one for each branch
  std::vector<std::string> conditions;                  ///< condition: one for each branch, "" is else
  std::string item, list;                               ///< loop
};

struct ParsedTemplate {
  std::vector<HoleDeclaration> declarations;
  std::vector<BufferDeclaration> buffers;
  std::shared_ptr<TemplateNode> root;
};

/// Throws InternalError with file:line:column.
ParsedTemplate parse_template(const std::string& path, const TextSource& source);

[[noreturn]] void template_error(const TemplatePlace& place, int column, const std::string& message);

/// The names a condition reads.
std::vector<std::string> condition_names(const std::string& condition);

}  // namespace monomorph::generator
