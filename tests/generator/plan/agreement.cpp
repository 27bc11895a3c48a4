#include "tests/generator/plan/agreement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "runtime/load/load.hpp"
#include "tests/support/cpu_library.hpp"
#include "tests/support/plan_image.hpp"
#include "tests/support/plan_program.hpp"
#include "tests/support/vulkan_devices.hpp"

namespace monomorph::test {

using namespace generator;

namespace {

std::vector<std::int32_t> some_tokens(std::int64_t count, std::int64_t first, std::int64_t slot, std::int64_t vocab) {
  std::vector<std::int32_t> tokens;
  for (std::int64_t t = 0; t < count; ++t) {
    const auto mixed = static_cast<std::uint32_t>(first + t + 100 * slot) * 2654435761u;
    tokens.push_back(static_cast<std::int32_t>((mixed >> 7) % static_cast<std::uint32_t>(vocab)));
  }
  return tokens;
}

/// Small numbers that their format holds exactly, the same for the same arguments.
double random_weight(const Contract& contract, WeightId weight, std::int64_t layer, std::int64_t row,
                     std::int64_t column) {
  std::uint64_t x = weight.index * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(layer + 1) * 0xbf58476d1ce4e5b9u +
                    static_cast<std::uint64_t>(row) * 0x94d049bb133111ebu +
                    static_cast<std::uint64_t>(column) * 0xd6e8feb86659fd93u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  // A multiple of 1/64 within +-1 is exact in bf16.
  const double value = static_cast<double>(static_cast<std::int64_t>(x % 129) - 64) / 64;
  const WeightContract& declared = contract.weights[weight];
  if (declared.axes.size() == 2) return value;
  const auto is_of = [&](const char* word) { return declared.role.find(word) != std::string::npos; };
  return is_of("bias") || is_of("lambda_") ? 0.25 * value : 1 + 0.25 * value;
}

/// Tokens of sources that are read one after another, of the greatest length, of 1 and of some between, by turns; 0,
/// once, where the model reads none.
std::int64_t source_length(const Contract& contract, std::int64_t turn) {
  const std::int64_t most = contract.max_source_length,
                     between = 1 + contract.vocab_size % std::max<std::int64_t>(most, 1);
  return turn % 2 == 0 ? most : contract.vocab_size % 2 == 0 ? 1 : between;
}
std::int64_t turns_of(const Contract& contract) { return contract.max_source_length > 0 ? 2 : 1; }

std::vector<std::int32_t> some_source(const Contract& contract, std::int64_t turn, std::int64_t slot) {
  return some_tokens(source_length(contract, turn), 1000 + 50 * turn, slot, contract.vocab_size);
}

/// To the last bit. What overflows in one has to in the other: a graph may square a value in each of its layers.
bool equal(const EvaluatedValue& a, const EvaluatedValue& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.columns == b.columns && std::ranges::equal(a.elements, b.elements, same);
}

bool equal(const std::map<std::string, EvaluatedValue>& expected, const std::map<std::string, EvaluatedValue>& found) {
  return std::ranges::equal(
      expected, found, [](const auto& a, const auto& b) { return a.first == b.first && equal(a.second, b.second); });
}

/// Infinite where one of the two alone has numbers.
double relative_error(std::span<const float> logits, const EvaluatedValue& expected) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(expected.elements, finite)) {
    return std::ranges::all_of(logits, finite) ? std::numeric_limits<double>::infinity() : 0;
  }
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    difference += std::pow(static_cast<double>(logits[i]) - expected.elements[i], 2);
    norm += std::pow(expected.elements[i], 2);
  }
  const double error = std::sqrt(difference / norm);
  return finite(error) ? error : std::numeric_limits<double>::infinity();
}

