#include "generator/blocks/scores.hpp"

#include <fmt/format.h>

#include <set>
#include <tuple>
#include <vector>

#include "generator/blocks/distances.hpp"
#include "generator/blocks/layer_number.hpp"
#include "generator/blocks/position.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

constexpr std::int64_t largest_scale_offset = 65535;  // beside a position within 32 bits, where kernels add the two

const AttentionSection& own(const BlockContext& context) { return section_of<AttentionSection>(context.block); }

bool valid(const Window& window) {
  return window.recent >= 1 && window.first >= 0 && window.recent <= max_size && window.first <= max_size;
}

/// The factor of query times key; nothing where the expression is wrong.
std::optional<Expression> scale_expression(const BlockContext& context, Diagnostics& diagnostics) {
  return layer_expression(own(context).scale, context, diagnostics);
}

void check_scale(const BlockContext& context, Diagnostics& diagnostics) {
  const Field<std::string>& field = own(context).scale;
  // The default's operands are judged by their own rules.
  if (!field.given && !usable(own(context).head_dim)) return;
  const std::optional<Expression> scale = scale_expression(context, diagnostics);
  if (!scale) return;
  const std::string path = "attention.scale";
  if (!names_layer(*scale)) {
    check_factor(value_in(*scale, 0), field.span, path, path, "1 / sqrt(head_dim)", diagnostics);
    return;
  }
  for (const std::int64_t layer : layers_of(context)) {
    const std::string what = fmt::format("{} of layer {}", path, layer);
    if (!check_factor(value_in(*scale, layer), field.span, path, what, "1 / sqrt(head_dim) / (layer + 1)", diagnostics))
      return;
  }
}

/// The numbers that expressions of scores and keys may name.
ExpressionNames names_of_keys(const BlockContext& context) {
  ExpressionNames names;
  if (!is_of_source(own(context))) names = {{"query", {Type::integer}}, {"key", {Type::integer}}};
  names.merge(spec_numbers(context));
  return names;
}

/// What the type of positions adds to a score, and the name that it has in an expression of it; none: nothing.
struct Added {
  std::string name, term;
};
Added added_by(const std::string& position_type) {
  if (position_type == "alibi") return {"slope", "slope * (key - query)"};
  if (position_type == "relative_buckets") return {"bias", "bias"};
  return {};
}

/// Scores that grow with the query's position; nothing where a key of the two is missing or wrong.
std::optional<Expression> growing_score(const BlockContext& context, Diagnostics& diagnostics) {
  const Field<std::string>& growth = own(context).scale_growth;
  const Field<std::int64_t>& interval = own(context).scale_interval;
  if (growth.given != interval.given) {
    diagnostics.error(
        "attention.scale_growth", growth.given ? growth.span : interval.span,
        fmt::format("attention.{} is given without {}; scores grow by scale_growth at every scale_interval",
                    growth.given ? "scale_growth" : "scale_interval",
                    growth.given ? "scale_interval" : "scale_growth"));
    return std::nullopt;
  }
  const auto factor = positive_constant(growth, "attention.scale_growth", spec_numbers(context), "0.1", diagnostics);
  check_range(interval, "attention.scale_interval", 1, max_size, diagnostics);
  if (!usable(interval) || !factor) return std::nullopt;
  const std::int64_t offset = own(context).scale_offset.value;
  const std::string position = offset == 0 ? "query" : fmt::format("(query + {})", offset);
  return parse_expression(
      fmt::format("score * (1 + {0} * log(1 + ({1} - {1} % {2}) / {2}))", *factor, position, interval.value),
      growth.span, {{"score", {Type::real}}, {"query", {Type::integer}}}, Type::real, diagnostics);
}

