#include <array>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/formats/npy.hpp"

namespace monomorph::cli {

void logits(const Program& program, const LogitsOptions& options) {
  require_logits(program);
  const std::vector<std::int32_t> tokens = parse_tokens(options.tokens);
  const std::vector<std::int32_t> types =
      options.types.empty() ? std::vector<std::int32_t>{} : parse_tokens(options.types);
  const std::vector<std::int32_t> source = read_source(program, {{}, options.source_tokens}, {});
  validate_tokens(program, 0, 0, tokens);
  validate_types(program, tokens, types);
  if (!types.empty() && options.mode == LogitsMode::decode) {
    throw Error(ErrorKind::environment, "--types are of tokens that are read at once: leave them or --mode decode out");
  }
  const auto count = static_cast<std::int64_t>(tokens.size());
  // Before the weights are loaded: a path that cannot be written is known at once.
  NpyWriter writer(options.output, std::array{count, program.vocab_size});

  const std::unique_ptr<Engine> engine = open_engine(program, options.engine);
  if (!source.empty()) engine->encode(source);
  Progress progress(options.mode == LogitsMode::prefill ? "prefill" : "decode");
  std::int64_t done = 0;
  const auto take = [&](std::span<const float> row) {
    writer.append(row);
    progress.update(++done, count);
  };
  if (options.mode == LogitsMode::prefill) {
    engine->prefill_all(tokens, take, 0, types);
  } else {
    for (const std::int32_t token : tokens) take(engine->decode(token));
  }
  writer.commit();
}

}  // namespace monomorph::cli
