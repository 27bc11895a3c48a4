#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "generator/clang/clang.hpp"
#include "generator/clang/emitted_models.hpp"
#include "generator/clang/host_calls.hpp"
#include "generator/clang/host_mistakes.hpp"
#include "generator/clang/parse.hpp"

namespace monomorph::generator {
namespace {

/// Places of Clang's as spans; tells the user's own files from the headers they build on.
class Places {
 public:
  Places(const clang::ASTContext& context, const HostCheck& check) : context_(context), check_(check) {
    for (const std::string& directory : check.include_dirs) add_library(directory);
  }

  /// The folder of the file at `location` holds headers that are not the user's, wherever the user's flags found it.
  void add_library_of(clang::SourceLocation location) {
    const clang::FileID file = sources().getFileID(sources().getFileLoc(location));
    const std::string path = real_path(file);
    if (file != sources().getMainFileID() && !path.empty()) add_library(std::filesystem::path(path).parent_path());
  }

  /// The line of the user's file that includes, in one step or several, the file of `location`.
  clang::SourceLocation including(clang::SourceLocation location) const {
    location = sources().getFileLoc(location);
    while (sources().getFileID(location) != sources().getMainFileID()) {
      const clang::SourceLocation include = sources().getIncludeLoc(sources().getFileID(location));
      if (include.isInvalid()) break;
      location = include;
    }
    return location;
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
    result.length =
        std::max(1, static_cast<int>(clang::Lexer::MeasureTokenLength(location, sources(), context_.getLangOpts())));
    return result;
  }

  const clang::SourceManager& sources() const { return context_.getSourceManager(); }

 private:
  void add_library(const std::filesystem::path& directory) {
    std::error_code ignored;
    directories_.push_back(std::filesystem::weakly_canonical(directory, ignored).string() + "/");
  }

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

/// A note that says where the user's code asked for what failed: a template's instantiation, an implicit function, an
/// exception specification.
bool leads_to(const MessageNote& note) {
  static constexpr const char* leading[] = {"requested here", "required here", "needed here"};
  return std::any_of(std::begin(leading), std::end(leading),
                     [&](const char* words) { return note.text.find(words) != std::string::npos; });
}

/// The mistake's place if it is the user's, else the first place of the user's that led there, else where it is.
clang::SourceLocation users_place(const Places& places, const Message& message, clang::SourceLocation place) {
  if (places.is_users(place)) return place;
  for (const MessageNote& note : message.notes) {
    if (leads_to(note) && places.is_users(note.location)) return note.location;
  }
  return place;
}

/// Emitted headers name the spec they came from in `spec_hash`: one that differs is out of date.
void report_stale_headers(const EmittedModels& models, const HostCheck& check, Places& places,
                          Diagnostics& diagnostics) {
  for (const SpecHash& hash : models.spec_hashes) {
    if (hash.text == check.spec_hash) continue;
    const std::string header = std::filesystem::path(places.span(hash.location).source->name).filename().string();
    diagnostics.error("host.stale_header", places.span(places.including(hash.location)),
                      fmt::format("{} was generated from another version of the spec (its hash is {}, the spec's is "
                                  "{}): generate it again",
                                  header, hash.text, check.spec_hash));
  }
}

void report(clang::ASTContext& context, const HostCheck& check, const std::vector<Message>& messages,
            Diagnostics& diagnostics) {
  const EmittedModels models = find_emitted_models(context);
  Places places(context, check);
  for (const clang::SourceLocation location : models.library_locations) places.add_library_of(location);
  report_stale_headers(models, check, places, diagnostics);
  const HostCalls calls(context);
  for (const Message& message : messages) {
    for (const HostMistake& mistake : explain(context, message, calls, models.vocab_sizes)) {
      Diagnostic& diagnostic =
          diagnostics.error(mistake.rule, places.span(users_place(places, message, mistake.place)), mistake.text);
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
    return !seen.insert(
                    {diagnostic.span.source->name, diagnostic.span.line, diagnostic.span.column, diagnostic.message})
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
