// The models of tokenizer.json: a vocabulary and how words are spelt in it.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/tokenizer/bpe.hpp"
#include "runtime/tokenizer/tokenizer_parts.hpp"
#include "runtime/tokenizer/unigram.hpp"
#include "runtime/tokenizer/word_level.hpp"
#include "runtime/tokenizer/word_piece.hpp"

namespace monomorph {
namespace {

using Merged = std::pair<std::string, std::string>;

/// A merge is "left right" in older files, ["left", "right"] in newer ones.
Merged merge_of(const TokenizerJson& model, const Json& item, std::int32_t rank) {
  if (item.is_string()) {
    const auto& line = item.string();
    const auto space = line.find(' ');
    if (space != std::string::npos && line.find(' ', space + 1) == std::string::npos) {
      return {line.substr(0, space), line.substr(space + 1)};
    }
  } else if (item.is_array() && item.size() == 2 && item[0].is_string() && item[1].is_string()) {
    return {item[0].string(), item[1].string()};
  }
  model.at("merges").refuse(fmt::format("merge {} is not a pair of tokens", rank));
}

void read_merges(const TokenizerJson& model, const Tokenizer::Data& data, Bpe& bpe) {
  const Json& merges = model.at("merges").array();
  bpe.merges.reserve(merges.size());
  std::int32_t rank = 0;
  for (const auto& item : merges) {
    if (item.is_string() && item.string().starts_with("#version")) continue;  // merges.txt's head
    const auto [left, right] = merge_of(model, item, rank);
    const std::string missing = bpe.add_merge(left, right, rank, data.ids);
    if (!missing.empty()) {
      model.at("merges").refuse(
          fmt::format("merge {} needs the token '{}', which the vocabulary lacks", rank, missing));
    }
    ++rank;
  }
}

/// A vocabulary {"token": id, ...}, defined.
std::vector<std::pair<std::string, std::int32_t>> read_vocabulary(const TokenizerJson& model, Tokenizer::Data& data) {
  const TokenizerJson vocabulary = model.at("vocab");
  std::vector<std::pair<std::string, std::int32_t>> result;
  // Memory is taken up to the highest id: gaps are told from damage.
  const std::uint64_t most = std::max<std::uint64_t>(1 << 20, 4 * vocabulary.object().size());
  for (const auto& [content, id] : vocabulary.object().members()) {
    if (!id.is_unsigned() || id.unsigned_integer() > static_cast<std::uint64_t>(max_token_id)) {
      vocabulary.refuse(fmt::format("token '{}' has no id", content));
    }
    if (id.unsigned_integer() >= most) {
      vocabulary.refuse(fmt::format("token '{}' has the id {}, too high for {} tokens", content, id.unsigned_integer(),
                                    vocabulary.object().size()));
    }
    define_token(vocabulary, static_cast<std::int32_t>(id.integer()), content, data);
    result.emplace_back(content, static_cast<std::int32_t>(id.integer()));
  }
  return result;
}

/// The token that stands for the unknown; no_token where none does, or one that is not in the vocabulary: what is
/// unknown is then refused where it stands in a text, as in the library.
std::int32_t read_unknown(const TokenizerJson& model, const Tokenizer::Data& data) {
  if (!model.has("unk_token")) return no_token;
  const auto found = data.ids.find(model.at("unk_token").text());
  return found == data.ids.end() ? no_token : found->second;
}

std::string affix(const TokenizerJson& model, const char* key) {
  return model.has(key) ? model.at(key).text() : std::string();
}

std::unique_ptr<const TokenModel> read_bpe(const TokenizerJson& json, Tokenizer::Data& data) {
  json.only({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
             "byte_fallback", "ignore_merges", "vocab", "merges"});
  if (json.has("dropout") && json.at("dropout").value() != 0) json.refuse("dropout is not read");
  auto bpe = std::make_unique<Bpe>();
  bpe->units = data.is_byte_level ? Bpe::Units::bytes : Bpe::Units::characters;
  bpe->prefix = affix(json, "continuing_subword_prefix");
  bpe->suffix = affix(json, "end_of_word_suffix");
  bpe->byte_fallback = json.flag("byte_fallback", false);
  if (data.is_byte_level) {
    if (bpe->byte_fallback) json.at("byte_fallback").refuse("words of bytes need no byte_fallback");
    for (const char* const key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!affix(json, key).empty()) json.at(key).refuse("marks in words of bytes are not read");
    }
  }
  const bool ignore_merges = json.flag("ignore_merges", false);
  for (const auto& [content, token] : read_vocabulary(json, data)) bpe->add(content, token, ignore_merges);
  if (bpe->byte_fallback) bpe->byte_tokens = data.byte_tokens();
  read_merges(json, data, *bpe);
  bpe->fuse_unknown = json.flag("fuse_unk", false);
  bpe->unknown = read_unknown(json, data);
  return bpe;
}

std::unique_ptr<const TokenModel> read_unigram(const TokenizerJson& json, Tokenizer::Data& data) {
  json.only({"type", "unk_id", "vocab", "byte_fallback"});
  auto unigram = std::make_unique<Unigram>();
  const TokenizerJson vocabulary = json.at("vocab");
  std::int32_t token = 0;
  for (const auto& item : vocabulary.array()) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_string() || !item[1].is_number()) {
      vocabulary.refuse(fmt::format("piece {} is not a text and its score", token));
    }
    const auto content = item[0].string();
    data.ids.erase(content);  // of equal pieces the last is meant
    define_token(vocabulary, token, content, data);
    unigram->add(content, token, item[1].real());
    if (++token > max_token_id) vocabulary.refuse("it has too many pieces");
  }
  if (json.has("unk_id")) {
    unigram->unknown = json.at("unk_id").token_id();
    if (unigram->unknown >= token) json.at("unk_id").refuse("it is not in the vocabulary");
  }
  unigram->byte_fallback = json.flag("byte_fallback", false);
  unigram->byte_tokens = data.byte_tokens();
  return unigram;
}

