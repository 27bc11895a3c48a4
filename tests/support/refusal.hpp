// What a call is refused with.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "runtime/error.hpp"

namespace monomorph::tests {

/// The message of the Error of this kind that `call` throws, "" where it throws none.
std::string refused_with(const auto& call, ErrorKind kind = ErrorKind::rejected) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return error.what();
  }
  return "";
}

}  // namespace monomorph::tests
