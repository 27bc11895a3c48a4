// Random weights, for measuring: cheap (rows are cut out of one tile of normal values), the same for the same seed.
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string_view>

#include "runtime/formats/half.hpp"
#include "runtime/formats/quantized.hpp"
#include "runtime/weights/source.hpp"

namespace monomorph {
namespace {

// Prime, so that rows of any width start at different places for a long time.
constexpr std::int64_t tile_elements = 65521;
constexpr std::int64_t row_step = 7919;
constexpr std::size_t tile_blocks = 509;

float rounded(Dtype dtype, float value) {
  if (dtype == Dtype::f16) return f32_from_f16(f16_from_f32(value));
  if (dtype == Dtype::bf16) return f32_from_bf16(bf16_from_f32(value));
  return value;
}

class RandomSource final : public HostWeights::Source {
 public:
  RandomSource(const Program& program, std::uint64_t seed) : tile_(static_cast<std::size_t>(tile_elements)) {
    entries = list_weights(program);
    stored = list_stored(program);
    // Box and Muller's method on a generator the standard fixes: std::normal_distribution differs between libraries.
    std::mt19937_64 generator(seed);
    const auto uniform = [&] { return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53; };
    for (float& value : tile_) {
      value = static_cast<float>(std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.141592653589793 * uniform()));
    }
    for (const WeightEntry& entry : entries) {
      if (is_quantized(entry.pattern->dtype)) add_blocks(*entry.pattern, generator);
    }
  }

  double element(std::size_t tensor, std::int64_t row, std::int64_t column) const override {
    const WeightPattern& pattern = *entries[tensor].pattern;
    if (is_quantized(pattern.dtype)) {
      std::vector<float> whole(static_cast<std::size_t>(pattern.columns));
      this->row(tensor, row, whole);
      return whole[static_cast<std::size_t>(column)];
    }
    const Form form = form_of(tensor);
    const auto at = static_cast<std::size_t>((start(tensor, row) + column) % tile_elements);
    return rounded(entries[tensor].pattern->dtype, form.offset + form.scale * tile_[at]);
  }

  void row(std::size_t tensor, std::int64_t row, std::span<float> out) const override {
    const WeightPattern& pattern = *entries[tensor].pattern;
    if (is_quantized(pattern.dtype)) {
      std::vector<std::byte> blocks(static_cast<std::size_t>(file_row_bytes(pattern.dtype, pattern.columns)));
      raw_blocks(tensor, row, blocks);
      return decode_blocks(pattern.dtype, blocks.data(), out);
    }
    const Form form = form_of(tensor);
    std::int64_t at = start(tensor, row);
    for (float& value : out) {
      value = rounded(entries[tensor].pattern->dtype, form.offset + form.scale * tile_[static_cast<std::size_t>(at)]);
      if (++at == tile_elements) at = 0;
    }
  }

  void raw_rows(std::size_t tensor, std::int64_t first, std::int64_t rows, std::span<std::byte> out,
                std::int64_t stride) const override {
    const WeightPattern& pattern = *entries[tensor].pattern;
    if (is_quantized(pattern.dtype)) {
      const std::int64_t bytes = file_row_bytes(pattern.dtype, pattern.columns);
      for (std::int64_t r = 0; r < rows; ++r) {
        raw_blocks(tensor, first + r,
                   out.subspan(static_cast<std::size_t>(r * stride), static_cast<std::size_t>(bytes)));
      }
      return;
    }
    const std::int64_t size = element_bytes(pattern.dtype);
    // The tile once in the tensor's dtype and scale; then rows are copies of it.
    const Form form = form_of(tensor);
    std::vector<std::byte> encoded(static_cast<std::size_t>(tile_elements * size));
    for (std::int64_t i = 0; i < tile_elements; ++i) {
      const float value = form.offset + form.scale * tile_[static_cast<std::size_t>(i)];
      std::byte* at = encoded.data() + i * size;
      if (pattern.dtype == Dtype::f32) {
        std::memcpy(at, &value, sizeof value);
      } else {
        const std::uint16_t bits = pattern.dtype == Dtype::f16 ? f16_from_f32(value) : bf16_from_f32(value);
        std::memcpy(at, &bits, sizeof bits);
      }
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      std::int64_t at = start(tensor, first + r);
      for (std::int64_t c = 0; c < pattern.columns;) {
        const std::int64_t count = std::min(pattern.columns - c, tile_elements - at);
        std::memcpy(out.data() + r * stride + c * size, encoded.data() + at * size,
                    static_cast<std::size_t>(count * size));
        c += count;
        at = 0;
      }
    }
  }

