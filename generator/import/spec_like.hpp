// new --like: a commented spec to start from, as a family of the hub makes it.
//
// Takes the family's own defaults, at small sizes where config.json would say sizes. Gives the text of a spec that is
// accepted as it stands, with the family's tensor names and with the meaning of each key behind its value.
#pragma once

#include <string>

#include "generator/import/family.hpp"

namespace monomorph::generator {

/// The family with this file name, model_type or class. Throws EnvironmentError, which lists those with similar names.
const Family& find_family_like(const std::string& word);

/// A small model of the family, called `name`: accepted as it stands, where the name is a valid one.
std::string spec_like(const std::string& name, const Family& family);

}  // namespace monomorph::generator
