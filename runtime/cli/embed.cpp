#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/text_lines.hpp"
#include "runtime/cli/text_vectors.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/formats/npy.hpp"

namespace monomorph::cli {
namespace {

std::vector<TextTokens> read_texts(const Program& program, const EmbedOptions& options) {
  std::vector<TextTokens> texts;
  if (!options.tokens.empty()) {
    texts.push_back({parse_tokens(options.tokens), {}, "--tokens"});
    if (!options.types.empty()) texts.front().types = parse_tokens(options.types);
  } else {
    const Tokenizer tokenizer = open_tokenizer(program, options.tokenizer, options.engine);
    std::optional<std::int64_t> most;
    if (options.truncate) most = most_tokens(program);
    for (const TextLine& line : options.file ? read_text_lines(*options.file) : numbered_texts(options.texts)) {
      texts.push_back(text_tokens(program, tokenizer.encode_single(line.text, most), line.place));
    }
  }
  validate_texts(program, texts);
  return texts;
}

/// Vectors in the order of their texts: rows of a file, or a JSON list a line.
class Vectors {
 public:
  Vectors(const std::string& path, std::size_t count, std::int64_t size) {
    if (!path.empty()) file_.emplace(path, std::array{static_cast<std::int64_t>(count), size});
  }
  void write(std::span<const float> vector) {
    if (file_) return file_->append(vector);
    print(fmt::format("[{}]\n", fmt::join(vector, ", ")));
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<NpyWriter> file_;
};

}  // namespace

void embed(const Program& program, const EmbedOptions& options) {
  require_vectors(program);
  if (!options.types.empty() && options.tokens.empty()) {
    throw Error(ErrorKind::environment, "--types are those of --tokens");
  }
  const std::vector<TextTokens> texts = read_texts(program, options);
  if (options.token_states && texts.size() != 1) {
    throw Error(ErrorKind::environment,
                fmt::format("--pooling none shows the tokens of one text, and {} were given", texts.size()));
  }
  // Before the weights are loaded: a path that cannot be written is known at once.
  Vectors vectors(options.output, options.token_states ? texts.front().tokens.size() : texts.size(),
                  options.token_states ? program.hidden_size : program.output_size);
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine);
  const auto write = [&](std::span<const float> vector) { vectors.write(vector); };
  if (options.token_states) {
    engine->token_states({texts.front().tokens, texts.front().types}, write);
  } else {
    each_vector(*engine, texts, write);
  }
  vectors.commit();
}

}  // namespace monomorph::cli
