// An emitted header whose types are checked when a function of theirs is needed that nobody wrote.
#pragma once

#include "tiny/forward.hpp"

namespace tiny {

template <int positions>
struct page {
  constexpr page() { static_assert(positions <= 256, "at most 256 positions fit a page"); }
};

/// Its constructor is implicit.
template <int positions>
struct pages {
  page<positions> first;
};

template <int positions>
struct filled_page {
  int tokens = [] {
    static_assert(positions <= 256, "at most 256 positions fill a page");
    return positions;
  }();
};

/// Whether its constructor throws is asked before there is one.
template <int positions>
struct filled_pages {
  filled_page<positions> first;
};

}  // namespace tiny
