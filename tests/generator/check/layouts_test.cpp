#include "generator/check/layouts.hpp"

#include <doctest/doctest.h>

#include "generator/check/reflection.hpp"
#include "tests/support/glsl.hpp"

using namespace monomorph;
using namespace monomorph::generator;

namespace {

ExpectedStruct state() {
  return {"tiny::Step",
          48,
          {{"position", 0, 4, 0},
           {"done", 4, 4, 0},
           {"inverse_temperature", 8, 4, 0},
           {"eos_tokens", 12, 32, 4},
           {"eos_count", 44, 4, 0}}};
}

CppInput header() {
  return {"model.hpp",
          "#include <cstdint>\nnamespace tiny { struct Step { std::uint32_t position; std::uint32_t done; float "
          "inverse_temperature; std::uint32_t eos_tokens[8]; std::uint32_t eos_count; }; }",
          {}};
}

std::vector<std::uint32_t> kernel(const std::string& fields) {
  return test::compile_glsl(
      "#version 450\nlayout(local_size_x = 1) in;\n"
      "struct Step {\n" +
      fields +
      "\n};\n"
      "layout(set = 0, binding = 0, std430) buffer State { Step state; };\n"
      "layout(set = 0, binding = 1, std430) buffer Flat { uint first; vec4 second; };\n"
      "void main() { state.done = state.position; first = 1; }\n");
}

const std::string fields =
    "uint position;\nuint done;\nfloat inverse_temperature;\nuint eos_tokens[8];\nuint eos_count;";

/// The module without its debug names, as `spirv-opt --strip-debug` leaves it.
std::vector<std::uint32_t> without_names(const std::vector<std::uint32_t>& spirv) {
  std::vector<std::uint32_t> result(spirv.begin(), spirv.begin() + 5);
  for (std::size_t at = 5; at < spirv.size(); at += spirv[at] >> 16) {
    const std::uint32_t opcode = spirv[at] & 0xffffU;
    if (opcode == 5 || opcode == 6) continue;  // OpName, OpMemberName
    result.insert(result.end(), spirv.begin() + static_cast<std::ptrdiff_t>(at),
                  spirv.begin() + static_cast<std::ptrdiff_t>(at + (spirv[at] >> 16)));
  }
  return result;
}

}  // namespace

TEST_CASE("C++ twins that agree with the plan pass") { CHECK_NOTHROW(verify_layouts(header(), {state()})); }

TEST_CASE("a C++ field that moved is an internal error naming record, field and both offsets") {
  ExpectedStruct moved = state();
  moved.fields[4].offset = 40;
  CHECK_THROWS_WITH_AS(verify_layouts(header(), {moved}),
                       doctest::Contains("tiny::Step: the offset of eos_count is 44, the plan says 40"), InternalError);
  moved = state();
  std::swap(moved.fields[0].name, moved.fields[1].name);
  CHECK_THROWS_WITH_AS(verify_layouts(header(), {moved}),
                       doctest::Contains("tiny::Step: field 0 is position, the plan says done"), InternalError);
  moved = state();
  moved.fields.pop_back();
  moved.size = 44;
  CHECK_THROWS_WITH_AS(verify_layouts(header(), {moved}),
                       doctest::Contains("the number of fields is 5, the plan says 4"), InternalError);
}

TEST_CASE("a field of another size where nothing moved is an internal error, in C++ and in SPIR-V") {
  ExpectedStruct wider = state();
  wider.fields[1].size = 2;
  CHECK_THROWS_WITH_AS(verify_layouts(header(), {wider}),
                       doctest::Contains("tiny::Step: the size of done is 4, the plan says 2"), InternalError);
  CHECK_THROWS_WITH_AS(verify_spirv_layout("sample", kernel(fields), 0, wider),
                       doctest::Contains("the size of done is 4, the plan says 2"), InternalError);
  wider = state();
  wider.size = 52;
  CHECK_THROWS_WITH_AS(verify_layouts(header(), {wider}), doctest::Contains("the size is 48, the plan says 52"),
                       InternalError);
}

TEST_CASE("GLSL twins that agree with the plan pass, with and without debug names") {
  const std::vector<std::uint32_t> spirv = kernel(fields);
  CHECK_NOTHROW(verify_spirv_layout("sample", spirv, 0, state()));
  CHECK(reflect_struct(spirv, 0)->fields[1].name == "done");
  const std::vector<std::uint32_t> stripped = without_names(spirv);
  CHECK_NOTHROW(verify_spirv_layout("sample", stripped, 0, state()));
  CHECK(reflect_struct(stripped, 0)->fields[1].name == "");
}

