#include "runtime/chat/generation_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include "runtime/engine/validate.hpp"
#include "runtime/error.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph {
namespace {

namespace fs = std::filesystem;

/// Keys that are read below.
constexpr std::array<std::string_view, 20> mapped = {"do_sample",
                                                     "temperature",
                                                     "top_k",
                                                     "top_p",
                                                     "min_p",
                                                     "repetition_penalty",
                                                     "num_beams",
                                                     "length_penalty",
                                                     "early_stopping",
                                                     "max_length",
                                                     "max_new_tokens",
                                                     "min_length",
                                                     "min_new_tokens",
                                                     "bad_words_ids",
                                                     "no_repeat_ngram_size",
                                                     "suppress_tokens",
                                                     "encoder_no_repeat_ngram_size",
                                                     "forced_bos_token_id",
                                                     "forced_eos_token_id",
                                                     "begin_suppress_tokens"};

struct Ignored {
  const char* reason;
  std::vector<std::string_view> keys;
};
const std::vector<Ignored>& ignored() {
  static const std::vector<Ignored> all = {
      {"Ctrl-C says how long an answer may take", {"max_time"}},
      {"the spec says which tokens end an answer", {"eos_token_id"}},
      {"the chat template says what a conversation begins with", {"bos_token_id", "decoder_start_token_id"}},
      {"no sequence is padded", {"pad_token_id"}},
      {"one answer is drawn", {"num_return_sequences"}},
      {"where memory is and what is drawn ahead changes no answer",
       {"use_cache", "cache_implementation", "cache_config", "low_memory", "compile_config", "disable_compile",
        "prefill_chunk_size", "return_legacy_cache", "continuous_batching_config", "is_assistant",
        "num_assistant_tokens", "num_assistant_tokens_schedule", "assistant_confidence_threshold",
        "assistant_early_exit", "assistant_lookbehind", "target_lookbehind", "prompt_lookup_num_tokens",
        "max_matching_ngram_size"}},
      {"a draw is the same before and after", {"renormalize_logits", "remove_invalid_values"}},
      {"what is told beside the answer is no part of it",
       {"output_attentions", "output_hidden_states", "output_scores", "output_logits", "return_dict_in_generate"}},
      {"it is about the file", {"transformers_version", "_from_model_config"}},
  };
  return all;
}

/// A key whose strategy this engine has not, and the value with which it does nothing; null does nothing for all.
struct Refused {
  std::string_view key;
  Json nothing;
};
const std::vector<Refused>& refused() {
  static const std::vector<Refused> all = {
      {"num_beam_groups", 1},
      {"penalty_alpha", 0},
      {"dola_layers", nullptr},
      {"typical_p", 1},
      {"epsilon_cutoff", 0},
      {"eta_cutoff", 0},
      {"top_h", nullptr},
      {"diversity_penalty", 0},
      {"encoder_repetition_penalty", 1},
      {"stop_strings", Json::array()},
      {"force_words_ids", Json::array()},
      {"constraints", Json::array()},
      {"exponential_decay_length_penalty", nullptr},
      {"sequence_bias", nullptr},
      {"token_healing", false},
      {"guidance_scale", 1},
      {"watermarking_config", nullptr},
  };
  return all;
}

class Reader {
 public:
  Reader(const Json& config, const std::string& file) : config_(config), file_(file) {}

  [[noreturn]] void reject(const std::string& text) const {
    throw Error(ErrorKind::rejected, fmt::format("{}: {}; --ignore-config draws without the file", file_, text));
  }

