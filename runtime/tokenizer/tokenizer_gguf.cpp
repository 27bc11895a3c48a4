#include "runtime/tokenizer/tokenizer_gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "runtime/error.hpp"
#include "runtime/formats/json.hpp"
#include "runtime/tokenizer/bpe.hpp"
#include "runtime/tokenizer/byte_alphabet.hpp"
#include "runtime/tokenizer/longest_match.hpp"
#include "runtime/tokenizer/sentence_pieces.hpp"
#include "runtime/tokenizer/tokenizer_parts.hpp"
#include "runtime/tokenizer/tokenizer_patterns.hpp"

namespace monomorph {
namespace {

using Kind = SentencePieces::Kind;

/// The keys below "tokenizer.ggml.".
class Keys {
 public:
  Keys(const GgufFile& gguf, const std::string& file) : gguf_(gguf), file_(file) {}

  std::string fault(const std::string& key, const std::string& what) const {
    return fmt::format("{}: tokenizer.ggml.{}: {}. The engine runs with --tokens, or name a tokenizer with --tokenizer",
                       file_, key, what);
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    throw Error(ErrorKind::rejected, fault(key, what));
  }
  std::string text(const std::string& key) const {
    const GgufValue* const value = find(key);
    const auto* const text = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
    if (text == nullptr) refuse(key, "a text belongs here");
    return std::string(*text);
  }
  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// A prompt that llama.cpp makes of two texts, whatever the keys say.
  bool has_prompt_for_pairs() const { return gguf_.find("tokenizer.chat_template.rerank") != nullptr; }
  bool flag(const std::string& key, bool otherwise) const {
    const GgufValue* const value = find(key);
    if (value == nullptr) return otherwise;
    const auto* const flag = std::get_if<bool>(value);
    if (flag == nullptr) refuse(key, "true or false belongs here");
    return *flag;
  }
  /// The elements of a list, each of type T; empty where there is none.
  template <class T>
  std::vector<T> list(const std::string& key) const {
    const GgufValue* const value = find(key);
    if (value == nullptr) return {};
    const auto* const array = std::get_if<GgufArray>(value);
    if (array == nullptr) refuse(key, "a list belongs here");
    std::vector<T> result;
    for (const GgufValue& element : array->values()) {
      const auto* const item = std::get_if<T>(&element);
      if (item == nullptr) refuse(key, fmt::format("element {} is of another type", result.size()));
      result.push_back(*item);
    }
    return result;
  }
  /// The id of a token of the vocabulary; nothing where the key is absent.
  std::optional<std::int32_t> token(const std::string& key, std::size_t count) const {
    const GgufValue* const value = find(key);
    if (value == nullptr) return std::nullopt;
    const auto* const id = std::get_if<std::uint64_t>(value);
    if (id == nullptr || *id >= count) refuse(key, "a token's id belongs here");
    return static_cast<std::int32_t>(*id);
  }

