// Reads one object of a config.json key by key, and keeps account of what has been read.
//
// A reader asks for the keys it maps; `account_for_rest` then looks at every other key. A value of the wrong type, or
// one that cannot run, is a diagnostic at its key, and reading goes on, so that all are found in one run.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "generator/import/description.hpp"
#include "generator/import/json_file.hpp"
#include "generator/import/key_tables.hpp"

namespace monomorph::generator {

class ConfigReader {
 public:
  /// `object` stands at `path` of the file ("" for the whole). All arguments must outlive the reader.
  ConfigReader(const JsonFile& file, const nlohmann::ordered_json& object, std::string path, Diagnostics& diagnostics)
      : file_(file), object_(object), path_(std::move(path)), diagnostics_(diagnostics) {}

  /// The value, null included; nullptr when the key is absent. Counts as read.
  const nlohmann::ordered_json* find(const std::string& key);
  /// The key is there and is not null. Counts as read.
  bool has(const std::string& key);

  /// The value of a key; absent: `fallback`, with a comment that says so. Null is a wrong type.
  Imported<std::int64_t> integer(const std::string& key, std::int64_t fallback);
  Imported<double> number(const std::string& key, double fallback);
  Imported<bool> boolean(const std::string& key, bool fallback);
  Imported<std::string> text(const std::string& key, const std::string& fallback);

  /// The object at a key; nullopt when it is absent, null, or (reported) something else.
  std::optional<ConfigReader> object(const std::string& key);

  /// Every key not read so far: in the tables, named by --ignore, or an error. Gives those that --ignore accepted.
  std::vector<std::string> account_for_rest(Family family, const std::string& architecture,
                                            const std::vector<std::string>& ignore);

  void refuse(const std::string& rule, const std::string& key, const std::string& message);
  void wrong_type(const std::string& key, const std::string& wanted);
  std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  const nlohmann::ordered_json& value() const { return object_; }

 private:
  const JsonFile& file_;
  const nlohmann::ordered_json& object_;
  std::string path_;
  Diagnostics& diagnostics_;
  std::set<std::string> read_;
};

}  // namespace monomorph::generator
