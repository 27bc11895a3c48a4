// The members of Held, for the file that has a section's rows: `template class Held<S>;` stands there.
#pragma once

#include "generator/spec/held.hpp"

namespace monomorph::generator {

template <class Section>
Held<Section>::Held() : section_(std::make_unique<Section>()) {}

template <class Section>
Held<Section>::Held(const Held& other) : section_(std::make_unique<Section>(*other)) {}

template <class Section>
Held<Section>& Held<Section>::operator=(const Held& other) {
  *section_ = *other;
  return *this;
}

template <class Section>
Held<Section>::~Held() = default;

}  // namespace monomorph::generator
