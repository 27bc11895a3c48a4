#include <clang/Format/Format.h>
#include <clang/Tooling/Core/Replacement.h>

#include "generator/clang/clang.hpp"

namespace monomorph::generator {
namespace {

clang::format::FormatStyle emitted_style() {
  clang::format::FormatStyle style = clang::format::getGoogleStyle(clang::format::FormatStyle::LK_Cpp);
  style.ColumnLimit = 120;
  style.DerivePointerAlignment = false;
  style.PointerAlignment = clang::format::FormatStyle::PAS_Left;
  style.SortIncludes = clang::format::FormatStyle::SI_Never;
  style.IncludeStyle.IncludeBlocks = clang::tooling::IncludeStyle::IBS_Preserve;
  return style;
}

}  // namespace

std::string format_cpp(const std::string& text) {
  const clang::tooling::Replacements replacements =
      clang::format::reformat(emitted_style(), text, {clang::tooling::Range(0, static_cast<unsigned>(text.size()))});
  llvm::Expected<std::string> formatted = clang::tooling::applyAllReplacements(text, replacements);
  if (!formatted) {
    throw InternalError("format_cpp: emitted C++ cannot be formatted: " + llvm::toString(formatted.takeError()));
  }
  return *formatted;
}

}  // namespace monomorph::generator
