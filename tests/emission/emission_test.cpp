// What is emitted, to the byte. Goldens of the files that a reviewer reads first are in expected/; after a change that
// is meant, MONOMORPH_UPDATE_GOLDENS=1 makes this test write them anew, and the review is the diff.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/emission/emitted.hpp"
#include "tests/support/run_command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

std::map<std::string, std::string> generated(const EmissionModel& model) {
  const TemporaryDirectory directory;
  generator::generate(spec_path(model), {}, (directory.path() / "out").string());
  return files_in(directory.path() / "out");
}

/// Golden's name: path in what is emitted.
std::map<std::string, std::string> goldens_of(const EmissionModel& model) {
  std::map<std::string, std::string> paths = {{"plan.txt", "plan.txt"}};
  for (const std::string header : {"model.hpp", "kernels.hpp", "forward.hpp", "reference.hpp"}) {
    paths[header] = "include/model_" + model.name + "/" + header;
  }
  for (const std::string& kernel : model.kernels) paths[kernel + ".comp"] = "kernels/" + kernel + ".comp";
  if (model.chats) paths["chat.cpp"] = "chat.cpp";
  return paths;
}

/// The first line that differs, as both have it; empty where none does.
std::string first_difference(const std::string& expected, const std::string& found) {
  std::istringstream expected_lines(expected), found_lines(found);
  for (int number = 1;; ++number) {
    std::string a, b;
    const bool more_expected = static_cast<bool>(std::getline(expected_lines, a));
    const bool more_found = static_cast<bool>(std::getline(found_lines, b));
    if (!more_expected && !more_found) return expected == found ? "" : "the last line's end";
    if (more_expected != more_found || a != b) {
      return "line " + std::to_string(number) + "\n  golden: " + a + "\n  emitted: " + b;
    }
  }
}

}  // namespace

TEST_CASE("what is emitted for review is its golden, byte for byte") {
  const bool update = std::getenv("MONOMORPH_UPDATE_GOLDENS") != nullptr;
  for (const EmissionModel& model : emission_models()) {
    const std::filesystem::path folder =
        std::filesystem::path(MONOMORPH_SOURCE_DIR) / "tests/emission/expected" / model.name;
    const std::map<std::string, std::string> files = generated(model);
    for (const auto& [golden, path] : goldens_of(model)) {
      REQUIRE(files.contains(path));
      if (update) {
        std::filesystem::create_directories(folder);
        std::ofstream(folder / golden, std::ios::binary) << files.at(path);
      }
      CAPTURE(model.name);
      CAPTURE(golden);
      REQUIRE(std::filesystem::exists(folder / golden));
      CHECK(first_difference(read_file(folder / golden), files.at(path)) == "");
    }
    CHECK(files_in(folder).size() == goldens_of(model).size());
  }
}

TEST_CASE("two runs, of the library and of the command, give identical bytes") {
  for (const EmissionModel& model : emission_models()) {
    const TemporaryDirectory directory;
    const CommandResult run = run_command({MONOMORPH_BUILD_DIR "/bin/monomorph", "generate", spec_path(model), "-o",
                                           (directory.path() / "elsewhere").string()});
    INFO(run.output);
    REQUIRE(run.status == 0);
    const auto once = generated(model);
    const auto again = files_in(directory.path() / "elsewhere");
    REQUIRE(once.size() == again.size());
    for (const auto& [path, bytes] : once) {
      CAPTURE(path);
      REQUIRE(again.contains(path));
      CHECK((bytes == again.at(path)));
    }
  }
}

TEST_CASE("every stop token of the spec is the engine's, in its order") {
  const auto tokens_of = [](const std::string& setting) {
    const TemporaryDirectory directory;
    generator::generate(spec_path(emission_models()[0]), {{"tokenizer.eos_token_id", setting}},
                        (directory.path() / "out").string());
    for (const auto& [path, text] : files_in(directory.path() / "out")) {
      std::smatch found;
      if (path.ends_with(".cpp") && std::regex_search(text, found, std::regex("eos_tokens\\[\\] = (\\{[^}]*\\})"))) {
        return found[1].str();
      }
    }
    return std::string();
  };
  CHECK(tokens_of("7") == "{7}");
  CHECK(tokens_of("[7, 3, 11]") == "{7, 3, 11}");
  CHECK(tokens_of("[]") == "");
}

TEST_CASE("nothing emitted names a folder, a host, a date or a time") {
  char host[256] = {};
  REQUIRE(gethostname(host, sizeof host - 1) == 0);
  const std::regex traces(
      "/(home|root|tmp|usr|var|opt|etc|work|proc)/|[12][0-9]{3}-[01][0-9]-[0-3][0-9]|[0-2][0-9]:[0-5][0-9]:[0-5][0-9]|"
      "__DATE__|__TIME__|__FILE__|(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +[0-9]{1,2} ");
  for (const EmissionModel& model : emission_models()) {
    for (const auto& [path, text] : generated(model)) {
      CAPTURE(path);
      CHECK(text.find(MONOMORPH_SOURCE_DIR) == std::string::npos);
      CHECK(text.find(MONOMORPH_BUILD_DIR) == std::string::npos);
      if (std::string(host).size() > 3) CHECK(text.find(host) == std::string::npos);
      if (path.ends_with(".spv")) continue;  // words, in which anything may stand by chance
      std::smatch found;
      const bool traced = std::regex_search(text, found, traces);
      INFO("found: " << (traced ? found.str() : ""));
      CHECK_FALSE(traced);
    }
  }
}

TEST_CASE("emitted text has Unix line ends, no tabs and no blanks at the ends of lines") {
  for (const EmissionModel& model : emission_models()) {
    for (const auto& [path, text] : generated(model)) {
      if (path.ends_with(".spv")) continue;
      CAPTURE(path);
      CHECK(text.find('\r') == std::string::npos);
      CHECK(text.find('\t') == std::string::npos);
      CHECK(text.find(" \n") == std::string::npos);
      CHECK(text.ends_with('\n'));
      CHECK_FALSE(text.ends_with("\n\n"));
    }
  }
}

TEST_CASE("the runtime is told the keys whose expressions are the spec's own, once each") {
  const auto told = [](const std::vector<generator::Override>& overrides) {
    const TemporaryDirectory directory;
    generator::generate(MONOMORPH_SOURCE_DIR "/models/kjv.toml", overrides, (directory.path() / "out").string());
    const std::string text = read_file(directory.path() / "out/program.cpp");
    std::smatch match;
    return std::regex_search(text, match, std::regex("program.expressions = \"(.*)\";")) ? match[1].str() : "";
  };
  CHECK(told({}) == "");
  CHECK(told({{"mlp.activation", "x * sigmoid(x)"}, {"lm_head.logits", "0.5 * x"}}) ==
        "mlp.activation, lm_head.logits");
  CHECK(told({{"attention.mask", "key % 2 == query % 2"}, {"embedding.scale", "sqrt(hidden_size)"}}) ==
        "embedding.scale, attention.mask");
}
