#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "generator/clang/clang.hpp"
#include "generator/clang/host_calls.hpp"
#include "generator/clang/host_mistakes.hpp"
#include "generator/clang/parse.hpp"

namespace monomorph::generator {
namespace {

/// Places of Clang's as spans; tells the user's own files from the headers they build on.
class Places {
 public:
  Places(const clang::ASTContext& context, const HostCheck& check) : context_(context), check_(check) {
    for (const std::string& directory : check.include_dirs) {
      std::error_code ignored;
      directories_.push_back(std::filesystem::weakly_canonical(directory, ignored).string() + "/");
    }
  }

  bool is_users(clang::SourceLocation location) const {
    if (location.isInvalid()) return false;
    location = sources().getFileLoc(location);
    const clang::FileID file = sources().getFileID(location);
    if (file == sources().getMainFileID()) return true;
    if (sources().isInSystemHeader(location)) return false;
    const std::string path = real_path(file);
    return !path.empty() && std::none_of(directories_.begin(), directories_.end(), [&](const std::string& directory) {
      return path.compare(0, directory.size(), directory) == 0;
    });
  }

  Span span(clang::SourceLocation location) {
    Span result;
    result.source = source(sources().getMainFileID());
    if (location.isInvalid()) return result;
    location = sources().getFileLoc(location);
    result.source = source(sources().getFileID(location));
    result.line = static_cast<int>(sources().getSpellingLineNumber(location));
    result.column = static_cast<int>(sources().getSpellingColumnNumber(location));
    result.length = std::max(1, static_cast<int>(clang::Lexer::MeasureTokenLength(location, sources(),
                                                                                  context_.getLangOpts())));
    return result;
  }

  const clang::SourceManager& sources() const { return context_.getSourceManager(); }

 private:
  std::string real_path(clang::FileID file) const {
    const auto entry = sources().getFileEntryRefForID(file);
    if (!entry) return "";
    std::error_code ignored;
    return std::filesystem::weakly_canonical(entry->getName().str(), ignored).string();
  }

  std::shared_ptr<const Source> source(clang::FileID file) {
    auto& known = known_[file];
    if (known == nullptr) {
      const auto entry = sources().getFileEntryRefForID(file);
      const bool main = file == sources().getMainFileID() || !entry;
      known = std::make_shared<Source>(
          Source{main ? check_.input.path : entry->getName().str(), sources().getBufferData(file).str()});
    }
    return known;
  }

  const clang::ASTContext& context_;
  const HostCheck& check_;
  std::vector<std::string> directories_;
  std::map<clang::FileID, std::shared_ptr<const Source>> known_;
};

bool leads_to(const MessageNote& note) {
  return note.text.find("requested here") != std::string::npos || note.text.find("required here") != std::string::npos;
}

/// The mistake's place if it is the user's, else the first place of the user's that led there, else where it is.
clang::SourceLocation users_place(const Places& places, const Message& message, clang::SourceLocation place) {
  if (places.is_users(place)) return place;
  for (const MessageNote& note : message.notes) {
    if (leads_to(note) && places.is_users(note.location)) return note.location;
  }
  return place;
}

/// Sizes of the axes named `vocab` in any namespace of the headers.
std::vector<std::int64_t> vocab_sizes(clang::ASTContext& context) {
  std::vector<std::int64_t> sizes;
  for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
    auto* space = clang::dyn_cast<clang::NamespaceDecl>(declaration);
    if (space == nullptr) continue;
    for (clang::NamedDecl* axis : space->lookup(&context.Idents.get("vocab"))) {
      auto* record = clang::dyn_cast<clang::CXXRecordDecl>(axis);
      if (record == nullptr) continue;
      for (clang::NamedDecl* member : record->lookup(&context.Idents.get("size"))) {
        auto* size = clang::dyn_cast<clang::VarDecl>(member);
        const clang::APValue* value = size != nullptr && size->isConstexpr() ? size->evaluateValue() : nullptr;
        if (value != nullptr && value->isInt()) sizes.push_back(value->getInt().getExtValue());
      }
    }
  }
  return sizes;
}

const clang::StringLiteral* first_literal(const clang::Stmt* statement) {
  if (statement == nullptr) return nullptr;
  if (const auto* literal = clang::dyn_cast<clang::StringLiteral>(statement)) return literal;
  for (const clang::Stmt* child : statement->children()) {
    if (const auto* literal = first_literal(child)) return literal;
  }
  return nullptr;
}

/// Emitted headers name the spec they came from in `spec_hash`: one that differs is out of date.
void report_stale_headers(clang::ASTContext& context, const HostCheck& check, Places& places, Diagnostics& diagnostics) {
  for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
    auto* space = clang::dyn_cast<clang::NamespaceDecl>(declaration);
    if (space == nullptr) continue;
    for (clang::NamedDecl* found : space->lookup(&context.Idents.get("spec_hash"))) {
      const auto* variable = clang::dyn_cast<clang::VarDecl>(found);
      const auto* literal = variable != nullptr ? first_literal(variable->getInit()) : nullptr;
      if (literal == nullptr || literal->getString() == check.spec_hash) continue;
      clang::SourceLocation place = variable->getLocation();
      while (!places.is_users(place)) {
        const clang::SourceLocation include = places.sources().getIncludeLoc(places.sources().getFileID(place));
        if (include.isInvalid()) break;
        place = include;
      }
      const std::string header =
          std::filesystem::path(places.span(variable->getLocation()).source->name).filename().string();
      diagnostics.error("host.stale_header", places.span(place),
                        fmt::format("{} was generated from another version of the spec (its hash is {}, the spec's is "
                                    "{}): generate it again",
                                    header, literal->getString().str(), check.spec_hash));
    }
  }
}

