// A GGUF file that is not what it was: cut short, with a byte of its header changed, with other tensors or the same
// ones in another order. What an engine's weights would be read wrongly from is refused when they are loaded.
#pragma once

#include <string>

#include "runtime/program/program.hpp"

namespace monomorph::golden {

/// The program's weights from changed copies of the file `path`. Empty where each is refused, or gives the same
/// weights where it may; else a sentence.
std::string corruption_taken(const Program& program, const std::string& path);

}  // namespace monomorph::golden
