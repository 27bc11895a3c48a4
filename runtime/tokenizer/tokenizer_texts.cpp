// The components that rewrite text: normalizers on the way in, decoders on the way out.
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>

#include "runtime/tokenizer/charsmap.hpp"
#include "runtime/tokenizer/tokenizer_parts.hpp"

namespace monomorph {
namespace {

std::string decode_base64(const TokenizerJson& json) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : json.text()) {
    if (digit == '=') break;
    const std::size_t value = digits.find(digit);
    if (value == digits.npos) json.refuse("this is not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

void append_bert(const TokenizerJson& json, std::vector<NormalizerStep>& steps) {
  json.only({"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
  const bool lower = json.flag("lowercase", true);
  if (json.flag("clean_text", true)) steps.emplace_back(clean_text);
  if (json.flag("handle_chinese_chars", true)) steps.emplace_back(separate_chinese);
  if (json.flag("strip_accents", lower)) {
    steps.emplace_back(
        [](std::string_view text) { return remove_marks(Marks::nonspacing, to_form(UnicodeForm::nfd, text)); });
  }
  if (lower) steps.emplace_back(lowercase);
}

void append_precompiled(const TokenizerJson& json, std::vector<NormalizerStep>& steps) {
  json.only({"type", "precompiled_charsmap"});
  std::optional<Charsmap> map = Charsmap::read(decode_base64(json.at("precompiled_charsmap")));
  if (!map) json.at("precompiled_charsmap").refuse("this is no table of replacements");
  steps.emplace_back([map = std::make_shared<const Charsmap>(std::move(*map))](std::string_view text) {
    return map->by_grapheme(text);
  });
}

NormalizerStep unicode_step(UnicodeForm form) {
  return [form](std::string_view text) { return to_form(form, text); };
}

int read_count(const TokenizerJson& json, const char* key) {
  const TokenizerJson count = json.at(key);
  if (!count.value().is_unsigned() || count.value().unsigned_integer() > 1000) {
    count.refuse("a number of characters belongs here");
  }
  return static_cast<int>(count.value().integer());
}

/// Appends the steps of one decoder; `fused`: what it sees is one text.
void append_steps(const TokenizerJson& json, std::vector<DecodeStep>& steps, bool& fused) {
  const std::string type = json.type();
  const auto on_tokens = [&] {
    if (fused) json.refuse(fmt::format("the decoder '{}' behind one that joins tokens is not read", type));
  };
  if (type == "Sequence") {
    json.only({"type", "decoders"});
    for (const TokenizerJson& part : json.at("decoders").items()) append_steps(part, steps, fused);
  } else if (type == "ByteLevel") {
    json.only({"type", "add_prefix_space", "trim_offsets", "use_regex"});
    on_tokens();
    steps.emplace_back(BytesFromAlphabet{});
    fused = true;
  } else if (type == "ByteFallback") {
    json.only({"type"});
    on_tokens();
    steps.emplace_back(BytesFromNames{});
  } else if (type == "Fuse") {
    json.only({"type"});
    steps.emplace_back(Fuse{});
    fused = true;
  } else if (type == "Replace") {
    json.only({"type", "pattern", "content"});
    on_tokens();
    steps.emplace_back(ReplaceInTokens{read_pattern(json.at("pattern")), json.at("content").text()});
  } else if (type == "Strip") {
    json.only({"type", "content", "start", "stop"});
    StripContent strip{json.at("content").text(), read_count(json, "start"), read_count(json, "stop")};
    if (strip.content.empty()) json.at("content").refuse("a character belongs here");
    if (fused && strip.right > 0) json.at("stop").refuse("stripping the end of a text is not read");
    steps.emplace_back(std::move(strip));
  } else if (type == "Metaspace") {
    json.only({"type", "replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"});
    on_tokens();
    const bool never =
        json.has("prepend_scheme") ? json.at("prepend_scheme").text() == "never" : !json.flag("add_prefix_space", true);
    steps.emplace_back(SpacesFromMarks{read_mark(json), !never});
  } else if (type == "WordPiece") {
    json.only({"type", "prefix", "cleanup"});
    on_tokens();
    steps.emplace_back(JoinPieces{json.has("prefix") ? json.at("prefix").text() : "##", json.flag("cleanup", true)});
  } else {
    json.refuse(fmt::format("the decoder '{}' is not read", type));
  }
}

}  // namespace

void read_normalizer(const TokenizerJson& json, Tokenizer::Data& data) {
  static const std::map<std::string, NormalizerStep> plain = {
      {"NFC", unicode_step(UnicodeForm::nfc)},
      {"NFD", unicode_step(UnicodeForm::nfd)},
      {"NFKC", unicode_step(UnicodeForm::nfkc)},
      {"NFKD", unicode_step(UnicodeForm::nfkd)},
      {"Lowercase", lowercase},
      {"StripAccents", [](std::string_view text) { return remove_marks(Marks::all, text); }},
  };
  std::vector<NormalizerStep>& steps = data.normalizer;
  const std::string type = json.type();
  if (const auto found = plain.find(type); found != plain.end()) {
    json.only({"type"});
    steps.push_back(found->second);
  } else if (type == "Sequence") {
    json.only({"type", "normalizers"});
    for (const TokenizerJson& part : json.at("normalizers").items()) read_normalizer(part, data);
  } else if (type == "Strip") {
    json.only({"type", "strip_left", "strip_right"});
    steps.emplace_back([left = json.flag("strip_left", true), right = json.flag("strip_right", true)](
                           std::string_view text) { return strip_space(left, right, text); });
  } else if (type == "Prepend") {
    json.only({"type", "prepend"});
    steps.emplace_back([prefix = json.at("prepend").text()](std::string_view text) {
      return text.empty() ? std::string() : prefix + std::string(text);
    });
  } else if (type == "Replace") {
    json.only({"type", "pattern", "content"});
    steps.emplace_back(
        [pattern = std::make_shared<const Pattern>(read_pattern(json.at("pattern"))),
         content = json.at("content").text()](std::string_view text) { return replace_all(*pattern, content, text); });
  } else if (type == "BertNormalizer") {
    append_bert(json, steps);
  } else if (type == "Precompiled") {
    append_precompiled(json, steps);
  } else {
    json.refuse(fmt::format("the normalizer '{}' is not read", type));
  }
}

void refuse_dropped_front(const TokenizerJson& json) {
  const std::string type = json.type();
  if (type == "Sequence") {
    for (const TokenizerJson& part : json.at("normalizers").items()) refuse_dropped_front(part);
    return;
  }
  const bool lower = type == "BertNormalizer" && json.flag("lowercase", true);
  if (type == "StripAccents" || (type == "Strip" && json.flag("strip_left", true)) ||
      (type == "Replace" && json.at("content").text().empty()) ||
      (type == "BertNormalizer" && (json.flag("clean_text", true) || json.flag("strip_accents", lower)))) {
    json.refuse(
        fmt::format("'{}' may drop a text's first character, which is not read with Metaspace's "
                    "prepend_scheme 'first'",
                    type));
  }
}

void read_decoder(const TokenizerJson& json, Tokenizer::Data& data) {
  bool fused = false;
  append_steps(json, data.decoder, fused);
}

}  // namespace monomorph