/// What becomes of a score; empty where it stays, nothing where it is wrong.
std::optional<Expression> score_expression(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  const std::string& position_type = position_of(context).type.value;
  const Added added = added_by(position_type);
  const bool adds = !added.name.empty();
  ExpressionNames names = names_of_keys(context);
  names.insert({"score", {Type::real}});
  names.insert({"head", {Type::integer}});
  if (adds) names.insert({added.name, {Type::real}});
  const auto parse = [&](const std::string& text, const Span& span) {
    return parse_expression(text, span, names, Type::real, diagnostics);
  };
  const bool grows = attention.scale_growth.given || attention.scale_interval.given;
  const std::string other = adds                    ? fmt::format("position.type = \"{}\"", position_type)
                            : attention.score.given ? "attention.score"
                            : grows                 ? "attention.scale_growth"
                                                    : "";
  const auto is_said_twice = [&](const std::string& key, const Span& span) {
    if (other.empty() || other == key) return false;
    diagnostics.error(
        key, span,
        fmt::format("{} says what becomes of a score, and so does {}: say it in attention.score alone", key, other));
    return true;
  };
  if (attention.softcap.given && is_said_twice("attention.softcap", attention.softcap.span)) return std::nullopt;
  if (grows && is_said_twice("attention.scale_growth", attention.scale_growth.span)) return std::nullopt;
  if (grows) return growing_score(context, diagnostics);
  if (attention.softcap.given) {
    return softcap_expression(attention.softcap, "attention.softcap", spec_numbers(context), "score", diagnostics);
  }
  if (!attention.score.given) {
    return adds ? parse("score + " + added.term, attention.score.span) : Expression{};
  }
  auto score = parse(attention.score.value, attention.score.span);
  for (const std::string& name : {std::string("score"), added.name}) {
    if (!score || !names.contains(name) || names_in(*score).contains(name)) continue;
    diagnostics.error("attention.score", attention.score.span,
                      fmt::format("attention.score does not use {}: it would have no effect", name));
    return std::nullopt;
  }
  return score;
}

/// Which keys a mask shows; empty: every one up to the query's own; nothing where it is wrong.
std::optional<Expression> mask_expression(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  const Field<std::int64_t>& chunk = attention.chunk_size;
  if (chunk.given && usable(chunk)) {
    return parse_expression(fmt::format("query - key <= query % {}", chunk.value), chunk.span, names_of_keys(context),
                            Type::boolean, diagnostics);
  }
  const Field<std::int64_t>& both = attention.sliding_window;
  if (!attention.causal.value && both.given && usable(both)) {
    return parse_expression(fmt::format("query - key < {0} && key - query < {0}", both.value), both.span,
                            names_of_keys(context), Type::boolean, diagnostics);
  }
  if (!attention.mask.given) return Expression{};
  return parse_expression(attention.mask.value, attention.mask.span, names_of_keys(context), Type::boolean,
                          diagnostics);
}

struct Pair {
  std::int64_t query, key;
};

/// What a mask is tried on. Of a short sequence all there is. Of a longer one: around every edge that the window and
/// the sequence have, each key for the last query, and for each query its own key and those just outside of the window.
std::vector<Pair> tried_pairs(const Window& window, std::int64_t positions) {
  constexpr std::int64_t shortest_tried_whole = 256, most_steps = 65536;
  std::vector<Pair> pairs;
  const auto add = [&](std::int64_t query, std::int64_t key) {
    if (query >= 0 && query < positions && key >= 0 && key <= query) pairs.push_back({query, key});
  };
  if (positions <= shortest_tried_whole) {
    for (std::int64_t query = 0; query < positions; ++query) {
      for (std::int64_t key = 0; key <= query; ++key) add(query, key);
    }
    return pairs;
  }
  std::set<std::int64_t> edges;
  for (const std::int64_t edge : {std::int64_t{0}, window.first, window.recent, 2 * window.recent, positions}) {
    for (std::int64_t at = edge - 3; at <= edge + 3; ++at) edges.insert(at);
  }
  for (const std::int64_t query : edges) {
    for (const std::int64_t key : edges) add(query, key);
    for (std::int64_t back = -3; back <= 3; ++back) add(query, query - window.recent + back);
  }
  const std::int64_t step = (positions + most_steps - 1) / most_steps;
  for (std::int64_t at = positions - 1; at >= 0; at -= step) {
    add(positions - 1, at);
    for (const std::int64_t key : {at, at - window.recent, window.first, (at + window.first) / 2}) add(at, key);
  }
  return pairs;
}

