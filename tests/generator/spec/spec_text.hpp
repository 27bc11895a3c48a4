// A small spec to change, and the way from text to contract, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "generator/contract/contract.hpp"
#include "tests/generator/spec/sections.hpp"

namespace monomorph::generator::testing {

inline const std::string tiny = R"toml([model]
name = "tiny"
vocab_size = 100
hidden_size = 96
num_hidden_layers = 4
max_position_embeddings = 64
[norm]
type = "rms_norm"
eps = 1e-6
[attention]
num_attention_heads = 4
num_key_value_heads = 2
[position]
type = "rope"
[mlp]
type = "gated"
intermediate_size = 256
activation = "silu"
[checkpoint]
names = "llama"
dtype = "f16"
)toml";

inline std::shared_ptr<const Source> as_source(const std::string& text, const std::string& name = "tiny.toml") {
  return std::make_shared<const Source>(Source{name, text});
}

struct Judged {
  std::optional<Spec> spec;
  std::optional<Contract> contract;
  Diagnostics diagnostics;
};

inline Judged judge(const std::shared_ptr<const Source>& source, const std::vector<Override>& overrides = {}) {
  Judged judged;
  judged.spec = read_spec_leniently(source, overrides, judged.diagnostics);
  if (judged.spec) judged.contract = check_contract(*judged.spec, judged.diagnostics);
  return judged;
}

inline Judged judge(const std::string& text, const std::vector<Override>& overrides = {}) {
  return judge(as_source(text), overrides);
}

/// "rule line:column" of every error, or of what is as severe as said, in the order in which they were found.
inline std::vector<std::string> errors_of(const Diagnostics& diagnostics, Severity severity = Severity::error) {
  std::vector<std::string> result;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity != severity) continue;
    result.push_back(diagnostic.rule + " " + std::to_string(diagnostic.span.line) + ":" +
                     std::to_string(diagnostic.span.line > 0 ? diagnostic.span.column : 0));
  }
  return result;
}

}  // namespace monomorph::generator::testing
