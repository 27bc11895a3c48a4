#include "generator/spec/schema.hpp"

#include "generator/spec/block_type.hpp"
#include "generator/spec/by_layer.hpp"
#include "generator/spec/checkpoint_names.hpp"
#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph::generator {
namespace {

Json of_type(const char* type) { return Json::object({{"type", type}}); }

Json list_of(const Json& items) { return Json::object({{"type", "array"}, {"items", items}}); }

Json either(const Json& a, const Json& b) { return Json::object({{"anyOf", Json::array({a, b})}}); }

Json object(const Json& properties, const std::vector<std::string>& required) {
  return Json::object(
      {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}});
}

Json table_of(const Json& values) { return Json::object({{"type", "object"}, {"additionalProperties", values}}); }

Json section_schema(const SectionDescription& section, bool in_kind);

struct FormSchema {
  const Json string = of_type("string"), integer = of_type("integer"), boolean = of_type("boolean");

  Json operator()(const Field<bool>*) const { return boolean; }
  template <class Section>
  Json operator()(const Field<NormChoiceOf<Section>>*) const {
    Section norm;
    return either(boolean, section_schema({"norm", "Keys laid over those of [norm].", true, bind(norm)}, true));
  }
  Json operator()(const Field<PositionChoice>*) const {
    PositionChoice choice;
    return either(boolean, section_schema(
                               {"position", "Keys laid over those of [position].", true, bind(*choice.section)}, true));
  }
  Json operator()(const Field<std::int64_t>*) const { return integer; }
  Json operator()(const Field<double>*) const { return of_type("number"); }
  Json operator()(const Field<std::string>*) const { return string; }
  Json operator()(const Field<Biases>*) const { return either(boolean, list_of(string)); }
  Json operator()(const Field<Window>*) const {
    return object(Json::object({{"recent", integer}, {"first", integer}}), {"recent"});
  }
  Json operator()(const Field<CacheTypes>*) const {
    const Json type = Json::object({{"type", "string"}, {"enum", cache_type_names()}});
    return either(type, object(Json::object({{"keys", type}, {"values", type}}), {}));
  }
  Json operator()(const Field<std::vector<std::string>>*) const { return list_of(string); }
  Json operator()(const Field<std::vector<std::int64_t>>*) const { return either(integer, list_of(integer)); }
  Json operator()(const Field<std::vector<double>>*) const { return list_of(of_type("number")); }
  Json operator()(const DtypePatterns*) const {
    return table_of(Json::object({{"type", "string"}, {"enum", dtype_names()}}));
  }
  Json operator()(const TensorNames*) const {
    const Json name = object(Json::object({{"name", string},
                                           {"transposed", boolean},
                                           {"fused", list_of(string)},
                                           {"interleaved", Json::object({{"enum", interleaving_names()}})},
                                           {"exact", boolean},
                                           {"shared", boolean}}),
                             {"name"});
    Json properties = Json::object();
    for (const std::string& part : part_names()) properties[part] = either(string, name);
    Json result = table_of(either(string, name));  // a part's own ".bias" may be named too
    result["properties"] = properties;
    return result;
  }
  Json operator()(const IgnoredTensors*) const {
    return list_of(object(Json::object({{"name", string}, {"why", string}}), {"name", "why"}));
  }
  Json operator()(const Reasons*) const { return table_of(string); }
};

std::string description_of(const FieldDescription& field) {
  std::string text = field.meaning + ".";
  if (!field.unit.empty()) text += " In " + field.unit + ".";
  if (!field.types.empty()) text += " Only where " + field.selector + " is " + one_of(field.types) + ".";
  if (field.fallback.kind == Fallback::Kind::computed) text += " Default: " + field.fallback.text + ".";
  return text;
}

