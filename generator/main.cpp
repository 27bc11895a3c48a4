// The command line of the generator. Results on stdout, everything else on stderr; exit status 0 done, 1 rejected, or
// of diff that something differs, 2 usage or I/O, 3 internal error.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "generator/audit/audit.hpp"
#include "generator/audit/config_facts.hpp"
#include "generator/import/import.hpp"
#include "generator/import/spec_like.hpp"
#include "generator/pipeline.hpp"
#include "generator/report/difference.hpp"
#include "generator/report/report.hpp"
#include "generator/spec/explain.hpp"
#include "generator/spec/new_spec.hpp"
#include "generator/spec/schema.hpp"
#include "runtime/cli/arguments.hpp"
#include "runtime/error.hpp"
#include "runtime/formats/atomic_file.hpp"
#include "runtime/tokenizer/json_lines.hpp"

namespace monomorph::generator {
namespace {

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw EnvironmentError("the result cannot be written to stdout");
  }
}

void complain(const std::string& text) { std::fputs(text.c_str(), stderr); }

/// What the subcommands share.
struct Arguments {
  std::string spec, other;
  std::string output;
  std::vector<std::string> settings;
  std::vector<std::string> ignored_keys;
  std::string weights, host, dump, like;
  std::vector<std::string> host_flags;
  bool scan_nan = false, ignore_config = false, explain = false, json = false, markdown = false, decode = false;

  std::vector<Override> overrides() const {
    std::vector<Override> result;
    for (const std::string& setting : settings) {
      const std::size_t equals = setting.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw EnvironmentError(fmt::format("--set {}: write --set section.key=value", setting));
      }
      result.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
    }
    return result;
  }
};

void import(const Arguments& arguments) {
  Diagnostics diagnostics;
  const std::optional<ImportedSpec> spec =
      is_gguf_model(arguments.spec) ? import_gguf(arguments.spec, arguments.ignored_keys, diagnostics)
                                    : import_huggingface(arguments.spec, arguments.ignored_keys, diagnostics);
  if (!spec) throw Rejected(std::move(diagnostics));
  complain(render(diagnostics));
  arguments.output.empty() ? print(spec->text) : write_file(arguments.output, spec->text);
}

void check(const Arguments& arguments) {
  const SpecInput input = open_spec(arguments.spec, arguments.ignored_keys);
  const AcceptedSpec accepted = accept_spec(input, arguments.overrides());
  complain(render(accepted.advice));
  Diagnostics found;
  if (!arguments.weights.empty()) {
    Meanings meanings(accepted.spec, arguments.overrides());
    found.append(audit_config(accepted.spec, meanings, arguments.weights, arguments.ignore_config));
    found.append(audit_checkpoint(accepted.contract, arguments.weights, arguments.scan_nan));
  }
  if (!arguments.host.empty()) {
    try {
      check_host_code(accepted, input.file_name, arguments.host, arguments.host_flags);
    } catch (const Rejected& rejected) {
      found.append(rejected.diagnostics());
    }
  }
  if (found.has_errors()) throw Rejected(std::move(found));
  complain(render(found));
  if (arguments.explain) return print(explain_spec(accepted.spec));
  const Contract& contract = accepted.contract;
  print(fmt::format("{}: accepted, {} parameters{}\n", contract.name, contract.total_parameters,
                    contract.active_parameters == contract.total_parameters
                        ? ""
                        : fmt::format(", {} of a token", contract.active_parameters)));
}

void report(const Arguments& arguments) {
  const AcceptedSpec accepted = accept_spec(open_spec(arguments.spec, arguments.ignored_keys), arguments.overrides());
  const PlannedModel planned = plan_model(accepted.contract);
  const Report report = make_report(accepted.contract, planned.plan);
  print(arguments.json ? report_json(report) : report_text(report));
}

