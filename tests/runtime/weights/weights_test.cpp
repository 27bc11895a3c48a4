#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <random>

#include "runtime/error.hpp"
#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/formats/half.hpp"
#include "runtime/formats/quantized.hpp"
#include "runtime/weights/weights.hpp"
#include "tests/support/gguf_writer.hpp"
#include "tests/support/quantized_blocks.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using tests::TensorText;

namespace {

// A fused and transposed matrix with its bias, as GPT-2 keeps them; a matrix of two parts in bf16; a norm; two biases.
// The device has the matrix of two parts stacked on one of its own, and the biases with zeros between and after them.
constexpr WeightPart fused_parts[] = {{"h.{i}.attn.weight", {5, 2, 9, true}}};
constexpr WeightPart fused_bias_parts[] = {{"h.{i}.attn.bias", {5, 2, 9, true}}};
constexpr WeightPart joined_parts[] = {{"h.{i}.q", {2, 0, 2, false}}, {"h.{i}.k", {3, 1, 4, false}}};
constexpr WeightPart single_parts[] = {{"h.{i}.v", {2, 0, 2, false}}};
constexpr WeightPart norm_parts[] = {{"norm", {7, 0, 7, false}}};
constexpr WeightPart q_bias_parts[] = {{"q_bias", {2, 0, 2, false}}};
constexpr WeightPart v_bias_parts[] = {{"v_bias", {1, 0, 1, false}}};
constexpr WeightPattern layer_weights[] = {
    {"layers.{i}.fused", Dtype::f16, 5, 7, fused_parts},
    {"layers.{i}.fused_bias", Dtype::f16, 1, 5, fused_bias_parts, true},
    {"layers.{i}.joined", Dtype::bf16, 5, 3, joined_parts},
    {"layers.{i}.single", Dtype::bf16, 2, 3, single_parts},
};
constexpr WeightPattern last_weights[] = {
    {"norm", Dtype::bf16, 1, 7, norm_parts, true},
    {"q_bias", Dtype::f32, 1, 2, q_bias_parts, true},
    {"v_bias", Dtype::f32, 1, 1, v_bias_parts, true},
};
constexpr StoredPiece fused_pieces[] = {{0, 5}}, fused_bias_pieces[] = {{1, 5}}, stacked_pieces[] = {{2, 5}, {3, 2}},
                      norm_pieces[] = {{0, 7}}, partial_pieces[] = {{1, 2}, {-1, 3}, {2, 1}, {-1, 1}};
constexpr StoredPattern layer_stored[] = {{"fused", Dtype::f16, 5, 7, fused_pieces},
                                          {"fused_bias", Dtype::f32, 1, 5, fused_bias_pieces},
                                          {"stacked", Dtype::bf16, 7, 3, stacked_pieces}};
constexpr StoredPattern last_stored[] = {{"norm", Dtype::f32, 1, 7, norm_pieces},
                                         {"partial", Dtype::f32, 1, 7, partial_pieces}};
constexpr std::int32_t layers[] = {0, 3};
constexpr WeightGroup groups[] = {{layer_weights, layer_stored, layers}, {last_weights, last_stored, {}}};
constexpr std::int64_t weight_count = 2 * 4 + 3;
constexpr const char* prefixes[] = {"", "transformer."};

Program make_program() {
  Program program{};
  program.name = "small";
  program.weights = groups;
  program.checkpoint_prefixes = prefixes;
  return program;
}

std::string f32_bytes(std::size_t count, float first) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = first + static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&value), 4);
  }
  return bytes;
}

std::string f16_bytes(std::size_t count, float first) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t value = f16_from_f32(first + static_cast<float>(i));
    bytes.append(reinterpret_cast<const char*>(&value), 2);
  }
  return bytes;
}

std::string bf16_bytes(std::size_t count, float first) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t value = bf16_from_f32(first + static_cast<float>(i));
    bytes.append(reinterpret_cast<const char*>(&value), 2);
  }
  return bytes;
}

/// The checkpoint that fits; element i of a tensor is a number of its own plus i.
std::vector<TensorText> fitting(const std::string& prefix) {
  std::vector<TensorText> tensors;
  for (const int layer : {0, 3}) {
    const std::string h = prefix + "h." + std::to_string(layer) + ".";
    const auto base = static_cast<float>(layer);
    tensors.push_back({h + "attn.weight", "F16", {7, 9}, f16_bytes(63, 100 * base)});
    tensors.push_back({h + "attn.bias", "F16", {9}, f16_bytes(9, base)});
    tensors.push_back({h + "q", "BF16", {2, 3}, bf16_bytes(6, base)});
    tensors.push_back({h + "k", "BF16", {4, 3}, bf16_bytes(12, 50 + base)});
    tensors.push_back({h + "v", "BF16", {2, 3}, bf16_bytes(6, 70 + base)});
  }
  tensors.push_back({prefix + "norm", "BF16", {7}, bf16_bytes(7, 1)});
  tensors.push_back({prefix + "q_bias", "F32", {2}, f32_bytes(2, 10)});
  tensors.push_back({prefix + "v_bias", "F32", {1}, f32_bytes(1, 20)});
  return tensors;
}

