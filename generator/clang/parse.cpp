#include "generator/clang/parse.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Format/Format.h>
#include <clang/Tooling/ArgumentsAdjusters.h>
#include <clang/Tooling/Tooling.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <filesystem>

#include "generator/clang/visit_action.hpp"

namespace monomorph::generator {
namespace {

bool has_clang_headers(const std::filesystem::path& resource_dir) {
  std::error_code ignored;
  return std::filesystem::exists(resource_dir / "include" / "stddef.h", ignored);
}

/// Clang's own headers: where they were when this was built, or beside the library that is loaded now.
std::string find_resource_dir() {
  const std::filesystem::path configured = MONOMORPH_CLANG_RESOURCE_DIR;
  if (has_clang_headers(configured)) return configured.string();
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&clang::format::getLLVMStyle), &library) != 0 && library.dli_fname != nullptr) {
    std::error_code ignored;
    const auto folder = std::filesystem::canonical(library.dli_fname, ignored).parent_path();
    const std::string version = configured.filename().string();
    for (const auto& candidate :
         {folder / "clang" / version, folder / ".." / ("llvm-" + version) / "lib" / "clang" / version}) {
      if (has_clang_headers(candidate)) return std::filesystem::weakly_canonical(candidate).string();
    }
  }
  throw EnvironmentError(
      fmt::format("Clang's own headers are not in {}: install the Debian package libclang-common-{}-dev",
                  configured.string(), configured.filename().string()));
}

std::vector<std::string> command_line(const CppInput& input, const std::vector<std::string>& extra_flags,
                                      const std::string& resource_dir) {
  std::vector<std::string> command = {"clang++", "-xc++", "-std=c++20"};
  command.insert(command.end(), input.flags.begin(), input.flags.end());
  // A user's flags may ask for outputs, which reading alone must not write.
  for (const auto& adjuster :
       {clang::tooling::getClangStripOutputAdjuster(), clang::tooling::getClangStripDependencyFileAdjuster()}) {
    command = adjuster(command, input.path);
  }
  command.insert(command.end(), extra_flags.begin(), extra_flags.end());
  // GCC's warning flags are no mistake; types are printed whole; nothing is counted on stderr.
  for (const char* flag : {"-Qunused-arguments", "-Wno-unknown-warning-option", "-ferror-limit=0", "-fno-elide-type",
                           "-fno-caret-diagnostics", "-fsyntax-only"}) {
    command.push_back(flag);
  }
  command.push_back("-resource-dir=" + resource_dir);
  command.push_back("--");
  command.push_back(input.path);
  return command;
}

/// A missing header that belongs to the C++ implementation is the machine's fault, not the code's.
void require_standard_library(const MessageCollector& messages) {
  for (const Message& message : messages.messages) {
    if (message.id != clang::diag::err_pp_file_not_found) continue;
    for (const char* header : {"'algorithm'", "'array'", "'cstddef'", "'cstdint'", "'functional'", "'memory'", "'span'",
                               "'string'", "'string_view'", "'vector'"}) {
      if (message.text.find(header) != std::string::npos) {
        throw EnvironmentError(fmt::format(
            "the C++ standard library's headers are missing ({}): install the Debian package libstdc++-12-dev",
            message.text));
      }
    }
  }
}

}  // namespace

void parse_cpp(const CppInput& input, const std::vector<std::string>& extra_flags,
               const std::function<void(clang::ASTContext&)>& visit, MessageCollector& messages) {
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  overlay->pushOverlay(memory);
  if (input.text) memory->addFile(input.path, 0, llvm::MemoryBuffer::getMemBufferCopy(*input.text, input.path));
  auto files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), overlay);

  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  clang::tooling::ToolInvocation invocation(command_line(input, extra_flags, find_resource_dir()),
                                            make_visit_action(visit), files.get());
  invocation.setDiagnosticConsumer(&messages);
  invocation.setDiagnosticOptions(options.get());
  invocation.run();
  require_standard_library(messages);
}

void parse_emitted_cpp(const CppInput& input, const std::function<void(clang::ASTContext&)>& visit) {
  MessageCollector messages;
  std::vector<std::string> said;
  parse_cpp(
      input, {},
      [&](clang::ASTContext& context) {
        for (const Message& message : messages.messages) {
          said.push_back(message.location.printToString(context.getSourceManager()) + ": " + message.text);
        }
        if (said.empty()) visit(context);
      },
      messages);
  if (messages.messages.empty()) return;
  throw InternalError("check_cpp: emitted C++ does not compile: " +
                      (said.empty() ? messages.messages.front().text : fmt::format("{}", fmt::join(said, "\n  "))));
}

}  // namespace monomorph::generator
