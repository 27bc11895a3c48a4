// Every template, filled with its own samples, is a text that compiles.
#include <doctest/doctest.h>

#include "generator/compile/spirv.hpp"
#include "generator/emit/emit.hpp"
#include "generator/emit/resources.hpp"
#include "generator/emit/template.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph::generator;
using monomorph::tests::CommandResult;
using monomorph::tests::run_command;
using monomorph::tests::TemporaryDirectory;

namespace {

std::string_view template_text(const std::string& path) { return resource("templates/" + path); }

std::string rendered_samples(const std::string& path) {
  const Template parsed = Template::parse(path, template_text);
  return parsed.render(parsed.samples());
}

std::vector<std::string> templates_in(const std::string& folder, const std::string& ending) {
  std::vector<std::string> paths;
  for (const auto& [name, text] : resources()) {
    if (name.starts_with("templates/" + folder + "/") && name.ends_with(ending)) paths.push_back(name.substr(10));
  }
  return paths;
}

/// What kernels include.
EmittedFiles included_files() {
  EmittedFiles files;
  for (const auto& [name, text] : resources()) {
    if (name.starts_with("shaders/")) files["kernels/" + name.substr(8)] = std::string(text);
  }
  return files;
}

}  // namespace

TEST_CASE("every kernel's template compiles to SPIR-V with its samples") {
  const EmittedFiles included = included_files();
  const std::vector<std::string> paths = templates_in("kernels", ".comp");
  CHECK(paths.size() >= 7);
  for (const std::string& path : paths) {
    CAPTURE(path);
    EmittedFiles files = included;
    files["kernels/sample_kernel.comp"] = rendered_samples(path);
    CHECK_NOTHROW(compile_kernel("sample_kernel", files));
  }
}

TEST_CASE("every C++ template compiles with its samples, which belong to one model") {
  const TemporaryDirectory directory;
  std::vector<std::string> sources;
  for (const std::string& path : templates_in("cpp", "pp")) {
    const std::string name = path.substr(4);
    const std::string target = name.ends_with(".hpp") ? "include/tiny/" + name : name;
    sources.push_back(directory.write(target, rendered_samples(path)));
  }
  CHECK(sources.size() >= 7);
  for (const std::string& source : sources) {
    const CommandResult result = run_command({MONOMORPH_CXX, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra",
                                              "-Werror", "-x", "c++", "-I" + (directory.path() / "include").string(),
                                              "-I" MONOMORPH_SOURCE_DIR, "-include", source, "/dev/null"});
    CAPTURE(source);
    INFO(result.output);
    CHECK(result.status == 0);
  }
}

TEST_CASE("the templates for CMake and the assembler take their samples") {
  const std::string cmake = rendered_samples("cpp/CMakeLists.txt");
  CHECK(cmake.find("add_library(tiny STATIC program.cpp)") != std::string::npos);
  CHECK(cmake.find("target_sources(tiny PRIVATE spirv.S)") != std::string::npos);
  CHECK(cmake.find("target_sources(tiny PRIVATE cpu.cpp)") != std::string::npos);
  CHECK(rendered_samples("cpp/spirv.S").find("tiny_o_proj_spirv:") != std::string::npos);
}
