// How rows of the field table are written: `row(key, at(&Section::member), required(), unit, meaning)`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/spec/fields.hpp"

namespace monomorph::generator {

template <class Section, class Stored>
std::function<Slot(Section&)> at(Stored Section::* member) {
  return [member](Section& section) -> Slot { return &(section.*member); };
}

inline Fallback required() { return {Fallback::Kind::required, ""}; }
/// `text` is the TOML value.
inline Fallback literal(std::string text) { return {Fallback::Kind::literal, std::move(text)}; }
/// `text` says how, for people.
inline Fallback computed(std::string text) { return {Fallback::Kind::computed, std::move(text)}; }

template <class Section>
FieldRow<Section> row(std::string key, std::function<Slot(Section&)> slot, Fallback fallback, std::string unit,
                      std::string meaning, std::vector<std::string> choices = {}, std::vector<std::string> types = {}) {
  FieldRow<Section> result;
  result.key = std::move(key);
  result.fallback = std::move(fallback);
  result.unit = std::move(unit);
  result.meaning = std::move(meaning);
  result.choices = std::move(choices);
  result.types = std::move(types);
  result.slot = std::move(slot);
  return result;
}

template <class Section>
FieldRow<Section> expression(FieldRow<Section> row) {
  row.is_expression = true;
  return row;
}

/// The row of a key that stands in place of another.
template <class Section>
FieldRow<Section> in_place_of(std::string key, FieldRow<Section> row) {
  row.in_place_of = std::move(key);
  return row;
}

/// The row of a key that another key than `type` asks for.
template <class Section>
FieldRow<Section> where(std::string selector, std::vector<std::string> values, FieldRow<Section> row) {
  row.selector = std::move(selector);
  row.types = std::move(values);
  return row;
}

}  // namespace monomorph::generator
