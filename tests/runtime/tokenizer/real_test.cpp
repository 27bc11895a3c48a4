// Real tokenizers, against what the `tokenizers` library gives for them (make_real_goldens.py). They are too large to
// stand here: those that scripts/fetch-tokenizers and scripts/fetch-model have not fetched are named and left out.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "runtime/tokenizer/tokenizer.hpp"
#include "runtime/tokenizer/utf8.hpp"

using namespace monomorph;
using nlohmann::json;
using Ids = std::vector<std::int32_t>;

namespace {

const std::filesystem::path real = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/real";
const std::filesystem::path fetched = MONOMORPH_SOURCE_DIR "/build";

json read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

std::filesystem::path file_of(const std::string& name) {
  if (name == "smollm2-gguf") return fetched / "models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (name == "gemma3-gguf") return fetched / "models/gemma-3-270m-q4_k_m.gguf";
  return fetched / "tokenizers" / name / "tokenizer.json";
}

/// Calls `check` with each that is there, and what is expected of it.
template <class Check>
void for_each(Check check) {
  constexpr std::string_view ending = ".expected.json";
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(real)) {
    const std::string file = entry.path().filename();
    if (!file.ends_with(ending)) continue;
    const std::string name = file.substr(0, file.size() - ending.size());
    ++seen;
    if (!std::filesystem::exists(file_of(name))) {
      MESSAGE("skipped: ", name, ", which is not there: ", file_of(name).string());
      continue;
    }
    CAPTURE(name);
    check(name, Tokenizer::load(file_of(name)), read(entry.path()));
  }
  CHECK(seen >= 19);
}

std::string random_text(std::mt19937& random) {
  std::uniform_int_distribution<int> length(0, 20), kind(0, 5);
  std::uniform_int_distribution<char32_t> ascii(0x20, 0x7e), latin(0xa0, 0x24f), plane(0x370, 0xd7ff),
      beyond(0x10000, 0x10ffff);
  std::string text;
  for (int i = length(random); i > 0; --i) {
    const int which = kind(random);
    const char32_t point = which < 2    ? ascii(random)
                           : which == 2 ? U" \n\t\u2581"[random() % 4]
                           : which == 3 ? latin(random)
                           : which == 4 ? plane(random)
                                        : beyond(random);
    append_utf8(point, text);
  }
  return text;
}

}  // namespace

TEST_CASE("real tokenizers give the ids and texts that the tokenizers library gives") {
  const json texts = read(real / "texts.json");
  for_each([&](const std::string& name, const Tokenizer& tokenizer, const json& expected) {
    const bool skip_special = !name.ends_with("-gguf");  // Gemma's file calls a token special that is none elsewhere
    REQUIRE(expected["ids"].size() == texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      INFO(texts[i].dump(-1, ' ', true));
      const Ids ids = expected["ids"][i];
      CHECK(tokenizer.encode(texts[i].get<std::string>()) == ids);
      const json& decoded = expected["decoded"][i].is_null() ? texts[i] : expected["decoded"][i];
      CHECK(tokenizer.decode(ids, skip_special) == decoded.get<std::string>());
    }
  });
}

TEST_CASE("random texts come back from the tokenizers that lose nothing, and crash none") {
  for_each([&](const std::string& name, const Tokenizer& tokenizer, const json&) {
    static const std::vector<std::string> lossless = {"gpt2",         "llama3",          "llama3_2",
                                                      "mistral_nemo", "text_davinci002", "deepseek_v3"};
    const bool is_lossless = std::ranges::find(lossless, name) != lossless.end();
    std::mt19937 random(11);
    for (int i = 0; i < 5000; ++i) {
      const std::string text = random_text(random);
      // Its vocabulary lacks some bytes of rare characters.
      if (name == "smollm2-gguf" && text.find_first_of("\xf1\xf2\xf3\xf4") != std::string::npos) continue;
      const Ids ids = tokenizer.encode(text, false);
      const std::string back = tokenizer.decode(ids);
      if (is_lossless) CHECK(back == text);
      CHECK(utf8_error(back) == std::string::npos);
    }
  });
}
