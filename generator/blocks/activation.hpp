// An activation, as a spec says it: by name, or as an expression of x.
#pragma once

#include <optional>
#include <string>

#include "generator/expression/expression.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// The activation as the text of an expression of x; nothing, and the rule `path`, where no activation has this name.
std::optional<std::string> activation_text(const Field<std::string>& activation, const std::string& path,
                                           Diagnostics& diagnostics);

/// A number x by an expression of x and the model's numbers, which uses x; nothing, and the rule `path`, where it is
/// wrong.
std::optional<Expression> expression_of_x(const std::string& text, const Span& span, const std::string& path,
                                          const ModelSection& model, Diagnostics& diagnostics);
/// What becomes of x by a key that names an activation or writes one; nothing, and the rule `path`, where it is wrong.
std::optional<Expression> required_activation_of_x(const Field<std::string>& activation, const std::string& path,
                                                   const ModelSection& model, Diagnostics& diagnostics);
/// What becomes of x by a key that may name an activation or write one; an empty expression where it is not given: x
/// stays. Nothing, and the rule `path`, where it is wrong.
std::optional<Expression> activation_of_x(const Field<std::string>& activation, const std::string& path,
                                          const ModelSection& model, Diagnostics& diagnostics);

}  // namespace monomorph::generator
