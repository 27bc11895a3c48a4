#include <array>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/formats/npy.hpp"

namespace monomorph::cli {

void logits(const Program& program, const LogitsOptions& options) {
  const std::vector<std::int32_t> tokens = parse_tokens(options.tokens);
  validate_tokens(program, 0, 0, tokens);
  const auto count = static_cast<std::int64_t>(tokens.size());
  // Before the weights are loaded: a path that cannot be written is known at once.
  NpyWriter writer(options.output, std::array{count, program.vocab_size});

  const std::unique_ptr<Engine> engine = open_engine(program, options.engine);
  Progress progress(options.mode == LogitsMode::prefill ? "prefill" : "decode");
  std::int64_t done = 0;
  const auto take = [&](std::span<const float> row) {
    writer.append(row);
    progress.update(++done, count);
  };
  if (options.mode == LogitsMode::prefill) {
    engine->prefill_all(tokens, take);
  } else {
    for (const std::int32_t token : tokens) take(engine->decode(token));
  }
  writer.commit();
}

}  // namespace monomorph::cli
