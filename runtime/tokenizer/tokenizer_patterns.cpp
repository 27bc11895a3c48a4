#include "runtime/tokenizer/tokenizer_patterns.hpp"

#include <algorithm>

namespace monomorph {
namespace {

constexpr std::string_view llama3_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view tekken_pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view gpt4o_pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view gpt2_names[] = {"gpt-2", "phi-2", "mpt", "olmo", "jina-es", "jina-de"};
constexpr std::string_view roberta_names[] = {"roberta-bpe"};
constexpr std::string_view gpt2_patterns[] = {gpt2_pattern};
constexpr std::string_view single_digits_names[] = {"smollm",    "starcoder", "refact",
                                                    "command-r", "codeshell", "exaone"};
constexpr std::string_view single_digits_patterns[] = {R"(\p{N})", gpt2_pattern};
constexpr std::string_view llama3_names[] = {"llama-bpe", "llama3",   "llama-v3", "falcon3",     "falcon-h1",
                                             "pixtral",   "midm-2.0", "lfm2",     "jina-v5-nano"};
constexpr std::string_view llama3_merged_names[] = {"dbrx", "smaug-bpe"};
constexpr std::string_view llama3_patterns[] = {llama3_pattern};
constexpr std::string_view qwen2_names[] = {"qwen2", "deepseek-r1-qwen"};
constexpr std::string_view qwen2_as_written_names[] = {"kormo", "f2llmv2", "megrez"};
constexpr std::string_view qwen2_patterns[] = {qwen2_pattern};
constexpr std::string_view tekken_names[] = {"tekken"};
constexpr std::string_view tekken_patterns[] = {tekken_pattern};
constexpr std::string_view gpt4o_names[] = {"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"};
constexpr std::string_view gpt4o_patterns[] = {gpt4o_pattern};

constexpr NamedPreTokenizer all[] = {
    {gpt2_names, gpt2_patterns},
    {roberta_names, gpt2_patterns, false, false, false, true},
    {single_digits_names, single_digits_patterns},
    {llama3_names, llama3_patterns, false, true, true},
    {llama3_merged_names, llama3_patterns},
    {qwen2_names, qwen2_patterns, true},
    {qwen2_as_written_names, qwen2_patterns},
    {tekken_names, tekken_patterns, false, true, true},
    {gpt4o_names, gpt4o_patterns},
};

}  // namespace

const NamedPreTokenizer* find_pre_tokenizer(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      all, [&](const NamedPreTokenizer& row) { return std::ranges::find(row.names, name) != row.names.end(); });
  return found == std::end(all) ? nullptr : found;
}

std::vector<std::string_view> pre_tokenizer_names() {
  std::vector<std::string_view> names;
  for (const NamedPreTokenizer& row : all) names.insert(names.end(), row.names.begin(), row.names.end());
  return names;
}

}  // namespace monomorph
