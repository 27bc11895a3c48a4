// Rows of matrices: multiplied with rows of a pass, or gathered.
#pragma once

#include <span>
#include <vector>

#include "runtime/cpu/interleave.hpp"
#include "runtime/cpu/kernels/norms.hpp"
#include "runtime/cpu/levels/row_loops.hpp"
#include "runtime/cpu/row_format.hpp"
#include "runtime/formats/quantized.hpp"

namespace monomorph::cpu {

/// A row of weights as floats.
template <class P>
void decode_row(const Argument& weights, std::int64_t row, float* out) {
  constexpr Dtype dtype = dtype_named(P::dtype);
  constexpr std::int64_t row_bytes = file_row_bytes(dtype, P::columns);
  const std::byte* blocks = weights.rows[row];
  std::array<std::byte, row_bytes> copied;
  if (is_quantized(dtype) && row < weights.interleaved) {
    copy_interleaved_row(dtype, blocks, row % interleaved_rows, row_bytes, copied.data());
    blocks = copied.data();
  }
  decode_blocks(dtype, blocks, std::span(out, P::columns));
}

/// The rows of a table that the pass's rows name: ids, positions, types, or rows whose logits are wanted.
template <class P>
struct Gather : OfRows<P, Gather<P>> {
  explicit Gather(const Call& call) : output(call), call(call) {}
  void row(std::int64_t row) const {
    constexpr std::size_t weights = place<P>("weights");
    const std::int64_t index = index_of(row) + P::offset;
    std::array<float, P::columns> decoded;
    const float* found = decoded.data();
    if constexpr (P::splits[weights]) {
      decode_row<P>(call.arguments[weights], index, decoded.data());
    } else {
      found = data<const float>(call, weights) + index * row_stride(P::columns);
    }
    for (std::int64_t column = 0; column < P::columns; ++column) output.write(row, column, found[column]);
  }
  std::int64_t index_of(std::int64_t row) const {
    const auto at = static_cast<std::size_t>(row);
    if constexpr (P::index == "head_rows") {
      return call.pass.rows[at].row;
    } else if constexpr (P::index == "positions") {
      return call.pass.tokens[at].position;
    } else if constexpr (P::index == "token_types") {
      return call.pass.tokens[at].flags >> token_type_shift;
    } else {
      return call.pass.tokens[at].id;
    }
  }
  Epilogue<P> output;
  const Call& call;
};

/// Products of a matrix's rows, or of a bank's of them, with rows of the pass. A unit is some neighbouring rows of the
/// matrix, of every bank, for all that they are multiplied with: a row is decoded once for many inputs, and banks that
/// nobody chose leave no thread idle.
template <class P>
struct Linear {
  static std::int64_t units(const Call& call) { return (call.rows + rows_of_unit - 1) / rows_of_unit; }
  static void run(const Call& call, std::int64_t begin, std::int64_t end) {
    Linear linear(call);
    for (std::size_t bank = 0; bank < banks(); ++bank) {
      const std::int64_t first = linear.first_of_bank_[bank], count = linear.first_of_bank_[bank + 1] - first;
      const std::int64_t groups = (count + most_packed - 1) / most_packed;
      for (std::int64_t group = 0; group < groups; ++group) {
        linear.take(first + count * group / groups, first + count * (group + 1) / groups);
        for (std::int64_t unit = begin; unit < end; ++unit) linear.multiply(bank, unit * rows_of_unit);
      }
    }
  }
  static bool interleaves(const Level& level) { return row_loops<format>(level).multiply_digits != nullptr; }

 private:
  static constexpr std::int64_t rows_of_unit = 16;  // two eights
  static constexpr RowFormat format = row_format(dtype_named(P::dtype));
  static constexpr std::int64_t blocks_of_digits = P::columns / 32;
  /// How inputs are multiplied: as they lie, cut into digits, or packed.
  enum class Way { plain, digits, packed };

  explicit Linear(const Call& call) : output_(call), call_(call) {
    const std::int64_t entries = rows_in_use<P>(call.pass) * per_row();
    if constexpr (P::norm != "none") norm_rows(entries);
    list_by_bank(entries);
  }

