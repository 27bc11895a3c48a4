#include "runtime/formats/gguf.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "runtime/error.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "tests/support/files.hpp"
#include "tests/support/gguf_writer.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

GgufText example() {
  GgufText file;
  file.metadata = {{"general.architecture", gguf_text("llama")},
                   {"llama.block_count", gguf_number(2)},
                   {"llama.rope.freq_base", gguf_value(GgufType::f32, number_bytes(1e4f))},
                   {"flag", gguf_value(GgufType::boolean, "\1")},
                   {"negative", gguf_value(GgufType::i16, number_bytes(std::int16_t{-3}))},
                   {"tokens", gguf_array(GgufType::string, 2, gguf_string("<s>") + gguf_string("\xe2\x96\x81"))},
                   {"scores", gguf_array(GgufType::f32, 2, number_bytes(0.5f) + number_bytes(-1.0f))}};
  file.tensors = {{"output.weight", 2, {64, 3}, std::string(3 * 36, 'q')},
                  {"norm.weight", 0, {5}, std::string(20, 'n')},
                  {"token_embd.weight", 1, {3, 2}, std::string(12, 'e')}};
  return file;
}

std::string refusal_of(const std::string& bytes) {
  return refused_with([&] { read_gguf(std::as_bytes(std::span(bytes)), "x.gguf"); });
}

}  // namespace

TEST_CASE("a GGUF file's metadata and tensors are those that stand in it") {
  for (const std::uint32_t version : {2u, 3u}) {
    GgufText text = example();
    text.version = version;
    const std::string bytes = text.bytes();
    const GgufFile file = read_gguf(std::as_bytes(std::span(bytes)), "x.gguf");
    CHECK(file.version == version);
    CHECK(std::get<std::string_view>(*file.find("general.architecture")) == "llama");
    CHECK(std::get<std::uint64_t>(*file.find("llama.block_count")) == 2);
    CHECK(std::get<double>(*file.find("llama.rope.freq_base")) == 10000);
    CHECK(std::get<bool>(*file.find("flag")));
    CHECK(std::get<std::int64_t>(*file.find("negative")) == -3);
    CHECK(file.find("none") == nullptr);
    const auto tokens = std::get<GgufArray>(*file.find("tokens")).values();
    REQUIRE(tokens.size() == 2);
    CHECK(std::get<std::string_view>(tokens[1]) == "\xe2\x96\x81");
    const auto scores = std::get<GgufArray>(*file.find("scores"));
    CHECK(scores.type() == GgufType::f32);
    CHECK(std::get<double>(scores.values()[1]) == -1);
    REQUIRE(file.tensors.size() == 3);
    CHECK(file.tensors[0].type == "Q4_0");
    CHECK(file.tensors[0].shape == std::vector<std::int64_t>{3, 64});
    CHECK(file.tensors[0].data.size() == 3 * 36);
    CHECK(file.tensors[1].data[0] == std::byte{'n'});
    CHECK(file.tensors[2].data[11] == std::byte{'e'});
  }
}

TEST_CASE("tensors begin at multiples of the alignment that the file says") {
  GgufText text = example();
  text.alignment = 64;
  text.metadata.emplace_back("general.alignment", gguf_number(64));
  const std::string bytes = text.bytes();
  CHECK(read_gguf(std::as_bytes(std::span(bytes)), "x.gguf").tensors[2].data[0] == std::byte{'e'});
  for (const std::uint32_t bad : {0u, 4u, 12u, 0xffffffffu}) {
    text.metadata.back().second = gguf_number(bad);
    CHECK(refusal_of(text.bytes()).find("general.alignment is no multiple of 8") != std::string::npos);
  }
  text.metadata.back().second = gguf_text("64");
  CHECK(refusal_of(text.bytes()).find("general.alignment") != std::string::npos);
}

TEST_CASE("data begin where the header ends, if that is a multiple of the alignment") {
  for (std::size_t length = 1; length <= 32; ++length) {  // one of them needs no padding
    GgufText text = example();
    text.metadata.emplace_back("padding", gguf_text(std::string(length, 'x')));
    const std::string bytes = text.bytes();
    CHECK(read_gguf(std::as_bytes(std::span(bytes)), "x.gguf").tensors[1].data[0] == std::byte{'n'});
  }
}

