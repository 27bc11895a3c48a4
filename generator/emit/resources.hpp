// The texts that travel inside the generator: templates/... and shaders/..., by their path in the repository.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace monomorph::generator {

const std::map<std::string, std::string_view>& resources();

/// One of them; an unknown path is an InternalError.
std::string_view resource(const std::string& path);

}  // namespace monomorph::generator
