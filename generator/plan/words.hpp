// The enumerators of runtime/program/program.hpp as words: emitted code, dumps and templates write them so.
#pragma once

#include "runtime/program/program.hpp"

namespace monomorph::generator {

constexpr const char* name_of(KernelKind kind) {
  constexpr const char* names[] = {"gather", "norm",      "map",         "matvec", "matmul",
                                   "heads",  "attention", "sample_scan", "sample"};
  return names[static_cast<std::size_t>(kind)];
}
constexpr const char* name_of(Access access) {
  constexpr const char* names[] = {"read", "write", "read_write"};
  return names[static_cast<std::size_t>(access)];
}
constexpr const char* name_of(Arena arena) {
  constexpr const char* names[] = {"activations", "states", "host", "tables"};
  return names[static_cast<std::size_t>(arena)];
}
constexpr const char* name_of(Stage stage) {
  constexpr const char* names[] = {"layers", "head", "sample"};
  return names[static_cast<std::size_t>(stage)];
}
constexpr const char* name_of(Count count) {
  constexpr const char* names[] = {"rows", "queries"};
  return names[static_cast<std::size_t>(count)];
}

}  // namespace monomorph::generator
