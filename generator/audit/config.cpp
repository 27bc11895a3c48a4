#include <fmt/format.h>

#include <algorithm>

#include "generator/audit/config_facts.hpp"
#include "generator/import/json_file.hpp"
#include "runtime/formats/config_facts.hpp"

namespace monomorph::generator {

Diagnostics audit_config(const Spec& spec, Meanings& meanings, const std::string& path, bool ignore) {
  Diagnostics diagnostics;
  const std::optional<WeightsConfig> config = find_config(path);
  if (!config) return diagnostics;
  const auto source = std::make_shared<const Source>(Source{config->name, config->text});
  const auto skip = [&](const std::string& why) {
    diagnostics.advice("config.not_compared", {source}, fmt::format("{}: it may say other {}", why, config_decides));
    return diagnostics;
  };
  if (ignore) return skip("not compared with the spec, by --ignore-config");
  const std::optional<JsonFile> file = parse_json_file(source, diagnostics);
  if (!file) return diagnostics;
  const std::int64_t layers = spec.model.num_hidden_layers.value;
  const auto compare = [&](const std::string& facts) {
    return compare_config(*config, facts, layers, spec.model.name.value);
  };
  const std::string architecture = compare("[]").architecture;
  for (const auto& [name, family] : config->gguf ? gguf_families() : families()) {
    const auto& own = family.architectures;
    if (architecture != family.model_type && std::find(own.begin(), own.end(), architecture) == own.end()) continue;
    const std::string facts = Json::array({config_facts(spec, meanings, family)}).dump();
    for (const ConfigDifference& difference : compare(facts).differences) {
      diagnostics.error("config.differs", file->span(difference.path), difference.message);
    }
    return diagnostics;
  }
  return skip(fmt::format("not compared with the spec, since {} is not known",
                          architecture.empty() ? "its architecture" : "'" + architecture + "'"));
}

}  // namespace monomorph::generator