TEST_CASE("whatever breaks the format is refused, naming what breaks it") {
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const std::vector<std::pair<std::string, std::function<void(GgufText&)>>> cases = {
      {"version 1; versions 2 and 3", [](GgufText& t) { t.version = 1; }},
      {"version 4; versions 2 and 3", [](GgufText& t) { t.version = 4; }},
      {"big-endian", [](GgufText& t) { t.version = 3u << 24; }},
      {"keys of metadata are more than it holds", [](GgufText& t) { t.entry_count = INT64_MAX; }},
      {"tensors are more than it holds", [](GgufText& t) { t.tensor_count = INT64_MAX; }},
      {"'norm.weight' is declared twice", [](GgufText& t) { t.tensors[0] = t.tensors[1]; }},
      {"key flag stands in it twice", [](GgufText& t) { t.metadata[4].first = "flag"; }},
      {"a key has 0 bytes", [](GgufText& t) { t.metadata[0].first = ""; }},
      {"a key has 70000 bytes", [](GgufText& t) { t.metadata[0].first = std::string(70000, 'k'); }},
      {"name of 65 bytes", [](GgufText& t) { t.tensors[0].name = std::string(65, 'n'); }},
      {"flag is 2, which is no truth value",
       [](GgufText& t) { t.metadata[3].second = gguf_value(GgufType::boolean, "\2"); }},
      {"scores is of the type 13", [](GgufText& t) { t.metadata[6].second = number_bytes(13u); }},
      {"scores is an array of the type 9",
       [](GgufText& t) { t.metadata[6].second = gguf_array(GgufType::array, 1, gguf_array(GgufType::u8, 0, "")); }},
      {"more than the file holds", [](GgufText& t) { t.metadata[6].second = gguf_array(GgufType::f64, huge / 4, ""); }},
      {"ends in tokens", [](GgufText& t) { t.metadata[5].second = gguf_array(GgufType::string, huge, ""); }},
      {"ends in general.architecture",
       [](GgufText& t) { t.metadata[0].second = gguf_value(GgufType::string, number_bytes(huge) + "llama"); }},
      {"has 5 dimensions", [](GgufText& t) { t.tensors[0].extents = {32, 1, 1, 1, 1}; }},
      {"impossible extent 0", [](GgufText& t) { t.tensors[1].extents = {0}; }},
      {"impossible extent", [](GgufText& t) { t.tensors[1].extents = {huge}; }},
      {"impossible extent",
       [](GgufText& t) { t.tensors[1].extents = {std::uint64_t{1} << 33, std::uint64_t{1} << 33}; }},
      {"larger than any file", [](GgufText& t) { t.tensors[1].extents = {std::uint64_t{1} << 62, 3}; }},
      {"rows of 63 elements, and blocks of Q4_0 have 32", [](GgufText& t) { t.tensors[0].extents = {63, 3}; }},
      {"ggml's type 4, which is not known", [](GgufText& t) { t.tensors[0].type = 4; }},
      {"ggml's type 4294967295", [](GgufText& t) { t.tensors[0].type = ~0u; }},
      {"'token_embd.weight' leaves the file", [](GgufText& t) { t.tensors[2].bytes.pop_back(); }},
      {"'norm.weight' leaves the file", [](GgufText& t) { t.tensors[1].offset = INT64_MAX / 32 * 32; }},
      {"'norm.weight' begins at no multiple of 32", [](GgufText& t) { t.tensors[1].offset = 8; }},
      {"'output.weight' and 'norm.weight' share bytes", [](GgufText& t) { t.tensors[1].offset = 96; }},
      {"'output.weight' and 'norm.weight' have bytes between them that are no tensor's",
       [](GgufText& t) { t.tensors[0].extents = {64, 1}; }},
  };
  for (const auto& [message, change] : cases) {
    CAPTURE(message);
    GgufText text = example();
    change(text);
    const std::string refusal = refusal_of(text.bytes());
    CHECK_MESSAGE(refusal.find(message) != std::string::npos, refusal);
    CHECK(refusal.starts_with("x.gguf: "));
  }
}

TEST_CASE("a GGUF file cut short or with a changed byte is read within its bounds") {
  const std::string whole = example().bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<char> cut(whole.begin(),
                                whole.begin() + static_cast<std::ptrdiff_t>(length));  // checked by sanitizers
    CHECK_THROWS_AS(read_gguf(std::as_bytes(std::span(cut)), "x.gguf"), Error);
  }
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 0x80, 0xff}) {
      std::vector<char> changed(whole.begin(), whole.end());
      changed[at] = static_cast<char>(changed[at] ^ change);
      try {
        const GgufFile file = read_gguf(std::as_bytes(std::span(changed)), "x.gguf");
        for (const GgufEntry& entry : file.metadata) {
          if (const auto* array = std::get_if<GgufArray>(&entry.value)) CHECK(array->values().size() == array->count());
        }
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("shards are one checkpoint; what is missing or does not belong is named") {
  const TemporaryDirectory directory;
  const auto shard = [](std::uint32_t number, std::uint32_t count, const std::string& tensor) {
    GgufText text;
    text.metadata = {{"split.no", gguf_number(number)},
                     {"split.count", gguf_number(count)},
                     {"split.tensors.count", gguf_number(2)}};
    text.tensors = {{tensor, 0, {2}, "abcdefgh"}};
    return text.bytes();
  };
  const auto refusal = [&](const std::string& name) {
    try {
      Checkpoint::open(directory.path() / name);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  directory.write("m-00001-of-00002.gguf", shard(0, 2, "a"));
  CHECK(refusal("").find("m-00002-of-00002.gguf is not there") != std::string::npos);
  directory.write("m-00002-of-00002.gguf", shard(1, 2, "b"));
  const Checkpoint checkpoint = Checkpoint::open(directory.path());
  CHECK(checkpoint.tensors().size() == 2);
  CHECK(checkpoint.find("b") != nullptr);
  CHECK(checkpoint.gguf()->find("split.no") != nullptr);
  CHECK(refusal("m-00002-of-00002.gguf").find("name the first one, m-00001-of-00002.gguf") != std::string::npos);
  directory.write("m-00002-of-00002.gguf", shard(1, 2, "a"));
  CHECK(refusal("").find("stands in two shards") != std::string::npos);
  directory.write("m-00002-of-00002.gguf", shard(0, 2, "b"));
  CHECK(refusal("").find("says that it is shard 1 of 2") != std::string::npos);
  directory.write("other.gguf", shard(0, 1, "a"));
  CHECK(refusal("").find("holds 2 GGUF models") != std::string::npos);
}
