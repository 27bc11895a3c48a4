// Mutated specs: whatever the text, it is refused with diagnostics or accepted; what is accepted can be planned.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "generator/graph/graph.hpp"
#include "generator/plan/plan.hpp"
#include "generator/spec/explain.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> passing_texts() {
  std::vector<std::string> texts;
  for (const auto& entry : fs::directory_iterator(fs::path(MONOMORPH_SOURCE_DIR) / "tests/cases/pass")) {
    texts.push_back(read_source(entry.path().string())->text);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::size_t below(std::mt19937_64& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

/// A number of the text replaced by one that is likely to break a rule or an assumption.
void replace_number(std::string& text, std::mt19937_64& random) {
  static const std::vector<std::string> numbers = {"0",          "1",          "-1",   "2",   "3",
                                                   "7",          "64",         "65",   "1e9", "65535",
                                                   "2147483647", "2147483648", "1e-9", "nan", "9223372036854775807",
                                                   "0.5"};
  const std::size_t from = text.find_first_of("0123456789", below(random, text.size()));
  if (from == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.e-", from), text.size());
  text.replace(from, end - from, numbers[below(random, numbers.size())]);
}

void mutate(std::string& text, std::mt19937_64& random) {
  const std::size_t at = below(random, text.size());
  const std::size_t line = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  const std::size_t line_end = std::min(text.find('\n', line), text.size() - 1) + 1;
  switch (below(random, 6)) {
    case 0:
      text[at] = static_cast<char>(random());
      break;
    case 1:
      text.erase(line, line_end - line);
      break;
    case 2:
      text.insert(below(random, text.size()), text.substr(line, line_end - line));
      break;
    case 3:
      text.erase(at, 1 + below(random, 8));
      break;
    default:
      replace_number(text, random);
  }
}

}  // namespace

TEST_CASE("a mutated spec is refused or can be planned, and explains itself") {
  const std::vector<std::string> texts = passing_texts();
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::string text = texts[below(random, texts.size())];
    for (std::size_t count = 1 + below(random, 3); count > 0 && !text.empty(); --count) mutate(text, random);
    const Judged judged = judge(text);
    render(judged.diagnostics);
    REQUIRE(judged.contract.has_value() == !judged.diagnostics.has_errors());
    if (!judged.contract) continue;
    ++accepted;
    CAPTURE(text);
    // A plan of very many layers only takes longer.
    if (judged.contract->own().num_hidden_layers <= 64) {
      const Plan plan = make_plan(*judged.contract, build_graph(*judged.contract));
      REQUIRE(plan.weight_bytes > 0);
    }
    const Judged again = judge(explain_spec(*judged.spec));
    INFO(render(again.diagnostics));
    REQUIRE(again.contract);
    REQUIRE(dump_contract(*again.contract) == dump_contract(*judged.contract));
  }
  CHECK(accepted > 150);
}
