// Any bytes as a tokenizer.json, a tokenizer.model or the tokenizer of a GGUF file: refused, or one that encodes a text
// and decodes ids without a crash.
#include <cstdint>
#include <numeric>

#include "runtime/error.hpp"
#include "runtime/tokenizer/sentencepiece_file.hpp"
#include "runtime/tokenizer/tokenizer_gguf.hpp"
#include "runtime/tokenizer/tokenizer_parts.hpp"
#include "runtime/tokenizer/utf8.hpp"

using namespace monomorph;

namespace {

std::unique_ptr<Tokenizer::Data> read(std::string_view bytes) {
  if (bytes.starts_with("GGUF")) {
    return read_gguf_tokenizer(read_gguf(std::as_bytes(std::span(bytes)), "fuzz.gguf"), "fuzz.gguf");
  }
  if (bytes.starts_with("{")) return read_tokenizer_json(bytes, "tokenizer.json");
  return make_data(read_sentencepiece(bytes, "tokenizer.model"), "tokenizer.model");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Tokenizer tokenizer(read({reinterpret_cast<const char*>(data), size}));
    std::vector<std::int32_t> ids(64);
    std::iota(ids.begin(), ids.end(), -1);
    if (utf8_error(tokenizer.decode(ids)) != std::string::npos) std::abort();
    const std::vector<std::int32_t> encoded =
        tokenizer.encode("Hello  w\u00f6rld\u2581 a<s>b 12\n\u65e5\u672c \U0001f642");
    for (const std::int32_t id : encoded) {
      if (id < 0 || id >= tokenizer.vocab_size()) std::abort();
    }
    if (utf8_error(tokenizer.decode(encoded, true)) != std::string::npos) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
