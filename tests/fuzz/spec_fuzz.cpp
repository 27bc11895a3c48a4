// Any text as a spec: refused with diagnostics at places in it, or accepted by all rules.
#include <cstdint>

#include "generator/contract/contract.hpp"
#include "generator/spec/spec.hpp"

using namespace monomorph::generator;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto source = std::make_shared<const Source>(Source{"fuzz.toml", text});
  Diagnostics diagnostics;
  const std::optional<Spec> spec = read_spec_leniently(source, {}, diagnostics);
  const bool accepted = spec && check_contract(*spec, diagnostics);
  if (accepted == diagnostics.has_errors()) __builtin_trap();
  render(diagnostics);
  return 0;
}
