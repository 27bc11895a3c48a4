// Names of what several layer kinds may share: axes, tables, buffers, kernels, functions. A thing keeps its plain word
// while it is the only one of that word; else the kinds that use it stand before the word.
#pragma once

#include <string>
#include <vector>

namespace monomorph::generator {

/// A thing to be named, and the identifiers of the layer kinds that use it (none: the model itself).
struct NamedUse {
  std::string word;
  std::vector<std::string> users;
};

/// A name for each, unique among them: "q"; "local_q"; "local_global_q"; "local_and_3_more_q" beyond two kinds. Where
/// two would still be alike, the later ones are numbered.
std::vector<std::string> qualified_names(const std::vector<NamedUse>& uses);

}  // namespace monomorph::generator
