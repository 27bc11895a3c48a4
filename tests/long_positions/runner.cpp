// long_positions REACH DEVICE: a tiny model's sequence to its last position, and the logits of a few rows beside the
// reference's. REACH: the tokens that decide a row, by the windows of all layers; 0: all before it. Exit status 0 when
// each row is within 1e-5.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "runtime/load/load.hpp"
#include "runtime/weights/weights.hpp"
#include "tests/golden/comparison.hpp"
#include "tests/golden/runner.hpp"

namespace monomorph::golden {
namespace {

constexpr std::uint64_t seed = 7;
constexpr double tolerance = 1e-5;

std::vector<std::int32_t> tokens_of(const Program& program) {
  std::vector<std::int32_t> tokens;
  std::uint64_t state = seed;
  for (std::int64_t i = 0; i < program.max_sequence_length; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    tokens.push_back(static_cast<std::int32_t>((state >> 33) % static_cast<std::uint64_t>(program.vocab_size)));
  }
  return tokens;
}

std::vector<float> rounded(const std::vector<double>& logits) { return {logits.begin(), logits.end()}; }

int run(std::int64_t reach, const std::string& device) {
  const Program& program = golden_program();
  const std::vector<std::int32_t> tokens = tokens_of(program);
  const std::int64_t last = program.max_sequence_length - 1;
  const std::vector<std::int64_t> rows = {0, 99, 100, 4095, last / 2, last - 1, last};

  LoadOptions options;
  options.random_weights = true;
  options.random_seed = seed;
  options.device = device;
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<Engine> engine = load_engine(program, options);
  std::vector<std::vector<float>> found;
  for (const std::int64_t row : rows) {
    const std::int64_t at = engine->position();
    const auto part = std::span(tokens).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(row + 1 - at));
    const std::span<const float> logits = part.size() == 1 ? engine->decode(part.front()) : engine->prefill(part);
    found.emplace_back(logits.begin(), logits.end());
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {} positions on {} in {:.0f} s\n", program.name, last + 1, device, seconds.count());

  const HostWeights weights = HostWeights::random(program, seed);
  const std::unique_ptr<Reference> reference = program.make_reference(weights);
  std::vector<double> hidden;
  std::int64_t first = 0;
  int failures = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t row = rows[i];
    if (reach > 0 || i == 0) {  // the reference keeps zeros where a call begins past what it has seen
      first = reach > 0 ? std::max<std::int64_t>(0, row + 1 - reach) : 0;
      const std::int64_t end = reach > 0 ? row + 1 : last + 1;
      hidden = reference->layers(
          0, std::span(tokens).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)), first,
          end, nullptr);
    }
    const std::int64_t at = row - first;
    const double error = row_error(found[i], rounded(reference->head(hidden, {&at, 1})));
    const bool fine = error <= tolerance;
    failures += fine ? 0 : 1;
    fmt::print("{} {}: row {} is off by {:.1e}\n", fine ? "ok    " : "FAILED", program.name, row, error);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace monomorph::golden

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: long_positions REACH DEVICE\n", stderr);
    return 2;
  }
  try {
    return monomorph::golden::run(std::stoll(argv[1]), argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "FAILED: {}\n", error.what());
    return 1;
  }
}