/// 0 where the two mean the same, 1 where they differ. Of one spec alone: it as it stands, and as --set has it.
int diff(const Arguments& arguments) {
  const bool alone = arguments.other.empty();
  if (alone && arguments.settings.empty())
    throw EnvironmentError("diff: OTHER is required, or --set section.key=value: what SPEC is compared with");
  const std::vector<Override> changes = arguments.overrides(), none;
  const std::vector<Override>& of_first = alone ? none : changes;
  // Beside a model that is imported a spec may stand, which has no keys to ignore.
  const auto is_spec = [](const std::string& path) { return !is_huggingface_directory(path) && !is_gguf_model(path); };
  const std::string& second_path = alone ? arguments.spec : arguments.other;
  const bool only_specs = is_spec(arguments.spec) && is_spec(second_path);
  const auto open = [&](const std::string& path) {
    return open_spec(path, is_spec(path) && !only_specs ? std::vector<std::string>() : arguments.ignored_keys);
  };
  const AcceptedSpec first = accept_spec(open(arguments.spec), of_first);
  const AcceptedSpec second = accept_spec(open(second_path), changes);
  const PlannedModel planned = plan_model(first.contract), other = plan_model(second.contract);
  std::string after = second_path;
  for (const std::string& setting : arguments.settings) after += alone ? " --set " + setting : "";
  const Difference difference =
      compare_models({arguments.spec, first.spec, of_first, first.contract, planned.graph, planned.plan},
                     {after, second.spec, changes, second.contract, other.graph, other.plan});
  print(arguments.json ? difference_json(difference) : difference_text(difference));
  return difference.none() ? 0 : 1;
}

void dump(const Arguments& arguments) {
  const AcceptedSpec accepted = accept_spec(open_spec(arguments.spec, arguments.ignored_keys), arguments.overrides());
  if (arguments.dump == "spec") return print(explain_spec(accepted.spec));
  if (arguments.dump == "contract") return print(dump_contract(accepted.contract));
  const PlannedModel planned = plan_model(accepted.contract);
  print(arguments.dump == "graph" ? dump_graph(planned.graph, accepted.contract)
                                  : dump_plan(planned.plan, planned.graph, accepted.contract));
}

void generate_sources(const Arguments& arguments) {
  if (arguments.output.empty() && arguments.dump.empty()) {
    throw EnvironmentError("generate: -o DIR is required, or --dump STAGE");
  }
  if (!arguments.output.empty()) {
    generate(arguments.spec, arguments.overrides(), arguments.output, arguments.ignored_keys, complain);
  }
  if (!arguments.dump.empty()) dump(arguments);
}

void build(const Arguments& arguments) {
  const BuiltEngine built =
      generator::build(arguments.spec, arguments.overrides(), arguments.output, arguments.ignored_keys, complain);
  print(built.executable + "\n");
  complain(fmt::format(
      "monomorph: note: in C++, {0} is its namespace and CMake target, and its header #include \"{0}/engine.hpp\"\n",
      built.cpp_name));
}

void create(const Arguments& arguments) {
  const std::string path = arguments.spec + ".toml";
  const std::string text =
      arguments.like.empty() ? new_spec(arguments.spec) : spec_like(arguments.spec, find_family_like(arguments.like));
  accept_spec({std::make_shared<const Source>(Source{path, text}), path, false}, {});
  std::error_code error;
  if (std::filesystem::exists(path, error)) throw EnvironmentError(path + ": this file exists, and is not overwritten");
  write_file(path, text);
  complain(fmt::format("{} written; `monomorph check {}` checks it\n", path, path));
}

void tokenize(const Arguments& arguments) {
  const Tokenizer tokenizer = Tokenizer::load(arguments.spec);
  (arguments.decode ? decode_lines : encode_lines)(tokenizer, std::cin, std::cout);
}

