// The table of phases: a row is a way through the graph that the runtime records on its own.
#pragma once

#include <cstdint>

#include "runtime/program/program.hpp"

namespace monomorph::generator {

/// How functions become calls: which kernel a Linear is, and what may be its prologue.
enum class Lowering {
  vector,  ///< a row at a time: each matrix is read once, a norm before it is its prologue
  tiles,   ///< many rows at once: each row is normed once, by a kernel of its own
};

struct PhaseRow {
  const char* name;
  Stage stage;
  Lowering lowering;
};

/// In the order in which plans, dumps and emitted tables list them; of a stage by rows.
inline constexpr PhaseRow phase_rows[] = {
    {"decode", Stage::layers, Lowering::vector},  // 1 row
    {"prefill", Stage::layers, Lowering::tiles},  // prefill_chunk rows
    {"head", Stage::head, Lowering::vector},      // head_rows rows
    {"sample", Stage::sample, Lowering::vector},  // max_batch draws
};

}  // namespace monomorph::generator
