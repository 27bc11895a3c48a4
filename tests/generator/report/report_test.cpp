#include "generator/report/report.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "generator/graph/graph.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

Report report_of(const std::vector<Override>& overrides) {
  const Judged judged = judge(tiny, overrides);
  INFO(render(judged.diagnostics));
  REQUIRE(judged.contract);
  return make_report(*judged.contract, make_plan(*judged.contract, build_graph(*judged.contract)));
}

}  // namespace

TEST_CASE("work is counted at the stated length") {
  const Report report = report_of({});
  REQUIRE(report.lengths.size() == 1);  // 512 and max_sequence_length are both 64 here
  const LengthReport& length = report.lengths[0];
  CHECK(length.length == 64);
  const std::int64_t layer = 96 * 192 + 96 * 96 + 3 * 96 * 256, head = 96 * 100, layers = 4, q_size = 96;
  CHECK(length.decode_flops == 2 * (layers * layer + head) + layers * 4 * q_size * 64);
  CHECK(length.prefill_flops == 2 * (64 * layers * layer + head) + layers * 4 * q_size * (64 * 65 / 2));
  CHECK(length.prefill_flops_per_token == length.prefill_flops / 64);
}

TEST_CASE("what layers share is held once, and each of them multiplies and reads it") {
  const Report own = report_of({});
  const std::int64_t q = 96 * 96, bytes = 2;
  for (const std::int64_t sets : {1, 2, 3, 9}) {
    CAPTURE(sets);
    const Report shared = report_of(
        {{"layers.weight_sets", std::to_string(sets)}, {"checkpoint.tensors.\"layers.{i}.attention.q\"", "set.{s}.q"}});
    const std::int64_t spared = std::max<std::int64_t>(0, 4 - sets) * q;
    CHECK(shared.total_parameters == own.total_parameters - spared);
    CHECK(shared.weight_bytes == own.weight_bytes - bytes * spared);
    CHECK(shared.lengths[0].decode_flops == own.lengths[0].decode_flops);
    CHECK(shared.lengths[0].decode_bytes_read == own.lengths[0].decode_bytes_read);
  }
}

TEST_CASE("a token's scores are those of the keys that its window shows") {
  const auto of_window = [](const char* window) {
    return report_of({{"attention.sliding_window", window}}).lengths[0];
  };
  const LengthReport whole = report_of({}).lengths[0];
  const std::int64_t a_pair = 4 * 4 * 96;
  CHECK(of_window("5").decode_flops == whole.decode_flops - a_pair * (64 - 5));
  std::int64_t hidden = 0;
  for (std::int64_t position = 0; position < 64; ++position) hidden += std::max<std::int64_t>(position + 1 - 5, 0);
  CHECK(of_window("5").prefill_flops == whole.prefill_flops - a_pair * hidden);
  for (const char* window : {"64", "100"}) {  // every key is in them
    CHECK(of_window(window).decode_flops == whole.decode_flops);
    CHECK(of_window(window).prefill_flops == whole.prefill_flops);
  }
}

TEST_CASE("keys and values take their type's bytes") {
  CHECK(report_of({}).kv_bytes_per_token == 4 * 2 * 48 * 2);
  CHECK(report_of({{"engine.kv_cache", "f32"}}).kv_bytes_per_token == 4 * 2 * 48 * 4);
  const std::vector<Override> wide = {{"attention.head_dim", "64"}};
  const auto of_wide = [&](const char* type) { return report_of({wide[0], {"engine.kv_cache", type}}); };
  CHECK(32 * of_wide("q8_0").kv_bytes_per_token == 17 * of_wide("f16").kv_bytes_per_token);
  CHECK(of_wide("bf16").kv_bytes_per_token == of_wide("f16").kv_bytes_per_token);
  CHECK(report_of({}).lengths[0].cache_bytes == 64 * 4 * 2 * 48 * 2);
  CHECK(report_of({{"attention.mask", "(query - key) % 8 == 0"}}).lengths[0].cache_bytes == 8 * 4 * 2 * 48 * 2);
}

TEST_CASE("keys and values of the whole context are told where the engine has room for less") {
  const std::vector<Override> longer = {{"model.max_position_embeddings", "4096"},
                                        {"engine.max_sequence_length", "64"}};
  CHECK(report_text(report_of(longer))
            .find("  keys and values  768 B a token, 3.0 MiB for the model's 4096 positions\n") != std::string::npos);
  CHECK(report_of(longer).full_context_bytes == 4096 * 4 * 2 * 48 * 2);
  CHECK(report_text(report_of({})).find("  keys and values  768 B a token\n") != std::string::npos);
  CHECK(report_of({{"model.max_position_embeddings", "2147483647"}}).full_context_bytes == 2147483647LL * 768);
}

TEST_CASE("weights that are converted are told, and weigh what they become") {
  const Report report = report_of({{"engine.weights", "q8_0"}}), whole = report_of({});
  CHECK(report_text(report).find("converted f16 to q8_0: 30 matrices\n") != std::string::npos);
  CHECK(nlohmann::json::parse(report_json(report))["memory"]["converted_weights"] == "f16 to q8_0: 30 matrices");
  CHECK(report_text(whole).find("converted") == std::string::npos);
  CHECK(100 * report.weight_bytes < 60 * whole.weight_bytes);
  CHECK(report.total_parameters == whole.total_parameters);
}

