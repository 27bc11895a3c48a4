#include "generator/pipeline.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "generator/audit/config_facts.hpp"
#include "generator/check/host.hpp"
#include "generator/check/layouts.hpp"
#include "generator/check/totals.hpp"
#include "generator/compile/build.hpp"
#include "generator/compile/write.hpp"
#include "generator/emit/short_name.hpp"
#include "generator/import/import.hpp"
#include "runtime/formats/checkpoint.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

/// Where the runtime's headers stand, installed or in the build tree.
std::string runtime_include_dir() {
  const std::string directory = installation_prefix() + "/include/monomorph";
  std::error_code error;
  if (fs::exists(directory + "/runtime/program/tensor.hpp", error)) return directory;
  throw EnvironmentError(
      fmt::format("the runtime's headers are not in {}: this program was copied without them; link to the one that was "
                  "built, or install all of it (cmake --install BUILD --prefix PREFIX)",
                  directory));
}

std::string header_path(const Contract& contract, const std::string& name) {
  return "include/" + contract.identifier + "/" + name;
}

/// The C++ that Clang reads: model.hpp holds all totals and structs.
CppInput model_header(const Contract& contract, const EmittedFiles& files) {
  const std::string path = header_path(contract, "model.hpp");
  return {path, files.at(path), {"-I" + runtime_include_dir()}};
}

/// Weights as the device stores them: what the checkpoint has, and zeros where a stacked vector lacks a part.
std::int64_t stored_parameters(const Contract& contract, const Plan& plan) {
  std::int64_t zeros = 0;
  for (const Stored& stored : plan.stored) {
    for (const StoredRows& piece : stored.pieces) {
      if (!piece.weight) zeros += contract.copies(stored.scope) * piece.rows;
    }
  }
  return contract.total_parameters + zeros;
}

/// What slots remember, without the padding between layers.
std::int64_t state_bytes(const Contract& contract, const Plan& plan) {
  return contract.max_batch * slot_bytes(plan.states);
}

/// Double-entry bookkeeping: emitted totals and layouts against the plan's.
void check_emitted(const Contract& contract, const Plan& plan, const EmittedModel& emitted) {
  const std::string space = contract.identifier;
  const CppInput header = model_header(contract, emitted.files);
  verify_totals(header, {{space + "::total_parameters", stored_parameters(contract, plan)},
                         {space + "::weight_bytes", plan.weight_bytes},
                         {space + "::state_bytes", state_bytes(contract, plan)},
                         {space + "::activation_bytes", plan.activation_bytes}});
  const ExpectedStruct step = expected_step(
      space + "::Step", {contract.max_batch, plan.decode_steps, contract.head_rows, contract.pass_rows()});
  std::vector<ExpectedStruct> records = expected_step_parts();
  records.push_back(step);
  verify_layouts(header, records);
  for (const auto& [name, kernel] : emitted.kernels) verify_spirv_layout(name, kernel.named, 0, step);
}

/// As a shell reads it.
std::string shell_word(const std::string& text) {
  const char* const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : c == '\n' ? " " : std::string(1, c);
  return result + "'";
}

Origin origin_of(const std::string& file_name, const std::vector<Override>& overrides) {
  std::string command = "monomorph generate " + shell_word(file_name) + " -o OUT";
  for (const Override& override : overrides) {
    command += " --set " + shell_word(override.path + "=" + override.value.value_or(""));
  }
  return {generator_version(), file_name, command};
}

/// A folder that is gone when this is.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "monomorph-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr) {
      throw EnvironmentError("no temporary folder can be made under " + pattern);
    }
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// In the order of the text, errors before advice; what has no place, and what came from --set, first.
void sort_by_place(Diagnostics& diagnostics, const Source* text) {
  const auto key = [&](const Diagnostic& diagnostic) {
    const bool in_text = diagnostic.span.source.get() == text && diagnostic.span.line > 0;
    return std::tuple(diagnostic.severity, in_text, in_text ? diagnostic.span.line : 0,
                      in_text ? diagnostic.span.column : 0);
  };
  std::stable_sort(diagnostics.all().begin(), diagnostics.all().end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
}

}  // namespace

std::string generator_version() { return MONOMORPH_VERSION; }

SpecInput open_spec(const std::string& path, const std::vector<std::string>& ignored_keys) {
  refuse_adapter(path);
  const bool gguf = is_gguf_model(path);
  if (!gguf && !is_huggingface_directory(path)) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      throw EnvironmentError(path +
                             ": this folder has neither config.json nor a .gguf file; name a spec, a Hugging Face "
                             "directory, or a GGUF file");
    }
    if (!ignored_keys.empty()) {
      throw EnvironmentError(
          fmt::format("--ignore {}: this is for a config.json or the metadata of a GGUF file, and {} is a spec",
                      ignored_keys.front(), path));
    }
    return {read_source(path), fs::path(path).filename().string(), false, {}};
  }
  Diagnostics diagnostics;
  std::optional<ImportedSpec> spec_text =
      gguf ? import_gguf(path, ignored_keys, diagnostics) : import_huggingface(path, ignored_keys, diagnostics);
  if (!spec_text) throw Rejected(std::move(diagnostics));
  auto source = std::make_shared<const Source>(Source{path + " (imported)", std::move(spec_text->text)});
  Diagnostics ignored;
  const std::optional<Spec> spec = read_spec_leniently(source, {}, ignored);
  const std::string name = spec && !spec->model.name.value.empty() ? spec->model.name.value : "model";
  return {std::move(source), name + ".toml", true, std::move(spec_text->places)};
}

