#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecordLayout.h>

#include "generator/clang/clang.hpp"
#include "generator/clang/lookup.hpp"
#include "generator/clang/parse.hpp"

namespace monomorph::generator {
namespace {

RecordLayout layout_of(clang::ASTContext& context, const std::string& name, std::string& fault) {
  RecordLayout result;
  auto* const declaration = find_declaration(context, name);
  auto* record = clang::dyn_cast_or_null<clang::CXXRecordDecl>(declaration);
  if (const auto* alias = clang::dyn_cast_or_null<clang::TypedefNameDecl>(declaration)) {
    record = alias->getUnderlyingType()->getAsCXXRecordDecl();
  }
  if (record != nullptr) record = record->getDefinition();
  if (record == nullptr) {
    fault = "no record of this name";
    return result;
  }
  if (record->getNumBases() != 0) {
    fault = "has a base class, whose fields would not be seen";
    return result;
  }
  const clang::ASTRecordLayout& layout = context.getASTRecordLayout(record);
  result.size = layout.getSize().getQuantity();
  result.alignment = layout.getAlignment().getQuantity();
  for (const clang::FieldDecl* field : record->fields()) {
    if (field->isBitField()) {
      fault = "field " + field->getNameAsString() + " is a bit-field";
      return result;
    }
    result.fields.push_back({field->getNameAsString(),
                             static_cast<std::int64_t>(layout.getFieldOffset(field->getFieldIndex()) / 8),
                             context.getTypeSizeInChars(field->getType()).getQuantity()});
  }
  return result;
}

}  // namespace

std::map<std::string, RecordLayout> record_layouts(const CppInput& input, const std::vector<std::string>& names) {
  std::map<std::string, RecordLayout> layouts;
  std::string faults;
  parse_emitted_cpp(input, [&](clang::ASTContext& context) {
    for (const std::string& name : names) {
      std::string fault;
      layouts[name] = layout_of(context, name, fault);
      if (!fault.empty()) faults += " " + name + ": " + fault + ";";
    }
  });
  if (!faults.empty()) throw InternalError("check_cpp: records of " + input.path + ":" + faults);
  return layouts;
}

}  // namespace monomorph::generator
