#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "runtime/cli/bench_report.hpp"
#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

TEST_CASE("bench counts the tokens, the repetitions and the bytes a program moves") {
  int prefills = 0, steps = 0;
  on_forward = [&](std::span<const std::int32_t> tokens) { ++(tokens.size() == 10 ? prefills : steps); };
  const Outcome outcome =
      command({"bench", "--random-weights", "--device", "reference", "-p", "10", "-n", "6", "-r", "3", "--json"});
  on_forward = nullptr;
  CHECK(outcome.status == 0);
  // One round more than is measured; a decode is one token of prompt and 6 steps.
  CHECK(prefills == 4);
  CHECK(steps == 4 * 7);
  const auto json = nlohmann::json::parse(outcome.output);
  CHECK(json["model"] == "counting");
  CHECK(json["prefill"]["tokens"] == 10);
  CHECK(json["decode"]["tokens"] == 6);
  CHECK(json["decode"]["repetitions"] == 3);
  CHECK(json["decode"]["tokens_per_second"]["median"] > 0);
  CHECK(json["decode"]["tokens_per_second"]["min"] <= json["decode"]["tokens_per_second"]["median"]);
  // A pass reads a row of the embedding for each token and 60 rows of layers, the head 5 rows; positions 1 to 6 read 2
  // to 7 tokens.
  const double layers = 60 * 32, head = 5 * 32;
  CHECK(json["decode"]["bytes_per_token"].get<double>() == doctest::Approx(16 + layers + head + 64 * 27.0 / 6));
  CHECK(json["prefill"]["bytes_per_token"].get<double>() == doctest::Approx(16 + (layers + head + 640) / 10));
}

TEST_CASE("a prompt longer than a chunk reads the weights once a chunk") {
  const Outcome outcome =
      command({"bench", "--random-weights", "--device", "reference", "-p", "33", "-n", "1", "-r", "1", "--json"});
  const auto json = nlohmann::json::parse(outcome.output);
  CHECK(json["prefill"]["bytes_per_token"].get<double>() * 33 ==
        doctest::Approx(33 * 16 + 3 * 60 * 32 + 5 * 32 + 64 * (16 + 32 + 33)));
}

TEST_CASE("at a depth, what stands before is computed once and measured never") {
  std::vector<std::size_t> passes;
  on_forward = [&](std::span<const std::int32_t> tokens) { passes.push_back(tokens.size()); };
  const Outcome outcome = command(
      {"bench", "--random-weights", "--device", "reference", "-d", "20", "-p", "10", "-n", "2", "-r", "1", "--json"});
  on_forward = nullptr;
  CHECK(outcome.status == 0);
  // 20 tokens in chunks of 16; then twice the prompt, and a decode from the last of the 20 on.
  CHECK(passes == std::vector<std::size_t>{16, 4, 10, 1, 1, 1, 10, 1, 1, 1});
  const auto json = nlohmann::json::parse(outcome.output);
  CHECK(json["depth"] == 20);
  const double layers = 60 * 32, head = 5 * 32;
  CHECK(json["decode"]["bytes_per_token"].get<double>() == doctest::Approx(16 + layers + head + 64 * (21 + 22) / 2.0));
  CHECK(json["prefill"]["bytes_per_token"].get<double>() == doctest::Approx(16 + (layers + head + 64 * 30) / 10));
}

