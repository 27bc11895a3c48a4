// Signed 64-bit arithmetic that knows when it has left its range.
#pragma once

#include <cstdint>

namespace monomorph::generator {

class Checked {
 public:
  Checked(std::int64_t value) : value_(value) {}  // a plain number is a checked one
  std::int64_t value() const { return value_; }
  bool overflowed() const { return overflowed_; }

  friend Checked operator+(Checked a, Checked b) {
    Checked result(0);
    result.overflowed_ = __builtin_add_overflow(a.value_, b.value_, &result.value_) || a.overflowed_ || b.overflowed_;
    return result;
  }
  friend Checked operator*(Checked a, Checked b) {
    Checked result(0);
    result.overflowed_ = __builtin_mul_overflow(a.value_, b.value_, &result.value_) || a.overflowed_ || b.overflowed_;
    return result;
  }

 private:
  std::int64_t value_;
  bool overflowed_ = false;
};

}  // namespace monomorph::generator
