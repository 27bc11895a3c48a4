// Emitted C++ is read by both compilers as a user's own build would, without a warning.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "generator/emit/emit.hpp"
#include "generator/plan/plan.hpp"
#include "tests/emission/emitted.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/run_command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

void compiles_without_a_warning(const std::string& compiler, const std::filesystem::path& directory,
                                const std::string& file) {
  const CommandResult result =
      run_command({compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-fopenmp-simd",
                   "-I" + (directory / "include").string(), "-I" MONOMORPH_SOURCE_DIR, (directory / file).string()});
  CAPTURE(file);
  INFO(result.output);
  CHECK(result.status == 0);
  CHECK(result.output == "");
}

void compiles_without_a_warning(const std::string& compiler) {
  for (const EmissionModel& model : emission_models()) {
    CAPTURE(model.name);
    const TemporaryDirectory directory;
    generator::generate(spec_path(model), {}, directory.path().string());
    std::vector<std::string> files = {"program.cpp", "cpu.cpp", "main.cpp"};
    if (model.chats) files.push_back("chat.cpp");
    for (const std::string& file : files) compiles_without_a_warning(compiler, directory.path(), file);
  }
}

/// A random graph with an attention of two terms whose values have a width of their own, one that keeps keys or not. As
/// in specs, one value of each stack's embedding is called its hidden states.
test::RandomGraph two_terms(bool causal) {
  for (std::uint64_t seed = 1;; ++seed) {
    test::RandomGraph random = test::random_graph(seed);
    const generator::Graph& graph = random.graph;
    const auto wanted = [&](const generator::Op& op) {
      const auto* attention = generator::as<generator::Attention>(op);
      return attention != nullptr && attention->causal == causal && op.in[7] &&
             graph.values[op.out].axes != graph.values[op.in[0]].axes;
    };
    const auto embeds_once = [&](const generator::Stack& stack) {
      return std::ranges::count_if(graph.ops, [&](const generator::Op& op) {
               return op.function == stack.embed && graph.values[op.out].role == graph.values[stack.hidden_states].role;
             }) == 1;
    };
    if (!std::ranges::all_of(graph.stacks, embeds_once)) continue;
    if (std::any_of(graph.ops.begin(), graph.ops.end(), wanted)) return random;
  }
}

}  // namespace

TEST_CASE("GCC compiles emitted C++ without a warning") { compiles_without_a_warning(MONOMORPH_GCC); }
TEST_CASE("Clang compiles emitted C++ without a warning") { compiles_without_a_warning(MONOMORPH_CLANG); }

TEST_CASE("attention of two terms, which no spec says yet, is emitted as C++ that compiles") {
  for (const bool causal : {true, false}) {
    CAPTURE(causal);
    test::RandomGraph random = two_terms(causal);
    random.contract.identifier = "model_random";
    const generator::Plan plan = generator::make_plan(random.contract, random.graph);
    const TemporaryDirectory directory;
    for (const auto& [path, text] :
         generator::emit_model(random.contract, random.graph, plan, {"0", "random", "test"})) {
      std::filesystem::create_directories((directory.path() / path).parent_path());
      std::ofstream(directory.path() / path, std::ios::binary) << text;
    }
    for (const char* file : {"program.cpp", "cpu.cpp"}) {
      compiles_without_a_warning(MONOMORPH_CLANG, directory.path(), file);
    }
  }
}