TEST_CASE("keys and values that several layers see are kept once and read by each of them") {
  const auto of_readers = [](const std::string& words) {
    const Judged judged = judge(tiny + "[layers]\npattern = [\"keeping\", \"reading\", \"reading\", \"keeping\"]\n" +
                                "[layers.keeping]\n[layers.reading.attention]\n" + words);
    INFO(render(judged.diagnostics));
    REQUIRE(judged.contract);
    return make_report(*judged.contract, make_plan(*judged.contract, build_graph(*judged.contract)));
  };
  const std::int64_t a_layer = 64 * 2 * 48 * 2, in_window = 5 * 2 * 48 * 2;
  const std::string shared = "keys_and_values_from = \"keeping\"\n";
  CHECK(of_readers(shared).slot_bytes == 2 * a_layer);
  CHECK(of_readers(shared).lengths[0].cache_bytes == 4 * a_layer);
  CHECK(of_readers(shared + "sliding_window = 5\n").lengths[0].cache_bytes == 2 * a_layer + 2 * in_window);
}

TEST_CASE("a decoded token reads every weight, and of the embedding a row, all of it too where it is the head") {
  const Report untied = report_of({}), tied = report_of({{"lm_head.tie_word_embeddings", "true"}});
  const std::int64_t embedding = 100 * 96 * 2, row = 96 * 2;
  CHECK(untied.lengths[0].decode_bytes_read == untied.weight_bytes - embedding + row + untied.lengths[0].cache_bytes);
  CHECK(tied.lengths[0].decode_bytes_read == tied.weight_bytes + row + tied.lengths[0].cache_bytes);
  CHECK(untied.weight_bytes - tied.weight_bytes == embedding);
}

TEST_CASE("every slot has its own keys and values") {
  const Report one = report_of({}), three = report_of({{"engine.max_batch", "3"}});
  CHECK(one.max_batch == 1);
  CHECK(one.slot_bytes == 64 * one.kv_bytes_per_token);
  CHECK(one.state_bytes == one.slot_bytes);
  CHECK(three.slot_bytes == one.slot_bytes);
  CHECK(three.state_bytes == 3 * three.slot_bytes);
  CHECK(three.kv_bytes_per_token == one.kv_bytes_per_token);
}

TEST_CASE(
    "the keys and values of a window take the same bytes however long the sequence, and what that saves is told") {
  const auto of_length = [](const char* length) {
    return report_of({{"attention.sliding_window", "5"},
                      {"engine.prefill_chunk", "8"},
                      {"model.max_position_embeddings", "4096"},
                      {"engine.max_sequence_length", length}});
  };
  const std::int64_t entry = 4 * 2 * 48 * 2;
  for (const auto& [length, positions] : {std::pair{"13", 13}, {"40", 40}, {"4096", 4096}}) {
    CAPTURE(positions);
    const Report report = of_length(length);
    CHECK(report.slot_bytes == (5 + 8 - 1) * entry);
    CHECK(report.kv_bytes_per_token == 0);
    CHECK(report.slot_bytes_saved == (positions - 12) * entry);
    CHECK(report.lengths.back().cache_bytes == 5 * entry);
    CHECK(report_text(report).find(std::to_string(report.slot_bytes_saved)) != std::string::npos);
  }
  const Report short_one = of_length("12");  // its ring would be no smaller
  CHECK(short_one.slot_bytes == 12 * entry);
  CHECK(short_one.kv_bytes_per_token == entry);
  CHECK(short_one.slot_bytes_saved == 0);
  CHECK(report_text(short_one).find("saved") == std::string::npos);
}

TEST_CASE("weights are as large as they are on the device: rows padded, vectors in f32") {
  const Report report = report_of({{"mlp.intermediate_size", "257"}});  // 514 bytes become 528
  const std::int64_t matrices = 100 * 192 * 2 + 4 * (192 * 192 + 96 * 192 + 2 * 257 * 192 + 96 * 528);
  CHECK(report.weight_bytes == matrices + 4 * (4 * 2 * 96 + 96));
}

TEST_CASE("work beyond 64 bits is cut off, not wrapped") {
  Contract contract = *judge(tiny).contract;
  contract.max_sequence_length = 2147483647;
  const Report report = make_report(contract, make_plan(contract, build_graph(contract)));
  CHECK(report.lengths[1].prefill_flops == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a number is told in the next unit from where that is one") {
  Report report;
  report.weight_bytes = 1024;
  report.state_bytes = 1023;
  report.activation_bytes = std::int64_t{1} << 40;
  report.components = {{"mlp", 1000}, {"norm", 999}};
  const std::string text = report_text(report);
  const auto line = [&](const char* what) {
    const std::size_t begin = text.find(std::string("  ") + what + " ");
    const std::string whole = text.substr(begin, text.find('\n', begin) - begin);
    return whole.substr(whole.rfind("  ") + 2);
  };
  CHECK(line("weights") == "1.0 KiB");
  CHECK(line("states") == "1023 B");
  CHECK(line("activations") == "1.0 TiB");
  CHECK(line("mlp") == "1.00 k");
  CHECK(line("norm") == "999");
}

TEST_CASE("JSON holds the same numbers as the report") {
  const Report report = report_of({});
  const nlohmann::json json = nlohmann::json::parse(report_json(report));
  CHECK(json["parameters"]["total"] == report.total_parameters);
  CHECK(json["memory"]["weight_bytes"] == report.weight_bytes);
  CHECK(json["memory"]["total_bytes"] == report.total_bytes);
  CHECK(json["memory"]["slot_bytes"] == report.slot_bytes);
  CHECK(json["lengths"][0]["decode_flops"] == report.lengths[0].decode_flops);
  CHECK(json["decode_dispatches"] == report.decode_dispatches);
  CHECK(report_text(report).find(std::to_string(report.total_parameters)) != std::string::npos);
}