double error_on_device(const RandomGraph& random, const PlanProgram& planned, const std::vector<Pass>& passes,
                       LoadOptions options) {
  options.random_weights = true;
  const auto engine = load_engine(planned.program(), options);
  const HostWeights weights = HostWeights::random(planned.program(), options.random_seed);
  std::vector<GraphEvaluator> expected(
      static_cast<std::size_t>(random.contract.max_batch),
      GraphEvaluator(random.graph, random.contract, planned.reader(weights), Precision::f32));
  double worst = 0;
  const std::int64_t slots = random.contract.max_batch, turns = turns_of(random.contract);
  for (std::size_t nth = 0; nth < passes.size() * static_cast<std::size_t>(turns); ++nth) {
    const auto& [position, count] = passes[nth % passes.size()];
    if (random.contract.max_source_length > 0 && nth % passes.size() == 0) {
      // Of unequal lengths side by side; in the second turn longer ones in place of shorter ones too.
      const auto turn = static_cast<std::int64_t>(nth / passes.size());
      std::vector<std::vector<std::int32_t>> texts;
      std::vector<monomorph::Source> sources;
      for (std::int64_t slot = 0; slot < slots; ++slot) {
        texts.push_back(some_source(random.contract, turn + slot, slot));
        expected[static_cast<std::size_t>(slot)].encode(texts.back());
      }
      for (std::int64_t slot = 0; slot < slots; ++slot) {
        sources.push_back({slot, texts[static_cast<std::size_t>(slot)]});
      }
      engine->encode(sources);
    }
    // All slots' tokens in a step; a step shows logits that are no numbers too.
    std::vector<std::vector<std::int32_t>> tokens;
    std::vector<Run> runs;
    for (std::int64_t slot = 0; slot < random.contract.max_batch; ++slot) {
      tokens.push_back(some_tokens(count, position, slot, random.contract.vocab_size));
      expected[static_cast<std::size_t>(slot)].run(tokens.back(), position);
      if (engine->rewind(slot, position) != position) return std::numeric_limits<double>::infinity();
    }
    for (std::int64_t slot = 0; slot < random.contract.max_batch; ++slot) {
      runs.push_back({slot, tokens[static_cast<std::size_t>(slot)], Logits::all});
    }
    engine->step(runs, 1, [&](std::size_t slot, std::int64_t row, std::span<const float> logits) {
      worst = std::max(worst, relative_error(logits, expected[slot].head(std::array{row})));
    });
  }
  return worst;
}

}  // namespace

std::uint64_t count_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<std::uint64_t>(std::atoll(text));
}

bool agrees_on_host(const RandomGraph& random, const Plan& plan, const std::vector<Pass>& passes) {
  const WeightReader weights = [&](WeightId weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    return random_weight(random.contract, weight, layer, row, column);
  };
  GraphEvaluator expected(random.graph, random.contract, weights);
  PlanImage image(plan, random.graph, random.contract, weights);
  const std::int64_t slot = random.contract.max_batch - 1, turns = turns_of(random.contract);
  for (std::size_t nth = 0; nth < passes.size() * static_cast<std::size_t>(turns); ++nth) {
    const auto& [position, count] = passes[nth % passes.size()];
    if (random.contract.max_source_length > 0 && nth % passes.size() == 0) {
      const auto turn = static_cast<std::int64_t>(nth / passes.size());
      const std::vector<std::int32_t> source = some_source(random.contract, turn, slot);
      const std::map<std::string, EvaluatedValue> record = expected.encode(source);
      image.encode(slot, source);
      if (!equal(record, image.carried())) return false;
      if (slot > 0) image.encode(0, some_source(random.contract, turn + 1, 0));  // changes nothing
    }
    const std::vector<std::int32_t> tokens = some_tokens(count, position, slot, random.contract.vocab_size);
    const std::map<std::string, EvaluatedValue> carried = expected.run(tokens, position);
    // Prompts of several slots' engines take the way of a few rows by turns.
    const bool few = random.contract.max_batch > 1 && count > 1 && position % 2 == 0;
    image.run(count == 1 ? "decode" : few ? "few" : "prefill", slot, tokens, position);
    if (!equal(carried, image.carried())) return false;
    const std::vector<std::int64_t> rows =
        count == 1 ? std::vector<std::int64_t>{0} : std::vector{count - 1, count - 2};
    if (!equal(expected.head(rows), image.head(few ? "head_few" : "head", rows))) return false;
  }
  return true;
}

std::map<std::string, double> errors_on_devices(const RandomGraph& random, const Plan& plan,
                                                const std::vector<Pass>& passes, const LimitOverrides& limits) {
  const PlanProgram planned(random.contract, random.graph, plan);
  std::map<std::string, double> errors;
  for (const DeviceInfo& device : vulkan::backend().list_devices()) {
    if (!device.unusable.empty()) continue;
    LoadOptions options;
    options.limits = limits;
    options.device = std::to_string(device.index);
    errors[device.name] = error_on_device(random, planned, passes, options);
  }
  return errors;
}

double error_on_cpu(const RandomGraph& random, const Plan& plan, const std::vector<Pass>& passes) {
  const CpuLibrary library(plan);
  PlanProgram planned(random.contract, random.graph, plan);
  planned.add_cpu_kernels(library.kernels());
  LoadOptions options;
  options.device = "cpu";
  options.threads = 3;
  return error_on_device(random, planned, passes, options);
}

}  // namespace monomorph::test
