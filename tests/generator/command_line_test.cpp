// The command line as users and scripts see it: exit statuses, streams, files.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temporary_directory.hpp"

namespace fs = std::filesystem;
using monomorph::tests::TemporaryDirectory;

namespace {

const std::string source_dir = MONOMORPH_SOURCE_DIR;

struct Result {
  int status;
  std::string out, err;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs `monomorph ARGUMENTS` in `directory`.
Result run(const fs::path& directory, const std::string& arguments) {
  const std::string command =
      "cd '" + directory.string() + "' && '" MONOMORPH_BUILD_DIR "/bin/monomorph' " + arguments + " >out.txt 2>err.txt";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(directory / "out.txt"), text_of(directory / "err.txt")};
}

}  // namespace

TEST_CASE("new writes a spec that check accepts, and overwrites nothing") {
  const TemporaryDirectory directory;
  CHECK(run(directory.path(), "new mine").status == 0);
  const std::string text = text_of(directory.path() / "mine.toml");
  const Result check = run(directory.path(), "check mine.toml");
  CHECK(check.status == 0);
  CHECK(check.out.find("mine: accepted") == 0);
  const Result again = run(directory.path(), "new mine");
  CHECK(again.status == 2);
  CHECK(again.err.find("mine.toml") != std::string::npos);
  CHECK(text_of(directory.path() / "mine.toml") == text);
  CHECK(run(directory.path(), "new a/b").status == 1);
}

TEST_CASE("a rejected spec is status 1 with its diagnostics on stderr and nothing on stdout") {
  const TemporaryDirectory directory;
  const Result result = run(directory.path(), "check " + source_dir + "/tests/cases/fail/several.toml");
  CHECK(result.status == 1);
  CHECK(result.out.empty());
  CHECK(result.err.find("several.toml:12:14: error: ") != std::string::npos);
  CHECK(result.err.find("[attention.kv_heads_divide_heads]") != std::string::npos);
  // In the order of the text.
  CHECK(result.err.find("[model.vocab_size_range]") < result.err.find("[norm.eps_range]"));
  CHECK(result.err.find("[norm.eps_range]") < result.err.find("[spec.choice]"));
}

TEST_CASE("a file that is not there and wrong usage are status 2") {
  const TemporaryDirectory directory;
  const Result missing = run(directory.path(), "check nowhere.toml");
  CHECK(missing.status == 2);
  CHECK(missing.err.find("nowhere.toml") != std::string::npos);
  CHECK(run(directory.path(), "check .").status == 2);
  CHECK(run(directory.path(), "").status == 2);
  CHECK(run(directory.path(), "fly").status == 2);
  CHECK(run(directory.path(), "check").status == 2);
  CHECK(run(directory.path(), "check " + source_dir + "/models/kjv.toml --frobnicate").status == 2);
  CHECK(run(directory.path(), "check " + source_dir + "/models/kjv.toml --set foo").status == 2);
  CHECK(run(directory.path(), "check " + source_dir + "/models/kjv.toml --scan-nan").status == 2);
  CHECK(run(directory.path(), "check " + source_dir + "/models/kjv.toml -- -DX").status == 2);
  CHECK(run(directory.path(), "generate " + source_dir + "/models/kjv.toml").status == 2);
  CHECK(run(directory.path(), "generate " + source_dir + "/models/kjv.toml --dump everything").status == 2);
  CHECK(run(directory.path(), "report " + source_dir + "/models/kjv.toml --html x").status == 2);
}

TEST_CASE("help and version are status 0") {
  const TemporaryDirectory directory;
  CHECK(run(directory.path(), "--help").status == 0);
  CHECK(run(directory.path(), "check --help").out.find("--weights") != std::string::npos);
  CHECK(run(directory.path(), "--version").status == 0);
}

TEST_CASE("--set overrides any field, and says so where it is wrong") {
  const TemporaryDirectory directory;
  const std::string spec = source_dir + "/tests/cases/pass/llama.toml";
  const Result explained =
      run(directory.path(), "check " + spec + " --explain --set engine.kv_cache=f32 --set attention.head_dim=32");
  CHECK(explained.status == 0);
  CHECK(explained.out.find("kv_cache = \"f32\"") != std::string::npos);
  CHECK(explained.out.find("head_dim = 32") != std::string::npos);
  const Result wrong = run(directory.path(), "check " + spec + " --set attention.num_key_value_heads=3");
  CHECK(wrong.status == 1);
  CHECK(wrong.err.find("--set attention.num_key_value_heads:1:33: error: ") == 0);
}

TEST_CASE("schema and report --json print JSON alone") {
  const TemporaryDirectory directory;
  const Result schema = run(directory.path(), "schema");
  CHECK(schema.status == 0);
  CHECK(nlohmann::json::parse(schema.out)["title"] == "Monomorph spec");
  const Result report = run(directory.path(), "report " + source_dir + "/models/llama-3-8b.toml --json");
  CHECK(report.status == 0);
  CHECK(nlohmann::json::parse(report.out)["parameters"]["total"] == 8030261248);
}

TEST_CASE("dumps are the same in two runs and differ by stage") {
  const TemporaryDirectory directory;
  const std::string spec = source_dir + "/tests/cases/pass/kinds.toml";
  std::vector<std::string> dumps;
  for (const std::string stage : {"spec", "contract", "graph", "plan"}) {
    const Result first = run(directory.path(), "generate " + spec + " --dump " + stage);
    CHECK(first.status == 0);
    CHECK_FALSE(first.out.empty());
    CHECK(first.out == run(directory.path(), "generate " + spec + " --dump " + stage).out);
    for (const std::string& other : dumps) CHECK(first.out != other);
    dumps.push_back(first.out);
  }
}
