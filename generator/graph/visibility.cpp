#include "generator/graph/visibility.hpp"

#include <fmt/format.h>

namespace monomorph::generator {
namespace {

Expression condition(const std::string& text) {
  Diagnostics none;
  return parse_expression(text, {}, {{"query", {Type::integer}}, {"key", {Type::integer}}}, Type::boolean, none)
      .value();
}

/// The keys of a window; empty where there is none.
Expression within(std::int64_t recent, std::int64_t first) {
  if (recent == 0) return {};
  std::string text = fmt::format("query - key < {}", recent);
  if (first > 0) text += fmt::format(" || key < {}", first);
  return condition(text);
}

}  // namespace

Expression visibility(const Attention& attention) {
  const Expression window = within(attention.recent, attention.first);
  if (window.empty() || equal(attention.mask, window)) return attention.mask;
  return attention.mask.empty() ? window : conjunction(attention.mask, window);
}

Expression causal(const Expression& visible) { return conjunction(condition("key <= query"), visible); }

bool has_holes(const Attention& attention) {
  return !attention.mask.empty() && !equal(attention.mask, within(attention.recent, attention.first));
}

}  // namespace monomorph::generator
