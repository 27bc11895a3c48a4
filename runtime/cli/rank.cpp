#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/text_lines.hpp"
#include "runtime/cli/text_vectors.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph::cli {

void rank(const Program& program, const RankOptions& options) {
  require_vectors(program);
  if (program.output_size != 1) {
    throw Error(ErrorKind::rejected, fmt::format("{} gives {} numbers of a text, and texts are ranked by one score: "
                                                 "`embed` writes all of them",
                                                 program.name, program.output_size));
  }
  const Tokenizer tokenizer = open_tokenizer(program, options.tokenizer, options.engine);
  std::optional<std::int64_t> most;
  if (options.truncate) most = most_tokens(program);
  const std::vector<TextLine> lines = options.file ? read_text_lines(*options.file) : numbered_texts(options.texts);
  std::vector<TextTokens> pairs;
  for (const TextLine& line : lines) {
    pairs.push_back(text_tokens(program, tokenizer.encode_pair(options.query, line.text, most), line.place));
  }
  validate_texts(program, pairs);
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine);
  std::vector<std::pair<float, std::size_t>> scores;
  each_vector(*engine, pairs, [&](std::span<const float> score) { scores.emplace_back(score.front(), scores.size()); });
  std::stable_sort(scores.begin(), scores.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [score, index] : scores) print(fmt::format("{:.6f}\t{}\n", score, lines[index].text));
}

}  // namespace monomorph::cli