  bool boolean(const char* key) const {
    const Json* const value = find(key);
    if (value != nullptr && !value->is_boolean()) wrong_type(key, "true or false");
    return value != nullptr && value->boolean();
  }
  float number(const char* key, float absent) const {
    const Json* const value = find(key);
    if (value != nullptr && !value->is_number()) wrong_type(key, "a number");
    return value == nullptr ? absent : static_cast<float>(value->real());
  }
  std::optional<std::uint32_t> count(const char* key, const char* wanted = "a number of tokens") const {
    const Json* const value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_unsigned() || value->unsigned_integer() > std::numeric_limits<std::uint32_t>::max())
      wrong_type(key, wanted);
    return static_cast<std::uint32_t>(value->unsigned_integer());
  }
  std::optional<std::int32_t> token(const char* key) const {
    const Json* const value = find(key);
    if (value == nullptr) return std::nullopt;
    return token(key, *value, "a token id");
  }
  /// A list of them, or one alone.
  std::vector<std::int32_t> tokens(const char* key) const {
    const Json* const value = find(key);
    return value == nullptr ? std::vector<std::int32_t>{} : tokens(key, *value, "a token id or a list of them");
  }
  std::vector<std::vector<std::int32_t>> token_lists(const char* key) const {
    const Json* const value = find(key);
    std::vector<std::vector<std::int32_t>> lists;
    if (value == nullptr) return lists;
    constexpr const char* wanted = "a list of lists of token ids";
    if (!value->is_array()) wrong_type(key, wanted);
    for (const Json& each : *value) {
      if (!each.is_array()) wrong_type(key, wanted);
      lists.push_back(tokens(key, each, wanted));
    }
    return lists;
  }
  EarlyStopping early_stopping() const {
    const Json* const value = find("early_stopping");
    if (value == nullptr) return EarlyStopping::no;
    if (*value == Json("never")) return EarlyStopping::never;
    if (!value->is_boolean()) wrong_type("early_stopping", "true, false or \"never\"");
    return value->boolean() ? EarlyStopping::yes : EarlyStopping::no;
  }

 private:
  /// Null is as good as absent, as transformers has it.
  const Json* find(const char* key) const {
    const Json* const found = config_.find(key);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  std::int32_t token(const char* key, const Json& value, const char* wanted) const {
    if (!value.is_unsigned() || value.unsigned_integer() > std::uint64_t{std::numeric_limits<std::int32_t>::max()})
      wrong_type(key, wanted);
    return static_cast<std::int32_t>(value.unsigned_integer());
  }
  std::vector<std::int32_t> tokens(const char* key, const Json& value, const char* wanted) const {
    if (!value.is_array()) return {token(key, value, wanted)};
    std::vector<std::int32_t> all;
    for (const Json& each : value) all.push_back(token(key, each, wanted));
    return all;
  }
  [[noreturn]] void wrong_type(const char* key, const char* wanted) const {
    reject(fmt::format("'{}' is {}, not {}", key, config_[key].dump(), wanted));
  }

  const Json& config_;
  const std::string& file_;
};

bool is_ignored(std::string_view key) {
  return std::any_of(ignored().begin(), ignored().end(), [&](const Ignored& each) {
    return std::find(each.keys.begin(), each.keys.end(), key) != each.keys.end();
  });
}

/// Refuses what would answer otherwise; gives the keys that nobody knows.
std::string check_keys(const Json& config, const Reader& reader) {
  std::string unknown;
  for (const auto& [key, value] : config.members()) {
    if (std::find(mapped.begin(), mapped.end(), key) != mapped.end() || is_ignored(key)) continue;
    const auto rule = std::find_if(refused().begin(), refused().end(), [&](const Refused& r) { return r.key == key; });
    if (rule == refused().end()) {
      unknown += (unknown.empty() ? "" : ", ") + key;
    } else if (!value.is_null() && value != rule->nothing) {
      reader.reject(fmt::format("'{}' is {}, and this engine draws without it", key, value.dump()));
    }
  }
  return unknown;
}

Constraints read_constraints(const Reader& reader) {
  const std::optional<std::uint32_t> min_new_tokens = reader.count("min_new_tokens");  // goes before min_length
  return {.no_repeat_ngram_size = reader.count("no_repeat_ngram_size").value_or(0),
          .encoder_no_repeat_ngram_size = reader.count("encoder_no_repeat_ngram_size").value_or(0),
          .min_length = min_new_tokens ? 0 : reader.count("min_length").value_or(0),
          .min_new_tokens = min_new_tokens.value_or(0),
          .bad_words_ids = reader.token_lists("bad_words_ids"),
          .suppress_tokens = reader.tokens("suppress_tokens"),
          .begin_suppress_tokens = reader.tokens("begin_suppress_tokens"),
          .forced_bos_token_id = reader.token("forced_bos_token_id"),
          .forced_eos_token_id = reader.tokens("forced_eos_token_id")};
}

BeamSearch read_search(const Reader& reader) {
  return {.beams = reader.count("num_beams", "a number of beams").value_or(1),
          .length_penalty = reader.number("length_penalty", 1),
          .early_stopping = reader.early_stopping()};
}

Sampling read_sampling(const Reader& reader) {
  Sampling sampling;
  sampling.constraints = read_constraints(reader);
  sampling.repetition_penalty = reader.number("repetition_penalty", 1);
  if (!reader.boolean("do_sample")) return sampling;
  // Absent ones are what transformers takes then.
  sampling.temperature = reader.number("temperature", 1);
  sampling.top_k = reader.count("top_k").value_or(50);
  sampling.top_p = reader.number("top_p", 1);
  sampling.min_p = reader.number("min_p", 0);
  return sampling;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error(ErrorKind::environment, path.string() + ": this file cannot be read");
  return text;
}

}  // namespace