Json field_schema(const FieldDescription& field, const Slot& slot) {
  Json schema = std::visit(FormSchema{}, slot);
  if (!field.choices.empty()) (schema.contains("items") ? schema["items"] : schema)["enum"] = field.choices;
  if (field.is_expression) schema["type"] = Json::array({"string", "number"});
  if (field.fallback.kind == Fallback::Kind::literal) {
    Diagnostics diagnostics;
    const auto source = std::make_shared<const Source>(Source{"default", "x = " + field.fallback.text});
    const auto value = parse_document(source, diagnostics);
    const TomlValue& fallback = value->find("x")->value;
    switch (fallback.form) {
      case TomlValue::Form::boolean:
        schema["default"] = fallback.boolean;
        break;
      case TomlValue::Form::string:
        schema["default"] = fallback.string;
        break;
      case TomlValue::Form::integer:
        schema["default"] = fallback.integer;
        break;
      case TomlValue::Form::number:
        schema["default"] = fallback.number;
        break;
      default:
        schema["default"] = Json::array();
        for (const TomlValue& item : fallback.items) schema["default"].push_back(item.string);
    }
  }
  schema["description"] = description_of(field);
  return schema;
}

/// A kind of layer says only what differs: nothing is required of its sections.
Json section_schema(const SectionDescription& section, bool in_kind) {
  Json properties = Json::object();
  std::vector<std::string> required;
  for (const auto& [row, slot] : section.fields) {
    const FieldDescription& field = *row;
    properties[field.key] = field_schema(field, slot);
    // In a base section a number may be a list, an entry a layer.
    if (section.in_kinds && !in_kind && may_be_by_layer(slot)) {
      const Json number = properties[field.key]["type"];
      properties[field.key]["type"] = Json::array({number, "array"});
      properties[field.key]["items"] = of_type(number.string().c_str());
    }
    // A base section may leave what every kind of layer says.
    if (field.fallback.kind == Fallback::Kind::required && !section.in_kinds && field.types.empty()) {
      required.push_back(field.key);
    }
  }
  Json schema = object(properties, in_kind ? std::vector<std::string>{} : required);
  schema["description"] = section.meaning;
  return schema;
}

/// A section that the spec names itself: that of a sub-block, whose type its key `block` says.
Json own_block_schema(bool in_kind) {
  Json types = Json::array();
  for (const SectionDescription& section : sections()) {
    if (find_block_type(section.name) == nullptr) continue;
    Json schema = section_schema(section, in_kind);
    schema["properties"]["block"] = Json::object({{"type", "string"}, {"enum", Json::array({section.name})}});
    if (!in_kind) schema["required"].push_back("block");
    types.push_back(schema);
  }
  return Json::object({{"anyOf", types}, {"description", "A sub-block under a name of its own, for steps to say."}});
}

Json kind_schema() {
  Json properties = Json::object();
  for (const SectionDescription& section : sections()) {
    if (section.in_kinds) properties[section.name] = section_schema(section, true);
    if (section.name != "layers") continue;
    for (const auto& [row, slot] : section.fields) {
      const FieldDescription& field = *row;
      if (field.key != "pattern") properties[field.key] = field_schema(field, slot);
    }
  }
  Json schema = object(properties, {});
  schema["additionalProperties"] = own_block_schema(true);
  schema["description"] = "What differs for a kind of layer.";
  return schema;
}

}  // namespace

std::string spec_schema() {
  Json properties = Json::object();
  for (const SectionDescription& section : sections()) {
    properties[section.name] = section_schema(section, false);
    if (section.name == "layers") properties["layers"]["additionalProperties"] = kind_schema();
  }
  Json schema = Json::object(
      {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
       {"title", "Monomorph spec"},
       {"description", "The architecture of a transformer, from which its inference engine is generated."}});
  const Json model = object(properties, {"model", "norm", "checkpoint"});
  for (const auto& [key, value] : model.members()) schema[key] = value;
  schema["additionalProperties"] = own_block_schema(false);
  return schema.dump(2) + "\n";
}

}  // namespace monomorph::generator