AcceptedSpec accept_spec(const SpecInput& input, const std::vector<Override>& overrides) {
  Diagnostics diagnostics;
  // Rules are checked even where keys are wrong, so that one run says all there is to say.
  std::optional<Spec> spec = read_spec_leniently(input.source, overrides, diagnostics);
  std::optional<Contract> contract;
  if (spec) contract = check_contract(*spec, diagnostics);
  sort_by_place(diagnostics, input.source.get());
  if (input.imported) place_in_config(diagnostics, input.source.get(), input.places);
  if (!contract) {
    if (!diagnostics.has_errors()) throw InternalError("contract: rejected without a reason");
    throw Rejected(std::move(diagnostics));
  }
  return {std::move(*spec), std::move(*contract), std::move(diagnostics)};
}

PlannedModel plan_model(const Contract& contract) {
  Graph graph = build_graph(contract);
  Plan plan = make_plan(contract, graph);
  return {std::move(graph), std::move(plan)};
}

EmittedModel emit_checked(const AcceptedSpec& accepted, const PlannedModel& planned, const Origin& origin) {
  EmittedModel emitted;
  emitted.name = accepted.contract.name;
  emitted.cpp_name = cpp_name(accepted.contract);
  emitted.command = accepted.contract.identifier + "_command";
  emitted.files = emit_model(accepted.contract, planned.graph, planned.plan, origin);
  emitted.kernels = compile_spirv(emitted.files);
  check_emitted(accepted.contract, planned.plan, emitted);
  return emitted;
}

namespace {

EmittedModel emit_from(const std::string& path, const std::vector<Override>& overrides,
                       const std::vector<std::string>& ignored_keys, const Notice& note) {
  const SpecInput input = open_spec(path, ignored_keys);
  const AcceptedSpec accepted = accept_spec(input, overrides);
  Origin origin = origin_of(input.file_name, overrides);
  Meanings meanings(accepted.spec, overrides);
  origin.config_facts = config_facts(accepted.spec, meanings, accepted.contract);
  origin.chat = compile_chat(*accepted.spec.chat);
  if (note) {
    for (const Diagnostic& told : accepted.advice.all()) {
      if (told.severity == Severity::warning) note(render(told));
    }
    if (!origin.chat.refusal.empty()) {
      note("monomorph: note: the engine is made, and its `chat` is refused: " + origin.chat.refusal + "\n");
    }
  }
  EmittedModel emitted = emit_checked(accepted, plan_model(accepted.contract), origin);
  if (input.imported) emitted.files[input.file_name] = input.source->text;
  return emitted;
}

}  // namespace

void generate(const std::string& path, const std::vector<Override>& overrides, const std::string& directory,
              const std::vector<std::string>& ignored_keys, const Notice& note) {
  const EmittedModel emitted = emit_from(path, overrides, ignored_keys, note);
  OutputFolder(directory).write(emitted.files, emitted.kernels, emitted.name);
}

BuiltEngine build(const std::string& path, const std::vector<Override>& overrides, const std::string& directory,
                  const std::vector<std::string>& ignored_keys, const Notice& note) {
  const EmittedModel emitted = emit_from(path, overrides, ignored_keys, note);
  OutputFolder folder(directory);
  folder.require_place_for(emitted.name);
  folder.write(emitted.files, emitted.kernels, emitted.name);
  folder.place(emitted.name, build_engine(directory, emitted.command));
  return {(fs::path(directory) / emitted.name).string(), emitted.cpp_name};
}

void check_host_code(const AcceptedSpec& accepted, const std::string& file_name, const std::string& host_file,
                     const std::vector<std::string>& flags) {
  const PlannedModel planned = plan_model(accepted.contract);
  const EmittedFiles files = emit_model(accepted.contract, planned.graph, planned.plan, origin_of(file_name, {}));
  const TemporaryDirectory directory;
  for (const auto& [path, text] : files) {
    if (path.rfind("include/", 0) != 0) continue;
    const fs::path target = directory.path() / path;
    fs::create_directories(target.parent_path());
    std::ofstream out(target, std::ios::binary);
    out << text;
    if (!out) throw EnvironmentError(target.string() + ": this file cannot be written");
  }
  const Diagnostics diagnostics = check_host_file(
      accepted.spec.hash, {(directory.path() / "include").string(), runtime_include_dir()}, host_file, flags);
  if (diagnostics.has_errors()) throw Rejected(diagnostics);
}

}  // namespace monomorph::generator
