// Post-processors of tokenizer.json: each puts its tokens around what the one before it made of a text, and of two.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/error.hpp"
#include "runtime/tokenizer/tokenizer_parts.hpp"

namespace monomorph {
namespace {

std::int32_t read_token(const TokenizerJson& json, const Tokenizer::Data& data) {
  const std::int32_t id = json.token_id();
  if (data.find(id, false) == nullptr) json.refuse(fmt::format("{} is no token's id", id));
  return id;
}

/// ["[CLS]", 101]
std::int32_t read_marker(const TokenizerJson& json, const Tokenizer::Data& data) {
  const std::vector<TokenizerJson> items = json.items();
  if (items.size() != 2) json.refuse("a token and its id belong here");
  return read_token(items[1], data);
}

std::int32_t read_type(const TokenizerJson& json) {
  constexpr std::uint64_t highest = std::numeric_limits<std::int32_t>::max();
  if (!json.value().is_unsigned() || json.value().unsigned_integer() > highest) json.refuse("a type id belongs here");
  return static_cast<std::int32_t>(json.value().integer());
}

/// BERT has a separator behind each text, RoBERTa a second one between two, and one type alone.
Template separate(const TokenizerJson& json, bool roberta, const Template& texts, const Tokenizer::Data& data) {
  json.only({"type", "sep", "cls", "trim_offsets", "add_prefix_space"});
  const std::int32_t cls = read_marker(json.at("cls"), data), sep = read_marker(json.at("sep"), data);
  Template result{special_token(cls, 0)};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (roberta && i > 0) result.push_back(special_token(sep, 0));
    result.push_back(text_tokens(texts[i].text, roberta ? 0 : texts[i].type));
    result.push_back(special_token(sep, roberta ? 0 : static_cast<std::int32_t>(i)));
  }
  return result;
}

/// `list`: the pieces of a template in which $A and $B stand for `texts`; `tokens`: what its special tokens are.
Template read_template(const TokenizerJson& list, const TokenizerJson& tokens, const Template& texts,
                       const Tokenizer::Data& data) {
  constexpr std::string_view names[] = {"A", "B"};
  Template result;
  std::vector<bool> seen(texts.size(), false);
  for (const TokenizerJson& piece : list.items()) {
    piece.only({"SpecialToken", "Sequence"});
    const bool is_text = piece.has("Sequence");
    const TokenizerJson content = piece.at(is_text ? "Sequence" : "SpecialToken");
    const std::string name = content.at("id").text();
    const std::int32_t type = read_type(content.at("type_id"));
    if (!is_text) {
      for (const TokenizerJson& id : tokens.at(name.c_str()).at("ids").items()) {
        result.push_back(special_token(read_token(id, data), type));
      }
      continue;
    }
    const auto which = static_cast<std::size_t>(std::ranges::find(names, name) - names);
    if (which >= texts.size()) piece.refuse(fmt::format("the template has no text ${}", name));
    if (seen[which]) piece.refuse(fmt::format("a template with the text ${} twice is not read", name));
    seen[which] = true;
    result.push_back(text_tokens(texts[which].text, type));
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) list.refuse(fmt::format("a template without the text ${} is not read", names[i]));
  }
  return result;
}

/// What one post-processor makes of `texts`; `list`: the template that is for them, where it has several.
Template apply(const TokenizerJson& json, const char* list, const Template& texts, const Tokenizer::Data& data) {
  const std::string type = json.type();
  // The library takes tokens that were added for texts, or puts others around them, by the kinds of both.
  if (!std::ranges::all_of(texts, &TemplatePiece::is_text)) {
    json.refuse(fmt::format("'{}' behind a post-processor that adds tokens is not read", type));
  }
  if (type == "TemplateProcessing") {
    // Some files (Command R's) keep ByteLevel's keys here too, where the library reads none of them.
    json.only({"type", "single", "pair", "special_tokens", "add_prefix_space", "trim_offsets", "use_regex"});
    return read_template(json.at(list), json.at("special_tokens"), texts, data);
  }
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    return separate(json, type == "RobertaProcessing", texts, data);
  }
  json.refuse(fmt::format("the post-processor '{}' is not read", type));
}

}  // namespace

void read_post_processor(const TokenizerJson& json, Tokenizer::Data& data) {
  if (json.is_null()) return;
  const std::string type = json.type();
  if (type == "ByteLevel") return;  // it trims offsets alone, which are not kept here
  if (type == "Sequence") {
    for (const TokenizerJson& part : json.at("processors").items()) read_post_processor(part, data);
    return;
  }
  PostProcessor& made = data.post_processor;
  made.single = apply(json, "single", made.single, data);
  try {
    made.pair = apply(json, "pair", made.pair, data);
  } catch (const Error& error) {  // single texts do not need it
    made.no_pair = error.what();
  }
}

}  // namespace monomorph
