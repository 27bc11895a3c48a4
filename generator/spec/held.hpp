// A section that is held by who need not know its fields: a field more compiles anew who reads the section, and not all
// that include the spec.
#pragma once

#include <memory>

namespace monomorph::generator {

/// A value of a type that may be incomplete; a copy is another value. Its members are instantiated once, beside the
/// rows of the section (spec/held_members.hpp).
template <class Section>
class Held {
 public:
  Held();
  Held(const Held& other);
  Held& operator=(const Held& other);
  ~Held();

  Section& operator*() { return *section_; }
  const Section& operator*() const { return *section_; }
  Section* operator->() { return section_.get(); }
  const Section* operator->() const { return section_.get(); }

 private:
  std::unique_ptr<Section> section_;
};

}  // namespace monomorph::generator
