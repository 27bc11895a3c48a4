#include "generator/check/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

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

ExpectedField word(const char* name, std::size_t offset) { return {name, static_cast<std::int64_t>(offset), 4, 0, {}}; }

std::vector<ExpectedField> slot_fields() {
  using S = StepSlot;
  return {word("next_position", offsetof(S, next_position)),
          word("stop_position", offsetof(S, stop_position)),
          word("drawn", offsetof(S, drawn)),
          word("done", offsetof(S, done)),
          word("wrong", offsetof(S, wrong)),
          word("top_k", offsetof(S, top_k)),
          word("inverse_temperature", offsetof(S, inverse_temperature)),
          word("top_p", offsetof(S, top_p)),
          word("least_mass", offsetof(S, least_mass)),
          word("seed_low", offsetof(S, seed_low)),
          word("seed_high", offsetof(S, seed_high)),
          word("angle_offset", offsetof(S, angle_offset)),
          word("source_length", offsetof(S, source_length)),
          word("copy_from", offsetof(S, copy_from)),
          word("copy_to", offsetof(S, copy_to)),
          word("eos_count", offsetof(S, eos_count)),
          {"eos_tokens", offsetof(S, eos_tokens), sizeof(S::eos_tokens), 4, {}}};
}
std::vector<ExpectedField> row_fields() {
  return {word("row", offsetof(StepRow, row)), word("slot", offsetof(StepRow, slot))};
}
std::vector<ExpectedField> run_fields() {
  return {word("first_row", offsetof(StepRun, first_row)), word("rows", offsetof(StepRun, rows))};
}
std::vector<ExpectedField> token_fields() {
  using T = StepToken;
  return {word("id", offsetof(T, id)), word("position", offsetof(T, position)), word("slot", offsetof(T, slot)),
          word("flags", offsetof(T, flags))};
}

template <class T>
ExpectedField list(const char* name, std::int64_t offset, std::int64_t count, std::vector<ExpectedField> fields) {
  constexpr auto stride = static_cast<std::int64_t>(sizeof(T));
  return {name, offset, count * stride, stride, std::move(fields)};
}

void compare_spirv(Comparison& comparison, const std::string& record, const std::vector<ReflectedField>& found,
                   const std::vector<ExpectedField>& expected) {
  comparison.number("the number of fields" + record, static_cast<std::int64_t>(found.size()),
                    static_cast<std::int64_t>(expected.size()));
  for (std::size_t index = 0; index < std::min(found.size(), expected.size()); ++index) {
    const ReflectedField& field = found[index];
    const ExpectedField& wanted = expected[index];
    // Shipped SPIR-V may have lost its debug names; places are then compared by order alone.
    if (!field.name.empty()) comparison.name(index, field.name, wanted.name);
    compare_field(comparison, wanted, field.offset, field.size);
    comparison.number("the array stride of " + wanted.name, field.array_stride, wanted.array_stride);
    compare_spirv(comparison, " of " + wanted.name, field.fields, wanted.fields);
  }
}

}  // namespace

ExpectedStruct expected_step(const std::string& name, const StepLayout& layout) {
  return {name,
          layout.bytes(),
          {word("token_count", 0), word("head_rows", 4), word("draw_count", 8), word("live", 12), word("run_count", 16),
           list<StepSlot>("slots", layout.slots(), layout.max_batch, slot_fields()),
           list<std::uint32_t>("drawn", layout.drawn(), layout.max_batch * layout.decode_steps, {}),
           list<StepRow>("rows", layout.rows(), layout.head_rows, row_fields()),
           list<StepRun>("runs", layout.runs(), layout.max_batch, run_fields()),
           list<StepToken>("tokens", layout.tokens(), layout.max_tokens, token_fields())}};
}

std::vector<ExpectedStruct> expected_step_parts() {
  return {{"monomorph::StepSlot", sizeof(StepSlot), slot_fields()},
          {"monomorph::StepRow", sizeof(StepRow), row_fields()},
          {"monomorph::StepRun", sizeof(StepRun), run_fields()},
          {"monomorph::StepToken", sizeof(StepToken), token_fields()}};
}

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
  compare_spirv(comparison, "", found->fields, expected.fields);
  if (!comparison.text().empty()) {
    throw InternalError(
        fmt::format("check.layout: the SPIR-V of {} differs at binding {}:{}", kernel, binding, comparison.text()));
  }
}

}  // namespace monomorph::generator