  /// Entries and their inputs, bank after bank, in order within each.
  void list_by_bank(std::int64_t entries) {
    first_of_bank_.assign(static_cast<std::size_t>(banks() + 1), 0);
    for (std::int64_t entry = 0; entry < entries; ++entry) ++first_of_bank_[bank_of(entry) + 1];
    for (std::size_t bank = 0; bank < banks(); ++bank) first_of_bank_[bank + 1] += first_of_bank_[bank];
    std::vector<std::int64_t> next = first_of_bank_;
    entries_.resize(static_cast<std::size_t>(entries));
    inputs_.resize(entries_.size());
    for (std::int64_t entry = 0; entry < entries; ++entry) {
      const auto at = static_cast<std::size_t>(next[bank_of(entry)]++);
      entries_[at] = entry;
      inputs_[at] = input(entry);
    }
  }

  static constexpr std::size_t banks() {
    if constexpr (P::banked) {
      return P::banks;
    } else {
      return 1;
    }
  }
  /// Entries that each row of the pass has.
  static constexpr std::int64_t per_row() {
    if constexpr (P::banked) {
      return P::choices;
    } else {
      return 1;
    }
  }
  std::size_t bank_of([[maybe_unused]] std::int64_t entry) const {
    if constexpr (!P::banked) {
      return 0;
    } else if constexpr (P::chosen) {
      const float* choice = data<const float>(call_, place<P>("choice"));
      const float chosen = choice[entry / P::choices * P::choice_stride + P::choice_column + entry % P::choices];
      return std::min(static_cast<std::size_t>(chosen), banks() - 1);
    } else {
      return static_cast<std::size_t>(entry % P::choices);
    }
  }

  void norm_rows(std::int64_t entries) {
    const RowNorm<P> norm(call_);
    normed_.resize(static_cast<std::size_t>(entries * P::columns));
    for (std::int64_t entry = 0; entry < entries; ++entry) {
      norm(input_row<P>(call_, entry), normed_.data() + entry * P::columns);
    }
  }
  const float* input(std::int64_t entry) const {
    if constexpr (P::norm != "none") {
      return normed_.data() + entry * P::columns;
    } else if constexpr (P::segments) {
      if constexpr (P::whole_quads) {
        return data<const float>(call_, place<P>("entry_quads")) + entry / P::choices * P::entry_quads_stride +
               P::entry_quads_column + entry % P::choices * P::columns;
      } else {
        return data<const float>(call_, place<P>("entry_inputs")) + entry / P::choices * P::entry_inputs_stride +
               P::entry_inputs_column + entry % P::choices * P::columns;
      }
    } else {
      return input_row<P>(call_, entry / per_row());
    }
  }

  const RowLoops& loops() const { return row_loops<format>(call_.level); }
  Way way_of(std::int64_t input_count) const {
    if (input_count > loops().few_inputs && !call_.invariant) return Way::packed;
    return loops().multiply_digits != nullptr ? Way::digits : Way::plain;
  }

  /// Takes inputs, those of entries_ begin to end, for the products that follow.
  void take(std::int64_t begin, std::int64_t end) {
    const auto count = static_cast<std::size_t>(end - begin);
    begin_ = begin;
    given_ = std::span<const float* const>(inputs_).subspan(static_cast<std::size_t>(begin), count);
    way_ = way_of(end - begin);
    if (way_ == Way::digits) {
      digits_.resize(count * blocks_of_digits);
      for (std::size_t n = 0; n < count; ++n) {
        call_.level.cut_into_digits(given_[n], P::columns, digits_.data() + n * blocks_of_digits);
      }
    } else if (way_ == Way::packed) {
      packed_.resize(static_cast<std::size_t>(packed_floats(end - begin, P::columns)));
      call_.level.pack(given_.data(), end - begin, P::columns, packed_.data());
    }
  }

