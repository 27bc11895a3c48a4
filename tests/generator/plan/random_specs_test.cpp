// Random specs of all words of the language, some with an encoder: each that is accepted gives on devices, fused or
// not, what the evaluation of its graph does, and every field is in some of them.
//   MONOMORPH_RANDOM_SPECS=N   as many, in place of 10
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "generator/audit/rows.hpp"
#include "generator/plan/make.hpp"
#include "generator/spec/fields.hpp"
#include "tests/generator/plan/agreement.hpp"
#include "tests/support/random_spec.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

// Matrices here have a gain of two and more, and a few layers multiply their rounding.
constexpr double tolerance = 1e-4;

std::uint64_t spec_count() { return count_of("MONOMORPH_RANDOM_SPECS", 10); }

/// Specs by seed, of which at least half are accepted.
struct Drawn {
  std::vector<std::pair<std::uint64_t, Contract>> accepted;
  std::map<std::string, int> refusals;
  std::set<std::string> said;
};

Drawn draw(std::uint64_t count) {
  Drawn drawn;
  for (std::uint64_t seed = 1; drawn.accepted.size() < count && seed <= 2 * count; ++seed) {
    std::string refusal;
    auto contract = contract_of_random(random_spec_text(seed), drawn.said, refusal);
    if (contract)
      drawn.accepted.emplace_back(seed, std::move(*contract));
    else
      ++drawn.refusals[refusal];
  }
  return drawn;
}

/// Keys of attention that have no meaning in an encoder, and where a source is read.
const std::set<std::string> not_in_encoders = {"source",    "chunk_size", "window", "keys_and_values_from",
                                               "value_mix", "values_from"};
const std::set<std::string> not_of_sources = {
    "sliding_window",       "chunk_size",     "mask",         "window",      "scale_growth",
    "differential",         "scale_interval", "scale_offset", "value_mix",   "values_from",
    "keys_and_values_from", "with_embedding", "with_stream",  "adapter_rank"};
/// Chains of random encoders are of attention and an MLP or a matrix behind it.
bool is_in_encoders(const std::string& section, const std::string& key) {
  if (key == "with_embedding") return section == "attention";
  return key != "with_stream" || section == "mlp" || section == "projection";
}

/// Sub-blocks that keep something of earlier tokens, and stand in no encoder.
const std::set<std::string> remembering = {"latent_attention", "short_conv", "mamba", "mamba2", "delta_net",
                                           "retention",        "rg_lru",     "rwkv",  "rwkv7",  "channel_mix"};

/// The names under which random specs are to say a key: the model's own layers, their cross-attention, the encoder's.
std::vector<std::string> names_of(const SectionDescription& section, const std::string& key) {
  const bool attention = section.name == "attention", source = attention && key == "source";
  const std::string name = section.name + "." + key;
  std::vector<std::string> names;
  if (!source) names.push_back(name);
  if (attention && !not_of_sources.contains(key)) names.push_back("cross " + name);
  const bool keeps = remembering.contains(section.name);
  const bool of_stacks =
      section.name == "embedding" || (section.in_kinds && !keeps && is_in_encoders(section.name, key));
  if (of_stacks && !(attention && not_in_encoders.contains(key))) names.push_back("encoder." + name);
  return names;
}

}  // namespace

TEST_CASE("random specs say every word of what a model is made of, and most are accepted") {
  const Drawn drawn = draw(1500);
  std::string refused;
  for (const auto& [refusal, times] : drawn.refusals) refused += std::to_string(times) + " x " + refusal + "\n";
  INFO(refused);
  CHECK(drawn.accepted.size() == 1500);
  std::set<std::string> ways;  // of experts
  int shared_output_norms = 0;
  for (const auto& [seed, contract] : drawn.accepted) {
    CAPTURE(seed);
    Diagnostics rows;
    audit_rows(contract, rows);
    CHECK(render(rows) == "");
    for (const LayerContract& layer : contract.kinds) {
      for (const Step& step : layer.kind.steps) shared_output_norms += step.shared_output_norm ? 1 : 0;
    }
    for (const WeightContract& weight : contract.weights) {
      const RowView& view = weight.sources.empty() ? RowView{} : weight.sources.front().view;
      if (weight.part.find("moe.up") != std::string::npos && weight.axes.size() == 2) {
        ways.insert(fmt::format("{} {} {}", view.banks != 0, view.transposed,
                                view.rows == view.source_rows ? "apart"
                                : view.run == 1               ? "in turn"
                                                              : "after"));
      }
    }
  }
  CHECK(ways.size() == 12);
  CHECK(shared_output_norms > 0);
  const std::set<std::string> of_the_network = {"embedding", "encoder", "lm_head"};
  for (const SectionDescription& section : sections()) {
    if (!section.in_kinds && !of_the_network.contains(section.name)) continue;
    for (const auto& [field, slot] : section.fields) {
      for (const std::string& said : names_of(section, field->key)) {
        INFO(said, " is in no random spec");
        CHECK(drawn.said.contains(said));
      }
    }
  }
}

TEST_CASE("plans of random specs with an encoder compute what their graphs say") {
  int count = 0;
  for (const auto& [seed, contract] : draw(count_of("MONOMORPH_RANDOM_SPECS", 120)).accepted) {
    if (contract.encoder() == nullptr) continue;
    CAPTURE(seed);
    CAPTURE(random_spec_text(seed));
    const RandomGraph random = {contract, build_graph(contract)};
    CHECK(agrees_on_host(random, make_plan(random.contract, random.graph)));
    ++count;
  }
  CHECK(count > 0);
}

TEST_CASE("random specs give on a device what the evaluation of their graphs does") {
  const std::uint64_t count = spec_count();
  const Drawn drawn = draw(count);
  REQUIRE(drawn.accepted.size() == count);
  for (const auto& [seed, contract] : drawn.accepted) {
    CAPTURE(seed);
    const RandomGraph random = {contract, build_graph(contract)};
    const std::vector<Pass> passes = contract.one_pass ? std::vector<Pass>{{0, 7}} : few_passes;
    const auto errors = errors_on_devices(random, make_plan(random.contract, random.graph), passes);
    if (errors.empty()) std::exit(77);
    for (const auto& [device, error] : errors) {
      CAPTURE(device);
      CAPTURE(random_spec_text(seed));
      CHECK(error <= tolerance);
    }
  }
}