std::unique_ptr<const TokenModel> read_word_piece(const TokenizerJson& json, Tokenizer::Data& data) {
  json.only({"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"});
  auto model = std::make_unique<WordPiece>();
  for (const auto& [content, token] : read_vocabulary(json, data)) model->pieces.emplace(content, token);
  if (json.has("continuing_subword_prefix")) model->prefix = json.at("continuing_subword_prefix").text();
  if (json.has("max_input_chars_per_word")) {
    const TokenizerJson most = json.at("max_input_chars_per_word");
    if (!most.value().is_unsigned()) most.refuse("a number of characters belongs here");
    model->most_characters = most.value().integer();
  }
  model->unknown = read_unknown(json, data);
  return model;
}

std::unique_ptr<const TokenModel> read_word_level(const TokenizerJson& json, Tokenizer::Data& data) {
  json.only({"type", "unk_token", "vocab"});
  auto model = std::make_unique<WordLevel>();
  for (const auto& [content, token] : read_vocabulary(json, data)) model->words.emplace(content, token);
  model->unknown = read_unknown(json, data);
  return model;
}

}  // namespace

void define_token(const TokenizerJson& place, std::int32_t id, const std::string& content, Tokenizer::Data& data) {
  const std::string fault = data.define(id, content);
  if (!fault.empty()) place.refuse(fault);
}

void read_model(const TokenizerJson& json, Tokenizer::Data& data) {
  // GPT-2's own file names no type; what has merges is BPE.
  const std::string type = json.has("type") ? json.type() : json.has("merges") ? "BPE" : "unnamed";
  if (type != "BPE" && data.is_byte_level) json.refuse(fmt::format("'{}' of words of bytes is not read", type));
  if (type == "BPE") {
    data.model = read_bpe(json, data);
  } else if (type == "Unigram") {
    data.model = read_unigram(json, data);
  } else if (type == "WordPiece") {
    data.model = read_word_piece(json, data);
  } else if (type == "WordLevel") {
    data.model = read_word_level(json, data);
  } else {
    json.refuse(fmt::format("the model '{}' is not read", type));
  }
  data.model_size = static_cast<std::int32_t>(json.at("vocab").value().size());
}

}  // namespace monomorph
