// host_program WEIGHTS DEVICE: links the emitted model kjv, runs a prompt through its typed interface, one prefill and
// one decode a token, and prints the tokens it picks, always the likeliest. They must be those that the engine's own
// `generate` draws on the device. Exit status 0 when they are, 1 when not, 77 where there is no Vulkan device.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

#include "kjv/engine.hpp"

// What the host program relies on, known before it runs.
static_assert(kjv::weight_bytes + kjv::state_bytes + kjv::activation_bytes < (64 << 20), "kjv fits a budget of 64 MiB");
static_assert(std::is_same_v<kjv::Logits, std::span<const float, kjv::vocab::size>>);

namespace {

constexpr std::array<std::int32_t, 5> prompt = {40, 20, 300, 4, 500};
constexpr std::int64_t count = 24;
static_assert(prompt.size() + count <= kjv::positions::size);

std::int32_t likeliest(kjv::Logits logits) {
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

std::vector<std::int32_t> picked(kjv::Engine& engine, std::size_t wanted) {
  std::vector<std::int32_t> tokens = {likeliest(engine.prefill(prompt))};
  while (tokens.size() < wanted) tokens.push_back(likeliest(engine.decode(tokens.back())));
  return tokens;
}

void print(const char* who, const std::vector<std::int32_t>& tokens) {
  std::printf("%s", who);
  for (const std::int32_t token : tokens) std::printf(" %d", token);
  std::printf("\n");
}

int run(const std::string& weights, const std::string& device) {
  monomorph::LoadOptions options;
  options.weights_path = weights;
  options.device = device;
  kjv::Engine engine(options);

  const monomorph::Engine::Generation generation = engine.generate(prompt, count, {}, nullptr);
  engine.reset();
  // A stop token ends a generation; the host would go on.
  const std::vector<std::int32_t> tokens = picked(engine, generation.tokens.size());
  const auto expected_position = static_cast<std::int64_t>(prompt.size() + tokens.size()) - 1;
  print("picked:   ", tokens);
  print("generated:", generation.tokens);
  if (engine.position() != expected_position) {
    std::printf("the engine stands at %lld, not at %lld\n", static_cast<long long>(engine.position()),
                static_cast<long long>(expected_position));
    return 1;
  }
  const bool complete = generation.stopped || generation.tokens.size() == count;
  return complete && tokens == generation.tokens ? 0 : 1;
}

}  // namespace

int main(int, char** arguments) {
  try {
    const std::string device = arguments[2];
    return run(arguments[1], device);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "host_program: %s\n", error.what());
    return 1;
  }
}
