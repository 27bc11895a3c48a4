// golden_runner CASE_DIRECTORY DEVICE TOLERANCE [ignore-config]: one engine against its golden, on one device: the
// reference, the CPU, or a name for the Vulkan device there is (tests/support/on_driver leaves one). Exit status 0 when
// every row of every mode is within the tolerance, tokens are drawn as the host draws them, no config.json of another
// model is taken (unless the case is a spec) and no GGUF file that was changed, 1 when not or the engine fails. With
// ignore-config nothing is said of config.json, and the rows alone can tell that the engine is of another model.
//
// The engine is loaded once and used for all modes: drivers compile kernels at their first dispatch, which is where
// most of the time goes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cli/verify_report.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/engine/penalties.hpp"
#include "runtime/engine/sampler.hpp"
#include "runtime/formats/json.hpp"
#include "runtime/load/load.hpp"
#include "tests/golden/comparison.hpp"
#include "tests/golden/copies.hpp"
#include "tests/golden/corruption.hpp"
#include "tests/golden/golden.hpp"
#include "tests/golden/runner.hpp"
#include "tests/golden/slots.hpp"
#include "tests/golden/text_vectors.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::golden {
namespace {

/// Around the edges of a tile, and the shortest there are. Longer prompts take several chunks, as the whole golden
/// does.
constexpr std::int64_t prompt_lengths[] = {1, 2, 63, 64, 65};

/// All kept rows, each decoded with those just before it. `all`: so is every other token; a driver, which takes minutes
/// for the 2,080 of a long golden, takes those by prefill.
Comparison compare_decode(const Golden& golden, Engine& engine, bool all) {
  constexpr std::int64_t just_before = 16;
  Comparison decode(golden, "decode");
  const std::span<const std::int32_t> tokens = golden.tokens;
  const auto at = [](std::int64_t position) { return static_cast<std::size_t>(position); };
  for (const std::int64_t row : golden.rows) {
    const std::int64_t gap = row - just_before - decode.position();
    if (!all && gap > 0) {
      engine.prefill(tokens.subspan(at(decode.position()), at(gap)));
      decode.skip(gap);
    }
    while (decode.position() <= row) decode.next(engine.decode(tokens[at(decode.position())]));
  }
  return decode;
}

std::span<const std::int32_t> types_of(const Golden& golden, std::size_t count) {
  return std::span(golden.types).first(golden.types.empty() ? 0 : count);
}

/// The logits of the last of the first tokens, which are appended at once, with their types where they have some.
std::vector<float> last_logits(const Golden& golden, Engine& engine, std::int64_t count) {
  const auto tokens = std::span(golden.tokens).first(static_cast<std::size_t>(count));
  std::vector<float> last;
  engine.prefill_all(
      tokens, [&](std::span<const float> row) { last.assign(row.begin(), row.end()); }, 0,
      types_of(golden, tokens.size()));
  return last;
}

/// What follows some tokens of an answer to each of the shorter sources.
void compare_sources(const Golden& golden, Engine& engine, std::vector<Comparison>& modes) {
  for (std::size_t i = 0; i < golden.source_lengths.size(); ++i) {
    const std::int64_t length = golden.source_lengths[i];
    engine.encode(std::span(golden.source).first(static_cast<std::size_t>(length)));
    modes.emplace_back(golden, fmt::format("a source of {}", length), 1)
        .last_of_call(i, last_logits(golden, engine, Golden::answered));
  }
  engine.encode(golden.source);
}

/// Sequences appended call by call; a call of one token is decoded.
void compare_calls(const Golden& golden, Engine& engine, std::vector<Comparison>& modes) {
  std::size_t call = 0;
  for (const std::vector<std::int64_t>& pattern : golden.calls) {
    engine.reset();
    Comparison& mode = modes.emplace_back(golden, fmt::format("calls of {}", fmt::join(pattern, ", ")), pattern.size());
    if (!golden.types.empty()) {
      mode.last_of_call(call++, last_logits(golden, engine, pattern.front()));
      continue;
    }
    for (const std::int64_t count : pattern) {
      const auto tokens = std::span(golden.tokens)
                              .subspan(static_cast<std::size_t>(engine.position()), static_cast<std::size_t>(count));
      mode.last_of_call(call++, count == 1 ? engine.decode(tokens.front()) : engine.prefill(tokens));
    }
  }
}

std::vector<Comparison> compare_all(const Golden& golden, Engine& engine, bool decode_all) {
  Comparison prefill(golden, "prefill");
  if (!golden.source.empty()) engine.encode(golden.source);
  engine.prefill_all(golden.tokens, [&](std::span<const float> row) { prefill.next(row); }, 0, golden.types);
  engine.reset();
  std::vector<Comparison> modes = {prefill};
  if (!golden.calls.empty()) {
    compare_calls(golden, engine, modes);
    return modes;
  }
  modes.push_back(compare_decode(golden, engine, decode_all));
  for (const std::int64_t length : prompt_lengths) {
    engine.reset();
    const std::span<const std::int32_t> prompt = std::span(golden.tokens).first(static_cast<std::size_t>(length));
    modes.emplace_back(golden, fmt::format("prompt of {}", length), 1).last_of_prompt(length, engine.prefill(prompt));
  }
  if (!golden.source.empty()) compare_sources(golden, engine, modes);
  return modes;
}

/// What the engine draws against what the host draws from the same engine's logits.
bool draws_as_the_host(const Golden& golden, Engine& engine, const Sampling& sampling) {
  constexpr std::size_t before_switch = 75;  // of goldens whose calls go over 80 tokens, where angles change
  constexpr std::int64_t count = 12;
  const auto prompt = std::span(golden.tokens).first(golden.calls.empty() ? 20 : before_switch);
  engine.reset();
  const Engine::Generation drawn = engine.generate(prompt, count, sampling, nullptr);
  if (static_cast<std::int64_t>(drawn.tokens.size()) != count && !drawn.stopped) return false;
  engine.reset();
  std::span<const float> logits = engine.prefill(prompt);
  const StepSlot slot = sampling_slot(sampling, golden_program().eos_tokens);
  std::map<std::int64_t, std::int32_t> before;
  std::vector<float> log_probabilities;
  for (const std::int32_t token : drawn.tokens) {
    const std::int64_t position = engine.position();
    std::vector<float> penalized(logits.begin(), logits.end());
    penalize(sampling, engine.sequence(), before, penalized);
    const std::uint32_t expected = sample_token(penalized, slot, static_cast<std::uint32_t>(position));
    if (expected != static_cast<std::uint32_t>(token)) return false;
    before[position] = token;
    if (sampling.log_probabilities) log_probabilities.push_back(log_probability(logits, token));
    logits = engine.decode(token);
  }
  return drawn.log_probabilities == log_probabilities;
}

/// On the device, and on the host; seeds of 64 bits.
bool draws_as_the_host(const Golden& golden, Engine& engine) {
  Sampling sampling{1.5f, 40, 0.95f, 0x123456789abcdef0u, 0.02f};
  if (!draws_as_the_host(golden, engine, sampling)) return false;
  sampling.repetition_penalty = 1.25f;
  sampling.presence_penalty = 0.5f;
  sampling.frequency_penalty = 0.25f;
  sampling.log_probabilities = true;
  return draws_as_the_host(golden, engine, sampling);
}

/// Whether loading these weights fails so, with `word` in the message.
bool fails_as(const std::string& weights, bool ignore_config, ErrorKind kind, const std::string& word) {
  LoadOptions options;
  options.weights_path = weights;
  options.ignore_config = ignore_config;
  options.device = "reference";
  try {
    load_engine(golden_program(), options);
  } catch (const Error& error) {
    return error.kind() == kind && std::string(error.what()).find(word) != std::string::npos;
  }
  return false;
}

/// The changes of config.json that moved the library's logits and beside which the engine would take weights. There are
/// none to be loaded here: what config.json says is judged first, and with ignore_config they are what is missed.
std::string changes_taken(const std::string& directory) {
  using json = nlohmann::ordered_json;
  const auto read = [&](const char* name) {
    return json::parse(with_words_quoted(tests::read_file(std::filesystem::path(directory) / name)));
  };
  const json config = read("config.json"), golden = read("golden.json");
  const tests::TemporaryDirectory beside;
  const std::string weights = beside.path().string();
  std::string taken;
  for (const json& change : golden["key_sensitivity"]) {
    const std::string key = change["keys"].items().begin().key();
    const json& value = change["keys"][key];
    if (change["outcome"] != "moved" || change["keys"].size() != 1) continue;
    if (key.find('.') != std::string::npos || value == "(absent)") continue;  // tests/generator/audit has these
    json changed = config;
    changed[key] = value;
    beside.write("config.json", changed.dump());
    const bool refused = fails_as(weights, false, ErrorKind::rejected, "'" + key);
    if (!refused || !fails_as(weights, true, ErrorKind::environment, "safetensors")) taken += " " + key;
  }
  return taken;
}

/// The same of a GGUF file whose epsilon is another.
std::string metadata_taken(const std::string& directory) {
  std::ifstream file(std::filesystem::path(directory) / "model.gguf", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  constexpr std::string_view key = "_epsilon";
  constexpr float other = 0.5f;
  for (std::size_t at = bytes.find(key); at != std::string::npos; at = bytes.find(key, at + 1)) {
    const std::size_t value = at + key.size() + sizeof(std::uint32_t);  // the type of the value
    std::memcpy(bytes.data() + value, &other, sizeof other);
  }
  const tests::TemporaryDirectory beside;
  const std::string changed = beside.write("model.gguf", bytes);
  if (!fails_as(changed, false, ErrorKind::rejected, "norm.eps")) return "an epsilon of 0.5";
  LoadOptions options;
  options.weights_path = changed;
  options.ignore_config = true;
  options.device = "reference";
  load_engine(golden_program(), options);
  return "";
}

/// What rows of a pass may change each other's logits by, since sums are in another order. With an f32 cache: 1e-6, or
/// as much as two answers can differ that are as far from transformers' as this engine's furthest row, `worst`.
double company_tolerance(const Program& program, double worst) {
  const Dtype cache = cli::roughest_cache(program.states);
  if (cache == Dtype::f32) return std::max(1e-6, 2 * worst);
  return cli::default_tolerance(cache, program.hidden_size, program.num_hidden_layers);
}

/// How many checks of several slots fail on an engine whose furthest row is off by `worst`.
int failures_of_slots(const Golden& golden, Engine& engine, LoadOptions options, const std::string& device,
                      double worst) {
  int failures = 0;
  const auto tell = [&](const char* what, const std::string& disagreement) {
    failures += disagreement.empty() ? 0 : 1;
    fmt::print("{} {} on {}: {} {}{}\n", disagreement.empty() ? "ok    " : "FAILED", golden.name, device,
               engine.program().max_batch, what, disagreement.empty() ? "" : ": " + disagreement);
  };
  tell("slots in turn give what each gives alone", turns_disagree(golden, engine));
  tell("slots at once give what each gives alone",
       common_passes_disagree(golden, engine, company_tolerance(engine.program(), worst)));
  tell("slots, copied and saved, go on as their source", copies_disagree(golden, engine));
  // GPU-assisted checks are of memory, which the same kernels access alike.
  const char* const validation = std::getenv("MONOMORPH_VALIDATION");
  if (validation != nullptr && std::string_view(validation) == "gpu") return failures;
  options.invariant = true;
  const std::unique_ptr<Engine> invariant = load_engine(golden_program(), options);
  tell("slots give bit for bit what each gives alone", common_passes_disagree(golden, *invariant, 0));
  return failures;
}

/// How many checks of texts' vectors fail on an engine whose furthest row of hidden states is off by `worst`.
int failures_of_vectors(const Golden& golden, Engine& engine, LoadOptions options, const std::string& device,
                        double tolerance, double worst) {
  int failures = 0;
  const auto tell = [&](const char* what, double distance, double allowed) {
    const bool passed = distance <= allowed;
    failures += passed ? 0 : 1;
    fmt::print("{} {} on {}: {}, off by {:.2e}, {:.0e} allowed\n", passed ? "ok    " : "FAILED", golden.name, device,
               what, distance, allowed);
  };
  const VectorDistances distances = compare_vectors(golden, engine);
  tell("vectors of all texts at once", distances.together, tolerance);
  tell("vectors of texts alone", distances.alone, tolerance);
  tell("vectors of texts alone, from those at once", distances.from_company,
       company_tolerance(engine.program(), std::max(worst, distances.together)));
  options.invariant = true;
  const std::unique_ptr<Engine> invariant = load_engine(golden_program(), options);
  tell("the same bit for bit", compare_vectors(golden, *invariant).from_company, 0);
  return failures;
}

int run(const std::string& directory, const std::string& device, double tolerance, bool ignore_config) {
  const Golden golden = read_golden(directory);
  LoadOptions options;
  options.weights_path = directory;
  options.device = device == "reference" || device == "cpu" ? device : "vulkan";
  options.ignore_config = ignore_config;
  const std::unique_ptr<Engine> engine = load_engine(golden_program(), options);
  int failures = 0;
  double worst = 0;
  const bool vectors = engine->program().pooling != Pooling::none;
  for (const Comparison& mode :
       vectors ? compare_token_states(golden, *engine) : compare_all(golden, *engine, device == "reference")) {
    const bool passed = mode.complete() && mode.worst() <= tolerance;
    failures += passed ? 0 : 1;
    worst = std::max(worst, mode.worst());
    fmt::print("{} {} on {}, {}: row {} of {} compared is off by {:.2e}, {:.0e} allowed{}\n",
               passed ? "ok    " : "FAILED", golden.name, device, mode.mode(), mode.worst_row(), mode.compared(),
               mode.worst(), tolerance, mode.complete() ? "" : "; rows are missing");
  }
  const bool one_pass = engine->program().one_pass;  // nothing is drawn, and nothing appended to a text
  const bool draws = one_pass || vectors || draws_as_the_host(golden, *engine);
  if (!one_pass && !vectors)
    fmt::print("{} {} on {}: draws as the host does\n", draws ? "ok    " : "FAILED", golden.name, device);
  if (vectors) failures += failures_of_vectors(golden, *engine, options, device, tolerance, worst);
  if (engine->program().max_batch > 1 && !one_pass && !vectors)
    failures += failures_of_slots(golden, *engine, options, device, worst);
  const auto has = [&](const char* name) { return std::filesystem::exists(std::filesystem::path(directory) / name); };
  if (device == "reference" && !ignore_config && !has("model.toml")) {  // no config says anything of a spec
    const std::string taken = has("model.gguf") ? metadata_taken(directory) : changes_taken(directory);
    failures += taken.empty() ? 0 : 1;
    fmt::print("{} {}: refuses weights that a config says to be of another model{}\n",
               taken.empty() ? "ok    " : "FAILED", golden.name, taken.empty() ? "" : ", but not with another" + taken);
  }
  const std::filesystem::path gguf = std::filesystem::path(directory) / "model.gguf";
  const bool of_one_type = golden.name.starts_with("all-");  // one file of many tensors shows as much
  if (device == "reference" && std::filesystem::exists(gguf) && !of_one_type) {
    const std::string taken = corruption_taken(golden_program(), gguf.string());
    failures += taken.empty() ? 0 : 1;
    fmt::print("{} {}: refuses what is no such file any more{}\n", taken.empty() ? "ok    " : "FAILED", golden.name,
               taken.empty() ? "" : ", but " + taken);
  }
  return failures == 0 && draws ? 0 : 1;
}

}  // namespace
}  // namespace monomorph::golden

int main(int argc, char** argv) {
  const bool ignore_config = argc == 5 && std::string_view(argv[4]) == "ignore-config";
  if (argc != 4 && !ignore_config) {
    std::fputs("usage: golden_runner CASE_DIRECTORY reference|cpu|DRIVER TOLERANCE [ignore-config]\n", stderr);
    return 2;
  }
  try {
    return monomorph::golden::run(argv[1], argv[2], std::stod(argv[3]), ignore_config);
  } catch (const std::exception& error) {
    fmt::print(stderr, "FAILED {} on {}: {}\n", argv[1], argv[2], error.what());
    return 1;
  }
}
