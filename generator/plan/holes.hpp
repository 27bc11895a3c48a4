// What fills the holes of a template: values by name. The plan says them, the emitter renders them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace monomorph::generator {

struct HoleValue;
using Holes = std::map<std::string, HoleValue>;

/// What fills a hole: a flag, a number, a text, or a list of records.
struct HoleValue {
  std::variant<bool, std::int64_t, double, std::string, std::vector<Holes>> value;

  HoleValue(bool flag) : value(flag) {}
  HoleValue(int number) : value(std::int64_t{number}) {}
  HoleValue(std::int64_t number) : value(number) {}
  HoleValue(double number) : value(number) {}
  HoleValue(const char* text) : value(std::string(text)) {}
  HoleValue(std::string text) : value(std::move(text)) {}
  HoleValue(std::vector<Holes> list) : value(std::move(list)) {}
  bool operator==(const HoleValue& other) const { return value == other.value; }
};

}  // namespace monomorph::generator
