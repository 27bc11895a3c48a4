#include "runtime/tokenizer/tokenizer.hpp"

#include <fmt/format.h>

#include <deque>
#include <fstream>
#include <iterator>

#include "runtime/error.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/tokenizer/sentencepiece_file.hpp"
#include "runtime/tokenizer/tokenizer_data.hpp"
#include "runtime/tokenizer/tokenizer_gguf.hpp"
#include "runtime/tokenizer/tokenizer_parts.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

constexpr const char* names[] = {"tokenizer.json", "tokenizer.model"};

std::filesystem::path find_file(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw Error(ErrorKind::environment, fmt::format("{}: no such file or directory", path.string()));
  }
  if (!std::filesystem::is_directory(path)) return path;
  for (const char* const name : names) {
    if (std::filesystem::exists(path / name)) return path / name;
  }
  throw Error(ErrorKind::environment, fmt::format("{}: holds no {}", path.string(), fmt::join(names, " and no ")));
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw Error(ErrorKind::environment, fmt::format("{}: cannot be read", file.string()));
  return bytes;
}

void encode_words(const Tokenizer::Data& data, std::string_view text, bool at_start, std::vector<std::int32_t>& ids) {
  std::deque<std::string> rewritten;
  for (const std::string_view word : pre_tokenize(data.pre_tokenizer, text, at_start, rewritten)) {
    data.model->encode(word, ids);
  }
}

/// Appends the tokens of a text; `name`: what it is called in messages.
void append_tokens(const Tokenizer::Data& data, std::string_view name, std::string_view text,
                   std::vector<std::int32_t>& ids) {
  if (const std::size_t error = utf8_error(text); error != std::string_view::npos) {
    throw Error(ErrorKind::rejected, fmt::format("{} is not UTF-8 at byte {}; convert it first", name, error));
  }
  for (const AddedTokenMatcher::Piece& raw : data.raw_tokens.split(text)) {
    if (raw.id >= 0) {
      ids.push_back(raw.id);
      continue;
    }
    const std::string normalized = normalize(data.normalizer, raw.text);
    for (const AddedTokenMatcher::Piece& piece : data.normalized_tokens.split(normalized)) {
      if (piece.id >= 0) {
        ids.push_back(piece.id);
      } else {
        const bool at_start = raw.text.data() == text.data() && piece.text.data() == normalized.data();
        encode_words(data, piece.text, at_start, ids);
      }
    }
  }
}

std::vector<std::int32_t> tokens_of(const Tokenizer::Data& data, std::string_view name, std::string_view text) {
  std::vector<std::int32_t> ids;
  append_tokens(data, name, text, ids);
  return ids;
}

}  // namespace

Tokenizer::Tokenizer(std::unique_ptr<const Data> data) : data_(std::move(data)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  const std::filesystem::path file = find_file(path);
  if (file.extension() == ".gguf") {
    const Checkpoint checkpoint = Checkpoint::open(file);
    if (checkpoint.gguf() != nullptr) return Tokenizer(read_gguf_tokenizer(*checkpoint.gguf(), file.string()));
  }
  const std::string bytes = read_file(file), name = file.string();
  if (file.extension() == ".model") return Tokenizer(make_data(read_sentencepiece(bytes, name), name));
  return Tokenizer(read_tokenizer_json(bytes, name));
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, bool add_special) const {
  std::vector<std::int32_t> ids;
  for (const TemplatePiece& piece : data_->post_processor.single) {
    if (piece.is_text()) {
      append_tokens(*data_, "the text", text, ids);
    } else if (add_special) {
      ids.push_back(piece.token);
    }
  }
  return ids;
}

EncodedText Tokenizer::encode_single(std::string_view text, std::optional<std::int64_t> max_tokens) const {
  return fill(data_->post_processor.single, {tokens_of(*data_, "the text", text)}, max_tokens);
}

EncodedText Tokenizer::encode_pair(std::string_view first, std::string_view second,
                                   std::optional<std::int64_t> max_tokens) const {
  const PostProcessor& post_processor = data_->post_processor;
  if (!post_processor.no_pair.empty()) throw Error(ErrorKind::rejected, post_processor.no_pair);
  return fill(post_processor.pair,
              {tokens_of(*data_, "the first text", first), tokens_of(*data_, "the second text", second)}, max_tokens);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skip_special) const {
  Decoder decoder(*this, skip_special);
  std::string text;
  for (const std::int32_t id : ids) text += decoder.push(id);
  return text + decoder.finish();
}

std::int64_t Tokenizer::vocab_size() const { return static_cast<std::int64_t>(data_->tokens.size()); }

std::optional<std::int32_t> Tokenizer::token_id(std::string_view content) const {
  const auto found = data_->ids.find(std::string(content));
  return found == data_->ids.end() ? std::nullopt : std::optional(found->second);
}

Decoder::Decoder(const Tokenizer& tokenizer, bool skip_special)
    : data_(tokenizer.data_.get()), skip_special_(skip_special), stream_(data_->decoder) {}

std::string Decoder::push(std::int32_t id) {
  const Tokenizer::Data::Token* const token = data_->find(id, skip_special_);
  return token == nullptr ? "" : stream_.push(token->content);
}

std::string Decoder::finish() { return stream_.finish(); }

}  // namespace monomorph
