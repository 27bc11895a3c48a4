// Any text as a config.json: refused, or imported as a spec that can be read.
#include <cstdint>

#include "generator/import/import.hpp"
#include "generator/spec/spec.hpp"

using namespace monomorph::generator;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = std::make_shared<const Source>(Source{"config.json", text});
  Diagnostics diagnostics;
  const std::optional<ImportedSpec> imported = import_config(config, "/nowhere", {}, diagnostics);
  if (imported.has_value() == diagnostics.has_errors()) __builtin_trap();
  if (imported) {
    const auto spec = std::make_shared<const Source>(Source{"spec.toml", imported->text});
    read_spec_leniently(spec, {}, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      if (diagnostic.rule.starts_with("spec.")) __builtin_trap();
    }
    place_in_config(diagnostics, spec.get(), imported->places);
  }
  render(diagnostics);
  return 0;
}
