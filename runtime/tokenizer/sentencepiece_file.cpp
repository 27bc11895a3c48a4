#include "runtime/tokenizer/sentencepiece_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

/// A field of a message: a number, or bytes.
struct Field {
  std::uint32_t number = 0;
  std::uint64_t value = 0;  ///< of varint and fixed fields
  std::string_view bytes;   ///< of those with a length
};

/// The fields of a message, one after another.
class Message {
 public:
  Message(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  bool next(Field& field) {
    if (bytes_.empty()) return false;
    const std::uint64_t key = varint();
    field = {static_cast<std::uint32_t>(key >> 3), 0, {}};
    switch (key & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        field.value = fixed(8);
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        field.value = fixed(4);
        break;
      default:
        refuse();
    }
    return true;
  }
  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::rejected, file_ + ": this is no SentencePiece model, or a damaged one; download it again");
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) refuse();
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::uint64_t fixed(std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, take(size).data(), size);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    refuse();
  }

  std::string_view bytes_;
  const std::string& file_;
};

SentencePieces::Piece read_piece(std::string_view bytes, const std::string& file) {
  SentencePieces::Piece piece;
  Message message(bytes, file);
  for (Field field; message.next(field);) {
    if (field.number == 1) piece.content = field.bytes;
    if (field.number == 2) {
      const auto bits = static_cast<std::uint32_t>(field.value);
      float score = 0;
      std::memcpy(&score, &bits, sizeof score);
      if (std::isnan(score)) message.refuse();
      piece.score = static_cast<double>(score);
    }
    if (field.number == 3) {
      if (field.value < 1 || field.value > 6) message.refuse();
      piece.kind = static_cast<SentencePieces::Kind>(field.value);
    }
  }
  return piece;
}

struct Trainer {
  std::uint64_t model_type = 1;
  std::int32_t bos = 1;
  bool byte_fallback = false;
  bool whitespace_as_suffix = false;
};

Trainer read_trainer(std::string_view bytes, const std::string& file) {
  Trainer trainer;
  Message message(bytes, file);
  for (Field field; message.next(field);) {
    if (field.number == 3) trainer.model_type = field.value;
    if (field.number == 24) trainer.whitespace_as_suffix = field.value != 0;
    if (field.number == 35) trainer.byte_fallback = field.value != 0;
    if (field.number == 41) trainer.bos = static_cast<std::int32_t>(field.value);
  }
  return trainer;
}

void read_normalizer_spec(std::string_view bytes, SentencePieces& model, const std::string& file) {
  Message message(bytes, file);
  for (Field field; message.next(field);) {
    if (field.number == 2) model.charsmap = field.bytes;
    if (field.number == 3) model.add_dummy_prefix = field.value != 0;
    if (field.number == 4) model.remove_extra_whitespaces = field.value != 0;
    if (field.number == 5 && field.value == 0) {
      throw Error(ErrorKind::rejected,
                  file + ": a model that keeps spaces as they are (escape_whitespaces) is not read");
    }
  }
}

}  // namespace

SentencePieces read_sentencepiece(std::string_view bytes, const std::string& file) {
  SentencePieces model;
  Trainer trainer;
  Message message(bytes, file);
  for (Field field; message.next(field);) {
    if (field.number == 1) model.pieces.push_back(read_piece(field.bytes, file));
    if (field.number == 2) trainer = read_trainer(field.bytes, file);
    if (field.number == 3) read_normalizer_spec(field.bytes, model, file);
  }
  if (model.pieces.empty()) message.refuse();
  if (trainer.model_type != 1 && trainer.model_type != 2) {
    throw Error(ErrorKind::rejected, file + ": a model of words or characters is not read, unigram and BPE ones are");
  }
  if (trainer.whitespace_as_suffix) {
    throw Error(ErrorKind::rejected,
                file + ": a model with white space behind words (treat_whitespace_as_suffix) is not read");
  }
  model.algorithm = trainer.model_type == 2 ? SentencePieces::Algorithm::bpe : SentencePieces::Algorithm::unigram;
  model.byte_fallback = trainer.byte_fallback;
  const auto bos = static_cast<std::size_t>(trainer.bos);
  if (trainer.bos >= 0 && bos < model.pieces.size() && model.pieces[bos].kind == SentencePieces::Kind::control) {
    model.post_processor.single = enclose(trainer.bos, std::nullopt);
  }
  // What is added to a pair is said by each model's own code (T5's, ALBERT's, XLM-RoBERTa's), each time otherwise.
  model.post_processor.no_pair =
      file + ": a SentencePiece model does not say how two texts are joined; use the model's tokenizer.json";
  return model;
}

}  // namespace monomorph
