// What is made of a config.json or a spec to see whether somebody notices: each key another value, dropped, and of
// another type.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace monomorph::tests {

/// A change of one key, at the top or inside an object.
struct Alteration {
  std::vector<std::string> path;                ///< the keys that lead to it
  std::string what;                             ///< "+1", "dropped", "as text": how the table calls it
  std::optional<nlohmann::ordered_json> value;  ///< nothing: the key is gone
};

/// What may stand at a key in place of a word or a null: values of other models, or choices of the field.
using OtherValues = std::function<std::vector<nlohmann::ordered_json>(const std::vector<std::string>& path)>;

/// Every alteration of every key, those inside objects after the object's own. `with_null`: a value may be null, which
/// TOML does not have.
std::vector<Alteration> list_alterations(const nlohmann::ordered_json& object, const OtherValues& others,
                                         bool with_null);

/// The object with the alteration in it.
nlohmann::ordered_json altered(nlohmann::ordered_json object, const Alteration& alteration);

}  // namespace monomorph::tests
