#include "runtime/engine/embed.hpp"

#include "runtime/engine/batch.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph {

std::vector<std::vector<float>> embed(Engine& engine, std::span<const Text> texts) {
  require_vectors(engine.program());
  std::vector<std::vector<float>> vectors(texts.size());
  Batch batch(engine);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    BatchRequest request;
    request.prompt.assign(texts[i].tokens.begin(), texts[i].tokens.end());
    request.types.assign(texts[i].types.begin(), texts[i].types.end());
    request.prompt_logits = [&vector = vectors[i]](std::int64_t, std::span<const float> given) {
      vector.assign(given.begin(), given.end());
    };
    request.finished = [](const BatchResult& result) {
      if (result.error) throw *result.error;
    };
    batch.add(std::move(request));
  }
  batch.run();
  return vectors;
}

}  // namespace monomorph
