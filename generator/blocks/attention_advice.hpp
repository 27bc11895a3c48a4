// What a designer would act on in an attention's numbers.
#pragma once

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

struct BlockContext;
struct EngineSection;

/// Rows of the cache that are padded, lanes that add no values, a window that hides nothing, rows of `o` that no
/// quantized type holds. Of a section without errors.
void advise_attention(const BlockContext& context, const EngineSection& engine, Diagnostics& diagnostics);

}  // namespace monomorph::generator
