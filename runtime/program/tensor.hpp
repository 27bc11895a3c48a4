// Shapes as types. An axis is a type with a meaning and a size; a tensor's type is its element and its axes. So a
// mistake whose sizes happen to fit (an o_proj where a q_proj belongs, keys where values belong) does not compile.
//
// Nothing here owns memory: a Tensor or a State is a place in an arena that the plan laid out, a Weight is a row of an
// emitted table. Rows (the last axis) are padded to 16 bytes (runtime/dtype.hpp), but for the blocks of a state.
#pragma once

#include <cstdint>

#include "runtime/dtype.hpp"

namespace monomorph {

/// Elements, told apart by type; rows are laid out as those of `layout`.
template <Dtype dtype>
struct ElementOf {
  static constexpr Dtype layout = dtype;
};
struct f32 : ElementOf<Dtype::f32> {};
struct f16 : ElementOf<Dtype::f16> {};
struct bf16 : ElementOf<Dtype::bf16> {};
struct q4_0 : ElementOf<Dtype::q4_0> {};
struct q4_1 : ElementOf<Dtype::q4_1> {};
struct q5_0 : ElementOf<Dtype::q5_0> {};
struct q5_1 : ElementOf<Dtype::q5_1> {};
struct q8_0 : ElementOf<Dtype::q8_0> {};
struct q2_k : ElementOf<Dtype::q2_k> {};
struct q3_k : ElementOf<Dtype::q3_k> {};
struct q4_k : ElementOf<Dtype::q4_k> {};
struct q5_k : ElementOf<Dtype::q5_k> {};
struct q6_k : ElementOf<Dtype::q6_k> {};
struct iq4_nl : ElementOf<Dtype::iq4_nl> {};
struct iq4_xs : ElementOf<Dtype::iq4_xs> {};
struct mxfp4 : ElementOf<Dtype::mxfp4> {};
struct u32 {
  static constexpr Dtype layout = Dtype::f32;
};

/// The memories of an engine, weights aside: each is one buffer, laid out by the plan.
enum class Arena : std::uint32_t {
  activations,  ///< values between dispatches; reused by lifetime
  states,       ///< what slots remember: keys and values of every layer
  host,         ///< what host and device both touch: the step, angles, logits
};
inline constexpr std::int64_t arena_count = 3;

/// `bytes` bytes at `offset` of an arena; offset is a multiple of 256.
struct BufferView {
  Arena arena;
  std::int64_t offset;
  std::int64_t bytes;
};

/// Bytes from one row of `columns` elements to the next.
template <class Element>
constexpr std::int64_t row_bytes(std::int64_t columns) {
  return row_bytes(Element::layout, columns);
}

/// Bytes from one row of a state to the next. Rows of q8_0 are read a word at a time and end with their last word: 34
/// bytes a block of 32 elements, and two more where the number of blocks is odd.
constexpr std::int64_t state_row_bytes(Dtype dtype, std::int64_t columns) {
  return is_quantized(dtype) ? plane_offset(dtype, columns, Plane::end) : row_bytes(dtype, columns);
}

namespace detail {
template <class First, class... Rest>
struct Extent {
  static constexpr std::int64_t rows = First::size * Extent<Rest...>::rows;
  static constexpr std::int64_t columns = Extent<Rest...>::columns;
};
template <class Last>
struct Extent<Last> {
  static constexpr std::int64_t rows = 1;
  static constexpr std::int64_t columns = Last::size;
};
template <class... Axes>
constexpr std::int64_t elements_of() {
  return Extent<Axes...>::rows * Extent<Axes...>::columns;
}
template <class Element, class... Axes>
constexpr std::int64_t bytes_of() {
  return Extent<Axes...>::rows * row_bytes<Element>(Extent<Axes...>::columns);
}
}  // namespace detail

/// An activation, or a table: `Tensor<roles::attention::queries, f32, tokens, q>`. The role tells apart what has equal
/// axes.
template <class Role, class Element, class... Axes>
struct Tensor {
  BufferView view;
  static constexpr std::int64_t elements = detail::elements_of<Axes...>();
  static constexpr std::int64_t bytes = detail::bytes_of<Element, Axes...>();
};

/// A matrix or vector on the device: `Weight<roles::mlp::gate_proj, f16, intermediate, hidden>`. `stored` is its row in
/// the emitted table of what the device stores.
template <class Role, class Element, class... Axes>
struct Weight {
  std::int32_t stored;
  static constexpr std::int64_t parameters = detail::elements_of<Axes...>();
  static constexpr std::int64_t bytes = detail::bytes_of<Element, Axes...>();
};

/// What slots remember of one role in one layer: `State<roles::attention::keys, f16, slots, kv_heads, positions,
/// head>`.
template <class Role, class Element, class... Axes>
struct State {
  BufferView view;
  static constexpr std::int64_t elements = detail::elements_of<Axes...>();
  static constexpr std::int64_t bytes =
      detail::Extent<Axes...>::rows * state_row_bytes(Element::layout, detail::Extent<Axes...>::columns);
};

}  // namespace monomorph