 private:
  const GgufValue* find(const std::string& key) const { return gguf_.find("tokenizer.ggml." + key); }
  const GgufFile& gguf_;
  const std::string& file_;
};

/// Tokens with their kinds, and scores where the model has them.
std::vector<SentencePieces::Piece> read_pieces(const Keys& keys, bool scored) {
  const auto tokens = keys.list<std::string_view>("tokens");
  const auto scores = scored ? keys.list<double>("scores") : std::vector<double>(tokens.size());
  const auto kinds = keys.list<std::int64_t>("token_type");
  if (tokens.empty() || tokens.size() > static_cast<std::size_t>(max_token_id))
    keys.refuse("tokens", "a vocabulary belongs here");
  if (scores.size() != tokens.size()) keys.refuse("scores", "one for each token belongs here");
  if (kinds.size() != tokens.size()) keys.refuse("token_type", "one for each token belongs here");
  std::vector<SentencePieces::Piece> pieces;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (kinds[i] < 1 || kinds[i] > 6) keys.refuse("token_type", fmt::format("{} is no type of token", kinds[i]));
    if (std::isnan(scores[i])) keys.refuse("scores", fmt::format("score {} is no number", i));
    pieces.push_back({std::string(tokens[i]), scores[i], static_cast<Kind>(kinds[i])});
  }
  return pieces;
}

/// What encoding adds, as llama.cpp does: bos A eos to a text and, where there is a separator, bos A eos sep B eos to
/// two (format_prompt_rerank in tools/server/server-common.cpp). It knows no types but 0. `bos`, `eos` and `sep`:
/// whether they are added where the file does not say. Files without a separator are of models that have no pairs, or
/// other templates for them than the keys can tell.
PostProcessor read_post_processor(const Keys& keys, std::size_t count, bool bos, bool eos, bool sep) {
  const auto first = keys.flag("add_bos_token", bos) ? keys.token("bos_token_id", count) : std::nullopt;
  const auto last = keys.flag("add_eos_token", eos) ? keys.token("eos_token_id", count) : std::nullopt;
  PostProcessor made;
  made.single = enclose(first, last);
  if (!keys.flag("add_sep_token", sep)) {
    made.no_pair = keys.fault("add_sep_token", "it is not true, and so the file does not say how two texts are joined");
    return made;
  }
  if (keys.has_prompt_for_pairs()) {
    made.no_pair = keys.fault("add_sep_token", "tokenizer.chat_template.rerank joins two texts, which is not read");
    return made;
  }
  const auto separator = keys.token("seperator_token_id", count);  // the format's spelling
  if (!separator) {
    made.no_pair = keys.fault("seperator_token_id", "it is missing, and add_sep_token wants it between two texts");
    return made;
  }
  made.pair = made.single;
  made.pair.push_back(special_token(*separator, 0));
  made.pair.push_back(text_tokens(1, 0));
  if (last) made.pair.push_back(special_token(*last, 0));
  return made;
}

std::unique_ptr<Tokenizer::Data> read_sentence_pieces(const Keys& keys, SentencePieces::Algorithm algorithm,
                                                      const std::string& file) {
  SentencePieces model;
  model.algorithm = algorithm;
  model.pieces = read_pieces(keys, true);
  model.add_dummy_prefix = keys.flag("add_space_prefix", true);
  model.remove_extra_whitespaces = keys.flag("remove_extra_whitespaces", false);
  model.user_defined_as_text = true;
  model.byte_fallback = std::ranges::count(model.pieces, Kind::byte, &SentencePieces::Piece::kind) == 256;
  for (const std::uint64_t byte : keys.list<std::uint64_t>("precompiled_charsmap")) {
    model.charsmap += static_cast<char>(byte);
  }
  const bool is_t5 = algorithm == SentencePieces::Algorithm::unigram;
  model.post_processor = read_post_processor(keys, model.pieces.size(), !is_t5, is_t5, false);
  return make_data(model, file);
}

std::unique_ptr<Tokenizer::Data> read_byte_level(const Keys& keys) {
  auto data = std::make_unique<Tokenizer::Data>();
  const std::string name = keys.text("pre");
  const NamedPreTokenizer* const named = find_pre_tokenizer(name);
  if (named == nullptr) {
    keys.refuse(
        "pre", fmt::format("the pre-tokenizer '{}' is not read; {} are", name, fmt::join(pre_tokenizer_names(), ", ")));
  }
  for (const std::string_view pattern : named->patterns) {
    data->pre_tokenizer.emplace_back(SplitStep{Pattern::regex(pattern), SplitBehavior::isolated, false});
  }
  if (named->nfc) data->normalizer.emplace_back([](std::string_view text) { return to_form(UnicodeForm::nfc, text); });
  data->is_byte_level = true;
  data->decoder.emplace_back(BytesFromAlphabet{});

  auto bpe = std::make_unique<Bpe>();
  const std::vector<SentencePieces::Piece> pieces = read_pieces(keys, false);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    const auto& [content, score, kind] = pieces[i];
    if (const std::string fault = data->define(id, content); !fault.empty()) keys.refuse("tokens", fault);
    if (content.empty()) keys.refuse("tokens", fmt::format("token {} is empty", id));
    data->tokens[i].special = kind == Kind::control || kind == Kind::unknown;
    if (data->tokens[i].special || kind == Kind::user_defined) {
      data->raw_tokens.add({id, content, false, false, false, false, data->tokens[i].special});
    } else {
      bpe->add(content, id, named->ignore_merges);
    }
  }
  std::int32_t rank = 0;
  for (const std::string_view merge : keys.list<std::string_view>("merges")) {
    const std::size_t space = merge.find(' ', 1);
    if (space == merge.npos) keys.refuse("merges", fmt::format("merge {} is not a pair of tokens", rank));
    const std::string missing =
        bpe->add_merge(std::string(merge.substr(0, space)), std::string(merge.substr(space + 1)), rank, data->ids);
    if (!missing.empty()) {
      keys.refuse("merges", fmt::format("merge {} needs the token '{}', which the vocabulary lacks", rank, missing));
    }
    ++rank;
  }
  data->model = std::move(bpe);
  data->post_processor = read_post_processor(keys, pieces.size(), named->adds_bos, false, named->adds_sep);
  return data;
}

