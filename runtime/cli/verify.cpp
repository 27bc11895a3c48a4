#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/near_ties.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/cli/verify_report.hpp"
#include "runtime/reference/reference_engine.hpp"

namespace monomorph::cli {
namespace {

/// Runs device and reference side by side over one sequence, and keeps the worst errors.
class Comparison {
 public:
  Comparison(const Program& program, Engine& device, ReferenceEngine& reference)
      : program_(program), device_(device), probed_(dynamic_cast<ProbedEngine&>(device)), reference_(reference) {}

  /// Sources, each of a slot.
  void source_layers(std::span<const Source> sources) {
    const DeviceLayers all = probed_.probe_sources(sources);
    reference_.encode(sources);
    std::int64_t first = 0;
    for (const Source& source : sources) {
      const std::int64_t columns = program_.encoder_hidden_size;
      const DeviceLayers device = rows_of(all, first, source.tokens.size(), columns);
      const auto pass = [&] { return reference_.source_states(source.slot); };
      const ReferenceLayers reference = as_device(device, columns, 0, result.tolerance, pass);
      result.encoder.resize(device.size());
      for (std::size_t layer = 0; layer < device.size(); ++layer) {
        keep_worst(result.encoder[layer], worst_row_error(device[layer], reference[layer], columns));
      }
      first += std::ssize(source.tokens);
    }
  }
  void prefill_layers(std::int64_t slot, std::span<const std::int32_t> tokens) {
    prefill_layers({{slot, tokens, Logits::none}});
  }
  /// The texts of several slots, of one length, in passes that have a part of each.
  void prefill_layers(std::vector<Run> texts) {
    const auto chunk = static_cast<std::size_t>(std::max<std::int64_t>(program_.prefill_chunk / std::ssize(texts), 1));
    for (Run& text : texts) text.length = device_.position(text.slot) + std::ssize(text.tokens);
    while (!texts.front().tokens.empty()) {
      std::vector<Run> pass = texts;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        pass[i].tokens = texts[i].tokens.first(std::min(chunk, texts[i].tokens.size()));
        texts[i].tokens = texts[i].tokens.subspan(pass[i].tokens.size());
      }
      compare_passes(pass, &PhaseErrors::prefill);
    }
  }
  void decode_layers(std::int64_t slot, std::int32_t token) {
    const Run run{slot, {&token, 1}, Logits::none};
    compare_pass({&run, 1}, &PhaseErrors::decode);
  }
  /// Whole texts, as many in a pass as fit.
  void text_layers(std::span<const Run> texts) { compare_passes(texts, &PhaseErrors::prefill); }
  /// A token of each of these slots, in common passes.
  void decode_layers(std::span<const Run> runs) { compare_passes(runs, &PhaseErrors::decode); }
  /// Of a mixture layers first, so that near ties are known.
  void prefill_logits(std::int64_t slot, std::span<const std::int32_t> tokens) {
    const std::int64_t position = device_.position(slot);
    if (reference_.choices().chose()) {
      prefill_layers(slot, tokens);
      rewind_both(slot, position);
    }
    keep_worst(result.logits.prefill, compare_logits(device_.prefill(tokens, slot), reference_.prefill(tokens, slot)));
  }
  void decode_logits(std::int64_t slot, std::int32_t token) {
    const std::int64_t position = device_.position(slot);
    if (reference_.choices().chose()) {
      decode_layers(slot, token);
      rewind_both(slot, position);
    }
    keep_worst(result.logits.decode, compare_logits(device_.decode(token, slot), reference_.decode(token, slot)));
  }

  Verification result;

 private:
  /// Both engines, to `position`; what a ring has given away is appended again.
  void rewind_both(std::int64_t slot, std::int64_t position) {
    for (Engine* const each : {&device_, static_cast<Engine*>(&reference_)}) {
      const std::vector<std::int32_t> before(each->sequence(slot).begin(), each->sequence(slot).begin() + position);
      const std::int64_t kept = each->rewind(slot, position);
      if (kept < position) each->prefill(std::span(before).subspan(static_cast<std::size_t>(kept)), slot);
    }
  }

