#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/tokenizer/byte_alphabet.hpp"
#include "runtime/tokenizer/tokenizer_parts.hpp"

namespace monomorph {
namespace {

using Merged = std::pair<std::string, std::string>;

/// A merge is "left right" in older files, ["left", "right"] in newer ones.
Merged merge_of(const TokenizerJson& model, const nlohmann::json& item, std::size_t rank) {
  if (item.is_string()) {
    const auto& line = item.get_ref<const std::string&>();
    const auto space = line.find(' ');
    if (space != std::string::npos && line.find(' ', space + 1) == std::string::npos) {
      return {line.substr(0, space), line.substr(space + 1)};
    }
  } else if (item.is_array() && item.size() == 2 && item[0].is_string() && item[1].is_string()) {
    return {item[0].get<std::string>(), item[1].get<std::string>()};
  }
  model.at("merges").refuse(fmt::format("merge {} is not a pair of tokens", rank));
}

void read_merges(const TokenizerJson& model, Tokenizer::Data& data) {
  const auto id_of = [&](const std::string& token, std::size_t rank) {
    const auto found = data.ids.find(token);
    if (found == data.ids.end()) {
      model.at("merges").refuse(fmt::format("merge {} needs the token '{}', which the vocabulary lacks", rank, token));
    }
    return found->second;
  };
  const nlohmann::json& merges = model.at("merges").array();
  data.bpe.merges.reserve(merges.size());
  std::size_t rank = 0;
  for (const auto& item : merges) {
    const auto [left, right] = merge_of(model, item, rank);
    data.bpe.merges[Bpe::pair(id_of(left, rank), id_of(right, rank))] = {static_cast<std::int32_t>(rank),
                                                                         id_of(left + right, rank)};
    ++rank;
  }
}

void read_vocabulary(const TokenizerJson& model, Tokenizer::Data& data) {
  const TokenizerJson vocabulary = model.at("vocab");
  const bool ignore_merges = model.flag("ignore_merges", false);
  data.bpe.byte_tokens.fill(Bpe::none);
  for (const auto& [content, id] : vocabulary.object().items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > static_cast<std::uint64_t>(max_token_id)) {
      vocabulary.refuse(fmt::format("token '{}' has no id", content));
    }
    const auto token = id.get<std::int32_t>();
    if (static_cast<std::size_t>(token) < data.tokens.size() && data.tokens[static_cast<std::size_t>(token)].exists) {
      vocabulary.refuse(fmt::format("two tokens have the id {}, one is '{}'", token, content));
    }
    data.ids.emplace(content, token);
    define_token(vocabulary, token, content, data);
    if (const auto bytes = bytes_of_alphabet(content)) {
      if (bytes->size() == 1) data.bpe.byte_tokens[static_cast<unsigned char>((*bytes)[0])] = token;
      if (ignore_merges && !bytes->empty()) data.bpe.whole.emplace(*bytes, token);
    }
  }
}

}  // namespace

void define_token(const TokenizerJson& place, std::int32_t id, const std::string& content, Tokenizer::Data& data) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= data.tokens.size()) data.tokens.resize(index + 1);
  Tokenizer::Data::Token& token = data.tokens[index];
  // What is not spelt in the alphabet stands for itself.
  std::string bytes = bytes_of_alphabet(content).value_or(content);
  if (token.exists && token.bytes != bytes)
    place.refuse(fmt::format("two tokens have the id {}, one is '{}'", id, content));
  token.bytes = std::move(bytes);
  token.exists = true;
}

void read_model(const TokenizerJson& json, Tokenizer::Data& data) {
  // GPT-2's own file names no type; what has merges is BPE.
  const std::string type = json.has("type") ? json.type() : json.has("merges") ? "BPE" : "unnamed";
  if (type != "BPE") json.refuse(fmt::format("the model '{}' is not read, only byte-level BPE is", type));
  json.only({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
             "byte_fallback", "ignore_merges", "vocab", "merges"});
  if (json.flag("byte_fallback", false)) json.refuse("byte_fallback (a SentencePiece tokenizer) is not read");
  if (json.has("dropout") && json.at("dropout").value() != 0) json.refuse("dropout is not read");
  for (const char* const affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (json.has(affix) && !json.at(affix).text().empty()) json.at(affix).refuse("marks of words are not read");
  }
  read_vocabulary(json, data);
  read_merges(json, data);
  data.bpe.fuse_unknown = json.flag("fuse_unk", false);
  if (json.has("unk_token")) {
    const auto found = data.ids.find(json.at("unk_token").text());
    if (found == data.ids.end()) json.at("unk_token").refuse("it is not in the vocabulary");
    data.bpe.unknown = found->second;
  }
}

}  // namespace monomorph