/// The bytes of which Python writes this between the quotes of a literal; nothing for what it never writes.
std::optional<std::string> bytes_of_literal(std::string_view text) {
  static constexpr std::string_view letters = "nrt\\'\"", meant = "\n\r\t\\'\"";
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      bytes += text[at];
      continue;
    }
    const std::string_view escape = text.substr(at + 1);
    if (escape.starts_with('x')) {
      unsigned value = 0;
      const std::string_view digits = escape.substr(1, 2);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      if (error != std::errc{} || end != digits.data() + 2) return std::nullopt;
      bytes += static_cast<char>(value);
      at += 3;
      continue;
    }
    const std::size_t letter = escape.empty() ? letters.npos : letters.find(escape.front());
    if (letter == letters.npos) return std::nullopt;
    bytes += meant[letter];
    ++at;
  }
  return bytes;
}

/// RWKV's World: tokens are bytes as Python writes them.
std::unique_ptr<Tokenizer::Data> read_world(const Keys& keys) {
  auto data = std::make_unique<Tokenizer::Data>();
  data->decoder.emplace_back(BytesFromAlphabet{});
  auto model = std::make_unique<LongestMatch>();
  const std::vector<SentencePieces::Piece> pieces = read_pieces(keys, false);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    const auto& [content, score, kind] = pieces[i];
    if (kind == Kind::unknown || kind == Kind::byte) {
      keys.refuse("token_type", fmt::format("token {} is of type {}, which World has not", id, static_cast<int>(kind)));
    }
    const bool literal = kind == Kind::normal, defined = kind == Kind::user_defined;
    const std::optional<std::string> bytes = literal ? bytes_of_literal(content) : content;
    if (!bytes || bytes->empty()) {
      keys.refuse("tokens", fmt::format("token {} is '{}', and bytes as Python writes them belong here", id, content));
    }
    const std::string fault = data->define(id, literal ? alphabet_of_bytes(*bytes) : content);
    if (!fault.empty()) keys.refuse("tokens", fault);
    data->tokens[i].special = !literal && !defined;  // unused ones fill the vocabulary up
    if (kind == Kind::control || defined) data->raw_tokens.add({id, content, false, false, false, false, !defined});
    if (literal) model->tokens.add(*bytes, id);
  }
  data->model = std::move(model);
  data->post_processor = read_post_processor(keys, pieces.size(), false, false, false);
  return data;
}

