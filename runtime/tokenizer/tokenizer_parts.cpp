#include "runtime/tokenizer/tokenizer_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/tokenizer/pattern_syntax.hpp"
#include "runtime/tokenizer/tokenizer_patterns.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

SplitBehavior behavior_of(const TokenizerJson& json) {
  static constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> names = {
      {{"Isolated", SplitBehavior::isolated},
       {"Removed", SplitBehavior::removed},
       {"MergedWithPrevious", SplitBehavior::merged_with_previous},
       {"MergedWithNext", SplitBehavior::merged_with_next},
       {"Contiguous", SplitBehavior::contiguous}}};
  const std::string name = json.text();
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& row) { return row.first == name; });
  if (found == names.end()) json.refuse(fmt::format("the behavior '{}' is not read", name));
  return found->second;
}

SplitStep remove(std::string_view pattern) { return {Pattern::regex(pattern), SplitBehavior::removed, false}; }
SplitStep isolate(std::string_view pattern) { return {Pattern::regex(pattern), SplitBehavior::isolated, false}; }

MetaspaceStep read_metaspace(const TokenizerJson& json) {
  json.only({"type", "replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"});
  MetaspaceStep step{read_mark(json), read_prepend(json), std::nullopt};
  if (json.flag("split", true)) {
    step.split = SplitStep{Pattern::literal(step.mark), SplitBehavior::merged_with_next, false};
  }
  return step;
}

/// Those that only split; nothing where the type is another.
std::optional<std::vector<SplitStep>> read_splits(const TokenizerJson& json) {
  constexpr std::string_view white_space = "\\s";
  constexpr std::string_view punctuation = "[!-/:-@\\[-`{-~]|\\p{P}";
  const std::string type = json.type();
  std::vector<SplitStep> steps;
  if (type == "Split") {
    json.only({"type", "pattern", "behavior", "invert"});
    steps.push_back({read_pattern(json.at("pattern")), behavior_of(json.at("behavior")), json.flag("invert", false)});
  } else if (type == "Digits") {
    json.only({"type", "individual_digits"});
    const bool single = json.flag("individual_digits", false);
    steps.push_back({Pattern::regex("\\p{N}"), single ? SplitBehavior::isolated : SplitBehavior::contiguous, false});
  } else if (type == "Whitespace") {
    json.only({"type"});
    steps.push_back({Pattern::regex(fmt::format("[{0}]+|[^{0}\\s]+", rust_word)), SplitBehavior::removed, true});
  } else if (type == "WhitespaceSplit") {
    json.only({"type"});
    steps.push_back(remove(white_space));
  } else if (type == "BertPreTokenizer") {
    json.only({"type"});
    steps.push_back(remove(white_space));
    steps.push_back(isolate(punctuation));
  } else if (type == "Punctuation") {
    json.only({"type", "behavior"});
    const SplitBehavior behavior = json.has("behavior") ? behavior_of(json.at("behavior")) : SplitBehavior::isolated;
    steps.push_back({Pattern::regex(punctuation), behavior, false});
  } else if (type == "CharDelimiterSplit") {
    json.only({"type", "delimiter"});
    steps.push_back({Pattern::literal(json.at("delimiter").text()), SplitBehavior::removed, false});
  } else {
    return std::nullopt;
  }
  return steps;
}

/// After ByteLevel the text is no longer text: what splits then sees GPT-2's alphabet.
enum class Words { text, bytes, alphabet };

