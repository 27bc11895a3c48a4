// Whatever a model and its kinds of layer are called, what is emitted compiles, beside everything that C, C++, POSIX
// and the libraries at hand declare, and builds beside the targets of CMake's own.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/emission/emitted.hpp"
#include "tests/support/run_command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace fs = std::filesystem;

namespace {

const std::string tiny = MONOMORPH_SOURCE_DIR "/tests/cases/host/tiny.toml";

/// Names of namespaces, keywords, functions, macros, folders, targets and of what every model's emitted code declares.
const std::vector<std::string> awkward_names = {
    "std",    "monomorph", "runtime", "fmt",      "vulkan",  "nlohmann", "sys",        "bits",      "and",     "bitor",
    "class",  "co_await",  "default", "int",      "new",     "not",      "this",       "xor",       "char8_t", "main",
    "abs",    "exp2",      "getopt",  "index",    "j0",      "log2",     "lstat",      "pause",     "read",    "select",
    "signal", "stat",      "time",    "truncf",   "y1",      "environ",  "optarg",     "NAN",       "assert",  "errno",
    "linux",  "major",     "stdin",   "unix",     "EOF",     "I",        "NULL",       "PIPE_BUF",  "SIGINT",  "div_t",
    "all",    "clean",     "help",    "install",  "package", "test",     "edit_cache", "ALL_BUILD", "debug",   "engine",
    "Engine", "Logits",    "buffers", "program",  "roles",   "spirv",    "weights",    "model",     "model_a", "a",
    "3b",     "7",         "c++",     "a.b-c+d_e"};

struct Emitted {
  std::string identifier, short_name;
};

/// Emits headers and program.cpp below `directory`.
Emitted emit(const generator::Contract& contract, const fs::path& directory) {
  const generator::PlannedModel planned = generator::plan_model(contract);
  Emitted emitted;
  for (const auto& [path, text] :
       generator::emit_model(contract, planned.graph, planned.plan, {"0", "tiny.toml", "generate"})) {
    if (path.ends_with(".comp") || path.ends_with(".glsl")) continue;
    fs::create_directories((directory / path).parent_path());
    std::ofstream(directory / path, std::ios::binary) << text;
  }
  for (const auto& entry : fs::directory_iterator(directory / "include")) {
    const std::string folder = entry.path().filename().string();
    (folder == contract.identifier ? emitted.identifier : emitted.short_name) = folder;
  }
  return emitted;
}

Emitted emit(const std::string& spec, const std::vector<generator::Override>& overrides, const fs::path& directory) {
  return emit(generator::accept_spec(generator::open_spec(spec), overrides).contract, directory);
}

/// What a translation unit may have seen before emitted code.
std::string everything() {
  std::string text;
  for (const char* header : {"bits/stdc++.h", "fcntl.h", "getopt.h", "math.h", "pthread.h", "setjmp.h", "signal.h",
                             "strings.h", "sys/mman.h", "sys/socket.h", "sys/stat.h", "sys/sysmacros.h", "sys/wait.h",
                             "termios.h", "unistd.h", "fmt/format.h", "nlohmann/json.hpp", "vulkan/vulkan.h"}) {
    text += "#include <" + std::string(header) + ">\n";
  }
  return text;
}

CommandResult compile(const std::string& file, const std::vector<std::string>& include_dirs) {
  std::vector<std::string> words = {MONOMORPH_GCC, "-std=gnu++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"};
  for (const std::string& directory : include_dirs) words.push_back("-I" + directory);
  words.insert(words.end(), {"-I" MONOMORPH_SOURCE_DIR, file});
  return run_command(words);
}

/// What stands in a page of Markdown as C++.
std::vector<std::string> cpp_blocks(const std::string& page) {
  const std::string begin_mark = "```cpp\n", end_mark = "\n```\n";
  std::vector<std::string> blocks;
  for (std::size_t begin = page.find(begin_mark); begin != std::string::npos; begin = page.find(begin_mark, begin)) {
    begin += begin_mark.size();
    blocks.push_back(page.substr(begin, page.find(end_mark, begin) + 1 - begin));
  }
  return blocks;
}

/// A program that adds the engines in `folders` and links each by a name of its own.
std::string embedding_project(const std::vector<std::pair<std::string, std::string>>& folders_and_targets) {
  std::string text =
      "cmake_minimum_required(VERSION 3.25)\nproject(app LANGUAGES CXX ASM)\nenable_testing()\ninclude(CPack)\n"
      "file(WRITE ${CMAKE_BINARY_DIR}/app.cpp \"int main() {}\")\nadd_executable(app ${CMAKE_BINARY_DIR}/app.cpp)\n";
  for (const auto& [folder, target] : folders_and_targets) {
    text += "add_subdirectory(" + folder + " " + folder + "-build)\n";
    text += "if(NOT TARGET " + target + ")\n  message(FATAL_ERROR \"no target " + target + "\")\nendif()\n";
    text += "target_link_libraries(app PRIVATE " + target + ")\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a model may be called as anything else is, and compiles beside it") {
  const TemporaryDirectory directory;
  std::string unit = everything();
  std::vector<std::string> include_dirs;
  for (const std::string& name : awkward_names) {
    CAPTURE(name);
    const fs::path folder = directory.path() / std::to_string(include_dirs.size());
    emit(tiny, {{"model.name", "\"" + name + "\""}}, folder);
    unit += "#include \"" + (folder / "program.cpp").string() + "\"\n";
    include_dirs.push_back((folder / "include").string());
  }
  const CommandResult result = compile(directory.write("unit.cpp", unit), include_dirs);
  INFO(result.output.substr(0, 4000));
  CHECK(result.status == 0);
}

TEST_CASE("kinds of layer may be called as anything else is, and compile beside it") {
  const TemporaryDirectory directory;
  std::string spec = read_file(tiny), pattern, tables;
  int size = 100;
  for (const std::string name :
       {"default", "int",    "and",   "EOF",        "SIGINT",        "PIPE_BUF",  "linux",   "std",    "monomorph",
        "main",    "y1",     "read",  "layer",      "Layer-Weights", "decode",    "prefill", "hidden", "token",
        "q",       "kv",     "qkv",   "lm",         "rotary",        "step",      "state",   "slot",   "role",
        "total",   "weight", "cache", "activation", "num-hidden",    "attention", "heads-a", "embed",  "sample"}) {
    pattern += (pattern.empty() ? "\"" : ", \"") + name + "\"";
    tables += "[layers." + name + "]\nmlp.intermediate_size = " + std::to_string(++size) + "\n";
  }
  spec += "[layers]\npattern = [" + pattern + "]\n" + tables;
  const std::string file = directory.write("kinds.toml", spec);
  emit(file, {{"model.num_hidden_layers", std::to_string(size - 100)}}, directory.path() / "emitted");
  const CommandResult result = compile(directory.write("unit.cpp", everything() + "#include \"emitted/program.cpp\"\n"),
                                       {(directory.path() / "emitted/include").string()});
  INFO(result.output.substr(0, 4000));
  CHECK(result.status == 0);
}

TEST_CASE("sizes, a kind of layer and a model may be called as the functions are that the reference calls") {
  const std::vector<std::string> functions = {
      "linear", "gather",    "gather_rows", "rms_norm",   "layer_norm",  "scale_norm",     "map",           "append",
      "rotary", "attention", "absent",      "weight_row", "Activations", "positions_from", "activations_of"};
  const TemporaryDirectory directory;
  std::string unit;
  std::vector<std::string> include_dirs;
  for (const std::string& name : functions) {
    CAPTURE(name);
    generator::Contract contract =
        generator::accept_spec(generator::open_spec(tiny), {{"model.name", "\"" + name + "\""},
                                                            {"layers.pattern", "[\"" + name + "\"]"},
                                                            {"layers." + name + ".norm.eps", "1e-3"}})
            .contract;
    // One size of the model is called so; a size and a sub-block cannot have one name.
    for (generator::Axis& axis : contract.axes) {
      if (name == "attention") break;
      if (axis.word == (include_dirs.size() % 2 == 0 ? "q" : "intermediate")) axis.word = axis.name = name;
    }
    const fs::path folder = directory.path() / std::to_string(include_dirs.size());
    emit(contract, folder);
    unit += "#include \"" + (folder / "program.cpp").string() + "\"\n";
    include_dirs.push_back((folder / "include").string());
  }
  const CommandResult result = compile(directory.write("unit.cpp", unit), include_dirs);
  INFO(result.output.substr(0, 4000));
  CHECK(result.status == 0);
}

TEST_CASE("the short name is there for programs wherever a namespace, a folder and a target can have it") {
  const auto short_name = [](const std::string& name) {
    const TemporaryDirectory directory;
    return emit(tiny, {{"model.name", "\"" + name + "\""}}, directory.path() / "out").short_name;
  };
  CHECK(short_name("kjv") == "kjv");
  CHECK(short_name("SmolLM2-135M-Instruct.Q4_1") == "SmolLM2_135M_Instruct_Q4_1");
  CHECK(short_name("llama-3.1-8b") == "llama_3_1_8b");
  for (const std::string name :
       {"3b", "int", "and", "co_await", "std", "runtime", "monomorph", "test", "install", "model-a"}) {
    CAPTURE(name);
    CHECK(short_name(name) == "");
  }
}

TEST_CASE("the programs that README shows compile with the engines that it builds") {
  const TemporaryDirectory directory;
  emit(MONOMORPH_SOURCE_DIR "/models/kjv.toml", {}, directory.path() / "kjv");
  emit(tiny, {{"model.name", "\"SmolLM2-135M-Instruct.Q4_1\""}}, directory.path() / "smollm2");
  const std::vector<std::string> programs = cpp_blocks(read_file(MONOMORPH_SOURCE_DIR "/README.md"));
  CHECK(programs.size() == 2);
  for (const std::string& program : programs) {
    const CommandResult result =
        compile(directory.write("program.cpp", program),
                {(directory.path() / "kjv/include").string(), (directory.path() / "smollm2/include").string()});
    INFO(program, result.output.substr(0, 4000));
    CHECK(result.status == 0);
  }
}

TEST_CASE("a header under the short name compiles alone, and is the header of the long one") {
  const TemporaryDirectory directory;
  emit(tiny, {}, directory.path());
  for (const std::string header : {"engine.hpp", "forward.hpp", "kernels.hpp", "model.hpp", "reference.hpp"}) {
    CAPTURE(header);
    const std::string unit = directory.write("unit.cpp", "#include \"tiny/" + header +
                                                             "\"\nstatic_assert(tiny::weight_bytes == "
                                                             "model_tiny::weight_bytes);\n");
    const CommandResult result = compile(unit, {(directory.path() / "include").string()});
    INFO(result.output);
    CHECK(result.status == 0);
  }
}

TEST_CASE("every file and folder of an emitted engine is a name that no model can have") {
  const TemporaryDirectory directory;
  generator::generate(tiny, {}, directory.path().string());
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    CHECK((name.front() == '.' || generator::is_reserved_model_name(name)));
  }
  CHECK(generator::is_reserved_model_name("build"));
}

TEST_CASE("models called as the runtime's folder and as a target of CMake's build, one after the other in one folder") {
  const TemporaryDirectory directory;
  const fs::path folder = directory.path() / "out";
  for (const std::string name : {"runtime", "all"}) {
    const CommandResult built = run_command(
        {MONOMORPH_BUILD_DIR "/bin/monomorph", "build", tiny, "--set", "model.name=" + name, "-o", folder.string()});
    INFO(built.output);
    REQUIRE(built.status == 0);
    CHECK(run_command({(folder / name).string(), "info"}).status == 0);
  }
  CHECK_FALSE(fs::exists(folder / "runtime"));
}

TEST_CASE("models called as anything else is embed in one program") {
  const TemporaryDirectory directory;
  std::vector<std::pair<std::string, std::string>> engines;
  for (const auto& [name, target] : {std::pair{"test", "model_test"}, {"all", "model_all"}, {"kjv", "kjv"}}) {
    const std::string folder = (directory.path() / name).string();
    generator::generate(tiny, {{"model.name", name}}, folder);
    engines.emplace_back(folder, target);
  }
  directory.write("app/CMakeLists.txt", embedding_project(engines));
  const CommandResult configured =
      run_command({"cmake", "-G", "Ninja", "-S", (directory.path() / "app").string(), "-B",
                   (directory.path() / "app/build").string(), "-DCMAKE_PREFIX_PATH=" MONOMORPH_BUILD_DIR});
  INFO(configured.output);
  CHECK(configured.status == 0);
}