TEST_CASE("a batch is as many sequences at once, and its figures are of all together") {
  Program program = counting_program();
  program.max_batch = program.head_rows = 2;
  std::vector<std::size_t> passes;
  on_forward = [&](std::span<const std::int32_t> tokens) { passes.push_back(tokens.size()); };
  const std::vector<std::string> arguments = {
      "bench", "--random-weights", "--device", "reference", "-p", "10", "-n", "3", "-r", "1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return command(more, program);
  };
  const Outcome outcome = with({"--batch", "1,2", "--json"});
  on_forward = nullptr;
  CHECK(outcome.status == 0);
  std::vector<std::size_t> expected;
  for (int i = 0; i < 2; ++i) expected.insert(expected.end(), {10, 1, 1, 1, 1});
  // Two prompts in passes of 16: one run and a part of the next, then its rest.
  for (int i = 0; i < 2; ++i) expected.insert(expected.end(), {10, 6, 4, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(passes == expected);
  const auto json = nlohmann::json::parse(outcome.output);
  CHECK_FALSE(json.contains("prefill"));
  REQUIRE(json["batches"].size() == 2);
  const double layers = 60 * 32, head = 5 * 32;
  const auto bytes = [&](int batch, const char* phase) {
    const auto& figures = json["batches"][static_cast<std::size_t>(batch - 1)];
    CHECK(figures["batch"] == batch);
    CHECK(figures[phase]["repetitions"] == 1);
    CHECK(figures[phase]["tokens"] == batch * (std::string(phase) == "decode" ? 3 : 10));
    return figures[phase]["bytes_per_token"].get<double>();
  };
  // Weights once a pass; the second prompt's rest sees its beginning again.
  CHECK(bytes(1, "prefill") == doctest::Approx(16 + (layers + head + 64 * 10) / 10));
  CHECK(bytes(2, "prefill") == doctest::Approx(16 + (2 * layers + 2 * head + 64 * (10 + 6 + 10)) / 20));
  CHECK(bytes(1, "decode") == doctest::Approx(16 + layers + head + 64 * (2 + 3 + 4) / 3.0));
  CHECK(bytes(2, "decode") == doctest::Approx(16 + (layers + head) / 2 + 64 * (2 + 3 + 4) / 3.0));

  const std::string text = with({"--batch", "2", "-d", "7"}).output;
  CHECK(contains(text, "after 7 tokens\nbatch 2\nprefill     20 tokens"));
  CHECK(contains(text, "decode       6 tokens"));
  const Outcome many = with({"--batch", "2,3"});
  CHECK(many.status == 1);
  CHECK(contains(many.errors, "--batch 3: counting has 2 slots; build with --set engine.max_batch=3"));
  CHECK(with({"--batch", "0"}).status == 2);
  CHECK(with({"--batch", "x"}).status == 2);
  CHECK(with({"--batch", "2", "--profile"}).status == 2);
}

TEST_CASE("more sequences than a pass has rows read the weights once a pass") {
  Program program = counting_program();
  program.max_batch = 3;
  program.head_rows = program.prefill_chunk = 2;
  const Outcome outcome = command(
      {"bench", "--random-weights", "--device", "reference", "-p", "1", "-n", "3", "-r", "1", "--batch", "3", "--json"},
      program);
  CHECK(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.output);
  const double layers = 60 * 32, head = 5 * 32;
  CHECK(json["batches"][0]["decode"]["bytes_per_token"].get<double>() ==
        doctest::Approx(16 + 2 * (layers + head) / 3 + 64 * (2 + 3 + 4) / 3.0));
}

TEST_CASE("a stop token does not end a measurement") {
  // Test tokens begin somewhere; from everywhere the count passes the stop token within a round of the vocabulary.
  Program program = counting_program();
  program.max_sequence_length = 2 * counting_vocab_size;
  int steps = 0;
  on_forward = [&](std::span<const std::int32_t> tokens) { steps += tokens.size() == 1 ? 1 : 0; };
  command({"bench", "--random-weights", "--device", "reference", "-p", "2", "-n", "500", "-r", "1"}, program);
  on_forward = nullptr;
  CHECK(steps == 2 * 501);
}

TEST_CASE("without numbers, what the sequence holds is measured") {
  const Outcome outcome = command({"bench", "--random-weights", "--device", "reference", "-r", "1"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.output, "counting on the reference"));
  CHECK(contains(outcome.output, " 40 tokens"));
  CHECK(contains(outcome.output, " 39 tokens"));
}

TEST_CASE("of a longer run, what a shorter one did is taken away, kernel by kernel") {
  const std::vector<KernelProfile> whole = {
      {"prefill", 2, 0.5, 10, 20}, {"decode", 30, 3, 300, 600}, {"sample", 5, 0.25, 0, 0}};
  const std::vector<KernelProfile> part = {{"prefill", 2, 0.6, 10, 20}, {"sample", 1, 0.5, 0, 0}};
  const std::vector<KernelProfile> rest = cli::difference(whole, part);
  REQUIRE(rest.size() == 2);
  CHECK(rest[0].name == "decode");
  CHECK(rest[0].flops == 600);
  CHECK(rest[1].calls == 4);
  CHECK(rest[1].seconds == 0);  // measured times vary: never below nothing
}

TEST_CASE("a profile tells which banks a kernel read: the busiest first, all of them in JSON") {
  cli::BenchFigures figures{"tiny", "a device", 0, {}, {}};
  figures.prefill = figures.decode = {1, {1}, 0, 0, {}};
  std::vector<std::int64_t> entries{0, 3, 1, 6, 0, 0, 0, 0, 2};
  figures.decode.kernels = {{"down_proj", 4, 0.5, 0, 0, entries, 10}, {"norm", 4, 0.25, 0, 0}};
  const std::string text = cli::bench_text(figures);
  CHECK(contains(
      text,
      "\ndown_proj  2.50 of 9 banks a call; entries by bank: 3 50.0%, 1 25.0%, 8 16.7%, 2 8.3%, 0 0.0%, 4 0.0%, "
      "5 0.0%, 6 0.0%, ...\n"));
  CHECK(text.find("banks a call") == text.rfind("banks a call"));
  const auto json = nlohmann::json::parse(cli::bench_json(figures));
  CHECK(json["decode"]["kernels"][0]["banks_read"] == 10);
  CHECK(json["decode"]["kernels"][0]["entries_of_bank"] == entries);
  CHECK_FALSE(json["decode"]["kernels"][1].contains("entries_of_bank"));
  const auto rest =
      cli::difference(figures.decode.kernels, {{"down_proj", 1, 0, 0, 0, {0, 3, 0, 0, 0, 0, 0, 0, 0}, 1}});
  CHECK(rest[0].banks_read == 9);
  CHECK(rest[0].entries_of_bank[1] == 0);
}

TEST_CASE("the median, the range and the kernels' shares are computed from the measurements") {
  cli::BenchFigures figures{"tiny", "a device", 0, {}, {}};
  figures.prefill = {100, {0.5, 0.25, 1.0}, 1'000'000'000, 3'000'000'000, {}};
  figures.decode = {
      10, {2, 4}, 300'000'000, 0, {{"norm", 5, 0.25, 1'000'000, 0}, {"o_proj", 7, 0.75, 3'000'000'000, 6'000'000'000}}};
  CHECK(figures.prefill.median_seconds() == 0.5);
  CHECK(figures.decode.median_seconds() == 3);
  CHECK(figures.prefill.tokens_per_second() == 200);
  CHECK(figures.prefill.gigabytes_per_second() == doctest::Approx(2));
  CHECK(figures.prefill.gigaflops() == doctest::Approx(6));
  const std::string text = cli::bench_text(figures);
  CHECK(contains(text, "tiny on a device"));
  CHECK(contains(text, "200.00 tokens/s (median of 3, 100.00 to 400.00)"));
  CHECK(contains(text, "30 MB a token"));
  CHECK_FALSE(contains(text, "memory"));
  CHECK_FALSE(nlohmann::json::parse(cli::bench_json(figures)).contains("read_gigabytes_per_second"));
  cli::BenchFigures beside_memory = figures;
  beside_memory.read_bandwidth = 24.5e9;
  CHECK(contains(cli::bench_text(beside_memory), "\nmemory   is read in order at 24.50 GB/s\n"));
  CHECK(nlohmann::json::parse(cli::bench_json(beside_memory))["read_gigabytes_per_second"] == 24.5);
  // A slow rate is not told as none.
  cli::BenchFigures slow = figures;
  slow.decode.seconds = {2000, 4000, 5000};
  INFO(cli::bench_text(slow));
  CHECK(contains(cli::bench_text(slow), "0.0025 tokens/s (median of 3, 0.002 to 0.005)"));
  CHECK(text.find("o_proj") < text.find("norm"));
  CHECK(contains(text, "75.0%"));
  CHECK(contains(text, "-   25.0%"));  // what was not counted is not told as zero
  const auto json = nlohmann::json::parse(cli::bench_json(figures));
  CHECK(json["decode"]["kernels"][0]["kernel"] == "o_proj");
  CHECK(json["decode"]["kernels"][0]["gigabytes_per_second"] == 4);
  CHECK(json["decode"]["kernels"][0]["gigaflops"] == 8);
  CHECK(json["decode"]["kernels"][1]["share"] == 0.25);
  CHECK_FALSE(json["prefill"].contains("kernels"));
}