/// Appends the steps of one pre-tokenizer.
void append_steps(const TokenizerJson& json, std::vector<PreTokenizerStep>& steps, Words& words) {
  const std::string type = json.type();
  if (type == "Sequence") {
    json.only({"type", "pretokenizers"});
    for (const TokenizerJson& part : json.at("pretokenizers").items()) append_steps(part, steps, words);
    return;
  }
  if (std::optional<std::vector<SplitStep>> splits = read_splits(json)) {
    if (words == Words::bytes) {
      steps.emplace_back(ByteAlphabetStep{.back = false});
      words = Words::alphabet;
    }
    for (SplitStep& split : *splits) steps.emplace_back(std::move(split));
    return;
  }
  if (words != Words::text) json.refuse(fmt::format("'{}' after ByteLevel is not read", type));
  if (type == "ByteLevel") {
    json.only({"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (json.flag("add_prefix_space", true)) steps.emplace_back(PrefixSpaceStep{});
    if (json.flag("use_regex", true)) {
      steps.emplace_back(SplitStep{Pattern::regex(gpt2_pattern), SplitBehavior::isolated, false});
    }
    words = Words::bytes;
  } else if (type == "Metaspace") {
    steps.emplace_back(read_metaspace(json));
  } else {
    json.refuse(fmt::format("the pre-tokenizer '{}' is not read", type));
  }
}

}  // namespace

Pattern read_pattern(const TokenizerJson& json) {
  json.only({"Regex", "String"});
  if (json.has("String")) return Pattern::literal(json.at("String").text());
  const std::string source = json.at("Regex").text();
  try {
    return Pattern::regex(source);
  } catch (const Error& error) {
    json.refuse(error.what());
  }
}

std::string read_mark(const TokenizerJson& json) {
  const std::string mark = json.has("replacement") ? json.at("replacement").text() : "\u2581";
  if (mark.empty() || utf8_step(mark).length != mark.size())
    json.at("replacement").refuse("one character belongs here");
  return mark;
}

MetaspaceStep::Prepend read_prepend(const TokenizerJson& json) {
  if (!json.has("prepend_scheme")) {
    return json.flag("add_prefix_space", true) ? MetaspaceStep::Prepend::always : MetaspaceStep::Prepend::never;
  }
  const std::string scheme = json.at("prepend_scheme").text();
  if (scheme == "always") return MetaspaceStep::Prepend::always;
  if (scheme == "first") return MetaspaceStep::Prepend::first;
  if (scheme != "never") json.at("prepend_scheme").refuse(fmt::format("'{}' is not read", scheme));
  return MetaspaceStep::Prepend::never;
}

void read_pre_tokenizer(const TokenizerJson& json, Tokenizer::Data& data) {
  Words words = Words::text;
  append_steps(json, data.pre_tokenizer, words);
  if (words == Words::alphabet) data.pre_tokenizer.emplace_back(ByteAlphabetStep{.back = true});
  data.is_byte_level = words != Words::text;
}

std::unique_ptr<Tokenizer::Data> read_tokenizer_json(std::string_view text, const std::string& file) {
  Json storage;
  const TokenizerJson json = TokenizerJson::parse(text, file, storage);
  json.only({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor",
             "decoder", "model"});
  auto data = std::make_unique<Tokenizer::Data>();
  if (json.has("pre_tokenizer")) read_pre_tokenizer(json.at("pre_tokenizer"), *data);
  read_model(json.at("model"), *data);
  if (json.has("normalizer")) {
    read_normalizer(json.at("normalizer"), *data);
    const bool marks_first = std::ranges::any_of(data->pre_tokenizer, [](const PreTokenizerStep& step) {
      const auto* const metaspace = std::get_if<MetaspaceStep>(&step);
      return metaspace != nullptr && metaspace->prepend == MetaspaceStep::Prepend::first;
    });
    if (marks_first) refuse_dropped_front(json.at("normalizer"));
  }
  if (json.has("added_tokens")) read_added_tokens(json.at("added_tokens"), *data);
  if (json.has("post_processor")) read_post_processor(json.at("post_processor"), *data);
  if (json.has("decoder")) {
    read_decoder(json.at("decoder"), *data);
  } else {
    data->decoder.emplace_back(JoinTokens{});
  }
  return data;
}

void read_added_tokens(const TokenizerJson& json, Tokenizer::Data& data) {
  std::map<std::string, AddedToken> seen;
  std::int32_t next = data.model_size;  // for those that are not in the vocabulary
  for (const TokenizerJson& item : json.items()) {
    item.only({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
    AddedToken token{item.at("id").token_id(),   item.at("content").text(),  item.flag("single_word", false),
                     item.flag("lstrip", false), item.flag("rstrip", false), item.flag("normalized", true),
                     item.flag("special", false)};
    if (token.content.empty()) continue;
    if (const auto [known, is_new] = seen.emplace(token.content, token); !is_new) {
      if (known->second != token) item.refuse(fmt::format("'{}' is added twice, not in the same way", token.content));
      continue;
    }
    const auto known = data.ids.find(token.content);
    const std::int32_t id = known != data.ids.end() ? known->second : next;
    if (token.id != id) {
      item.refuse(
          fmt::format("'{}' has the id {}, and the tokenizers library gives it {} whatever the file says; "
                      "correct it there",
                      token.content, token.id, id));
    }
    next = std::max(next, id + 1);
    define_token(item, token.id, token.content, data);
    data.tokens[static_cast<std::size_t>(token.id)].special |= token.special;
    if (token.normalized) token.content = normalize(data.normalizer, token.content);
    if (token.content.empty()) continue;  // nothing to look for
    (token.normalized ? data.normalized_tokens : data.raw_tokens).add(token);
  }
}

}  // namespace monomorph
