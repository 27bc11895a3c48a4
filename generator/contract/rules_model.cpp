#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "generator/blocks/embedding.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/pooling.hpp"
#include "generator/blocks/position.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/tokenizer_section.hpp"
#include "runtime/engine/sampler.hpp"

namespace monomorph::generator {
namespace {

/// The name becomes a file and, with a prefix, a folder.
void name_is_a_file_name(const Field<std::string>& name, Diagnostics& diagnostics) {
  if (!name.given) return;
  const auto alphanumeric = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const bool fits = !name.value.empty() && name.value.size() <= 100 && alphanumeric(name.value.front()) &&
                    std::all_of(name.value.begin(), name.value.end(), [&](char c) {
                      return alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '+';
                    });
  if (fits) return;
  diagnostics.error(
      "model.name", name.span,
      fmt::format("\"{}\" cannot name an executable: at most 100 letters, digits, \".\", \"-\", \"_\" and "
                  "\"+\" are required, a letter or digit first",
                  name.value));
}

/// The executable stands beside what is emitted.
void name_is_free(const Field<std::string>& name, Diagnostics& diagnostics) {
  if (!is_reserved_model_name(name.value)) return;
  diagnostics.error(
      "model.name", name.span,
      fmt::format("\"{}\" is what a file or folder of the emitted engine is called; give the model another name",
                  name.value));
}

void token_in_vocabulary(std::int64_t token, const char* path, const Span& span, const ModelSection& model,
                         Diagnostics& diagnostics) {
  if (!usable(model.vocab_size) || (token >= 0 && token < model.vocab_size.value)) return;
  diagnostics.error("tokenizer.token_in_vocabulary", span,
                    fmt::format("{} is {}; model.vocab_size is {}, so that tokens are 0 to {}", path, token,
                                model.vocab_size.value, model.vocab_size.value - 1));
}

/// A mask stands in a text that is read whole, of which logits say what stands there.
void mask_is_of_use(const Spec& spec, Diagnostics& diagnostics) {
  const Field<std::int64_t>& mask = spec.tokenizer->mask_token_id;
  if (!mask.given || (reads_ahead(spec) && !pools(*spec.pooling))) return;
  diagnostics.error("spec.unused_key", mask.span,
                    fmt::format("tokenizer.mask_token_id has no meaning here: {}",
                                pools(*spec.pooling)
                                    ? "with [pooling] the model gives vectors, and no logits of what a mask stands for"
                                    : "the tokens that a mask stands for are found where attention.causal is false"));
}

void eos_tokens_are_few(const Field<std::vector<std::int64_t>>& tokens, Diagnostics& diagnostics) {
  if (tokens.value.size() <= max_eos_tokens) return;
  diagnostics.error("tokenizer.eos_tokens", tokens.span,
                    fmt::format("tokenizer.eos_token_id lists {} tokens; at most {} end a generation",
                                tokens.value.size(), max_eos_tokens));
}

void eos_tokens_are_distinct(const Field<std::vector<std::int64_t>>& tokens, Diagnostics& diagnostics) {
  std::set<std::int64_t> seen;
  for (const std::int64_t token : tokens.value) {
    if (seen.insert(token).second) continue;
    diagnostics.error("tokenizer.eos_tokens", tokens.span, fmt::format("tokenizer.eos_token_id lists {} twice", token));
  }
}

}  // namespace

void check_norm(const NormSection& norm, const std::string& section, Diagnostics& diagnostics) {
  constexpr double smallest = 1e-12, largest = 0.1;
  if (norm.eps.given && !(norm.eps.value >= smallest && norm.eps.value <= largest)) {
    diagnostics.error("norm.eps_range", norm.eps.span,
                      fmt::format("{}.eps is {}; {} to {} is valid, and 1e-05 or 1e-06 usual", section, norm.eps.value,
                                  smallest, largest));
  }
  const bool weightless = norm.type.value != "scale_norm" && !norm.weight.value;
  if (weightless && norm.weight_offset.value != 0) {
    diagnostics.error("spec.unused_key", norm.weight_offset.span,
                      fmt::format("{0}.weight_offset has no meaning where {0}.weight is false", section));
  }
  constexpr double largest_offset = 1e6;
  if (std::abs(norm.weight_offset.value) <= largest_offset) return;
  diagnostics.error("norm.weight_offset_range", norm.weight_offset.span,
                    fmt::format("{}.weight_offset is {}; {} to {} is valid, and 1 usual", section,
                                norm.weight_offset.value, -largest_offset, largest_offset));
}

bool check_factor(double value, const Span& span, const std::string& rule, const std::string& what,
                  const std::string& usual, Diagnostics& diagnostics) {
  if (std::isfinite(value) && value > 0 && std::isfinite(static_cast<float>(value)) && static_cast<float>(value) > 0) {
    return true;
  }
  diagnostics.error(rule, span,
                    fmt::format("{} is {}; a number above 0 is required, and {} is usual", what, value, usual));
  return false;
}

std::optional<double> positive_constant(const Field<std::string>& field, const std::string& path,
                                        const ExpressionNames& names, const std::string& usual,
                                        Diagnostics& diagnostics) {
  const auto expression = parse_expression(field.value, field.span, names, Type::real, diagnostics);
  if (!expression) return std::nullopt;
  const double value = evaluate(*expression, {});
  return check_factor(value, field.span, path, path, usual, diagnostics) ? std::optional(value) : std::nullopt;
}

std::optional<Expression> softcap_expression(const Field<std::string>& softcap, const std::string& path,
                                             const ExpressionNames& names, const std::string& variable,
                                             Diagnostics& diagnostics) {
  const std::optional<double> cap = positive_constant(softcap, path, names, "30 or 50", diagnostics);
  if (!cap) return std::nullopt;
  return parse_expression(fmt::format("{0} * tanh({1} / {0})", *cap, variable), softcap.span, variables({variable}),
                          Type::real, diagnostics);
}

void check_range(const Field<std::int64_t>& field, const std::string& path, std::int64_t minimum, std::int64_t maximum,
                 Diagnostics& diagnostics) {
  if (!field.given || (field.value >= minimum && field.value <= maximum)) return;
  diagnostics.error(path + "_range", field.span,
                    fmt::format("{} is {}; {} to {} is valid", path, field.value, minimum, maximum));
}

void check_bias_projections(const Field<Biases>& bias, const std::string& section,
                            const std::vector<std::string>& projections, Diagnostics& diagnostics) {
  std::set<std::string> seen;
  for (const std::string& name : bias.value.projections) {
    const bool known = std::find(projections.begin(), projections.end(), name) != projections.end();
    if (known && seen.insert(name).second) continue;
    diagnostics.error(section + ".bias_projections", bias.span,
                      known ? fmt::format("{}.bias names {} twice", section, name)
                            : fmt::format("{}.bias names \"{}\", which is no projection here; they are {}", section,
                                          name, one_of(projections)));
  }
}

void check_model_rules(const Spec& spec, Diagnostics& diagnostics) {
  const ModelSection& model = spec.model;
  name_is_a_file_name(model.name, diagnostics);
  name_is_free(model.name, diagnostics);
  check_range(model.vocab_size, "model.vocab_size", 1, max_sampled_vocab_size, diagnostics);
  check_range(model.hidden_size, "model.hidden_size", 1, max_size, diagnostics);
  check_range(model.num_hidden_layers, "model.num_hidden_layers", 1, max_hidden_layers, diagnostics);
  check_range(model.max_position_embeddings, "model.max_position_embeddings", 1, max_size, diagnostics);
  check_norm(spec.norm, "norm", diagnostics);
  Spec bound = spec;  // binding may write
  check_norms("embedding", bind(*bound.embedding), diagnostics);
  check_norms("lm_head", bind(*bound.lm_head), diagnostics);
  check_norms("pooling", bind(*bound.pooling), diagnostics);
  for (const LayerKind& kind : spec.kinds) {
    const bool own = kind.norm.eps.span.line != spec.norm.eps.span.line ||
                     kind.norm.eps.span.column != spec.norm.eps.span.column ||
                     kind.norm.eps.span.source != spec.norm.eps.span.source;
    if (own) check_norm(kind.norm, "norm", diagnostics);
  }
  check_embedding(input_of(spec, own_stack), diagnostics);
  check_head(spec, diagnostics);
  check_pooling(spec, diagnostics);
  const TokenizerSection& tokenizer = *spec.tokenizer;
  const auto check_token = [&](const Field<std::int64_t>& token, const char* path) {
    if (token.given) token_in_vocabulary(token.value, path, token.span, model, diagnostics);
  };
  check_token(tokenizer.bos_token_id, "tokenizer.bos_token_id");
  check_token(tokenizer.decoder_start_token_id, "tokenizer.decoder_start_token_id");
  check_token(tokenizer.mask_token_id, "tokenizer.mask_token_id");
  mask_is_of_use(spec, diagnostics);
  for (const std::int64_t token : tokenizer.eos_token_id.value) {
    token_in_vocabulary(token, "tokenizer.eos_token_id", tokenizer.eos_token_id.span, model, diagnostics);
  }
  eos_tokens_are_few(tokenizer.eos_token_id, diagnostics);
  eos_tokens_are_distinct(tokenizer.eos_token_id, diagnostics);
}

}  // namespace monomorph::generator