/// Adds the subcommands; what the user chose is run after parsing.
void add_commands(CLI::App& app, Arguments& arguments, std::function<int()>& chosen) {
  const auto answers = [&](const char* name, const char* about, int (*run)(const Arguments&)) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->callback([&arguments, &chosen, run] { chosen = [&arguments, run] { return run(arguments); }; });
    return sub;
  };
  const auto command = [&](const char* name, const char* about, void (*run)(const Arguments&)) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->callback([&arguments, &chosen, run] { chosen = [&arguments, run] { return run(arguments), 0; }; });
    return sub;
  };
  const auto takes_ignored_keys = [&](CLI::App* sub) {
    sub->add_option("--ignore", arguments.ignored_keys, "a key of config.json to accept unread; the spec says so")
        ->allow_extra_args(false);
  };
  const auto takes_spec = [&](CLI::App* sub) {
    sub->add_option("SPEC", arguments.spec, "a spec, a Hugging Face directory, or a GGUF file")->required();
    sub->add_option("--set", arguments.settings, "section.key=value, in place of the spec's")->allow_extra_args(false);
    takes_ignored_keys(sub);
  };

  CLI::App* sub = command("import", "config.json or GGUF metadata -> spec", import);
  sub->add_option("HF_DIR", arguments.spec, "a directory with config.json, or a GGUF file")->required();
  sub->add_option("-o", arguments.output, "write the spec to this file");
  takes_ignored_keys(sub);

  sub = command("check", "rules and advice; audits a checkpoint, checks host code", check);
  takes_spec(sub);
  CLI::Option* weights =
      sub->add_option("--weights", arguments.weights, "audit this checkpoint, and its config.json, against the spec");
  sub->add_flag("--scan-nan", arguments.scan_nan, "look for NaN and infinity in the weights")->needs(weights);
  sub->add_flag("--ignore-config", arguments.ignore_config, "do not compare the config.json beside the weights")
      ->needs(weights);
  sub->add_option("--host", arguments.host,
                  "check this C++ file against the emitted headers; -- FLAGS for the compiler");
  sub->add_flag("--explain", arguments.explain, "print the spec with every default");

  sub = command("report", "parameters, FLOPs, bytes, memory", report);
  takes_spec(sub);
  sub->add_flag("--json", arguments.json, "as JSON");

  sub = answers("diff", "what differs between two models: meaning, tensors, memory, kernels", diff);
  takes_spec(sub);
  sub->add_option("OTHER", arguments.other, "what SPEC is compared with; by default itself under --set");
  sub->add_flag("--json", arguments.json, "as JSON");

  sub = command("generate", "emitted sources only", generate_sources);
  takes_spec(sub);
  sub->add_option("-o", arguments.output, "the folder to write to");
  sub->add_option("--dump", arguments.dump, "print what a stage gives")
      ->check(CLI::IsMember({"spec", "contract", "graph", "plan"}));

  sub = command("build", "generate, check, compile, link -> DIR/<name>", build);
  takes_spec(sub);
  sub->add_option("-o", arguments.output, "the folder to build in")->required();

  sub = command("new", "a commented spec to start from", create);
  sub->add_option("NAME", arguments.spec, "of the model; writes NAME.toml")->required();
  sub->add_option("--like", arguments.like, "a family of the hub, by its model_type: its parts and its tensor names");

  sub = command("tokenize", "lines of JSON strings on stdin -> lists of ids, or back", tokenize);
  sub->add_option("PATH", arguments.spec, "tokenizer.json, tokenizer.model or .gguf, or the directory that holds one")
      ->required();
  sub->add_flag("--decode", arguments.decode, "lists of ids -> strings");

  sub = command("schema", "JSON Schema of the spec language, for editors",
                [](const Arguments& given) { print(given.markdown ? spec_reference() : spec_schema()); });
  sub->add_flag("--markdown", arguments.markdown, "as the reference in models/README.md");
}

int status_of(ErrorKind kind) { return static_cast<int>(kind); }

int run(int argc, char** argv) {
  CLI::App app{"Monomorph: a compiler from transformer architectures to inference engines", "monomorph"};
  app.set_version_flag("--version", generator_version());
  Arguments arguments;
  std::function<int()> chosen;
  add_commands(app, arguments, chosen);
  // What follows -- belongs to the compiler of --host.
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes != words.end()) {
    arguments.host_flags.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  if (const std::optional<int> status = cli::read_arguments(app, std::move(words))) return *status;
  if (!arguments.host_flags.empty() && arguments.host.empty()) {
    complain("monomorph: error: what follows -- are flags for the compiler of --host FILE.cpp, which was not given\n");
    return status_of(ErrorKind::environment);
  }
  try {
    return chosen();
  } catch (const Rejected& rejected) {
    complain(render(rejected.diagnostics()));
    return status_of(ErrorKind::rejected);
  } catch (const EnvironmentError& error) {
    complain(fmt::format("monomorph: error: {}\n", error.what()));
    return status_of(ErrorKind::environment);
  } catch (const Error& error) {
    complain(
        fmt::format("monomorph: {}error: {}\n", error.kind() == ErrorKind::internal ? "internal " : "", error.what()));
    return status_of(error.kind());
  } catch (const std::filesystem::filesystem_error& error) {
    complain(fmt::format("monomorph: error: {}\n", error.what()));
    return status_of(ErrorKind::environment);
  } catch (const std::bad_alloc&) {
    complain("monomorph: error: the host has too little memory\n");
    return status_of(ErrorKind::environment);
  } catch (const std::exception& error) {
    complain(fmt::format("monomorph: internal error: {}\n", error.what()));
    return status_of(ErrorKind::internal);
  }
}

}  // namespace
}  // namespace monomorph::generator

int main(int argc, char** argv) { return monomorph::generator::run(argc, argv); }
