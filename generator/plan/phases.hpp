// The table of phases: a row is a way through the graph that the runtime records on its own.
#pragma once

#include "runtime/program/program.hpp"

namespace monomorph::generator {

struct PhaseRow {
  const char* name;
  Stage stage;
  Lowering lowering;
};

/// In the order in which plans, dumps and emitted tables list them. Those for a few rows are of engines whose slots may
/// share a pass.
inline constexpr PhaseRow phase_rows[] = {
    {"decode", Stage::layers, Lowering::vector},   // 1 row
    {"prefill", Stage::layers, Lowering::tiles},   // prefill_chunk rows
    {"few", Stage::layers, Lowering::few},         // prefill_chunk rows
    {"encode", Stage::encode, Lowering::tiles},    // max_source_length rows
    {"head", Stage::head, Lowering::vector},       // head_rows rows
    {"head_few", Stage::head, Lowering::few},      // head_rows rows
    {"head_tiles", Stage::head, Lowering::tiles},  // head_rows rows, where they are more than slots or drawing need
    {"sample", Stage::sample, Lowering::vector},   // max_batch draws
};

}  // namespace monomorph::generator
