#include "generator/spec/schema.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

using Json = nlohmann::json;

Json to_json(const TomlValue& value) {
  switch (value.form) {
    case TomlValue::Form::table: {
      Json result = Json::object();
      for (const TomlEntry& entry : value.entries) result[entry.key] = to_json(entry.value);
      return result;
    }
    case TomlValue::Form::array: {
      Json result = Json::array();
      for (const TomlValue& item : value.items) result.push_back(to_json(item));
      return result;
    }
    case TomlValue::Form::string:
      return value.string;
    case TomlValue::Form::integer:
      return value.integer;
    case TomlValue::Form::boolean:
      return value.boolean;
    default:
      return value.number;
  }
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "boolean" && value.is_boolean();
}

/// The parts of JSON Schema that the spec's schema uses.
bool validates(const Json& value, const Json& schema) {
  if (schema.contains("anyOf")) {
    return std::any_of(schema["anyOf"].begin(), schema["anyOf"].end(),
                       [&](const Json& s) { return validates(value, s); });
  }
  const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
  if (std::none_of(types.begin(), types.end(), [&](const Json& type) { return has_type(value, type); })) return false;
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
    return false;
  }
  if (value.is_array()) {
    return std::all_of(value.begin(), value.end(), [&](const Json& item) { return validates(item, schema["items"]); });
  }
  if (!value.is_object()) return true;
  for (const Json& key : schema.value("required", Json::array())) {
    if (!value.contains(key)) return false;
  }
  for (const auto& [key, member] : value.items()) {
    const Json properties = schema.value("properties", Json::object());
    const Json& others = schema["additionalProperties"];
    if (properties.contains(key)) {
      if (!validates(member, properties[key])) return false;
    } else if (!others.is_object() || !validates(member, others)) {
      return false;
    }
  }
  return true;
}

bool schema_accepts(const std::string& text) {
  static const Json schema = Json::parse(spec_schema());
  Diagnostics diagnostics;
  const auto root = parse_document(as_source(text), diagnostics);
  REQUIRE(root);
  return validates(to_json(*root), schema);
}

}  // namespace

TEST_CASE("the schema accepts specs and refuses unknown keys, wrong types and missing keys") {
  CHECK(schema_accepts(tiny));
  CHECK(schema_accepts(tiny + "[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b]\nattention.head_dim = 8\n"));
  CHECK(schema_accepts(
      read_source(std::string(MONOMORPH_SOURCE_DIR) + "/tests/cases/pass/fused_in_another_order.toml")->text));
  CHECK_FALSE(schema_accepts(tiny + "[lm_head]\nfoo = 1\n"));
  CHECK_FALSE(schema_accepts(tiny + "[lm_head]\ntie_word_embeddings = 1\n"));
  CHECK_FALSE(schema_accepts(tiny + "[engine]\nkv_cache = \"q8\"\n"));
  CHECK(schema_accepts(tiny + "[engine]\nkv_cache = \"q8_0\"\n"));
  CHECK(schema_accepts(tiny + "[engine]\nkv_cache = { keys = \"q8_0\", values = \"f16\" }\n"));
  CHECK_FALSE(schema_accepts(tiny + "[engine]\nkv_cache = { keys = \"q8\" }\n"));
  CHECK_FALSE(schema_accepts(tiny + "[engine]\nkv_cache = { queries = \"q8_0\" }\n"));
  CHECK_FALSE(schema_accepts(tiny + "[layers]\npattern = [\"a\"]\n[layers.a]\nattention.foo = 8\n"));
  CHECK(schema_accepts(
      read_source(std::string(MONOMORPH_SOURCE_DIR) + "/tests/cases/pass/mlps_round_an_attention.toml")->text));
  CHECK_FALSE(schema_accepts(tiny + "[inner]\nblock = \"mlp\"\nfoo = 1\n"));
  CHECK_FALSE(schema_accepts(tiny + "[inner]\nblock = \"mpl\"\n"));
  CHECK_FALSE(schema_accepts("[model]\nname = \"a\"\n"));
}

TEST_CASE("the schema describes every field") {
  const Json schema = Json::parse(spec_schema());
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  for (const SectionDescription& section : sections()) {
    for (const auto& [field, slot] : section.fields) {
      CAPTURE(section.name + "." + field->key);
      const Json& described = schema["properties"][section.name]["properties"][field->key];
      CHECK(described["description"].get<std::string>().size() > 5);
    }
  }
  CHECK(schema["properties"]["position"]["properties"]["rope_theta"]["default"] == 10000.0);
}

TEST_CASE("the reference in models/README.md is the field table's") {
  const std::string path = std::string(MONOMORPH_SOURCE_DIR) + "/models/README.md";
  const std::string text = read_source(path)->text;
  const std::string begin = "<!-- fields: begin; `monomorph schema --markdown` prints what stands here -->\n";
  const std::size_t from = text.find(begin), to = text.find("<!-- fields: end -->");
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  const std::string reference = "\n" + spec_reference();
  if (std::getenv("MONOMORPH_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text.substr(0, from + begin.size()) << reference << text.substr(to);
    return;
  }
  // No value is shown: the whole table would be.
  const bool is_current = text.substr(from + begin.size(), to - from - begin.size()) == reference;
  CHECK_MESSAGE(is_current, "stale: MONOMORPH_UPDATE_GOLDENS=1 build/bin/test_generator_spec writes it anew");
}
