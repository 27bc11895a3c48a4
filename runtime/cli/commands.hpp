// The commands behind the command line, one file each: what they are asked for, and the call that does it. They throw
// Error (runtime/engine/engine.hpp) or Interrupted, and write results through output.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/drawing.hpp"
#include "runtime/cli/engine_choice.hpp"
#include "runtime/cli/sources.hpp"
#include "runtime/engine/engine.hpp"

namespace monomorph::cli {

/// How a text of masks becomes one of tokens (runtime/engine/denoise.hpp), as far as it was said.
struct DenoiseChoice {
  bool wanted = false;
  std::optional<std::int64_t> steps, block_length;  ///< absent: as many as tokens are to be found
  std::string remasking = "low_confidence";         ///< or "random"
  double guidance = 0;
};

struct RunOptions {
  EngineChoice engine;
  std::optional<std::string> prompt;       ///< this, one of the files, or tokens
  std::optional<std::string> prompt_file;  ///< "-": standard input
  std::optional<std::string> prompts;      ///< a file for run_prompts; "-": standard input
  std::string tokens;                      ///< "1,2,3"
  SourceChoice source;                     ///< what a model with an encoder answers to
  std::string tokenizer;                   ///< empty: looked for beside the weights
  std::optional<std::int64_t> count;       ///< most tokens to draw; absent: as GenerationConfig::count says
  SamplingChoice sampling;
  SearchChoice search;
  std::vector<std::string> stop_strings;
  std::string log_probabilities;  ///< a file of JSON lines; empty: none
  std::string prompt_cache;  ///< a saved slot to begin from, and to leave before the prompt's last token; empty: none
  DenoiseChoice denoise;
};
/// Writes the continuation as it is drawn, or, of several beams, the best at the end: text, or ids where there is no
/// tokenizer.
void run(const Program& program, const RunOptions& options);
/// Continues every prompt of a file, as many at once as the engine has slots: lines of JSON in, lines of JSON out, in
/// the same order (runtime/cli/prompt_lines.hpp); with beams one after the other. Throws Error(rejected) after the last
/// where lines had errors.
void run_prompts(const Program& program, const RunOptions& options);
/// Writes what follows the prompt, found where masks stand: text up to the first stop token, or all ids where there is
/// no tokenizer.
void run_denoise(const Program& program, const RunOptions& options);

struct ChatOptions {
  EngineChoice engine;
  std::string tokenizer;              ///< empty: looked for beside the weights
  std::optional<std::int64_t> count;  ///< most tokens of an answer; absent: as many as fit
  SamplingChoice sampling;
  std::vector<std::string> stop_strings;
  std::string log_probabilities;      ///< a file of JSON lines, those of all answers; empty: none
  std::optional<std::string> system;  ///< set or replaced in the messages
  std::string messages;  ///< a file of messages to begin with; "-": standard input, and nothing more is read
  std::string tools;     ///< a file; empty: none
  std::vector<std::string> variables;  ///< "name=JSON"
  std::string save_state;              ///< a saved slot to begin from and to leave, at the chat's end; empty: none
};
/// Answers the user's messages, from a terminal or of a script, until they end. Draws as the generation_config.json
/// beside the weights says, but for what the options say.
void chat(const Program& program, const ChatOptions& options);

struct EmbedOptions {
  EngineChoice engine;
  std::vector<std::string> texts;   ///< these, the lines of a file, or tokens
  std::optional<std::string> file;  ///< a text a line; "-": standard input
  std::string tokens;               ///< "1,2,3", of one text
  std::string types;                ///< of each of these; empty: all are 0
  std::string tokenizer;            ///< empty: looked for beside the weights
  bool truncate = false;            ///< texts lose what is too much, in place of being refused
  bool token_states = false;        ///< of one text, what pooling reads, in place of its vector
  std::string output;               ///< .npy, float32 [texts, output_size]; empty: JSON lists on standard output
};
/// Writes the vector of each text.
void embed(const Program& program, const EmbedOptions& options);

struct RankOptions {
  EngineChoice engine;
  std::string query;
  std::vector<std::string> texts;   ///< these, or the lines of a file
  std::optional<std::string> file;  ///< a text a line; "-": standard input
  std::string tokenizer;            ///< empty: looked for beside the weights
  bool truncate = false;            ///< as EmbedOptions::truncate
};
/// Writes texts by the score that a classifier of one label gives the pair of the query and each, the highest first:
/// score, tab, text.
void rank(const Program& program, const RankOptions& options);

enum class LogitsMode { prefill, decode };
struct LogitsOptions {
  EngineChoice engine;
  std::string tokens;
  std::string source_tokens;  ///< of a model with an encoder
  std::string types;          ///< of each of these; empty: all are 0
  LogitsMode mode = LogitsMode::prefill;
  std::string output;  ///< .npy, float32 [tokens, vocab_size]
};
void logits(const Program& program, const LogitsOptions& options);

struct BenchOptions {
  EngineChoice engine;
  std::optional<std::int64_t> prompt;  ///< tokens of prefill; absent: 512, or what the sequence holds
  std::optional<std::int64_t> count;   ///< tokens of decode; absent: 128, or what the sequence holds
  std::int64_t depth = 0;              ///< tokens that stand before what is measured
  std::int64_t repetitions = 5;
  std::vector<std::int64_t> batches;  ///< sequences at once, measured one after the other; empty: one alone
  bool profile = false;
  bool json = false;
};
void bench(const Program& program, const BenchOptions& options);

struct VerifyOptions {
  EngineChoice engine;
  std::int64_t prompt = 19;
  std::int64_t count = 5;
  std::optional<double> tolerance;  ///< of every layer; absent: by depth, widths and the cache's dtype
};
/// Throws Error(rejected) after the table when a layer is above its tolerance.
void verify(const Program& program, const VerifyOptions& options);

void devices(const Program& program, bool json);

struct InfoOptions {
  std::string device;  ///< empty: the one an engine would take, where there is one
  bool json = false;
};
void info(const Program& program, const InfoOptions& options);

}  // namespace monomorph::cli
