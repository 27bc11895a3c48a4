#include "generator/compile/spirv.hpp"

#include <doctest/doctest.h>

#include <set>

#include "generator/diagnostics.hpp"

using namespace monomorph::generator;

namespace {

const std::string kernel_text = R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "state.glsl"
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Results { State state; float results[]; };
float twice(float x) { return 2.0 * x; }
void main() { results[state.position] = twice(results[0]); }
)";

EmittedFiles files(const std::string& text = kernel_text) {
  return {{"kernels/twice.comp", text}, {"kernels/state.glsl", "struct State { uint position; };\n"}};
}

/// The opcodes that occur.
std::set<std::uint32_t> opcodes(const std::vector<std::uint32_t>& words) {
  std::set<std::uint32_t> found;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
    found.insert(words[at] & 0xffffu);
    REQUIRE((words[at] >> 16) > 0);
  }
  return found;
}

constexpr std::uint32_t op_source = 3, op_name = 5, op_member_name = 6, op_string = 7, op_line = 8;

std::string refusal(const std::string& text) {
  try {
    compile_kernel("twice", files(text));
  } catch (const InternalError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a kernel ships without names, and is kept with them for reflection") {
  const CompiledKernel kernel = compile_kernel("twice", files());
  const std::set<std::uint32_t> shipped = opcodes(kernel.optimized), named = opcodes(kernel.named);
  for (const std::uint32_t debug : {op_source, op_name, op_member_name, op_string, op_line}) {
    CAPTURE(debug);
    CHECK_FALSE(shipped.contains(debug));
  }
  CHECK(named.contains(op_name));
  CHECK(named.contains(op_member_name));
  CHECK(kernel.optimized.size() < kernel.named.size());
  CHECK(kernel.optimized[0] == 0x07230203u);
  CHECK(kernel.optimized[1] == 0x00010500u);  // SPIR-V 1.5
}

TEST_CASE("a kernel is compiled the same way twice") {
  CHECK(compile_kernel("twice", files()).optimized == compile_kernel("twice", files()).optimized);
}

TEST_CASE("a kernel that is no GLSL is an internal error with its name and glslang's words") {
  const std::string undeclared = refusal(kernel_text + "void more() { undeclared(); }\n");
  CHECK(undeclared.find("kernel twice is not valid GLSL") != std::string::npos);
  CHECK(undeclared.find("undeclared") != std::string::npos);
  CHECK(refusal("#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"nowhere.glsl\"\n")
            .find("nowhere.glsl") != std::string::npos);
  CHECK(refusal("#version 450\nlayout(local_size_x = 1) in;\nvoid helper() {}\n").find("twice") != std::string::npos);
}

TEST_CASE("every kernel of what was emitted is compiled, and nothing else") {
  EmittedFiles emitted = files();
  emitted["kernels/again.comp"] = kernel_text;
  emitted["other/kernels/none.comp"] = "no kernel";
  const auto kernels = compile_spirv(emitted);
  CHECK(kernels.size() == 2);
  CHECK(kernels.contains("again"));
  CHECK(kernels.at("twice").optimized == compile_kernel("twice", emitted).optimized);
}