  /// What the device has of some rows of a pass.
  static DeviceLayers rows_of(const DeviceLayers& layers, std::int64_t first, std::size_t count, std::int64_t columns) {
    DeviceLayers rows;
    for (const std::vector<float>& layer : layers) {
      const auto begin = layer.begin() + first * columns;
      rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count) * columns);
    }
    return rows;
  }

  /// Runs of one length, in passes of as many as fit.
  void compare_passes(std::span<const Run> runs, double PhaseErrors::* phase) {
    const auto most =
        static_cast<std::size_t>(std::max<std::int64_t>(program_.prefill_chunk / std::ssize(runs.front().tokens), 1));
    for (; !runs.empty(); runs = runs.subspan(std::min(most, runs.size()))) {
      compare_pass(runs.first(std::min(most, runs.size())), phase);
    }
  }

  void compare_pass(std::span<const Run> runs, double PhaseErrors::* phase) {
    const DeviceLayers pass = probed_.probe(runs);
    std::int64_t first = 0;
    for (const Run& run : runs) {
      compare_run(run, rows_of(pass, first, run.tokens.size(), program_.hidden_size), phase);
      first += static_cast<std::int64_t>(run.tokens.size());
    }
  }

  void compare_run(const Run& run, const DeviceLayers& device, double PhaseErrors::* phase) {
    const std::int64_t position = reference_.position(run.slot);
    const auto pass = [&] {
      if (reference_.rewind(run.slot, position) != position) {  // a pass is at most a chunk, which every state holds
        throw Error(ErrorKind::internal, "the reference does not go back over one pass");
      }
      return reference_.hidden_states(run.tokens, run.slot, run.length);
    };
    const auto tolerance = [&](std::int64_t layers) { return result.tolerance(std::ssize(result.encoder) + layers); };
    const ReferenceLayers reference = as_device(device, program_.hidden_size, position, tolerance, pass);
    result.layers.resize(device.size());
    for (std::size_t layer = 0; layer < device.size(); ++layer) {
      keep_worst(result.layers[layer].*phase, worst_row_error(device[layer], reference[layer], program_.hidden_size));
    }
  }

  /// What `pass` gives, with the device's choices where they nearly tie.
  ReferenceLayers as_device(const DeviceLayers& device, std::int64_t columns, std::int64_t position,
                            const std::function<double(std::int64_t)>& tolerance,
                            const std::function<ReferenceLayers()>& pass) {
    const auto checked = [&] {
      ReferenceLayers reference = pass();
      check_sizes(device, reference);
      return reference;
    };
    return pass_as_device(device, columns, position, tolerance, reference_.choices(), checked, result.near_ties);
  }

  static void check_sizes(const DeviceLayers& device, const ReferenceLayers& reference) {
    if (device.size() != reference.size()) {
      throw Error(ErrorKind::internal,
                  fmt::format("the device has {} layers, the reference {}", device.size(), reference.size()));
    }
    for (std::size_t layer = 0; layer < device.size(); ++layer) {
      if (device[layer].size() == reference[layer].size()) continue;
      throw Error(ErrorKind::internal, fmt::format("layer {} has {} values on the device and {} in the reference",
                                                   layer, device[layer].size(), reference[layer].size()));
    }
  }
  static void keep_worst(double& worst, double error) { worst = std::max(worst, error); }
  double compare_logits(std::span<const float> device, std::span<const float> reference) const {
    return worst_row_error(device, std::vector<double>(reference.begin(), reference.end()), program_.output_size);
  }

  const Program& program_;
  Engine& device_;
  ProbedEngine& probed_;
  ReferenceEngine& reference_;
};

/// Columns of the widest matrix: terms of the longest sum.
std::int64_t widest_matrix(const Program& program) {
  std::int64_t columns = 1;
  for (const WeightEntry& weight : list_weights(program)) {
    if (weight.pattern->rows > 1) columns = std::max(columns, weight.pattern->columns);
  }
  return columns;
}

}  // namespace