 private:
  /// The tile of quantized weights of a type and a width.
  void add_blocks(const WeightPattern& pattern, std::mt19937_64& generator) {
    std::vector<std::byte>& blocks = blocks_[{pattern.dtype, pattern.columns}];
    if (!blocks.empty()) return;
    const auto bytes = static_cast<std::size_t>(row_of(pattern.dtype).block_bytes);
    blocks.resize(tile_blocks * bytes);
    for (std::size_t at = 0; at < blocks.size(); at += bytes) {
      fill_random_block(pattern.dtype, generator(), 1 / std::sqrt(static_cast<float>(pattern.columns)),
                        std::span(blocks).subspan(at, bytes));
    }
  }

  /// A row's blocks, as in a file.
  void raw_blocks(std::size_t tensor, std::int64_t row, std::span<std::byte> out) const {
    const WeightPattern& pattern = *entries[tensor].pattern;
    const std::vector<std::byte>& tile = blocks_.at({pattern.dtype, pattern.columns});
    const auto bytes = static_cast<std::size_t>(row_of(pattern.dtype).block_bytes);
    std::size_t block = static_cast<std::size_t>(start(tensor, row)) % tile_blocks;
    for (std::size_t at = 0; at < out.size(); at += bytes, block = (block + 1) % tile_blocks) {
      std::memcpy(out.data() + at, tile.data() + block * bytes, bytes);
    }
  }

  struct Form {
    float offset, scale;
  };

  Form form_of(std::size_t tensor) const {
    const WeightPattern& pattern = *entries[tensor].pattern;
    if (!pattern.vector) return {0, 1 / std::sqrt(static_cast<float>(pattern.columns))};
    const std::string_view name = pattern.name;
    // What scalar products go through exp of, as differential attention has them, is drawn as rows of matrices are.
    if (name.find("lambda_") != std::string_view::npos) return {0, 1 / std::sqrt(static_cast<float>(pattern.columns))};
    // Time steps of some hundredths and rates of all sizes, as those of trained state spaces: elements that all forget
    // at once would make a token one product of two vectors, of which little may be left.
    if (name.find("dt_up.bias") != std::string_view::npos || name.find("time_step_bias") != std::string_view::npos)
      return {-3, 1};
    if (name.find("a_log") != std::string_view::npos) return {1, 1};
    if (name.ends_with(".a") || name.find(":a.") != std::string_view::npos) return {-4, 1};  // rates with a minus
    return {name.find("bias") == std::string_view::npos ? 1.0f : 0.0f, 0.3f};
  }

  std::int64_t start(std::size_t tensor, std::int64_t row) const {
    const std::int32_t same_as = entries[tensor].same_as;
    const auto drawn = static_cast<std::uint64_t>(same_as < 0 ? static_cast<std::int32_t>(tensor) : same_as);
    return static_cast<std::int64_t>((drawn * 40503u + static_cast<std::uint64_t>(row) * row_step) % tile_elements);
  }

  std::vector<float> tile_;
  std::map<std::pair<Dtype, std::int64_t>, std::vector<std::byte>> blocks_;  ///< by type and columns
};

}  // namespace

std::unique_ptr<HostWeights::Source> make_random(const Program& program, std::uint64_t seed) {
  return std::make_unique<RandomSource>(program, seed);
}

}  // namespace monomorph
