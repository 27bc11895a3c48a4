// One value of the spec.
#pragma once

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// A value of the spec and where it stands. Not given: the default, with the span of the section (or of the file).
template <class T>
struct Field {
  T value{};
  Span span;
  bool given = false;
};

}  // namespace monomorph::generator
