// Random valid specs of all words of the language, over odd heads and widths; every third has an encoder.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "generator/contract/contract.hpp"

namespace monomorph::test {

/// The text of a spec, the same for the same seed; a few are refused, since words are drawn one by one. Tensors have no
/// names.
std::string random_spec_text(std::uint64_t seed);

/// The contract of such a text, each of whose parts stands in a tensor of its name, experts in one of several ways;
/// nothing where it is refused, and `refusal` is then the first error. Fields that it says are added to `said`, as
/// "attention.scale", those of the encoder as "encoder.attention.scale", and of what reads a source as
/// "cross attention.scale".
std::optional<generator::Contract> contract_of_random(const std::string& text, std::set<std::string>& said,
                                                      std::string& refusal);

}  // namespace monomorph::test
