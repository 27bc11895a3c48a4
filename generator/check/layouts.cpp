#include "generator/check/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/check/reflection.hpp"

namespace monomorph::generator {
namespace {

/// Lists differences as lines of one message.
class Comparison {
 public:
  explicit Comparison(std::string record) : record_(std::move(record)) {}

  void number(const std::string& what, std::int64_t found, std::int64_t expected) {
    if (found != expected) {
      text_ += fmt::format("\n  {}: {} is {}, the plan says {}", record_, what, found, expected);
    }
  }
  void name(std::size_t index, const std::string& found, const std::string& expected) {
    if (found != expected) {
      text_ += fmt::format("\n  {}: field {} is {}, the plan says {}", record_, index, found, expected);
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string record_;
  std::string text_;
};

void compare_field(Comparison& comparison, const ExpectedField& field, std::int64_t offset, std::int64_t size) {
  comparison.number("the offset of " + field.name, offset, field.offset);
  comparison.number("the size of " + field.name, size, field.size);
}

}  // namespace

void verify_layouts(const CppInput& header, const std::vector<ExpectedStruct>& expected) {
  std::vector<std::string> names;
  for (const ExpectedStruct& record : expected) names.push_back(record.name);
  const std::map<std::string, RecordLayout> found = record_layouts(header, names);
  std::string differences;
  for (const ExpectedStruct& record : expected) {
    const RecordLayout& layout = found.at(record.name);
    Comparison comparison(record.name);
    comparison.number("the size", layout.size, record.size);
    comparison.number("the number of fields", static_cast<std::int64_t>(layout.fields.size()),
                      static_cast<std::int64_t>(record.fields.size()));
    for (std::size_t index = 0; index < std::min(layout.fields.size(), record.fields.size()); ++index) {
      comparison.name(index, layout.fields[index].name, record.fields[index].name);
      compare_field(comparison, record.fields[index], layout.fields[index].offset, layout.fields[index].size);
    }
    differences += comparison.text();
  }
  if (!differences.empty())
    throw InternalError("check.layout: C++ layouts differ in " + header.path + ":" + differences);
}

void verify_spirv_layout(const std::string& kernel, std::span<const std::uint32_t> spirv, std::uint32_t binding,
                         const ExpectedStruct& expected) {
  const std::optional<ReflectedStruct> found = reflect_struct(spirv, binding);
  if (!found) return;
  Comparison comparison(expected.name);
  comparison.number("the number of fields", static_cast<std::int64_t>(found->fields.size()),
                    static_cast<std::int64_t>(expected.fields.size()));
  for (std::size_t index = 0; index < std::min(found->fields.size(), expected.fields.size()); ++index) {
    const ReflectedField& field = found->fields[index];
    const ExpectedField& wanted = expected.fields[index];
    // Shipped SPIR-V may have lost its debug names; places are then compared by order alone.
    if (!field.name.empty()) comparison.name(index, field.name, wanted.name);
    compare_field(comparison, wanted, field.offset, field.size);
    comparison.number("the array stride of " + wanted.name, field.array_stride, wanted.array_stride);
  }
  if (!comparison.text().empty()) {
    throw InternalError(
        fmt::format("check.layout: the SPIR-V of {} differs at binding {}:{}", kernel, binding, comparison.text()));
  }
}

}  // namespace monomorph::generator
