#include "runtime/cli/engine_choice.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/formats/checkpoint.hpp"

namespace monomorph::cli {

HostWeights open_weights(const Program& program, const EngineChoice& choice) {
  return choice.random_weights ? HostWeights::random(program, choice.random_seed)
                               : HostWeights::open(program, choice.weights);
}

std::string describe(const Compilation& compilation) {
  if (compilation.kernels == 0) return "";
  return fmt::format("compiled {} kernels in {:.3f} s\n", compilation.kernels, compilation.seconds);
}

std::unique_ptr<Engine> open_engine(const Program& program, const EngineChoice& choice, View view,
                                    Compilation* compilation) {
  using Clock = std::chrono::steady_clock;
  std::optional<Progress> progress("loading weights");
  Clock::time_point begin;
  LoadOptions options;
  options.weights_path = choice.weights;
  options.random_weights = choice.random_weights;
  options.random_seed = choice.random_seed;
  options.ignore_config = choice.ignore_config;
  options.invariant = choice.invariant;
  options.note = [&](const std::string& text) { print_error(fmt::format("{}: {}\n", program.name, text)); };
  options.device = choice.device;
  options.threads = choice.threads;
  options.profile = view == View::profiled;
  options.probe_layers = view == View::probed;
  options.progress = [&](std::int64_t done, std::int64_t total) { progress->update(done, total); };
  options.compiling = [&](std::int64_t done, std::int64_t total) {
    if (done == 0) {
      begin = Clock::now();
      progress.emplace("compiling kernels", Progress::Shows::count);
    }
    progress->update(done, total);
    if (done == total && compilation != nullptr) {
      *compilation = {static_cast<std::int64_t>(program.kernels.size()),
                      std::chrono::duration<double>(Clock::now() - begin).count()};
    }
  };
  return load_engine(program, options);
}

namespace {

bool carries_tokenizer(const std::filesystem::path& weights) {
  try {
    if (find_checkpoint(weights).extension() != ".gguf") return false;
    const Checkpoint checkpoint = Checkpoint::open(weights);
    return checkpoint.gguf() != nullptr && checkpoint.gguf()->find("tokenizer.ggml.model") != nullptr;
  } catch (const Error&) {  // whoever reads the weights says it
    return false;
  }
}

std::filesystem::path tokenizer_path(const std::string& path, const EngineChoice& choice) {
  if (!path.empty()) return path;
  if (choice.random_weights)
    throw Error(ErrorKind::environment, "random weights have no tokenizer beside them; name one with --tokenizer");
  std::filesystem::path weights(choice.weights);
  if (carries_tokenizer(weights)) return find_checkpoint(weights);
  if (std::filesystem::is_directory(weights)) return weights;
  return weights.has_parent_path() ? weights.parent_path() : std::filesystem::path(".");
}

}  // namespace

Tokenizer open_tokenizer(const Program& program, const std::string& path, const EngineChoice& choice) {
  const std::filesystem::path found = tokenizer_path(path, choice);
  Tokenizer tokenizer = Tokenizer::load(found);
  if (tokenizer.vocab_size() > program.vocab_size) {
    throw Error(
        ErrorKind::rejected,
        fmt::format("{}: the tokenizer has ids up to {}, the vocabulary of {} ends at {}: it belongs to another "
                    "model; name the right one with --tokenizer",
                    found.string(), tokenizer.vocab_size() - 1, program.name, program.vocab_size - 1));
  }
  return tokenizer;
}

std::optional<Tokenizer> find_tokenizer(const Program& program, const std::string& path, const EngineChoice& choice) {
  try {
    return open_tokenizer(program, path, choice);
  } catch (const Error& error) {
    // One that was asked for must be there.
    if (!path.empty()) throw;
    print_error(fmt::format("printing ids: {}\n", error.what()));
    return std::nullopt;
  }
}

}  // namespace monomorph::cli
