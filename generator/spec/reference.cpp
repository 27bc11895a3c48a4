#include <fmt/format.h>

#include "generator/expression/expression.hpp"
#include "generator/expression/node.hpp"
#include "generator/spec/checkpoint_names.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/schema.hpp"

namespace monomorph::generator {
namespace {

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string choices(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : ", ") + code('"' + word + '"');
  return result;
}

struct FormName {
  std::string operator()(const Field<bool>*) const { return "boolean"; }
  template <class Section>
  std::string operator()(const Field<NormChoiceOf<Section>>*) const {
    return "boolean or table";
  }
  std::string operator()(const Field<PositionChoice>*) const { return "boolean or table"; }
  std::string operator()(const Field<std::int64_t>*) const { return "integer"; }
  std::string operator()(const Field<double>*) const { return "number"; }
  std::string operator()(const Field<std::string>*) const { return "string"; }
  std::string operator()(const Field<Biases>*) const { return "boolean or list"; }
  std::string operator()(const Field<Window>*) const { return "table"; }
  std::string operator()(const Field<CacheTypes>*) const { return choices(cache_type_names()) + " or table"; }
  std::string operator()(const Field<std::vector<std::string>>*) const { return "list of strings"; }
  std::string operator()(const Field<std::vector<std::int64_t>>*) const { return "integer or list"; }
  std::string operator()(const Field<std::vector<double>>*) const { return "list of numbers"; }
  std::string operator()(const IgnoredTensors*) const { return "list of tables"; }
  template <class Table>
  std::string operator()(const Table*) const {
    return "table";
  }
};

std::string form_of(const FieldDescription& field, const Slot& slot) {
  if (field.is_expression) return "expression";
  if (field.choices.empty()) return std::visit(FormName{}, slot);
  const bool list = std::holds_alternative<Field<std::vector<std::string>>*>(slot);
  return (list ? "list of " : "") + choices(field.choices);
}

std::string fallback_of(const FieldDescription& field) {
  switch (field.fallback.kind) {
    case Fallback::Kind::required:
      return "required";
    case Fallback::Kind::literal:
      return code(field.fallback.text);
    case Fallback::Kind::computed:
      return field.fallback.text;
  }
  throw InternalError("field table: a default of no kind");
}

std::string meaning_of(const FieldDescription& field) {
  std::string result = field.meaning;
  if (!field.unit.empty()) result += " (" + field.unit + ")";
  if (!field.types.empty())
    result += ". Only where `" + field.selector + "` is " + code('"' + one_of(field.types) + '"');
  return result;
}

}  // namespace

std::string spec_reference() {
  std::string text;
  for (const SectionDescription& section : sections()) {
    text += fmt::format(
        "### [{}]\n\n{}{}\n\n", section.name, section.meaning,
        section.in_kinds ? fmt::format(" A kind of layer says what differs in `[layers.NAME.{}]`.", section.name) : "");
    text += "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
    for (const auto& [row, slot] : section.fields) {
      const FieldDescription& field = *row;
      text += fmt::format("| `{}` | {} | {} | {} |\n", field.key, form_of(field, slot), fallback_of(field),
                          meaning_of(field));
    }
    text += '\n';
  }
  text += "### Tensors of several parts\n\n| interleaved | what stands in turn |\n| --- | --- |\n";
  for (const Interleaving& one : interleavings()) text += fmt::format("| `{}` | {} |\n", one.name, one.meaning);
  text +=
      fmt::format("\n### Expressions\n\nFunctions: `{}`. The named activations, each of which is a function too:\n\n",
                  fmt::join(function_names(), "`, `"));
  text += "| activation | of x |\n| --- | --- |\n";
  for (const auto& [name, expression] : named_activations()) text += fmt::format("| `{}` | `{}` |\n", name, expression);
  return text + '\n';
}

}  // namespace monomorph::generator
