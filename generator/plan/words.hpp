// Enumerators of the plan and of runtime/program/program.hpp as words: emitted code, dumps and templates write them so.
#pragma once

#include <iterator>

#include "generator/plan/plan.hpp"
#include "runtime/enumerators.hpp"
#include "runtime/program/program.hpp"

namespace monomorph::generator {

constexpr const char* name_of(KernelKind kind) {
  constexpr const char* names[] = {"gather", "norm",      "map",        "matvec",      "matvec_few", "matmul",
                                   "heads",  "attention", "recurrence", "sample_scan", "sample"};
  static_assert(std::size(names) == enumerator_count<KernelKind>());
  return names[static_cast<std::size_t>(kind)];
}
constexpr const char* name_of(Access access) {
  constexpr const char* names[] = {"read", "write", "read_write"};
  static_assert(std::size(names) == enumerator_count<Access>());
  return names[static_cast<std::size_t>(access)];
}
constexpr const char* name_of(Arena arena) {
  constexpr const char* names[] = {"activations", "states", "host"};
  static_assert(std::size(names) == enumerator_count<Arena>());
  return names[static_cast<std::size_t>(arena)];
}
constexpr const char* name_of(Element element) {
  constexpr const char* names[] = {"f32", "u32"};
  static_assert(std::size(names) == enumerator_count<Element>());
  return names[static_cast<std::size_t>(element)];
}
constexpr const char* name_of(Stage stage) {
  constexpr const char* names[] = {"encode", "layers", "head", "sample"};
  static_assert(std::size(names) == enumerator_count<Stage>());
  return names[static_cast<std::size_t>(stage)];
}
constexpr const char* name_of(Lowering lowering) {
  constexpr const char* names[] = {"vector", "few", "tiles"};
  static_assert(std::size(names) == enumerator_count<Lowering>());
  return names[static_cast<std::size_t>(lowering)];
}
/// In names of kernels and of the functions that call them.
constexpr const char* word_of(Lowering lowering) {
  constexpr const char* words[] = {"decode", "few", "prefill"};
  static_assert(std::size(words) == enumerator_count<Lowering>());
  return words[static_cast<std::size_t>(lowering)];
}
constexpr const char* name_of(Count count) {
  constexpr const char* names[] = {"rows", "queries", "banks", "runs"};
  static_assert(std::size(names) == enumerator_count<Count>());
  return names[static_cast<std::size_t>(count)];
}

}  // namespace monomorph::generator
