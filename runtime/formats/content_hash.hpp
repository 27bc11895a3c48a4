// A hash of bytes, to see that they are the ones that were written. It is no proof against somebody who means to
// deceive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace monomorph {

/// Takes parts of a content one after the other; where it is cut into parts is part of the content.
class ContentHash {
 public:
  /// Eight bytes at a time. Each step can be undone, so that contents which differ in one word alone never have one
  /// hash.
  void add(std::span<const std::byte> bytes) {
    take(bytes.size());
    while (!bytes.empty()) {
      const std::size_t count = bytes.size() < 8 ? bytes.size() : 8;
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), count);
      take(word);
      bytes = bytes.subspan(count);
    }
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  template <class Number>
  void add_number(Number value) {
    add(std::as_bytes(std::span(&value, 1)));
  }
  std::uint64_t value() const { return hash_; }

 private:
  void take(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9fb21c651e98df25ull;  // odd
    hash_ ^= hash_ >> 32;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

}  // namespace monomorph
