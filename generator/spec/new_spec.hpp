// new: a commented spec to start from.
#pragma once

#include <string>

namespace monomorph::generator {

/// A small Llama-like model called `name`: accepted as it stands, where the name is a valid one.
std::string new_spec(const std::string& name);

/// The end of every new spec: the keys of [engine] as comments.
std::string engine_to_uncomment();

}  // namespace monomorph::generator
