#include "runtime/tokenizer/tokenizer_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/engine.hpp"
#include "runtime/tokenizer/normalizer.hpp"

namespace monomorph {
namespace {

// https://github.com/openai/gpt-2, encoder.py.
constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

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

Pattern pattern_of(const TokenizerJson& json) {
  json.only({"Regex", "String"});
  if (json.has("String")) return Pattern::literal(json.at("String").text());
  const std::string source = json.at("Regex").text();
  try {
    return Pattern::regex(source);
  } catch (const Error& error) {
    json.refuse(error.what());
  }
}

/// Appends the steps of one pre-tokenizer; says whether it is ByteLevel, after which the text is no longer text.
bool append_steps(const TokenizerJson& json, std::vector<PreTokenizerStep>& steps) {
  const std::string type = json.type();
  if (type == "Sequence") {
    json.only({"type", "pretokenizers"});
    bool byte_level = false;
    for (const TokenizerJson& part : json.at("pretokenizers").items()) {
      if (byte_level) part.refuse("a pre-tokenizer after ByteLevel is not read");
      byte_level = append_steps(part, steps);
    }
    return byte_level;
  }
  if (type == "ByteLevel") {
    json.only({"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (json.flag("add_prefix_space", true)) steps.emplace_back(PrefixSpaceStep{});
    if (json.flag("use_regex", true)) {
      steps.emplace_back(SplitStep{Pattern::regex(gpt2_pattern), SplitBehavior::isolated, false});
    }
    return true;
  }
  if (type == "Split") {
    json.only({"type", "pattern", "behavior", "invert"});
    steps.emplace_back(
        SplitStep{pattern_of(json.at("pattern")), behavior_of(json.at("behavior")), json.flag("invert", false)});
    return false;
  }
  if (type == "Digits") {
    json.only({"type", "individual_digits"});
    const bool single = json.flag("individual_digits", false);
    steps.emplace_back(
        SplitStep{Pattern::regex("\\p{N}"), single ? SplitBehavior::isolated : SplitBehavior::contiguous, false});
    return false;
  }
  json.refuse(fmt::format("the pre-tokenizer '{}' is not read", type));
}

/// The ids that stand before and after the text in a template.
void read_template(const TokenizerJson& json, Tokenizer::Data& data) {
  json.only({"type", "single", "pair", "special_tokens"});
  const TokenizerJson tokens = json.at("special_tokens");
  std::vector<std::int32_t> before, after;
  bool seen_text = false;
  for (const TokenizerJson& piece : json.at("single").items()) {
    piece.only({"SpecialToken", "Sequence"});
    if (piece.has("Sequence")) {
      if (std::exchange(seen_text, true)) piece.refuse("a template with the text twice is not read");
      continue;
    }
    const std::string name = piece.at("SpecialToken").at("id").text();
    for (const TokenizerJson& id : tokens.at(name.c_str()).at("ids").items()) {
      (seen_text ? after : before).push_back(id.token_id());
    }
  }
  if (!seen_text) json.refuse("a template without the text is not read");
  data.prefix.insert(data.prefix.begin(), before.begin(), before.end());
  data.suffix.insert(data.suffix.end(), after.begin(), after.end());
}

}  // namespace

void read_normalizer(const TokenizerJson& json, Tokenizer::Data& data) {
  if (json.is_null()) return;
  const std::string type = json.type();
  if (type == "NFC") {
    data.nfc = true;
  } else if (type == "Sequence") {
    for (const TokenizerJson& part : json.at("normalizers").items()) read_normalizer(part, data);
  } else {
    json.refuse(fmt::format("the normalizer '{}' is not read", type));
  }
}

void read_pre_tokenizer(const TokenizerJson& json, Tokenizer::Data& data) {
  if (json.is_null() || !append_steps(json, data.pre_tokenizer)) json.refuse("only byte-level tokenizers are read");
}

void read_post_processor(const TokenizerJson& json, Tokenizer::Data& data) {
  if (json.is_null()) return;
  const std::string type = json.type();
  if (type == "Sequence") {
    for (const TokenizerJson& part : json.at("processors").items()) read_post_processor(part, data);
  } else if (type == "TemplateProcessing") {
    read_template(json, data);
  } else if (type != "ByteLevel") {  // ByteLevel only trims offsets, which are not kept here
    json.refuse(fmt::format("the post-processor '{}' is not read", type));
  }
}

void read_decoder(const TokenizerJson& json) {
  if (json.is_null() || json.type() != "ByteLevel") {
    json.refuse(fmt::format("the decoder '{}' is not read, only ByteLevel is", json.is_null() ? "null" : json.type()));
  }
}

void read_added_tokens(const TokenizerJson& json, Tokenizer::Data& data) {
  for (const TokenizerJson& item : json.items()) {
    item.only({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
    AddedToken token{item.at("id").token_id(),   item.at("content").text(),  item.flag("single_word", false),
                     item.flag("lstrip", false), item.flag("rstrip", false), item.flag("normalized", true),
                     item.flag("special", false)};
    if (token.content.empty()) continue;
    const auto [known, added] = data.ids.emplace(token.content, token.id);
    if (known->second != token.id) {
      item.refuse(
          fmt::format("token '{}' has the id {} here and {} elsewhere", token.content, token.id, known->second));
    }
    define_token(item, token.id, token.content, data);
    data.tokens[static_cast<std::size_t>(token.id)].special |= token.special;
    if (token.normalized && data.nfc) token.content = normalize_nfc(token.content);
    (token.normalized ? data.normalized_tokens : data.raw_tokens).add(token);
  }
}

}  // namespace monomorph
