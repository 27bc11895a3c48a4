#pragma once

template <int positions>
struct budget {
  static_assert(positions <= 256, "at most 256 positions fit");
};