std::int64_t GenerationConfig::count(std::optional<std::int64_t> said, std::size_t prompt) const {
  constexpr std::int64_t usual = 64;
  if (said) return *said;
  if (max_new_tokens) return *max_new_tokens;
  if (max_length) return std::max<std::int64_t>(*max_length - static_cast<std::int64_t>(prompt), 0);
  return usual;
}

std::string GenerationConfig::described() const {
  std::string text = sampling.temperature != 0 ? fmt::format("temperature {}", sampling.temperature)
                     : searches()              ? fmt::format("the likeliest of {} beams", search.beams)
                                               : "the likeliest token";
  if (sampling.top_k != 0) text += fmt::format(", top-k {}", sampling.top_k);
  if (sampling.top_p != 1) text += fmt::format(", top-p {}", sampling.top_p);
  if (sampling.min_p != 0) text += fmt::format(", min-p {}", sampling.min_p);
  if (sampling.repetition_penalty != 1) text += fmt::format(", repetition penalty {}", sampling.repetition_penalty);
  if (searches() && search.length_penalty != 1) text += fmt::format(", length penalty {}", search.length_penalty);
  const Constraints& constraints = sampling.constraints;
  if (constraints.no_repeat_ngram_size != 0) {
    text += fmt::format(", no {} tokens in a row twice", constraints.no_repeat_ngram_size);
  }
  if (constraints.min_length != 0) text += fmt::format(", at least {} tokens", constraints.min_length);
  if (constraints.min_new_tokens != 0) text += fmt::format(", at least {} drawn tokens", constraints.min_new_tokens);
  if (constraints.forced_bos_token_id) text += fmt::format(", first token {}", *constraints.forced_bos_token_id);
  return text;
}

std::optional<GenerationConfig> find_generation_config(const std::string& weights) {
  const fs::path checkpoint = find_checkpoint(weights);
  if (checkpoint.extension() == ".gguf") return std::nullopt;
  const fs::path path = checkpoint.parent_path() / "generation_config.json";
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  return parse_generation_config(read_file(path), path.string());
}

GenerationConfig parse_generation_config(const std::string& text, const std::string& file) {
  constexpr std::size_t most_bytes = 256 << 10;
  constexpr int deepest = 8;  // what nests deeper than any such file is left out
  const std::optional<Json> read =
      text.size() > most_bytes ? std::nullopt : Json::try_parse(text, {.deepest = deepest});
  const Json config = read.value_or(Json());
  const Reader reader(config, file);
  if (!config.is_object()) reader.reject("this is no JSON object of at most 256 KiB");
  GenerationConfig result;
  result.file = file;
  result.unknown = check_keys(config, reader);
  result.sampling = read_sampling(reader);
  result.search = read_search(reader);
  result.max_length = reader.count("max_length");
  result.max_new_tokens = reader.count("max_new_tokens");
  if (result.searches() && result.sampling.temperature != 0) {
    reader.reject("'num_beams' asks for the likeliest sequences, and 'do_sample' for random ones");
  }
  try {
    validate_sampling(result.sampling);
  } catch (const Error& error) {
    reader.reject(error.what());
  }
  return result;
}

}  // namespace monomorph