void report(clang::ASTContext& context, const HostCheck& check, const std::vector<Message>& messages,
            Diagnostics& diagnostics) {
  Places places(context, check);
  report_stale_headers(context, check, places, diagnostics);
  const HostCalls calls(context);
  const std::vector<std::int64_t> vocabularies = vocab_sizes(context);
  for (const Message& message : messages) {
    for (const HostMistake& mistake : explain(context, message, calls, vocabularies)) {
      Diagnostic& diagnostic = diagnostics.error(
          mistake.rule, places.span(users_place(places, message, mistake.place)), mistake.text);
      if (!mistake.argument.empty()) {
        diagnostic.notes.push_back({mistake.argument, places.span(mistake.argument_place)});
      }
      if (!mistake.in_clangs_words) continue;
      for (const MessageNote& note : message.notes) {
        if (note.location.isValid() && !places.sources().isInSystemHeader(note.location)) {
          diagnostic.notes.push_back({note.text, places.span(note.location)});
        }
      }
    }
  }
}

/// By place; the file that was asked about first. Of equal sentences at one place, one.
void sort_and_unite(Diagnostics& diagnostics, const std::string& path) {
  const auto key = [&](const Diagnostic& diagnostic) {
    const std::string& name = diagnostic.span.source->name;
    return std::tuple(name != path, name, diagnostic.span.line, diagnostic.span.column);
  };
  auto& all = diagnostics.all();
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::set<std::tuple<std::string, int, int, std::string>> seen;
  std::erase_if(all, [&](const Diagnostic& diagnostic) {
    return !seen.insert({diagnostic.span.source->name, diagnostic.span.line, diagnostic.span.column, diagnostic.message})
                .second;
  });
}

}  // namespace

Diagnostics check_host(const HostCheck& check) {
  std::error_code ignored;
  if (!check.input.text && !std::filesystem::is_regular_file(check.input.path, ignored)) {
    throw EnvironmentError(check.input.path + ": there is no such file to check");
  }
  std::vector<std::string> flags = {"-Werror=unused-result"};
  for (const std::string& directory : check.include_dirs) flags.push_back("-I" + directory);

  Diagnostics diagnostics;
  MessageCollector collector;
  bool parsed = false;
  parse_cpp(
      check.input, flags,
      [&](clang::ASTContext& context) {
        parsed = true;
        report(context, check, collector.messages, diagnostics);
      },
      collector);
  if (!parsed) {  // the flags made no sense: nothing was read
    const auto source = std::make_shared<Source>(Source{check.input.path, check.input.text.value_or("")});
    for (const Message& message : collector.messages) diagnostics.error("host.flags", {source, 0, 0, 1}, message.text);
  }
  sort_and_unite(diagnostics, check.input.path);
  return diagnostics;
}

}  // namespace monomorph::generator
