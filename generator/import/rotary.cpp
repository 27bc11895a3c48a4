#include "generator/import/rotary.hpp"

#include <fmt/format.h>

namespace monomorph::generator {
namespace {

constexpr double default_theta = 10000;

/// The library's versions differ on what this key does to a Llama: older ones rotate a part of each head, 5 does not
/// read it.
void check_partial_rotary_factor(ConfigReader& reader) {
  if (!reader.has("partial_rotary_factor")) return;
  const double factor = reader.number("partial_rotary_factor", 1).value;
  if (factor != 1) {
    reader.refuse("import.unsupported_value", "partial_rotary_factor",
                  fmt::format("'{}' is {}, and versions of transformers disagree on what that means here; only 1 runs",
                              reader.path_of("partial_rotary_factor"), factor));
  }
}

/// "default" or what the object asks for instead.
std::string rope_type(ConfigReader& scaling) {
  // `type` is the older name; where both are given, the newer decides.
  const std::string older = scaling.text("type", "default").value;
  return scaling.text("rope_type", older).value;
}

}  // namespace

Imported<double> read_rotary(ConfigReader& config, Family family, const std::string& architecture,
                             const std::vector<std::string>& ignore, std::vector<std::string>& accepted) {
  check_partial_rotary_factor(config);
  Imported<double> theta = config.number("rope_theta", default_theta);
  bool given = config.has("rope_theta");

  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    std::optional<ConfigReader> scaling = config.object(key);
    if (!scaling) continue;
    const std::string type = rope_type(*scaling);
    if (type != "default") {
      config.refuse("import.rope_scaling", key,
                    fmt::format("'{}' asks for rotary scaling of type '{}', which would change every angle; only "
                                "unscaled rotary embeddings run (null, or type 'default')",
                                key, type));
      continue;  // the rest of the object belongs to the type
    }
    check_partial_rotary_factor(*scaling);
    if (scaling->find("rope_theta") != nullptr) {
      const Imported<double> inner = scaling->number("rope_theta", default_theta);
      if (given && inner.value != theta.value) {
        scaling->refuse("import.rope_theta", "rope_theta",
                        fmt::format("'{}' is {}, but rope_theta was {} before; make them agree",
                                    scaling->path_of("rope_theta"), inner.value, theta.value));
      }
      theta = inner;
      given = true;
    }
    const std::vector<std::string> more = scaling->account_for_rest(family, architecture, ignore);
    accepted.insert(accepted.end(), more.begin(), more.end());
  }
  return theta;
}

}  // namespace monomorph::generator
