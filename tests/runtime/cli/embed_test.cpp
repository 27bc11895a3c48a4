// `embed`, of a model whose vector of a text is (the mean of its ids, the mean of their types, how many they are).
#include <doctest/doctest.h>

#include "runtime/engine/embed.hpp"
#include "runtime/formats/npy.hpp"
#include "runtime/reference/reference_engine.hpp"
#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

constexpr std::int64_t width = 2, output = 3;

class MeansReference : public Reference {
 public:
  std::vector<double> layers(std::int64_t, std::span<const std::int32_t> tokens, std::int64_t, std::int64_t,
                             std::vector<std::vector<double>>*, std::span<const std::int32_t> types) override {
    std::vector<double> hidden;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      hidden.insert(hidden.end(), {static_cast<double>(tokens[i]), types.empty() ? 0.0 : types[i]});
    }
    return hidden;
  }
  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t>) override {
    std::vector<double> vector(output);
    const auto count = static_cast<double>(hidden.size() / width);
    for (std::size_t i = 0; i < hidden.size(); ++i) vector[i % width] += hidden[i] / count;
    vector[2] = count;
    return vector;
  }
};

/// The number of tokens, and the mean of their types.
class LengthReference final : public MeansReference {
 public:
  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t> rows) override {
    const std::vector<double> vector = MeansReference::head(hidden, rows);
    return {vector[2] + vector[1]};
  }
};

Program means_program() {
  Program program = counting_program();
  program.name = "means";
  program.hidden_size = width;
  program.output_size = output;
  program.pooling = Pooling::mean;
  program.one_pass = true;
  program.token_types = 2;
  program.max_batch = 3;
  program.head_rows = 3;
  program.states = {};
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> {
    return std::make_unique<MeansReference>();
  };
  return program;
}

Outcome embedded(std::vector<std::string> arguments, const Program& program = means_program()) {
  arguments.insert(arguments.begin(), {"embed", "--random-weights", "--device", "reference"});
  return command(std::move(arguments), program);
}

}  // namespace

TEST_CASE("the vector of a text is a JSON list, or a row of a file") {
  CHECK(embedded({"--tokens", "1,2,6"}).output == "[3, 0, 3]\n");
  CHECK(embedded({"--tokens", "1,2,5,4", "--types", "0,1,1,1"}).output == "[3, 0.75, 4]\n");
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "x.npy").string();
  CHECK(embedded({"--tokens", "1,2,6", "-o", path}).output.empty());
  const NpyArray array = read_npy(path);
  CHECK(array.shape == std::vector<std::int64_t>{1, output});
  CHECK(array.values == std::vector<float>{3, 0, 3});
}

TEST_CASE("without pooling there is a row for each token") {
  CHECK(embedded({"--tokens", "7,9", "--types", "0,1", "--pooling", "none"}).output == "[7, 0]\n[9, 1]\n");
}

TEST_CASE("texts of several lengths have their vectors in order") {
  const Program program = means_program();
  ReferenceEngine engine(program, HostWeights::random(program, 1));
  std::vector<std::vector<std::int32_t>> tokens;
  for (std::int32_t i = 0; i < 11; ++i) tokens.emplace_back(static_cast<std::size_t>(1 + i * 7 % 16), i);
  std::vector<Text> texts;
  for (const auto& text : tokens) texts.push_back({text});
  const std::vector<std::vector<float>> vectors = embed(engine, texts);
  REQUIRE(vectors.size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(i);
    CHECK(vectors[i] == std::vector<float>{static_cast<float>(i), 0, static_cast<float>(tokens[i].size())});
  }
}

TEST_CASE("a text of several passes may say that all of its types are 0") {
  Program program = means_program();
  program.one_pass = false;
  program.pooling = Pooling::last;
  ReferenceEngine engine(program, HostWeights::random(program, 1));
  const std::vector<std::int32_t> tokens(20, 3), types(20, 0);  // a pass has 16
  const Text text{tokens, types};
  CHECK(embed(engine, {&text, 1}).front() == std::vector<float>{3, 0, 4});
}

TEST_CASE("texts are ranked by the score of the query and each, the highest first") {
  Program program = means_program();
  program.output_size = 1;
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> {
    return std::make_unique<LengthReference>();
  };
  const std::string tokenizer = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/gpt2";
  const auto ranked = [&](std::vector<std::string> texts, const Program& of) {
    std::vector<std::string> arguments = {"rank",        "--random-weights", "--device", "reference",
                                          "--tokenizer", tokenizer,          "--query",  "z"};
    for (const std::string& text : texts) arguments.insert(arguments.end(), {"--text", text});
    return command(arguments, of);
  };
  // As many tokens as letters; the query has one, and its token's type is 0, the text's 1.
  CHECK(ranked({"z", "zzz", "zz"}, program).output == "4.750000\tzzz\n3.666667\tzz\n2.500000\tz\n");
  CHECK(contains(ranked({"z"}, means_program()).errors, "means gives 3 numbers of a text"));
}

TEST_CASE("lines of a file are texts, and what is wrong with one names its line") {
  const TemporaryDirectory directory;
  const std::string tokenizer = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/gpt2";
  const auto of = [&](const std::string& lines) {
    directory.write("lines.txt", lines);
    return embedded({"--tokenizer", tokenizer, "--file", (directory.path() / "lines.txt").string()});
  };
  const Outcome fine = of("a\r\nthe\n");
  CHECK_MESSAGE(fine.status == 0, fine.errors);
  CHECK(std::ranges::count(fine.output, '\n') == 2);
  CHECK(contains(of("").errors, "there is no text in it"));
  CHECK(contains(of("a\n\xff\n").errors, "lines.txt, line 2: the text is not UTF-8"));
  const Outcome long_line = of("a\n" + std::string(200, '.') + "\n");
  CHECK(long_line.status == 1);
  CHECK(contains(long_line.errors, "lines.txt, line 2: "));
  CHECK(contains(long_line.errors, "engine.prefill_chunk is 16"));
}

TEST_CASE("what a model does not give is refused by name") {
  const Program vectors = means_program();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "--random-weights", "--tokens", "1"},
        {"chat", "--random-weights"},
        {"logits", "--random-weights", "--tokens", "1", "-o", "x.npy"}}) {
    const Outcome outcome = command(arguments, vectors);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.errors, "means gives a vector of a text, and no logits: `embed` writes it"));
  }
  const Outcome of_logits = embedded({"--tokens", "1"}, counting_program());
  CHECK(of_logits.status == 1);
  CHECK(contains(of_logits.errors, "counting gives logits, and no vector of a text"));
}

TEST_CASE("types are those of the model, one a token") {
  CHECK(contains(embedded({"--tokens", "1,2", "--types", "0"}).errors, "1 types were given for 2 tokens"));
  CHECK(contains(embedded({"--tokens", "1,2", "--types", "0,2"}).errors, "type 2 (number 2 of 2) is none of means"));
  CHECK(contains(embedded({"--text", "a", "--types", "0"}).errors, "--types are those of --tokens"));
  Program without = means_program();
  without.token_types = 0;
  CHECK(contains(embedded({"--tokens", "1", "--types", "0"}, without).errors, "tokens of means have no types"));
}
