// The texts that travel inside the generator: templates/... and shaders/..., by their path in the repository.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "generator/emit/template.hpp"

namespace monomorph::generator {

using Texts = std::map<std::string, std::string_view>;

const Texts& resources();

/// One of them; an unknown path is an InternalError.
std::string_view resource(const std::string& path);

/// The template of that name, with what it includes.
inline Template embedded_template(const std::string& path) {
  return Template::parse(path, [](const std::string& name) { return resource("templates/" + name); });
}

}  // namespace monomorph::generator
