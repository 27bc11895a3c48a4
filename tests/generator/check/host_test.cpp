#include "generator/check/host.hpp"

#include <doctest/doctest.h>

#include "generator/pipeline.hpp"
#include "tests/generator/check/host_cases.hpp"
#include "tests/generator/check/host_model.hpp"

using namespace monomorph;

namespace {

using Lines = std::vector<std::pair<int, std::string>>;

Lines said_of(const test::HostCase& file) {
  Lines lines;
  const test::HostModel& model = test::host_model(file.model);
  const generator::Diagnostics said = generator::check_host_file(model.spec_hash, model.include_dirs(), file.path, {});
  for (const generator::Diagnostic& diagnostic : said.all()) {
    CHECK_MESSAGE(diagnostic.span.source->name == file.path, diagnostic.message);
    lines.emplace_back(diagnostic.span.line, diagnostic.message);
  }
  return lines;
}

std::string text(const Lines& lines) {
  std::string result;
  for (const auto& [line, sentence] : lines) result += std::to_string(line) + ": " + sentence + "\n";
  return result;
}

}  // namespace

TEST_CASE("every mistake of every file is said in the model's words at its line, and nothing else") {
  const auto cases = test::host_cases("fail");
  CHECK(cases.size() >= 36);
  for (const test::HostCase& file : cases) {
    CAPTURE(file.path);
    CHECK_FALSE(file.expected.empty());
    CHECK(text(said_of(file)) == text(file.expected));
  }
}

TEST_CASE("files without mistakes are accepted") {
  const auto cases = test::host_cases("pass");
  CHECK(cases.size() >= 3);
  for (const test::HostCase& file : cases) {
    CAPTURE(file.path);
    CHECK(text(said_of(file)) == "");
  }
}

TEST_CASE("a file is checked against headers emitted for it: what monomorph check --host does") {
  const std::string folder = MONOMORPH_SOURCE_DIR "/tests/cases/host/";
  const generator::AcceptedSpec accepted = generator::accept_spec(generator::open_spec(folder + "tiny.toml"), {});
  CHECK_NOTHROW(generator::check_host_code(accepted, "tiny.toml", folder + "pass/host.cpp", {}));
  try {
    generator::check_host_code(accepted, "tiny.toml", folder + "fail/gate_for_up.cpp", {});
    FAIL("the mistake was accepted");
  } catch (const generator::Rejected& rejected) {
    CHECK(generator::render(rejected.diagnostics())
              .find("gate_for_up.cpp:5:3: error: gate_up_proj_prefill: this weight is mlp::gate_proj (intermediate x "
                    "hidden); "
                    "mlp::up_proj (intermediate x hidden) is required here") != std::string::npos);
  }
}
