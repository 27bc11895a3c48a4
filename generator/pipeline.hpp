// The stages in order: the map of the program. Each takes finished values and gives new ones; what is wrong with the
// spec is thrown as Rejected before anything is planned.
//
//   spec ──► contract ──► graph ──► plan ──► emit ──► compile, check ──► write ──► build
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "generator/compile/spirv.hpp"
#include "generator/contract/contract.hpp"
#include "generator/emit/emit.hpp"
#include "generator/graph/graph.hpp"
#include "generator/import/import.hpp"
#include "generator/plan/plan.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// What the user names as SPEC: a file, or a Hugging Face directory, from whose config.json the spec is derived.
struct SpecInput {
  std::shared_ptr<const Source> source;
  std::string file_name;  ///< "tiny.toml": without folders
  bool imported = false;
  ImportPlaces places = {};  ///< where it is
};
/// `ignored_keys`: of config.json, to accept unread. Of a file they are an EnvironmentError.
SpecInput open_spec(const std::string& path, const std::vector<std::string>& ignored_keys = {});

struct AcceptedSpec {
  Spec spec;
  Contract contract;
  Diagnostics advice;  ///< no errors among them
};
/// spec ──► contract. Throws Rejected with all that is wrong.
AcceptedSpec accept_spec(const SpecInput& input, const std::vector<Override>& overrides);

struct PlannedModel {
  Graph graph;
  Plan plan;
};
/// contract ──► graph ──► plan
PlannedModel plan_model(const Contract& contract);

struct EmittedModel {
  std::string name;      ///< of the executable
  std::string cpp_name;  ///< that programs say
  std::string command;   ///< the emitted project's target that is the executable
  EmittedFiles files;
  std::map<std::string, CompiledKernel> kernels;
};
/// plan ──► emit ──► compile and check: the kernels are compiled, and what was emitted is read again, by Clang and by
/// reflection, and held against the plan.
EmittedModel emit_checked(const AcceptedSpec& accepted, const PlannedModel& planned, const Origin& origin);

/// Hears what does not keep an engine from being made, in lines: warnings, and that its chat template is not compiled.
using Notice = std::function<void(const std::string& text)>;

/// A spec or a directory ──► everything emitted in `directory`. A derived spec is left there too.
void generate(const std::string& path, const std::vector<Override>& overrides, const std::string& directory,
              const std::vector<std::string>& ignored_keys = {}, const Notice& note = {});
struct BuiltEngine {
  std::string executable;  ///< its path
  std::string cpp_name;    ///< what a program that embeds it calls its namespace, headers and CMake target
};
/// The same, compiled and linked.
BuiltEngine build(const std::string& path, const std::vector<Override>& overrides, const std::string& directory,
                  const std::vector<std::string>& ignored_keys = {}, const Notice& note = {});

/// A user's own C++ against the headers emitted from the spec. Throws Rejected with every mistake.
void check_host_code(const AcceptedSpec& accepted, const std::string& file_name, const std::string& host_file,
                     const std::vector<std::string>& flags);

/// The version of this generator.
std::string generator_version();

}  // namespace monomorph::generator
