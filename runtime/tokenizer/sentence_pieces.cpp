#include "runtime/tokenizer/sentence_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "runtime/error.hpp"
#include "runtime/tokenizer/bpe.hpp"
#include "runtime/tokenizer/charsmap.hpp"
#include "runtime/tokenizer/unigram.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

using Kind = SentencePieces::Kind;

constexpr std::string_view space_mark = "\u2581";

/// A user-defined piece with marks for spaces.
std::string as_marked(const SentencePieces& model, const std::string& content) {
  return model.user_defined_as_text ? replace_text(content, " ", space_mark) : content;
}

/// Pieces are merged in the order of their scores, however they are put together; equal ones from the left.
std::unique_ptr<const TokenModel> make_bpe(const SentencePieces& model, const Tokenizer::Data& data,
                                           std::int32_t unknown, const std::string& file) {
  const auto is_symbol = [&](const std::string& text) {
    return data.ids.contains(text) || utf8_step(text).length == text.size();
  };
  auto bpe = std::make_unique<Bpe>();
  bpe->units = Bpe::Units::characters;
  bpe->unknown = unknown;
  bpe->fuse_unknown = true;
  bpe->byte_fallback = model.byte_fallback;
  bpe->byte_tokens = data.byte_tokens();
  std::set<double, std::greater<>> scores;
  for (const SentencePieces::Piece& piece : model.pieces) scores.insert(piece.score);
  std::unordered_map<double, std::int32_t> rank_of;
  for (const double score : scores) rank_of.emplace(score, static_cast<std::int32_t>(rank_of.size()));
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const SentencePieces::Piece& piece = model.pieces[i];
    if (piece.kind != Kind::normal && piece.kind != Kind::user_defined && piece.kind != Kind::unused) continue;
    if (piece.kind == Kind::unused) {
      bpe->unused.insert(static_cast<std::int32_t>(i));
      if (utf8_step(piece.content).length == piece.content.size()) {
        throw Error(ErrorKind::rejected,
                    fmt::format("{}: piece {}, '{}', is a character that is marked unused, which is "
                                "not read. The engine runs with --tokens",
                                file, i, piece.content));
      }
    }
    bpe->add(piece.content, static_cast<std::int32_t>(i), false);
    const std::string& text = piece.content;
    for (std::size_t at = utf8_step(text).length; at < text.size(); at += utf8_step(text.substr(at)).length) {
      const std::string left = text.substr(0, at), right = text.substr(at);
      const std::string missing = bpe->add_merge(left, right, rank_of.at(piece.score), data.ids);
      if (missing.empty() || piece.kind == Kind::user_defined || !is_symbol(left) || !is_symbol(right)) continue;
      throw Error(ErrorKind::rejected,
                  fmt::format("{}: piece {}, '{}', is made of '{}', which is no piece: such a model is not read. The "
                              "engine runs with --tokens",
                              file, i, text, missing));
    }
  }
  return bpe;
}

std::unique_ptr<const TokenModel> make_unigram(const SentencePieces& model, const Tokenizer::Data& data,
                                               std::int32_t unknown) {
  auto unigram = std::make_unique<Unigram>();
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const SentencePieces::Piece& piece = model.pieces[i];
    const auto id = static_cast<std::int32_t>(i);
    if (piece.kind == Kind::normal) unigram->add(piece.content, id, piece.score);
    if (piece.kind == Kind::user_defined) unigram->add_user_defined(as_marked(model, piece.content), id);
  }
  unigram->unknown = unknown;
  unigram->sentencepiece = true;
  unigram->byte_fallback = model.byte_fallback;
  unigram->byte_tokens = data.byte_tokens();
  return unigram;
}

/// Of a run of spaces the first, and none at the front.
std::string remove_extra_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
  }
  return result;
}

std::string remove_marks_at_end(std::string_view text) {
  while (text.ends_with(space_mark)) text.remove_suffix(space_mark.size());
  return std::string(text);
}

std::vector<NormalizerStep> make_normalizer(const SentencePieces& model, const std::string& file) {
  std::vector<NormalizerStep> steps;
  if (!model.charsmap.empty()) {
    std::optional<Charsmap> map = Charsmap::read(model.charsmap);
    if (!map) throw Error(ErrorKind::rejected, file + ": its table of replacements is damaged; download it again");
    Trie kept;
    for (const SentencePieces::Piece& piece : model.pieces) {
      if (piece.kind == Kind::user_defined) kept.add(piece.content, 0);
    }
    steps.emplace_back([map = std::make_shared<const Charsmap>(std::move(*map)), kept](std::string_view text) {
      return map->by_longest(text, kept);
    });
  }
  if (model.remove_extra_whitespaces) steps.emplace_back(remove_extra_spaces);
  if (model.add_dummy_prefix) {
    steps.emplace_back([](std::string_view text) { return text.empty() ? "" : " " + std::string(text); });
  }
  steps.emplace_back([](std::string_view text) { return replace_text(text, " ", space_mark); });
  if (model.remove_extra_whitespaces) steps.emplace_back(remove_marks_at_end);
  return steps;
}

}  // namespace

std::unique_ptr<Tokenizer::Data> make_data(const SentencePieces& model, const std::string& file) {
  auto data = std::make_unique<Tokenizer::Data>();
  std::int32_t unknown = no_token;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const auto& [content, score, kind] = model.pieces[i];
    const auto id = static_cast<std::int32_t>(i);
    const std::string fault = content.empty()                            ? fmt::format("piece {} is empty", id)
                              : utf8_error(content) != std::string::npos ? fmt::format("piece {} is not UTF-8", id)
                                                                         : data->define(id, content);
    if (!fault.empty()) {
      throw Error(ErrorKind::rejected,
                  fmt::format("{}: {}; the vocabulary is damaged: download the file again", file, fault));
    }
    data->tokens[i].special = kind == Kind::control || kind == Kind::unknown;
    if (kind == Kind::unknown) unknown = id;
    AddedToken token{id, content, false, false, false, kind == Kind::user_defined, data->tokens[i].special};
    if (token.special) data->raw_tokens.add(token);
    // BPE cuts these out of a text first, unigram weighs them against the other pieces.
    if (kind == Kind::user_defined && model.algorithm == SentencePieces::Algorithm::bpe) {
      token.content = as_marked(model, content);
      data->normalized_tokens.add(token);
    }
  }
  data->normalizer = make_normalizer(model, file);
  data->model = model.algorithm == SentencePieces::Algorithm::bpe ? make_bpe(model, *data, unknown, file)
                                                                  : make_unigram(model, *data, unknown);
  data->post_processor = model.post_processor;
  if (model.user_defined_as_text)
    data->decoder.emplace_back(ReplaceInTokens{Pattern::literal(" "), std::string(space_mark)});
  if (model.add_dummy_prefix || model.remove_extra_whitespaces) {
    data->decoder.emplace_back(DropFrontMark{std::string(space_mark), model.remove_extra_whitespaces});
  }
  data->decoder.emplace_back(ReplaceInTokens{Pattern::literal(space_mark), " "});
  data->decoder.emplace_back(BytesFromNames{.that_spells_none = true});
  return data;
}

}  // namespace monomorph