  /// Rows of a bank from `first` on, with the inputs that are taken.
  void multiply(std::size_t bank, std::int64_t first) {
    const std::int64_t rows = std::min(rows_of_unit, call_.rows - first);
    const std::int64_t stored = static_cast<std::int64_t>(bank) * call_.rows + first;
    products(place<P>("weights"), stored, rows, sums_);
    const float *bias = nullptr, *second_bias = nullptr;
    if constexpr (P::first_bias) bias = data<const float>(call_, place<P>("bias")) + stored;
    if constexpr (P::matrices == 2) products(place<P>("second_weights"), stored, rows, second_sums_);
    if constexpr (P::second_bias) second_bias = data<const float>(call_, place<P>("second_bias_vector")) + stored;
    for (std::int64_t n = 0; n < std::ssize(given_); ++n) {
      const std::int64_t entry = entries_[static_cast<std::size_t>(begin_ + n)];
      const std::int64_t column = entry % per_row() * call_.rows + first;
      const std::span<float> sums_0 = sums_of_entry(sums_, rows, n);
      std::array<float, rows_of_unit> none{};
      std::span<float> sums_1 = none;
      if constexpr (P::matrices == 2) sums_1 = sums_of_entry(second_sums_, rows, n);
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto at = static_cast<std::size_t>(row);
        if constexpr (P::first_bias) sums_0[at] += bias[row];
        if constexpr (P::second_bias) sums_1[at] += second_bias[row];
      }
      output_.write(entry / per_row(), column, sums_0, sums_1);
    }
  }

  static std::span<float> sums_of_entry(std::vector<float>& sums, std::int64_t rows, std::int64_t nth) {
    return {sums.data() + nth * rows, static_cast<std::size_t>(rows)};
  }

  void products(std::size_t weights, std::int64_t stored, std::int64_t rows, std::vector<float>& sums) {
    const Argument& matrix = call_.arguments[weights];
    const std::byte* const* row = matrix.rows + stored;
    const std::int64_t interleaved = std::clamp<std::int64_t>(matrix.interleaved - stored, 0, rows);
    const std::int64_t count = std::ssize(given_);
    sums.resize(static_cast<std::size_t>(rows * count));
    if (way_ == Way::digits) {
      return loops().multiply_digits({row, rows, interleaved, P::columns, digits_.data(), count, sums.data()});
    }
    const std::byte* apart[rows_of_unit];
    if (interleaved > 0) row = rows_apart(row, interleaved, rows, apart);
    if (way_ == Way::packed) {
      return loops().multiply_packed({row, rows, P::columns, packed_.data(), count, sums.data()});
    }
    loops().multiply({row, rows, P::columns, given_.data(), count, sums.data()});
  }

  /// Rows as a file has them, of which the first so many are interleaved.
  const std::byte* const* rows_apart(const std::byte* const* row, std::int64_t interleaved, std::int64_t rows,
                                     const std::byte** apart) {
    constexpr std::int64_t row_bytes = file_row_bytes(dtype_named(P::dtype), P::columns);
    copied_.resize(static_cast<std::size_t>(rows_of_unit * row_bytes));
    for (std::int64_t r = 0; r < interleaved; r += interleaved_rows) {
      loops().deinterleave(row[r], P::columns, copied_.data() + r * row_bytes);
    }
    for (std::int64_t r = 0; r < rows; ++r) apart[r] = r < interleaved ? copied_.data() + r * row_bytes : row[r];
    return apart;
  }

  Epilogue<P> output_;
  const Call& call_;
  std::vector<float> normed_;                ///< inputs, where the kernel norms them
  std::vector<std::int64_t> entries_;        ///< bank after bank
  std::vector<const float*> inputs_;         ///< of each
  std::vector<std::int64_t> first_of_bank_;  ///< in entries_, and one past the last
  std::vector<float> sums_, second_sums_;    ///< of the rows and entries at hand
  std::vector<std::byte> copied_;            ///< the rows at hand, where they lie interleaved
  // Of the inputs that are taken:
  std::int64_t begin_ = 0;  ///< where they stand in entries_
  std::span<const float* const> given_;
  Way way_ = Way::plain;
  std::vector<DigitBlock> digits_;  ///< where their way asks for it, as the next
  std::vector<float> packed_;
};

}  // namespace monomorph::cpu
