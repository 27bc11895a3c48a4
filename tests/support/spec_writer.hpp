// What random specs are written with: draws, sections, keys, and the tables of norms.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace monomorph::test {

class SpecWriter {
 protected:
  explicit SpecWriter(std::uint64_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(last - first + 1));
  }
  bool chance(int percent) { return between(0, 99) < percent; }
  template <class T = std::int64_t>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(from.size()) - 1))];
  }
  static std::string quoted(const std::string& text) { return "\"" + text + "\""; }

  void section(const std::string& name) { text_ += "\n[" + name + "]\n"; }
  void key(const std::string& name, const std::string& value) { text_ += name + " = " + value + "\n"; }
  void key(const std::string& name, std::int64_t value) { key(name, std::to_string(value)); }
  /// A key whose value is one of these, in some specs.
  void perhaps(int percent, const std::string& name, const std::vector<std::string>& values) {
    if (chance(percent)) key(name, pick<std::string>(values));
  }
  void expression(int percent, const std::string& name, const std::vector<std::string>& texts) {
    if (chance(percent)) key(name, quoted(pick<std::string>(texts)));
  }

  /// A norm's own keys, on lines or, for a norm at one place, in a table.
  std::string norm_table(bool of_heads = false) {
    std::string keys = fmt::format("eps = {}", pick<std::string>({"1e-5", "0.1"}));
    if (chance(40)) {
      keys += fmt::format(", type = {}",
                          pick<std::string>({"\"rms_norm\"", "\"layer_norm\", bias = false", "\"layer_norm\"",
                                             of_heads ? "\"rms_norm\"" : "\"scale_norm\""}));
    }
    if (of_heads && chance(40))
      keys += ", over = \"projection\"";
    else if (of_heads && chance(40))
      keys += ", per_head = true";
    if (of_heads && chance(30)) keys += ", after_rotation = true";
    return "{ " + keys + " }";
  }
  void norm_at(int percent, const std::string& place) { perhaps(percent, place, {"true", "false", norm_table()}); }
  void norm_keys(bool any) {
    const std::string type = pick<std::string>({"rms_norm", "layer_norm", any ? "scale_norm" : "rms_norm"});
    key("type", quoted(type));
    key("eps", pick<std::string>({"1e-5", "0.1"}));
    const bool weightless = type != "scale_norm" && chance(15);
    if (weightless) key("weight", "false");
    if (!weightless && type != "scale_norm") perhaps(20, "weight_offset", {"1.0", "-0.5"});
    if (type == "layer_norm") perhaps(30, "bias", {"false"});
  }

  std::mt19937_64 random_;
  std::string text_;
};

}  // namespace monomorph::test