/// The mask by itself and against the window, on some pairs: a query that does not see itself, which is an error, and a
/// key that the mask shows and the window hides.
void check_mask(const BlockContext& context, const Expression& mask, Diagnostics& diagnostics) {
  const Window window = window_of(own(context));
  bool reported = false;
  constexpr std::int64_t tried_length = 4096;  // where nothing says how long a sequence may be
  const Field<std::int64_t>& positions = context.model.max_position_embeddings;
  for (const auto& [query, key] : tried_pairs(window, positions.given ? positions.value : tried_length)) {
    const bool shown = evaluate(mask, {{"query", query}, {"key", key}}) != 0;
    if (key == query && !shown) {
      diagnostics.error("attention.mask", own(context).mask.span,
                        fmt::format("position {} would not see itself; every query sees its own key", query));
      return;
    }
    const bool inside = window.recent == 0 || query - key < window.recent || key < window.first;
    if (inside || !shown || reported) continue;
    reported = true;
    diagnostics.warning("attention.window", own(context).window.span,
                        fmt::format("the mask shows the key of position {} to the query of {}, and the window of {} "
                                    "recent and {} first keys hides it: a query sees what both show",
                                    key, query, window.recent, window.first));
  }
}

}  // namespace

Window window_of(const AttentionSection& attention) {
  if (!attention.causal.value) return {};  // no keys are kept: a window is a mask
  const Window window = attention.sliding_window.given ? Window{attention.sliding_window.value, 0}
                        : attention.chunk_size.given   ? Window{attention.chunk_size.value, 0}
                                                       : attention.window.value;
  return valid(window) ? window : Window{};
}

void check_scores(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  check_scale(context, diagnostics);
  check_range(attention.sliding_window, "attention.sliding_window", 1, max_size, diagnostics);
  check_range(attention.chunk_size, "attention.chunk_size", 1, max_size, diagnostics);
  const char* whole = attention.sliding_window.given ? "sliding_window" : "chunk_size";
  for (const auto& [given, span, name] : {std::tuple{attention.sliding_window.given && attention.chunk_size.given,
                                                     attention.chunk_size.span, "chunk_size"},
                                          std::tuple{attention.mask.given, attention.mask.span, "mask"},
                                          std::tuple{attention.window.given, attention.window.span, "window"}}) {
    if (!given || !(attention.sliding_window.given || attention.chunk_size.given)) continue;
    diagnostics.error("spec.unused_key", span,
                      fmt::format("attention.{} has no meaning where attention.{} says all", name, whole));
  }
  if (attention.scale_offset.given && !attention.scale_growth.given && !attention.scale_interval.given) {
    diagnostics.error("spec.unused_key", attention.scale_offset.span,
                      "attention.scale_offset has no meaning where attention.scale_growth is not given");
  }
  check_range(attention.scale_offset, "attention.scale_offset", 0, largest_scale_offset, diagnostics);
  const Window& window = attention.window.value;
  if (attention.window.given && !valid(window)) {
    diagnostics.error("attention.window", attention.window.span,
                      fmt::format("a window of {} recent and {} first keys; at least 1 and 0 are valid", window.recent,
                                  window.first));
    return;
  }
  if (attention.window.given && !attention.mask.given) {
    diagnostics.error(
        "attention.window", attention.window.span,
        "attention.window says what is kept of the keys that a mask shows, and there is no attention.mask");
  }
  score_expression(context, diagnostics);
  const auto mask = mask_expression(context, diagnostics);
  const Field<std::int64_t>& positions = context.model.max_position_embeddings;
  if (mask && attention.mask.given && (!positions.given || usable(positions))) check_mask(context, *mask, diagnostics);
}

void declare_layer_scale(const BlockContext& context, Declarations& declare) {
  Diagnostics none;
  const std::optional<Expression> scale = scale_expression(context, none);
  if (!scale || !names_layer(*scale)) return;
  declare.number("layer_scale", own(context).scale.span, [&](std::int64_t layer) { return value_in(*scale, layer); });
}

ValueId build_layer_scale(const BlockContext& context, Builder& build) {
  Diagnostics none;
  return names_layer(scale_expression(context, none).value()) ? build.vector("layer_scale") : ValueId{};
}

Attention scores_of(const BlockContext& context) {
  Diagnostics none;
  const Expression scale = scale_expression(context, none).value();
  const Window window = window_of(own(context));
  return {names_layer(scale) ? 1 : value_in(scale, 0),
          own(context).causal.value,
          score_expression(context, none).value(),
          mask_expression(context, none).value(),
          position_slopes(context, numbered_heads(own(context))),
          window.recent,
          window.first,
          distances_of(context, own(context).causal.value),
          is_of_source(own(context))};
}

}  // namespace monomorph::generator