void verify(const Program& program, const VerifyOptions& options) {
  if (options.engine.reference()) {
    throw Error(ErrorKind::environment,
                "--device reference is the reference itself: verify compares another device with it");
  }
  if (options.prompt < 1 || options.count < 1) {
    throw Error(ErrorKind::environment, "--prompt and --count: at least one token of each is compared");
  }
  if (options.tolerance && !(std::isfinite(*options.tolerance) && *options.tolerance > 0)) {
    throw Error(ErrorKind::environment, fmt::format("--tolerance {}: a number above 0", *options.tolerance));
  }
  // Beyond those compared layer by layer: two tokens whose logits end a prefill, one whose logits end a decode.
  const std::int64_t room = program.max_sequence_length - 3;
  if (options.prompt > room || options.count > room - options.prompt) {
    throw Error(ErrorKind::rejected, fmt::format("--prompt {} and --count {} with 3 tokens more do not fit: the "
                                                 "sequence has {} positions; ask for fewer",
                                                 options.prompt, options.count, program.max_sequence_length));
  }
  if (program.one_pass && options.prompt > program.prefill_chunk) {
    throw Error(ErrorKind::rejected, fmt::format("--prompt {}: a text of {} is one pass, of at most {} tokens",
                                                 options.prompt, program.name, program.prefill_chunk));
  }
  const std::int64_t total = options.prompt + 2 + options.count + 1;
  const DeviceInfo device = find_device(program, options.engine.device);
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::probed);
  ReferenceEngine reference(program, open_weights(program, options.engine));

  // Each slot has a sequence of its own; what they do is interleaved.
  const std::int64_t slots = program.one_pass ? std::min<std::int64_t>(program.max_batch, 4) : program.max_batch;
  const std::vector<std::int32_t> tokens = test_tokens(total * slots, program.vocab_size);
  const auto tokens_of = [&](std::int64_t slot, std::int64_t first, std::int64_t count) {
    return std::span(tokens).subspan(static_cast<std::size_t>(slot * total + first), static_cast<std::size_t>(count));
  };
  for (Engine* const each : {engine.get(), static_cast<Engine*>(&reference)}) {
    each->watch_prompts([](std::int64_t, std::int64_t) { check_interrupt(); });
  }
  Comparison comparison(program, *engine, reference);
  Verification& result = comparison.result;
  const Dtype cache = roughest_cache(program.states);
  result.tolerance = [&](std::int64_t layers) {
    return options.tolerance ? *options.tolerance : default_tolerance(cache, widest_matrix(program), layers);
  };
  if (const TestSources sources(program, slots); !sources.all().empty()) comparison.source_layers(sources.all());
  {
    Progress progress("comparing");
    std::int64_t done = 0;
    const auto each_slot = [&](std::int64_t count, const auto& compare) {
      for (std::int64_t slot = 0; slot < slots; ++slot) {
        progress.update(done * slots + slot * count, total * slots);
        compare(slot, tokens_of(slot, done, count));
      }
      done += count;
    };
    const auto of_each_slot = [&](std::int64_t count) {
      std::vector<Run> runs;
      each_slot(count, [&](std::int64_t slot, auto some) { runs.push_back({slot, some, Logits::none}); });
      return runs;
    };
    if (program.one_pass) {  // nothing follows a text
      comparison.text_layers(of_each_slot(options.prompt));
      for (std::int64_t slot = 0; slot < slots; ++slot) {
        engine->reset(slot);
        reference.reset(slot);
        comparison.prefill_logits(slot, tokens_of(slot, 0, options.prompt));
      }
    } else {
      comparison.prefill_layers(of_each_slot(options.prompt));
      each_slot(2, [&](std::int64_t slot, auto some) { comparison.prefill_logits(slot, some); });
      for (std::int64_t i = 0; i < options.count; ++i) {
        if (i % 2 == 0) {
          comparison.decode_layers(of_each_slot(1));
        } else {
          each_slot(1, [&](std::int64_t slot, auto one) { comparison.decode_layers(slot, one[0]); });
        }
      }
      each_slot(1, [&](std::int64_t slot, auto one) { comparison.decode_logits(slot, one[0]); });
    }
  }
  const std::string compared =
      program.one_pass ? fmt::format("texts of {} tokens", options.prompt)
                       : fmt::format("{} tokens of prefill and {} of decode", options.prompt + 2, options.count + 1);
  print(fmt::format("{} on {} against the reference, {}\n{}", program.name, device.name, compared,
                    verification_table(result)));
  std::string failure = verification_failure(result);
  if (failure.empty()) return;
  if (cache != Dtype::f32) {
    failure +=
        fmt::format("; where the rounding of the {} cache is suspected, --set engine.kv_cache=f32 builds without it",
                    name_of(cache));
  }
  throw Error(ErrorKind::rejected, failure);
}

}  // namespace monomorph::cli
