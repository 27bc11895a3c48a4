#include <fmt/format.h>

#include <algorithm>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/cli/verify_report.hpp"
#include "runtime/reference_engine.hpp"

namespace monomorph::cli {
namespace {

/// Runs device and reference side by side over one sequence, and keeps the worst errors.
class Comparison {
 public:
  Comparison(const Program& program, Engine& device, ReferenceEngine& reference)
      : program_(program), device_(device), probed_(dynamic_cast<ProbedEngine&>(device)), reference_(reference) {}

  void prefill_layers(std::span<const std::int32_t> tokens) {
    compare_layers(probed_.probe_prefill(tokens), reference_.hidden_states(tokens), &PhaseErrors::prefill);
  }
  void decode_layers(std::int32_t token) {
    compare_layers(probed_.probe_decode(token), reference_.hidden_states({&token, 1}), &PhaseErrors::decode);
  }
  void prefill_logits(std::span<const std::int32_t> tokens) {
    result.logits.prefill = compare_logits(device_.prefill(tokens), reference_.prefill(tokens));
  }
  void decode_logits(std::int32_t token) {
    result.logits.decode = compare_logits(device_.decode(token), reference_.decode(token));
  }

  Verification result;

 private:
  void compare_layers(const std::vector<std::vector<float>>& device, const std::vector<std::vector<double>>& reference,
                      double PhaseErrors::* phase) {
    if (device.size() != reference.size()) {
      throw Error(ErrorKind::internal,
                  fmt::format("the device has {} layers, the reference {}", device.size(), reference.size()));
    }
    result.layers.resize(device.size());
    for (std::size_t layer = 0; layer < device.size(); ++layer) {
      if (device[layer].size() != reference[layer].size()) {
        throw Error(ErrorKind::internal, fmt::format("layer {} has {} values on the device and {} in the reference",
                                                     layer, device[layer].size(), reference[layer].size()));
      }
      double& worst = result.layers[layer].*phase;
      worst = std::max(worst, worst_row_error(device[layer], reference[layer], program_.hidden_size));
    }
  }
  double compare_logits(std::span<const float> device, std::span<const float> reference) const {
    return worst_row_error(device, std::vector<double>(reference.begin(), reference.end()), program_.vocab_size);
  }

  const Program& program_;
  Engine& device_;
  ProbedEngine& probed_;
  ReferenceEngine& reference_;
};

}  // namespace

void verify(const Program& program, const VerifyOptions& options) {
  if (options.engine.reference()) {
    throw Error(ErrorKind::environment,
                "--device cpu is the reference itself: verify compares a Vulkan device with it");
  }
  if (options.prompt < 1 || options.count < 1) {
    throw Error(ErrorKind::environment, "--prompt and --count: at least one token of each is compared");
  }
  // Beyond those compared layer by layer: two tokens whose logits end a prefill, one whose logits end a decode.
  const std::int64_t total = options.prompt + 2 + options.count + 1;
  if (total > program.max_sequence_length) {
    throw Error(ErrorKind::rejected,
                fmt::format("--prompt {} and --count {} need {} positions, the sequence has {}; ask for fewer",
                            options.prompt, options.count, total, program.max_sequence_length));
  }
  const DeviceInfo device = find_device(options.engine.device);
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::probed);
  ReferenceEngine reference(program, open_weights(program, options.engine));

  const std::vector<std::int32_t> tokens = test_tokens(total, program.vocab_size);
  std::span<const std::int32_t> left = tokens;
  const auto take = [&](std::int64_t count) {
    const auto taken = left.first(static_cast<std::size_t>(count));
    left = left.subspan(static_cast<std::size_t>(count));
    return taken;
  };
  Comparison comparison(program, *engine, reference);
  {
    Progress progress("comparing");
    const auto advance = [&] { progress.update(total - static_cast<std::int64_t>(left.size()), total); };
    advance();
    comparison.prefill_layers(take(options.prompt));
    advance();
    comparison.prefill_logits(take(2));
    for (std::int64_t i = 0; i < options.count; ++i) {
      advance();
      comparison.decode_layers(take(1)[0]);
    }
    advance();
    comparison.decode_logits(take(1)[0]);
  }
  Verification& result = comparison.result;
  result.tolerance = options.tolerance.value_or(default_tolerance(program.kv_cache));
  print(fmt::format("{} on {} against the CPU reference, {} tokens of prefill and {} of decode\n{}", program.name,
                    device.name, options.prompt + 2, options.count + 1, verification_table(result)));
  const std::string failure = verification_failure(result);
  if (!failure.empty()) throw Error(ErrorKind::rejected, failure);
}

}  // namespace monomorph::cli