TEST_CASE("a GLSL field that moved is an internal error naming kernel, record, field and both offsets") {
  // A vec4 is aligned to 16 bytes in std430: everything after it moves.
  const std::string moved =
      "uint position;\nuint done;\nvec4 inverse_temperature;\nuint eos_tokens[8];\nuint eos_count;";
  CHECK_THROWS_WITH_AS(verify_spirv_layout("sample", kernel(moved), 0, state()),
                       doctest::Contains("SPIR-V of sample differs at binding 0:\n"
                                         "  tiny::Step: the offset of inverse_temperature is 16, the plan says 8"),
                       InternalError);
  const std::string exchanged =
      "uint done;\nuint position;\nfloat inverse_temperature;\nuint eos_tokens[8];\nuint eos_count;";
  CHECK_THROWS_WITH_AS(verify_spirv_layout("sample", kernel(exchanged), 0, state()),
                       doctest::Contains("field 0 is done, the plan says position"), InternalError);
  const std::string strided =
      "uint position;\nuint done;\nfloat inverse_temperature;\nuvec2 eos_tokens[4];\nuint eos_count;";
  CHECK_THROWS_WITH_AS(verify_spirv_layout("sample", without_names(kernel(strided)), 0, state()),
                       doctest::Contains("the array stride of eos_tokens is 8, the plan says 4"), InternalError);
}

TEST_CASE("a field inside an array of structs that moved is an internal error naming kernel, field and both offsets") {
  const auto with_rows = [](const std::string& row) {
    return test::compile_glsl("#version 450\nlayout(local_size_x = 1) in;\nstruct Row { " + row +
                              " };\nstruct State { uint count; Row rows[3]; };\n"
                              "layout(set = 0, binding = 0, std430) buffer StateBuffer { State state; };\n"
                              "void main() { state.rows[1].slot = state.count; }\n");
  };
  const ExpectedStruct expected{
      "tiny::State", 28, {{"count", 0, 4, 0}, {"rows", 4, 24, 8, {{"row", 0, 4, 0}, {"slot", 4, 4, 0}}}}};
  CHECK_NOTHROW(verify_spirv_layout("sample", with_rows("uint row; uint slot;"), 0, expected));
  CHECK_NOTHROW(verify_spirv_layout("sample", without_names(with_rows("uint row; uint slot;")), 0, expected));
  CHECK_THROWS_WITH_AS(verify_spirv_layout("sample", with_rows("uint slot; uint row;"), 0, expected),
                       doctest::Contains("field 0 is slot, the plan says row"), InternalError);
  CHECK_THROWS_WITH_AS(verify_spirv_layout("sample", without_names(with_rows("uvec2 row; uint slot;")), 0, expected),
                       doctest::Contains("the offset of slot is 8, the plan says 4"), InternalError);
}

TEST_CASE("the step of the plan is the one that C++ lays out") {
  const StepLayout layout{2, 3, 4, 5};
  const std::string space =
      "namespace tiny { using Step = monomorph::StepBlock<2, 3, 4, 5>; }\nstatic_assert(sizeof(tiny::Step) > 0);\n";
  const CppInput step{"step.hpp", "#include \"runtime/program/step.hpp\"\n" + space, {"-I" MONOMORPH_SOURCE_DIR}};
  CHECK_NOTHROW(verify_layouts(step, expected_step_parts()));
  CHECK_NOTHROW(verify_layouts(step, {expected_step("tiny::Step", layout)}));
  StepLayout longer = layout;
  longer.head_rows = 5;
  CHECK_THROWS_AS(verify_layouts(step, {expected_step("tiny::Step", longer)}), InternalError);
}

TEST_CASE("blocks are reflected member by member, and a binding that is not used is none") {
  const auto flat = reflect_struct(kernel(fields), 1);
  REQUIRE(flat.has_value());
  REQUIRE(flat->fields.size() == 2);
  CHECK(flat->fields[1].name == "second");
  CHECK(flat->fields[1].offset == 16);
  CHECK(flat->fields[1].size == 16);
  CHECK_FALSE(reflect_struct(kernel(fields), 7).has_value());
  CHECK_NOTHROW(verify_spirv_layout("sample", kernel(fields), 7, state()));
}

TEST_CASE("a block of another descriptor set is not the state") {
  const std::vector<std::uint32_t> spirv = test::compile_glsl(
      "#version 450\nlayout(local_size_x = 1) in;\n"
      "layout(set = 1, binding = 0, std430) buffer Other { uint other; };\n"
      "void main() { other = 1; }\n");
  CHECK_FALSE(reflect_struct(spirv, 0).has_value());
}

TEST_CASE("what is no SPIR-V is an internal error") {
  const std::vector<std::uint32_t> garbage = {1, 2, 3, 4, 5, 6};
  CHECK_THROWS_AS(reflect_struct(garbage, 0), InternalError);
}
