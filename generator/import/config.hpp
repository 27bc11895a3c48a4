// A config.json as a family's expressions see it, and the account of its keys.
//
// A value of the wrong type is a diagnostic at its key, the default is taken in its place, and reading goes on, so that
// all mistakes are found in one run. A key that nothing has read in the end is ignored for a stated reason, has the one
// value that runs, was named by --ignore, or is an error.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "generator/import/family.hpp"
#include "generator/import/json_file.hpp"

namespace monomorph::generator {

class Config {
 public:
  /// Both must outlive the config.
  Config(const JsonFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  std::shared_ptr<const Source> source() const { return file_.source; }
  const std::string& called() const { return called_; }  ///< in messages

  /// The value at a path, null included; nullptr where it is absent. Counts as read.
  const Json* find(const std::string& path);
  /// Where a key stands that import reads itself, whatever the family: at the top, or, where that says nothing, in an
  /// object that the family's keys stand in. Counts as read in both.
  std::string own_path(const std::string& key);
  /// The string at a key's own_path; "" where it is absent or null. Counts as read.
  std::string text(const std::string& key);

  /// Checks every key that the family's expressions may name, in each of its spellings.
  void resolve(const Family& family);
  /// What a name of an expression is worth: a resolved key, or the length of one. Counts as read.
  Datum value(const std::string& name);
  /// The place of a resolved key, in the first spelling that says it; without a source where config.json does not say
  /// it.
  Span place(const std::string& name) const;

  /// Gives what was said, for notes; valid until more is said.
  Diagnostic& refuse(const std::string& rule, const std::string& path, const std::string& message);
  /// For what these names are worth, at the first that config.json says; says so where the first of all is a default.
  /// Not where one of them is wrong by itself.
  void refuse_values(const std::string& rule, const std::vector<std::string>& names, std::string message);
  void wrong_type(const std::string& path, const std::string& wanted);

  /// Every key not read so far: ignored, the one value that runs, named by `ignore`, or an error. Gives those that
  /// `ignore` accepted.
  std::vector<std::string> account_for_rest(const Family& family, const std::vector<std::string>& ignore);

 private:
  struct Resolved {
    Datum value;
    std::string path = {};  ///< of the spelling that says it; "": none does
    std::vector<std::string> paths = {};
    bool is_wrong = false;  ///< of another form, or missing, and told
  };
  const Json* at(const std::string& path) const;
  void resolve(const std::string& name, const ConfigKey& key);

  const JsonFile& file_;
  Diagnostics& diagnostics_;
  std::string called_ = "config.json";
  std::map<std::string, Resolved> values_;
  std::vector<std::string> nested_;  ///< in which the family's keys stand
  std::set<std::string> read_;
  std::set<std::string> objects_;  ///< whose keys are accounted for one by one
  std::set<std::string> refused_;  ///< objects in which something was
};

/// A value as a message shows it.
std::string shown(const Datum& value);
std::string shown(const Json& value);

}  // namespace monomorph::generator