/// The id of the first of these keys that is there, else of the token of this content.
std::int32_t find_token(const Keys& keys, const std::vector<SentencePieces::Piece>& pieces,
                        std::initializer_list<const char*> names, std::string_view content) {
  for (const char* const name : names) {
    if (const auto id = keys.token(name, pieces.size())) return *id;
  }
  const auto found = std::ranges::find(pieces, content, &SentencePieces::Piece::content);
  if (found == pieces.end()) {
    keys.refuse(*names.begin(), fmt::format("it is missing, and the vocabulary has no token {}", content));
  }
  return static_cast<std::int32_t>(found - pieces.begin());
}

/// BERT's WordPiece as a tokenizer.json has it. A file has a mark before pieces that begin a word, and nothing before
/// those that go on. It does not say whether texts lose their capitals and accents: they do where no piece has a
/// capital.
Json as_word_piece(const Keys& keys) {
  constexpr std::string_view mark = "\u2581";
  const std::vector<SentencePieces::Piece> pieces = read_pieces(keys, false);
  Json vocabulary = Json::object(), added = Json::array();
  bool has_capitals = false;
  std::vector<std::string> contents;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const auto& [text, score, kind] = pieces[id];
    const bool special = kind == Kind::control || kind == Kind::unknown;
    contents.push_back(special ? text : text.starts_with(mark) ? text.substr(mark.size()) : "##" + text);
    if (vocabulary.contains(contents.back())) {
      keys.refuse("tokens", fmt::format("two tokens are {}, {} among them", contents.back(), id));
    }
    vocabulary[contents.back()] = id;
    has_capitals |= kind == Kind::normal && std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!special) continue;
    added.push_back(Json::object({{"id", id},
                                  {"content", text},
                                  {"single_word", false},
                                  {"lstrip", false},
                                  {"rstrip", false},
                                  {"normalized", false},
                                  {"special", true}}));
  }
  const auto pair_of = [&](std::int32_t id) { return Json::array({contents[static_cast<std::size_t>(id)], id}); };
  const std::int32_t unknown = find_token(keys, pieces, {"unknown_token_id"}, "[UNK]");
  const std::int32_t first = find_token(keys, pieces, {"cls_token_id", "bos_token_id"}, "[CLS]");
  const std::int32_t last = find_token(keys, pieces, {"seperator_token_id", "eos_token_id"}, "[SEP]");
  return Json::object(
      {{"added_tokens", added},
       {"normalizer", Json::object({{"type", "BertNormalizer"},
                                    {"clean_text", true},
                                    {"handle_chinese_chars", true},
                                    {"strip_accents", nullptr},
                                    {"lowercase", !has_capitals}})},
       {"pre_tokenizer", Json::object({{"type", "BertPreTokenizer"}})},
       {"post_processor", Json::object({{"type", "BertProcessing"}, {"sep", pair_of(last)}, {"cls", pair_of(first)}})},
       {"decoder", Json::object({{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}})},
       {"model", Json::object({{"type", "WordPiece"},
                               {"unk_token", contents[static_cast<std::size_t>(unknown)]},
                               {"continuing_subword_prefix", "##"},
                               {"max_input_chars_per_word", 100},
                               {"vocab", vocabulary}})}});
}

}  // namespace

std::unique_ptr<Tokenizer::Data> read_gguf_tokenizer(const GgufFile& gguf, const std::string& file) {
  const Keys keys(gguf, file);
  if (!keys.has("model")) keys.refuse("model", "this file carries no tokenizer");
  const std::string model = keys.text("model");
  if (model == "llama") return read_sentence_pieces(keys, SentencePieces::Algorithm::bpe, file);
  if (model == "t5") return read_sentence_pieces(keys, SentencePieces::Algorithm::unigram, file);
  if (model == "gpt2") return read_byte_level(keys);
  if (model == "rwkv") return read_world(keys);
  if (model == "bert") return read_tokenizer_json(as_word_piece(keys).dump(), file);
  keys.refuse("model", fmt::format("the model '{}' is not read; 'llama', 't5', 'gpt2', 'bert' and 'rwkv' are", model));
}

}  // namespace monomorph
