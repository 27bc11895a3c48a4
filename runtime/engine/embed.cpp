#include "runtime/engine/embed.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "runtime/engine/batch.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph {

void embed(Engine& engine, std::span<const Text> texts, const std::function<void(std::span<const float> vector)>& take,
           const std::function<void()>& before_pass) {
  require_vectors(engine.program());
  Batch batch(engine);
  std::map<std::size_t, std::vector<float>> ready;  // those that wait for one before them
  for (std::size_t i = 0; i < texts.size(); ++i) {
    BatchRequest request;
    request.prompt.assign(texts[i].tokens.begin(), texts[i].tokens.end());
    request.types.assign(texts[i].types.begin(), texts[i].types.end());
    request.prompt_logits = [&ready, i](std::int64_t, std::span<const float> vector) {
      ready[i].assign(vector.begin(), vector.end());
    };
    request.finished = [i](const BatchResult& result) {
      if (result.error) throw Error(result.error->kind(), fmt::format("text {}: {}", i + 1, result.error->what()));
    };
    batch.add(std::move(request));
  }
  std::size_t taken = 0;
  for (bool more = true; more;) {
    if (before_pass) before_pass();
    more = batch.tick();
    for (auto next = ready.begin(); next != ready.end() && next->first == taken; next = ready.erase(next)) {
      take(next->second);
      ++taken;
    }
  }
}

std::vector<std::vector<float>> embed(Engine& engine, std::span<const Text> texts) {
  std::vector<std::vector<float>> vectors;
  embed(engine, texts, [&](std::span<const float> vector) { vectors.emplace_back(vector.begin(), vector.end()); });
  return vectors;
}

}  // namespace monomorph
