// Byte-pair merging by rank, and of one rank from the left: tokens 0 to 255 are bytes.
#include "runtime/tokenizer/bpe.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace monomorph;
using Ids = std::vector<std::int32_t>;

namespace {

struct Merge {
  std::int32_t left, right, token;
};

/// Merges in the order of their ranks.
void make(Bpe& bpe, const std::vector<Merge>& merges) {
  for (std::int32_t byte = 0; byte < 256; ++byte) bpe.byte_tokens[static_cast<std::size_t>(byte)] = byte;
  std::int32_t rank = 0;
  for (const Merge& merge : merges) bpe.merges[Bpe::pair(merge.left, merge.right)] = {rank++, merge.token};
}

Ids encode(const Bpe& bpe, const std::string& word) {
  Ids ids;
  bpe.encode(word, ids);
  return ids;
}

}  // namespace

TEST_CASE("equal pairs are merged from the left, in words of any length") {
  Bpe bpe;
  make(bpe, {{'a', 'a', 300}});
  for (std::size_t length = 1; length <= 60; ++length) {
    Ids expected(length / 2, 300);
    if (length % 2 == 1) expected.push_back('a');
    CAPTURE(length);
    CHECK(encode(bpe, std::string(length, 'a')) == expected);
  }
}

TEST_CASE("a merge of a lower rank comes first wherever it stands, and opens others on both sides") {
  Bpe bpe;
  make(bpe, {{'b', 'c', 300}, {'a', 'b', 301}, {'a', 300, 302}, {302, 'd', 303}});
  CHECK(encode(bpe, "abcd") == Ids{303});
  CHECK(encode(bpe, "ab") == Ids{301});
  CHECK(encode(bpe, "abab") == Ids{301, 301});
  CHECK(encode(bpe, "aabcdd") == Ids{'a', 303, 'd'});
}