/// Element `column` of a row as the device stores it.
double stored_value(const std::byte* row, std::int64_t column, Dtype format) {
  if (format == Dtype::f32) {
    float value;
    std::memcpy(&value, row + column * 4, 4);
    return value;
  }
  std::uint16_t half;
  std::memcpy(&half, row + column * 2, 2);
  return format == Dtype::f16 ? f32_from_f16(half) : f32_from_bf16(half);
}

std::string refusal(const std::vector<TensorText>& tensors, const Program& program = make_program()) {
  const tests::TemporaryDirectory directory;
  return tests::refused_with(
      [&] { HostWeights::open(program, directory.write("model.safetensors", tests::safetensors(tensors))); });
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("ids count layer by layer, and names carry the layer") {
  const Program program = make_program();
  std::vector<std::string> names;
  for (const WeightEntry& entry : list_weights(program)) names.push_back(entry.name);
  CHECK(names == std::vector<std::string>{"layers.0.fused", "layers.0.fused_bias", "layers.0.joined", "layers.0.single",
                                          "layers.3.fused", "layers.3.fused_bias", "layers.3.joined", "layers.3.single",
                                          "norm", "q_bias", "v_bias"});
  names.clear();
  for (const StoredEntry& entry : list_stored(program)) names.push_back(entry.name);
  CHECK(names.size() == 2 * 3 + 2);
  CHECK(contains(names[5], "stacked"));
  CHECK(contains(names[5], "3"));
  CHECK(names[7] == "partial");
}

TEST_CASE("layers that share tensors have one weight, and the device stores it once") {
  // Three layers, of which the first and the last have one set: a matrix of it, a bias of all, and a matrix of each.
  static constexpr WeightPart of_set[] = {{"h.{s}.q", {2, 0, 2, false}}}, of_all[] = {{"bias", {2, 0, 2, false}}},
                              of_each[] = {{"h.{s}.adapter.{k}", {2, 0, 2, false}}},
                              own[] = {{"h.{i}.o", {2, 0, 2, false}}};
  static constexpr WeightPattern weights[] = {{"layers.{i}.q", Dtype::f32, 2, 3, of_set},
                                              {"layers.{i}.bias", Dtype::f32, 1, 2, of_all, true},
                                              {"layers.{i}.adapter", Dtype::f32, 2, 3, of_each},
                                              {"layers.{i}.o", Dtype::f32, 2, 3, own}};
  static constexpr StoredPiece q[] = {{0, 2}}, bias[] = {{1, 2}}, both[] = {{0, 2}, {2, 2}}, o[] = {{3, 2}};
  static constexpr StoredPattern stored[] = {{"q", Dtype::f32, 2, 3, q},
                                             {"bias", Dtype::f32, 1, 2, bias},
                                             {"q and adapter", Dtype::f32, 4, 3, both},
                                             {"o", Dtype::f32, 2, 3, o}};
  static constexpr std::int32_t layers_of_kind[] = {1, 4, 5}, numbers[] = {0, 1, 2}, sets[] = {1, 4, 1};
  static constexpr WeightGroup sharing[] = {{weights, stored, layers_of_kind, numbers, sets}};
  Program program{};
  program.name = "sharing";
  program.weights = sharing;
  std::vector<std::int32_t> same;
  for (const WeightEntry& entry : list_weights(program)) same.push_back(entry.same_as);
  CHECK(same == std::vector<std::int32_t>{-1, -1, -1, -1, -1, 1, -1, -1, 0, 1, -1, -1});
  same.clear();
  for (const StoredEntry& entry : list_stored(program)) same.push_back(entry.same_as);
  CHECK(same == std::vector<std::int32_t>{-1, -1, -1, -1, -1, 1, -1, -1, 0, 1, -1, -1});

  std::vector<TensorText> tensors = {{"bias", "F32", {2}, f32_bytes(2, 5)}};
  for (const auto& [name, first] : std::map<std::string, float>{{"h.1.q", 10},
                                                                {"h.4.q", 20},
                                                                {"h.1.adapter.0", 30},
                                                                {"h.4.adapter.1", 40},
                                                                {"h.1.adapter.2", 50},
                                                                {"h.1.o", 60},
                                                                {"h.4.o", 70},
                                                                {"h.5.o", 80}}) {
    tensors.push_back({name, "F32", {2, 3}, f32_bytes(6, first)});
  }
  const tests::TemporaryDirectory directory;
  const HostWeights read =
      HostWeights::open(program, directory.write("model.safetensors", tests::safetensors(tensors)));
  CHECK(read.at(8, 1, 2) == 15);   // the third layer's q is the first's
  CHECK(read.at(4, 0, 0) == 20);   // the second's is its own
  CHECK(read.at(10, 0, 1) == 51);  // its adapter stands with the set, under its own number
  CHECK(read.at(11, 0, 0) == 80);
  CHECK(read.at(9, 0, 1) == 6);
  const HostWeights drawn = HostWeights::random(program, 1);
  CHECK(drawn.at(8, 1, 2) == drawn.at(0, 1, 2));
  CHECK(drawn.at(10, 1, 2) != drawn.at(2, 1, 2));
}

TEST_CASE("rows and elements of every kind of part agree with the checkpoint") {
  for (const std::string& prefix : {std::string(), std::string("transformer.")}) {
    const tests::TemporaryDirectory directory;
    const HostWeights weights =
        HostWeights::open(make_program(), directory.write("model.safetensors", tests::safetensors(fitting(prefix))));
    // Row r, column c of a transposed tensor with 9 source rows is element c * 9 + (2 + r).
    for (std::int64_t r = 0; r < 5; ++r) {
      for (std::int64_t c = 0; c < 7; ++c) CHECK(weights.at(4, r, c) == 300 + static_cast<double>(c * 9 + 2 + r));
    }
    for (std::int64_t c = 0; c < 5; ++c) CHECK(weights.at(5, 0, c) == 3 + 2 + static_cast<double>(c));
    CHECK(weights.at(6, 1, 2) == 3 + 5);       // q, row 1
    CHECK(weights.at(6, 2, 0) == 50 + 3 + 3);  // k, its row 1
    CHECK(weights.at(6, 4, 2) == 50 + 3 + 11);
    CHECK(weights.at(7, 1, 0) == 70 + 3 + 3);
    CHECK(weights.at(8, 0, 6) == 7);
    std::vector<float> row(3);
    weights.row(6, 3, row);
    CHECK(row == std::vector<float>{50 + 3 + 6, 50 + 3 + 7, 50 + 3 + 8});
  }
}

TEST_CASE("a single number may stand without an axis, and several may not") {
  std::vector<TensorText> tensors = fitting("");
  CHECK(tensors.back().shape == std::vector<std::int64_t>{1});
  tensors.back().shape = {};
  CHECK(refusal(tensors) == "");
  tensors[tensors.size() - 2].shape = {};
  tensors[tensors.size() - 2].bytes.resize(4);
  CHECK(contains(refusal(tensors), "q_bias"));
}

TEST_CASE("dense layers of a modules.json are found beside a model whose tensors have a prefix, and without one") {
  const std::vector<WeightPart> norm = {{"norm", {7, 0, 7}}}, dense = {{"first_dense.linear.weight", {3, 0, 3}}};
  const std::vector<WeightPattern> patterns = {{"norm", Dtype::f32, 1, 7, norm, true},
                                               {"pooling.dense", Dtype::f32, 3, 7, dense}};
  const std::vector<WeightGroup> group = {{patterns, {}, {}}};
  Program program = make_program();
  program.weights = group;
  for (const std::string prefix : {"", "transformer."}) {
    CAPTURE(prefix);
    const tests::TemporaryDirectory directory;
    directory.write("model.safetensors", tests::safetensors({{prefix + "norm", "F32", {7}, f32_bytes(7, 0)}}));
    directory.write("modules.json", R"([{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}])");
    directory.write("2_Dense/model.safetensors",
                    tests::safetensors({{"linear.weight", "F32", {3, 7}, f32_bytes(21, 100)}}));
    CHECK(HostWeights::open(program, directory.path().string()).at(1, 2, 6) == 120);
    directory.write("2_Dense/model.safetensors", tests::safetensors({{"linear.weight", "F32", {3, 7}, f32_bytes(21, 0)},
                                                                     {"linear.bias", "F32", {3}, f32_bytes(3, 0)}}));
    const std::string said = tests::refused_with([&] { HostWeights::open(program, directory.path().string()); });
    CHECK(contains(said, "first_dense.linear.bias in "));
    CHECK(contains(said, "this engine does not use it"));
  }
}

TEST_CASE("a vector over several axes may stand as a matrix, in their order alone, and any vector with axes of one") {
  const std::vector<WeightPart> parts = {{"norm", {12, 0, 12}}};
  using Inner = std::array<std::int64_t, 2>;
  const auto said = [&](const Inner& inner, const std::vector<std::int64_t>& shape) {
    const std::vector<WeightPattern> patterns = {{"norm", Dtype::f32, 1, 12, parts, true, inner}};
    const std::vector<WeightGroup> group = {{patterns, {}, {}}};
    Program program = make_program();
    program.weights = group;
    return refusal({{"norm", "F32", shape, f32_bytes(12, 0)}}, program);
  };
  for (const Inner& inner : {Inner{}, Inner{4}, Inner{2, 6}}) {
    CHECK(said(inner, {12}) == "");
    CHECK(said(inner, {1, 12}) == "");
    CHECK(said(inner, {12, 1}) == "");
    CHECK(contains(said(inner, {4, 3}), "norm in "));
    CHECK(said(inner, {1, 1, 12, 1}) == "");
    CHECK(contains(said(inner, {11, 1}), "its shape is [11, 1]; this engine was made for [12]"));
  }
  CHECK(said({4}, {3, 4}) == "");
  CHECK(said({2, 6}, {6, 2}) == "");
  CHECK(said({2, 6}, {2, 6}) == "");
  CHECK(contains(said({4}, {4, 3}), "its shape is [4, 3]; this engine was made for [12] or [3, 4]\n"));
  CHECK(contains(said({2, 6}, {3, 4}), "its shape is [3, 4]; this engine was made for [12] or [6, 2] or [2, 6]\n"));
  CHECK(contains(said({}, {3, 4}), "its shape is [3, 4]; this engine was made for [12]\n"));
}

TEST_CASE("what the device stores is the weights' rows one after the other, zeros where there is none, and padding") {
  const Program program = make_program();
  const tests::TemporaryDirectory directory;
  const HostWeights weights =
      HostWeights::open(program, directory.write("model.safetensors", tests::safetensors(fitting(""))));
  for (std::int32_t id = 0; id < 8; ++id) {
    CAPTURE(id);
    const StoredEntry& entry = weights.stored()[static_cast<std::size_t>(id)];
    const StoredPattern& pattern = *entry.pattern;
    // Each piece's rows, by element of a vector or by row of a matrix.
    std::vector<std::pair<std::int32_t, std::int64_t>> sources;
    for (const StoredPiece& piece : pattern.pieces) {
      for (std::int64_t i = 0; i < piece.rows; ++i) {
        sources.push_back({piece.weight < 0 ? -1 : entry.first_weight + piece.weight, i});
      }
    }
    const auto expected = [&](std::int64_t r, std::int64_t c) {
      const auto [weight, index] = sources[static_cast<std::size_t>(pattern.rows == 1 ? c : r)];
      if (weight < 0) return 0.0;
      return pattern.rows == 1 ? weights.at(weight, 0, index) : weights.at(weight, index, c);
    };
    for (std::int64_t first = 0; first < pattern.rows; ++first) {
      for (std::int64_t rows = 1; rows <= pattern.rows - first; ++rows) {
        std::vector<std::byte> stored(static_cast<std::size_t>(rows * entry.row_bytes()), std::byte{0xee});
        weights.stored_rows(id, first, rows, stored);
        for (std::int64_t r = 0; r < rows; ++r) {
          const std::byte* at = stored.data() + r * entry.row_bytes();
          for (std::int64_t c = 0; c < pattern.columns; ++c)
            CHECK(stored_value(at, c, pattern.format) == expected(first + r, c));
          for (std::int64_t b = pattern.columns * element_bytes(pattern.format); b < entry.row_bytes(); ++b) {
            CHECK(at[b] == std::byte{0});
          }
        }
      }
    }
  }
}

TEST_CASE("a checkpoint that does not fit is refused with every tensor, what was found and what was expected") {
  CHECK(refusal(fitting("")).empty());
  auto tensors = fitting("transformer.");
  std::erase_if(tensors, [](const TensorText& t) { return t.name == "transformer.h.3.q"; });
  for (TensorText& tensor : tensors) {
    if (tensor.name == "transformer.h.0.attn.weight") tensor.shape = {9, 7};
    if (tensor.name == "transformer.norm") tensor = {"transformer.norm", "F16", {7}, ""};
    if (tensor.name == "transformer.q_bias") tensor = {"transformer.q_bias", "F32", {3}, ""};
  }
  const std::string text = refusal(tensors);
  CHECK(contains(text, "transformer.h.3.q: it is missing"));
  CHECK(contains(text, "transformer.h.0.attn.weight"));
  CHECK(contains(text, "its shape is [9, 7]; this engine was made for [7, 9]"));
  CHECK(contains(text, "it is F16; this engine was made for BF16"));
  CHECK(contains(text, "its shape is [3]; this engine was made for [2]"));
  CHECK(contains(text, "model.safetensors"));
}

TEST_CASE("of many tensors that do not fit in the same way the first is told, and how many more there are") {
  auto tensors = fitting("");
  for (TensorText& tensor : tensors) {
    if (tensor.dtype == "BF16") tensor.dtype = "F16";
  }
  for (int i = 0; i < 5; ++i) tensors.push_back({"extra." + std::to_string(i), "F32", {1}, ""});
  const std::string text = refusal(tensors);
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
  CHECK(contains(text, "it is F16; this engine was made for BF16\n"));
  CHECK(contains(text, " more have another type too: an engine for them is built with --set checkpoint.dtype"));
  CHECK(contains(text, "extra.0 in "));
  CHECK(contains(text, "\n  4 more are not used either\n"));
}

TEST_CASE("tensors that nothing uses are refused, those that are ignored or a copy of a tied embedding are not") {
  for (const std::string& prefix : {std::string(), std::string("transformer.")}) {
    Program program = make_program();
    auto tensors = fitting(prefix);
    tensors.push_back({prefix + "h.0.attn.mask", "F32", {1}, f32_bytes(1, 0)});
    CHECK(contains(refusal(tensors, program), prefix + "h.0.attn.mask in"));
    CHECK(contains(refusal(tensors, program), "this engine does not use it"));
    static constexpr const char* ignored[] = {"h.{i}.attn.mask"};
    program.ignored_tensors = ignored;
    CHECK(refusal(tensors, program).empty());

    tensors.push_back({"lm_head.weight", "BF16", {7}, bf16_bytes(7, 1)});
    CHECK(contains(refusal(tensors, program), "lm_head.weight in"));
    program.tied_embedding = "norm";
    CHECK(refusal(tensors, program).empty());
    tensors.back() = {"lm_head.weight", "BF16", {7}, bf16_bytes(7, 2)};
    CHECK(contains(refusal(tensors, program), "lm_head.weight in"));
  }
}

TEST_CASE("a name stands for a pattern with numbers in place of {i}, and anything in place of a last *") {
  CHECK(is_named("h.12.attn.bias", "h.{i}.attn.bias"));
  CHECK(is_named("norm", "norm"));
  CHECK(is_named("a.1.b.2", "a.{i}.b.{i}"));
  CHECK_FALSE(is_named("h.x.attn.bias", "h.{i}.attn.bias"));
  CHECK_FALSE(is_named("h..attn.bias", "h.{i}.attn.bias"));
  CHECK_FALSE(is_named("h.1.attn.bias.more", "h.{i}.attn.bias"));
  CHECK_FALSE(is_named("h.1", "h.{i}.attn"));
  CHECK(is_named("h.12.attn.bias", "h.12.*"));
  CHECK_FALSE(is_named("h.1.attn.bias", "h.12.*"));
  CHECK_FALSE(is_named("h.120.attn.bias", "h.12.*"));
  CHECK(is_named("mtp.1.norm", "mtp.{i}.*"));
  CHECK_FALSE(is_named("mtp.norm", "mtp.{i}.*"));
  CHECK_FALSE(is_named("h.1.norm", "mtp*"));
}

TEST_CASE("one prefix holds for all names") {
  auto tensors = fitting("");
  for (TensorText& tensor : tensors) {
    if (tensor.name == "norm") tensor.name = "transformer.norm";
  }
  CHECK(contains(refusal(tensors), "\n  norm: it is missing"));
}

TEST_CASE("random weights are the same for the same seed, and rounded to their dtype") {
  const Program program = make_program();
  const HostWeights first = HostWeights::random(program, 5), again = HostWeights::random(program, 5),
                    other = HostWeights::random(program, 6);
  bool differs = false;
  for (std::int32_t id = 0; id < weight_count; ++id) {
    const WeightPattern& pattern = *first.weights()[static_cast<std::size_t>(id)].pattern;
    for (std::int64_t r = 0; r < pattern.rows; ++r) {
      for (std::int64_t c = 0; c < pattern.columns; ++c) {
        const double value = first.at(id, r, c);
        CHECK(value == again.at(id, r, c));
        differs = differs || value != other.at(id, r, c);
        const auto single = static_cast<float>(value);
        if (pattern.dtype == Dtype::f16) CHECK(f32_from_f16(f16_from_f32(single)) == single);
        if (pattern.dtype == Dtype::bf16) CHECK(f32_from_bf16(bf16_from_f32(single)) == single);
      }
    }
  }
  for (std::int32_t id = 0; id < 8; ++id) {
    const StoredEntry& entry = first.stored()[static_cast<std::size_t>(id)];
    std::vector<std::byte> stored(static_cast<std::size_t>(entry.bytes()));
    first.stored_rows(id, 0, entry.pattern->rows, stored);
    const std::int32_t weight = entry.first_weight + entry.pattern->pieces[0].weight;
    CHECK(stored_value(stored.data(), 1, entry.pattern->format) == first.at(weight, 0, 1));
  }
  CHECK(differs);
}

TEST_CASE("random matrices have the spread that keeps activations near unit size") {
  static constexpr WeightPattern wide[] = {{"wide", Dtype::f32, 64, 70000, {}}};
  static constexpr WeightGroup group[] = {{wide, {}, {}}};
  Program program{};
  program.weights = group;
  const HostWeights weights = HostWeights::random(program, 1);
  std::vector<float> row(70000);
  double squares = 0, sum = 0;
  for (std::int64_t r = 0; r < 64; ++r) {
    weights.row(0, r, row);
    for (const float value : row) {
      squares += value * value;
      sum += value;
    }
  }
  CHECK(squares / 64 == doctest::Approx(1).epsilon(0.05));
  CHECK(std::abs(sum) / 64 < 5);
}

TEST_CASE("a tensor of several matrices has an axis of theirs or their rows in one, and no other number of them") {
  for (const bool transposed : {false, true}) {
    const std::vector<WeightPart> parts = {{"banks", {12, 0, 12, transposed, 0, 0, 0, 0, 3}}};
    const std::vector<WeightPattern> patterns = {{"banks", Dtype::f32, 12, 5, parts}};
    const std::vector<WeightGroup> group = {{patterns, {}, {}}};
    Program program = make_program();
    program.weights = group;
    const auto said = [&](const std::vector<std::int64_t>& shape) {
      return refusal({{"banks", "F32", shape, f32_bytes(60, 0)}}, program);
    };
    using Shape = std::vector<std::int64_t>;
    CHECK(said(transposed ? Shape{3, 5, 4} : Shape{3, 4, 5}) == "");
    CHECK(said(transposed ? Shape{15, 4} : Shape{12, 5}) == "");
    for (const Shape& other : {transposed ? Shape{3, 4, 5} : Shape{3, 5, 4}, transposed ? Shape{12, 5} : Shape{15, 4},
                               Shape{4, 3, 5}, Shape{5, 12}, Shape{60}, Shape{2, 6, 5}}) {
      CHECK(contains(said(other), transposed ? "this engine was made for [3, 5, 4] or [15, 4]\n"
                                             : "this engine was made for [3, 4, 5] or [12, 5]\n"));
    }
  }
}

TEST_CASE("of experts that do not fit the layer, the expert, the file and what finds out more are told") {
  const std::vector<WeightPart> router = {{"h.{i}.router", {3, 0, 3}}},
                                apart = {{"h.{i}.experts.0.up", {4, 0, 4}},
                                         {"h.{i}.experts.1.up", {4, 0, 4}},
                                         {"h.{i}.experts.2.up", {4, 0, 4}}},
                                heads = {{"h.{i}.kv_b", {12, 0, 12, true, 0, 0, 0, 0, 3, 2, 0}}};
  const std::vector<WeightPattern> patterns = {
      {"router", Dtype::f32, 3, 5, router}, {"up", Dtype::f32, 12, 5, apart}, {"k_up", Dtype::f32, 12, 2, heads}};
  const std::vector<WeightGroup> group = {{patterns, {}, layers}};
  Program program = make_program();
  program.weights = group;
  std::vector<TensorText> whole;
  for (const std::string h : {"h.0.", "h.3."}) {
    whole.push_back({h + "router", "F32", {3, 5}, ""});
    for (const char* j : {"0", "1", "2"}) whole.push_back({h + "experts." + j + ".up", "F32", {4, 5}, ""});
    whole.push_back({h + "kv_b", "F32", {6, 4}, ""});
  }
  CHECK(refusal(whole, program) == "");
  const auto said = [&](const std::string& name, const TensorText& other) {
    std::vector<TensorText> tensors = whole;
    std::erase_if(tensors, [&](const TensorText& tensor) { return tensor.name == name; });
    if (!other.name.empty()) tensors.push_back(other);
    const std::string text = refusal(tensors, program);
    CHECK(contains(text, "model.safetensors does not hold the weights of small:\n  h.3."));
    CHECK(contains(text, "\n`monomorph check SPEC --weights` says how the checkpoint and the spec differ"));
    return text;
  };
  const std::string expert = "h.3.experts.1.up";
  CHECK(contains(said(expert, {}), "\n  h.3.experts.1.up: it is missing\n"));
  CHECK(contains(said(expert, {expert, "F32", {5, 4}, ""}), "its shape is [5, 4]; this engine was made for [4, 5]\n"));
  CHECK(contains(said(expert, {expert, "F16", {4, 5}, ""}), "it is F16; this engine was made for F32\n"));
  CHECK(contains(said("", {"h.3.experts.up", "F32", {3, 4, 5}, ""}), "this engine does not use it\n"));
  CHECK(contains(said("", {"h.3.experts.3.up", "F32", {4, 5}, ""}), "this engine does not use it\n"));
  CHECK(contains(said("h.3.router", {"h.3.router", "F32", {2, 5}, ""}),
                 "its shape is [2, 5]; this engine was made for [3, 5]\n"));
  CHECK(contains(said("h.3.kv_b", {"h.3.kv_b", "F32", {5, 4}, ""}),
                 "its shape is [5, 4]; this engine was made for [3, 2, 4] or [6, 4]\n"));
}

TEST_CASE("lines of each matrix of a tensor may be the columns of a weight, and others of its rows those of another") {
  // Of each of three heads, two lines of four elements, which are columns of four rows, after one row of another
  // weight.
  const std::vector<WeightPart> turned = {{"both", {12, 0, 12, true, 0, 0, 0, 0, 3, 3, 1}}},
                                plain = {{"both", {3, 0, 9, false, 1, 3, 0, 0, 3}}};
  const std::vector<WeightPattern> patterns = {{"turned", Dtype::f32, 12, 2, turned},
                                               {"plain", Dtype::f32, 3, 4, plain}};
  const std::vector<StoredPiece> pieces = {{0, 12}};
  const std::vector<StoredPattern> stores = {{"turned", Dtype::f32, 12, 2, pieces}};
  const std::vector<WeightGroup> group = {{patterns, stores, {}}};
  Program program = make_program();
  program.weights = group;
  const tests::TemporaryDirectory directory;
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{9, 4}, {3, 3, 4}}) {
    const HostWeights weights = HostWeights::open(
        program, directory.write("model.safetensors", tests::safetensors({{"both", "F32", shape, f32_bytes(36, 0)}})));
    std::vector<std::byte> stored(static_cast<std::size_t>(7 * weights.stored()[0].row_bytes()));
    weights.stored_rows(0, 3, 7, stored);
    std::vector<float> row(2), other(4);
    for (std::int64_t r = 0; r < 12; ++r) {
      weights.row(0, r, row);
      for (std::int64_t c = 0; c < 2; ++c) {
        // Element r % 4 of line 1 + c of head r / 4.
        const double want = weights.at(0, r, c);
        CHECK(row[static_cast<std::size_t>(c)] == want);
        weights.row(1, r / 4, other);
        CHECK(want == other[static_cast<std::size_t>(r % 4)] + static_cast<double>(4 * (1 + c)));
        if (r < 3 || r >= 10) continue;
        CHECK(stored_value(stored.data() + (r - 3) * weights.stored()[0].row_bytes(), c, Dtype::f32) == want);
      }
    }
  }
}

