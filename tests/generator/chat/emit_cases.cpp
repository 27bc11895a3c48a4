// emit_chat_cases OUT.cpp FILE...: compiles chat templates, or trees of them as parse_template.py gives them (.json),
// to one C++ source with a function for each, and a table of them and of those that are refused.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "generator/chat/chat.hpp"

using namespace monomorph::generator;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  std::ofstream out(argv[1]);
  out << "#include \"runtime/chat/emitted.hpp\"\n#include \"tests/generator/chat/chat_case.hpp\"\n\n"
         "namespace {\nusing namespace monomorph::chat;\nusing namespace std::string_view_literals;\n";
  std::string table;
  for (int i = 2; i < argc; ++i) {
    const std::filesystem::path path(argv[i]);
    const std::string text = text_of(path);
    const auto compiled = compile_chat_tree(path.extension() == ".json" ? text : parse_chat_template(text));
    const std::string name = path.stem().string();
    if (const auto* refusal = std::get_if<ChatRefusal>(&compiled)) {
      table += fmt::format("    {{\"{}\", nullptr, {}, {}.data()}},\n", name, refusal->line, cpp_text(refusal->why));
      continue;
    }
    out << fmt::format("\nstd::string case_{}([[maybe_unused]] const Scope& scope) {{\n", i);
    for (const std::string& line : std::get<ChatBody>(compiled)) out << line << '\n';
    out << "}\n";
    table += fmt::format("    {{\"{}\", case_{}, 0, \"\"}},\n", name, i);
  }
  out << "}  // namespace\n\nnamespace monomorph::generator {\nconst std::vector<ChatCase>& chat_cases() {\n"
         "  static const std::vector<ChatCase> all = {\n"
      << table << "  };\n  return all;\n}\n}  // namespace monomorph::generator\n";
  return out.flush() ? 0 : 1;
}