TEST_CASE(
    "rows of a tensor that holds several weights, part after part or piece by piece, are those that it was made of") {
  std::mt19937 random(7);
  const auto below = [&](int count) { return std::uniform_int_distribution<std::int64_t>(0, count - 1)(random); };
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const std::int64_t banks = below(2) == 1 ? 0 : 2 + below(3), columns = 1 + below(40);
    const std::int64_t pieces = std::max<std::int64_t>(banks, 1) * (1 + below(5));
    const bool transposed = below(2) == 1;
    std::vector<std::int64_t> heights;  // rows of each weight in a piece
    for (std::int64_t n = 1 + below(3); n > 0; --n) heights.push_back(1 + below(40));
    // The tensor's rows, in order, by weight and its row.
    std::vector<std::pair<std::size_t, std::int64_t>> rows;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      for (std::size_t w = 0; w < heights.size(); ++w) {
        for (std::int64_t r = 0; r < heights[w]; ++r) rows.push_back({w, piece * heights[w] + r});
      }
    }
    const auto height = static_cast<std::int64_t>(rows.size()), in_bank = height / std::max<std::int64_t>(banks, 1);
    std::vector<float> matrix(static_cast<std::size_t>(height * columns)), elements_of;
    for (std::int64_t r = 0; r < height; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        matrix[static_cast<std::size_t>(transposed ? (r / in_bank * columns + c) * in_bank + r % in_bank
                                                   : r * columns + c)] = static_cast<float>(64 * r + c);
      }
      elements_of.push_back(static_cast<float>(r));
    }
    const auto text = [](const std::vector<float>& values) {
      return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    };

    std::deque<std::vector<WeightPart>> parts;
    std::vector<WeightPattern> patterns;
    std::vector<StoredPiece> stacked, joined;
    std::int64_t before = 0;
    for (const std::int64_t each : heights) {
      RowView view{each * pieces, before, height, transposed};
      if (pieces > 1) view.run = each, view.run_stride = height / pieces;
      view.banks = banks;
      before += each;
      parts.push_back({{"matrix", view}});
      patterns.push_back({"matrix", Dtype::f32, view.rows, columns, parts.back()});
      stacked.push_back({static_cast<std::int32_t>(stacked.size()), view.rows});
      parts.push_back({{"vector", view}});
    }
    for (std::size_t w = 0; w < heights.size(); ++w) {
      patterns.push_back({"vector", Dtype::f32, 1, heights[w] * pieces, parts[2 * w + 1], true});
      joined.push_back({static_cast<std::int32_t>(heights.size() + w), heights[w] * pieces});
    }
    const std::vector<StoredPattern> stores = {{"stacked", Dtype::f32, height, columns, stacked},
                                               {"joined", Dtype::f32, 1, height, joined}};
    const std::vector<WeightGroup> all = {{patterns, stores, {}}};
    Program program = make_program();
    program.weights = all;
    const tests::TemporaryDirectory directory;
    std::vector<std::int64_t> shape = transposed ? std::vector{columns, in_bank} : std::vector{in_bank, columns};
    std::vector<std::int64_t> of_vector = {in_bank};
    if (banks > 0 && below(2) == 1) {  // an axis of their own, or all in the first
      shape.insert(shape.begin(), banks);
      of_vector.insert(of_vector.begin(), banks);
    } else if (banks > 0) {
      shape.front() *= banks;
      of_vector.front() *= banks;
    }
    const HostWeights weights = HostWeights::open(
        program,
        directory.write("model.safetensors", tests::safetensors({{"matrix", "F32", shape, text(matrix)},
                                                                 {"vector", "F32", of_vector, text(elements_of)}})));

    std::vector<std::int64_t> begins(heights.size(), 0);  // of each weight in what is stored
    for (std::size_t w = 1; w < heights.size(); ++w) begins[w] = begins[w - 1] + heights[w - 1] * pieces;
    const StoredEntry& entry = weights.stored()[0];
    const std::int64_t first = below(static_cast<int>(height)), count = 1 + below(static_cast<int>(height - first));
    std::vector<std::byte> stored(static_cast<std::size_t>(count * entry.row_bytes()));
    weights.stored_rows(0, first, count, stored);
    std::vector<std::byte> vectors(static_cast<std::size_t>(weights.stored()[1].row_bytes()));
    weights.stored_rows(1, 0, 1, vectors);
    std::vector<float> line(static_cast<std::size_t>(columns));
    bool agree = true;
    for (std::int64_t r = 0; r < height; ++r) {
      const auto [w, row] = rows[static_cast<std::size_t>(r)];
      const auto id = static_cast<std::int32_t>(w), bias = static_cast<std::int32_t>(heights.size() + w);
      std::vector<float> elements(static_cast<std::size_t>(heights[w] * pieces));
      weights.row(bias, 0, elements);
      agree = agree && elements[static_cast<std::size_t>(row)] == static_cast<float>(r) &&
              weights.at(bias, 0, row) == static_cast<double>(r) &&
              stored_value(vectors.data(), begins[w] + row, Dtype::f32) == static_cast<double>(r);
      weights.row(id, row, line);
      const std::int64_t at = begins[w] + row - first;
      for (std::int64_t c = 0; c < columns; ++c) {
        const auto want = static_cast<float>(64 * r + c);
        agree = agree && line[static_cast<std::size_t>(c)] == want && weights.at(id, row, c) == want;
        if (at < 0 || at >= count) continue;
        agree = agree && stored_value(stored.data() + at * entry.row_bytes(), c, Dtype::f32) == want;
      }
    }
    CHECK(agree);
  }
}
