// The command line as users and scripts see it: exit statuses, streams, files.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/support/temporary_directory.hpp"

namespace fs = std::filesystem;
using monomorph::tests::TemporaryDirectory;

namespace {

const std::string source_dir = MONOMORPH_SOURCE_DIR;

struct Result {
  int status;
  std::string out, err;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs `monomorph ARGUMENTS` in `directory`.
Result run(const fs::path& directory, const std::string& arguments,
           const std::string& program = MONOMORPH_BUILD_DIR "/bin/monomorph") {
  const std::string command =
      "cd '" + directory.string() + "' && '" + program + "' " + arguments + " >out.txt 2>err.txt";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(directory / "out.txt"), text_of(directory / "err.txt")};
}

}  // namespace

TEST_CASE("new writes a spec that check accepts, and overwrites nothing") {
  const TemporaryDirectory directory;
  CHECK(run(directory.path(), "new mine").status == 0);
  const std::string text = text_of(directory.path() / "mine.toml");
  const Result check = run(directory.path(), "check mine.toml");
  CHECK(check.status == 0);
  CHECK(check.out.find("mine: accepted") == 0);
  const Result again = run(directory.path(), "new mine");
  CHECK(again.status == 2);
  CHECK(again.err.find("mine.toml") != std::string::npos);
  CHECK(text_of(directory.path() / "mine.toml") == text);
  CHECK(run(directory.path(), "new a/b").status == 1);
}

TEST_CASE("new --like writes a spec of a family; a family that is not there is status 2 and writes nothing") {
  const TemporaryDirectory directory;
  CHECK(run(directory.path(), "new mine --like gpt2").status == 0);
  CHECK(text_of(directory.path() / "mine.toml").find("\nnames = \"gpt2\"") != std::string::npos);
  CHECK(run(directory.path(), "check mine.toml").status == 0);
  const Result unknown = run(directory.path(), "new other --like gpt9");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("gpt2, gpt_bigcode, gpt_neo, gpt_neox, gpt_neox_japanese, gpt_oss, gptj") !=
        std::string::npos);
  CHECK_FALSE(fs::exists(directory.path() / "other.toml"));
}

TEST_CASE(
    "diff is status 0 where two specs mean the same, 1 where they differ or one is rejected, 2 where one is not "
    "there") {
  const TemporaryDirectory directory;
  const std::string gpt2 = source_dir + "/models/gpt2.toml", larger = source_dir + "/models/gpt2-medium.toml";
  const Result same = run(directory.path(), "diff " + gpt2 + " --set attention.scale=0.125");
  CHECK(same.status == 0);
  CHECK(same.out == gpt2 + " and " + gpt2 + " --set attention.scale=0.125 mean the same\n");
  const Result other = run(directory.path(), "diff " + gpt2 + " " + larger + " --json");
  CHECK(other.status == 1);
  CHECK(nlohmann::json::parse(other.out).at("same") == false);
  CHECK(run(directory.path(), "diff " + gpt2 + " " + gpt2 + " --set mlp.intermediate_size=64").status == 0);
  const Result rejected = run(directory.path(), "diff " + gpt2 + " --set attention.num_attention_heads=0");
  CHECK(rejected.status == 1);
  CHECK(rejected.out.empty());
  CHECK(run(directory.path(), "diff " + gpt2 + " nowhere.toml").status == 2);
  CHECK(run(directory.path(), "diff " + gpt2).status == 2);
  // What is imported beside a spec may have keys to ignore; two specs have none.
  fs::create_directory(directory.path() / "hub");
  std::ofstream(directory.path() / "hub" / "config.json")
      << R"({"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "odd": 1})";
  CHECK(run(directory.path(), "diff " + gpt2 + " hub").status == 1);
  CHECK(run(directory.path(), "diff " + gpt2 + " hub").out.empty());
  const Result imported = run(directory.path(), "diff " + gpt2 + " hub --ignore odd");
  CHECK(imported.out + imported.err == gpt2 + " and hub mean the same\n");
  CHECK(run(directory.path(), "diff " + gpt2 + " " + larger + " --ignore odd").status == 2);
}

TEST_CASE("a rejected spec is status 1 with its diagnostics on stderr and nothing on stdout") {
  const TemporaryDirectory directory;
  const Result result = run(directory.path(), "check " + source_dir + "/tests/cases/fail/several.toml");
  CHECK(result.status == 1);
  CHECK(result.out.empty());
  CHECK(result.err.find("several.toml:12:14: error: ") != std::string::npos);
  CHECK(result.err.find("[attention.kv_heads_divide_heads]") != std::string::npos);
  // In the order of the text.
  CHECK(result.err.find("[model.vocab_size_range]") < result.err.find("[norm.eps_range]"));
  CHECK(result.err.find("[norm.eps_range]") < result.err.find("[spec.choice]"));
}

TEST_CASE("a file that is not there and wrong usage are status 2") {
  const TemporaryDirectory directory;
  const Result missing = run(directory.path(), "check nowhere.toml");
  CHECK(missing.status == 2);
  CHECK(missing.err.find("nowhere.toml") != std::string::npos);
  CHECK(run(directory.path(), "check .").status == 2);
  CHECK(run(directory.path(), "").status == 2);
  CHECK(run(directory.path(), "fly").status == 2);
  CHECK(run(directory.path(), "check").status == 2);
  CHECK(run(directory.path(), "check " + source_dir + "/models/kjv.toml --frobnicate").status == 2);
  CHECK(run(directory.path(), "check " + source_dir + "/models/kjv.toml --set foo").status == 2);
  CHECK(run(directory.path(), "check " + source_dir + "/models/kjv.toml --scan-nan").status == 2);
  CHECK(run(directory.path(), "check " + source_dir + "/models/kjv.toml -- -DX").status == 2);
  CHECK(run(directory.path(), "generate " + source_dir + "/models/kjv.toml").status == 2);
  CHECK(run(directory.path(), "generate " + source_dir + "/models/kjv.toml --dump everything").status == 2);
  CHECK(run(directory.path(), "report " + source_dir + "/models/kjv.toml --html x").status == 2);
}

TEST_CASE("a mistyped word is named, with the nearest known one, before what is missing because of it") {
  const TemporaryDirectory directory;
  const std::string spec = source_dir + "/models/kjv.toml ";
  const std::vector<std::array<std::string, 3>> cases = {
      {"check " + spec + "--wieghts x", "check has no option '--wieghts'", "did you mean --weights?"},
      {"check --explian " + spec, "check has no option '--explian'", "did you mean --explain?"},
      {"check " + spec + "--scan-nan --weight=x", "check has no option '--weight'", "did you mean --weights?"},
      {"build " + spec + "-O out", "build has no option '-O'", "did you mean -o?"},
      {"generate " + spec + "-dump plan", "generate has no option '-dump'", "did you mean --dump?"},
      {"report " + spec + "json", "report has no use for 'json'", "did you mean --json?"},
      {"chekc " + spec, "there is no command 'chekc'", "did you mean check?"},
      {"--hepl", "there is no option '--hepl'", "did you mean --help?"},
  };
  for (const auto& [arguments, unknown, meant] : cases) {
    const Result result = run(directory.path(), arguments);
    INFO(result.err);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find("monomorph: error: " + unknown) == 0);
    CHECK(result.err.find(meant) != std::string::npos);
    CHECK(result.err.find("required") == std::string::npos);
  }
  const Result flags = run(directory.path(), "check " + spec + "-- -DX");
  CHECK(flags.err.find("--host") != std::string::npos);
}

TEST_CASE("a mask that shows what its window hides is a warning at the window, and the spec is accepted") {
  const TemporaryDirectory directory;
  const Result result =
      run(directory.path(), "check " + source_dir + "/tests/cases/pass/attention_mask_far_beyond_window.toml");
  CHECK(result.status == 0);
  CHECK(result.err.find("window.toml:18:10: warning: the mask shows the key of position ") != std::string::npos);
  const Result generated = run(
      directory.path(), "generate -o out " + source_dir + "/tests/cases/pass/attention_mask_far_beyond_window.toml");
  CHECK(generated.status == 0);
  CHECK(generated.err == result.err);
}

TEST_CASE("a number too large to be one is refused where it stands") {
  const TemporaryDirectory directory;
  const std::string check = "check " + source_dir + "/models/kjv.toml --set ";
  for (const std::string number : {"9223372036854775808", "-9223372036854775809", "99999999999999999999"}) {
    const Result result = run(directory.path(), check + "model.vocab_size=" + number);
    INFO(result.err);
    CHECK(result.status == 1);
    CHECK(result.err.find("--set model.vocab_size:1:") == 0);
    // TOML's reader names the digits, without the sign.
    const std::string digits = number.substr(number.find_first_not_of('-'));
    CHECK(result.err.find("'" + digits + "' is not representable in 64 bits") != std::string::npos);
  }
  const Result real = run(directory.path(), check + "norm.eps=1e999");
  CHECK(real.status == 1);
  CHECK(real.err.find("'1e999' could not be interpreted as a value") != std::string::npos);
}

TEST_CASE("what the file system refuses is status 2 and names the path, whatever asked for it") {
  const TemporaryDirectory directory;
  fs::create_symlink("loop", directory.path() / "loop");
  const std::string spec = source_dir + "/models/kjv.toml";
  const std::vector<std::string> commands = {"check loop",
                                             "import loop",
                                             "tokenize loop",
                                             "check " + spec + " --weights loop",
                                             "check " + spec + " --host loop",
                                             "generate " + spec + " -o loop",
                                             "build " + spec + " -o loop",
                                             "import " + source_dir + "/models/kjv -o loop/x",
                                             "check loop/x/y",
                                             "report loop",
                                             "check " + spec + " --weights loop/model.safetensors"};
  for (const std::string& arguments : commands) {
    CAPTURE(arguments);
    const Result result = run(directory.path(), arguments);
    CHECK(result.status == 2);
    CHECK(result.err.find("loop") != std::string::npos);
    CHECK(result.out.empty());
  }
}

TEST_CASE("a folder with an adapter is status 1 and says how it is merged, whatever asks for it") {
  const TemporaryDirectory directory;
  directory.write("alone/adapter_config.json", R"({"peft_type": "LORA"})");
  directory.write("beside/adapter_config.json", R"({"peft_type": "LORA"})");
  directory.write("beside/config.json", R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama"})");
  for (const char* folder : {"alone", "beside"}) {
    for (const char* command : {"check ", "import ", "report ", "build -o out "}) {
      CAPTURE(folder);
      CAPTURE(command);
      const Result refused = run(directory.path(), std::string(command) + folder);
      CHECK(refused.status == 1);
      CHECK(refused.err.find(std::string(folder) + "/adapter_config.json: ") != std::string::npos);
      CHECK(refused.err.find("merge_and_unload()") != std::string::npos);
    }
  }
}

TEST_CASE("help and version are status 0, and usage begins with the program's name") {
  const TemporaryDirectory directory;
  CHECK(run(directory.path(), "--help").status == 0);
  CHECK(run(directory.path(), "--help").out.find("Usage: monomorph [OPTIONS] SUBCOMMAND") != std::string::npos);
  const std::string check = run(directory.path(), "check --help").out;
  CHECK(check.find("Usage: monomorph check [OPTIONS] SPEC") != std::string::npos);
  CHECK(check.find("--weights") != std::string::npos);
  CHECK(run(directory.path(), "generate --help").out.find("{spec,contract,graph,plan}") != std::string::npos);
  CHECK(run(directory.path(), "--version").status == 0);
}

TEST_CASE("--set overrides any field, and says so where it is wrong") {
  const TemporaryDirectory directory;
  const std::string spec = source_dir + "/tests/cases/pass/llama.toml";
  const Result explained =
      run(directory.path(), "check " + spec + " --explain --set engine.kv_cache=f32 --set attention.head_dim=32");
  CHECK(explained.status == 0);
  CHECK(explained.out.find("kv_cache = \"f32\"") != std::string::npos);
  CHECK(explained.out.find("head_dim = 32") != std::string::npos);
  const Result wrong = run(directory.path(), "check " + spec + " --set attention.num_key_value_heads=3");
  CHECK(wrong.status == 1);
  CHECK(wrong.err.find("--set attention.num_key_value_heads:1:33: error: ") == 0);
}

TEST_CASE("check, report, generate and build accept keys of a config.json unread, as import does") {
  const TemporaryDirectory directory;
  const std::string config = text_of(source_dir + "/models/kjv/config.json");
  directory.write("model/config.json", "{\"new_key\": 1, " + config.substr(config.find('{') + 1));
  for (const std::string command : {"import model", "check model", "report model", "generate model --dump spec",
                                    "generate model -o out", "build model -o out"}) {
    CAPTURE(command);
    const Result refused = run(directory.path(), command);
    CHECK(refused.status == 1);
    CHECK(refused.err.find("model/config.json:1:2: error: 'new_key'") == 0);
    CHECK(refused.err.find("--ignore new_key") != std::string::npos);
    if (command.starts_with("build")) continue;  // the rest takes seconds, and is generate's
    CHECK(run(directory.path(), command + " --ignore new_key").status == 0);
  }
  CHECK(text_of(directory.path() / "out/model.toml").find("\"new_key\" = \"named by --ignore\"") != std::string::npos);
  CHECK(run(directory.path(), "build --help").out.find("--ignore") != std::string::npos);
  const Result of_a_file = run(directory.path(), "check out/model.toml --ignore new_key");
  CHECK(of_a_file.status == 2);
  CHECK(of_a_file.err.find("out/model.toml is a spec") != std::string::npos);
}

TEST_CASE("a copy without the runtime's headers says that they are missing, and does what it can without them") {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path() / "bin");
  fs::copy_file(MONOMORPH_BUILD_DIR "/bin/monomorph", directory.path() / "bin/monomorph");
  directory.write("host.cpp", "int main() {}\n");
  const auto run_copy = [&](const std::string& arguments) { return run(directory.path(), arguments, "bin/monomorph"); };
  const std::string spec = source_dir + "/models/stories15m.toml";
  CHECK(run_copy("check " + spec).status == 0);
  for (const std::string command : {"generate -o out ", "build -o out ", "check --host host.cpp "}) {
    CAPTURE(command);
    const Result result = run_copy(command + spec);
    CHECK(result.status == 2);
    CHECK(result.err.find("monomorph: error: the runtime's headers are not in ") == 0);
    CHECK(result.err.find("copied without them") != std::string::npos);
    CHECK_FALSE(fs::exists(directory.path() / "out"));
  }
  // A link to a whole installation is one.
  fs::create_symlink(MONOMORPH_BUILD_DIR "/bin/monomorph", directory.path() / "bin/link");
  CHECK(run(directory.path(), "generate -o out " + spec, "bin/link").status == 0);
}

TEST_CASE("what is said of an imported directory has a place in its config.json") {
  const TemporaryDirectory directory;
  const std::string config = text_of(source_dir + "/models/kjv/config.json");
  directory.write("model/config.json", config);
  const auto first_place = [&](const std::string& arguments) {
    const std::string text = run(directory.path(), "check model " + arguments).err;
    return text.substr(0, text.find(": ", text.find(": ") + 2));
  };
  const auto line_of = [&](const std::string& key) {
    return std::to_string(1 + std::count(config.begin(), config.begin() + static_cast<long>(config.find(key)), '\n'));
  };
  // At the key that the value was read from; where there is none, at the file; what --set says, there.
  directory.write("model/config.json",
                  std::regex_replace(config, std::regex("\"intermediate_size\": \\d+"), "\"intermediate_size\": 10"));
  CHECK(first_place("") == "model/config.json:" + line_of("\"intermediate_size\"") + ":3: note");
  directory.write("model/config.json", config);
  CHECK(first_place("--set engine.max_sequence_length=1000000 --set model.max_position_embeddings=1000000") ==
        "--set engine.max_sequence_length:1:30: note");
  CHECK(first_place("--set model.max_position_embeddings=1000000 --set model.hidden_size=64") ==
        "model/config.json: note");
  CHECK(first_place("--set attention.head_dim=1000") == "--set attention.head_dim:1:22: error");
  CHECK(first_place("--set model.hidden_size=-1") == "--set model.hidden_size:1:21: error");
}

TEST_CASE("a chat template that is not compiled is named with its line, and everything else is made") {
  const TemporaryDirectory directory;
  directory.write("model/config.json", text_of(source_dir + "/models/kjv/config.json"));
  directory.write("model/chat_template.jinja", "{% for m in messages %}\n{{ m.content | urlize }}\n{% endfor %}");
  const Result refused = run(directory.path(), "generate model -o out");
  CHECK(refused.status == 0);
  CHECK(refused.err.find("line 2 of its chat template has what is not compiled: the filter 'urlize'") !=
        std::string::npos);
  CHECK(text_of(directory.path() / "out/program.cpp").find("the filter 'urlize'") != std::string::npos);
  CHECK_FALSE(fs::exists(directory.path() / "out/chat.cpp"));

  directory.write("model/chat_template.jinja", "{% for m in messages %}\n{{ m.content");
  CHECK(run(directory.path(), "generate model -o out").err.find("line 2 of its chat template") != std::string::npos);
  directory.write("model/chat_template.jinja", "{% for m in messages %}\n{{ m.content }}\n{% endfor %}");
  const Result made = run(directory.path(), "generate model -o out");
  CHECK(made.err.empty());
  CHECK(fs::exists(directory.path() / "out/chat.cpp"));
}

TEST_CASE("schema and report --json print JSON alone") {
  const TemporaryDirectory directory;
  const Result schema = run(directory.path(), "schema");
  CHECK(schema.status == 0);
  CHECK(nlohmann::json::parse(schema.out)["title"] == "Monomorph spec");
  const Result report = run(directory.path(), "report " + source_dir + "/models/llama-3-8b.toml --json");
  CHECK(report.status == 0);
  CHECK(nlohmann::json::parse(report.out)["parameters"]["total"] == 8030261248);
}

TEST_CASE("dumps are the same in two runs and differ by stage") {
  const TemporaryDirectory directory;
  const std::string spec = source_dir + "/tests/cases/pass/kinds.toml";
  std::vector<std::string> dumps;
  for (const std::string stage : {"spec", "contract", "graph", "plan"}) {
    const Result first = run(directory.path(), "generate " + spec + " --dump " + stage);
    CHECK(first.status == 0);
    CHECK_FALSE(first.out.empty());
    CHECK(first.out == run(directory.path(), "generate " + spec + " --dump " + stage).out);
    for (const std::string& other : dumps) CHECK(first.out != other);
    dumps.push_back(first.out);
  }
}

TEST_CASE("check compares the config.json beside the weights, and --ignore-config does not") {
  const TemporaryDirectory directory;
  const fs::path kjv = fs::path(source_dir) / "models" / "kjv";
  fs::create_symlink(kjv / "model.safetensors", directory.path() / "model.safetensors");
  std::string config = text_of(kjv / "config.json");
  const std::string check = "check " + source_dir + "/models/kjv.toml --weights .";
  directory.write("config.json", config);
  CHECK(run(directory.path(), check).status == 0);
  const std::string eps = "\"rms_norm_eps\": 1e-05";
  REQUIRE(config.find(eps) != std::string::npos);
  config.replace(config.find(eps), eps.size(), "\"rms_norm_eps\": 1e-06");
  directory.write("config.json", config);
  for (const std::string weights : {"", "/model.safetensors"}) {
    const Result differs = run(directory.path(), check + weights);
    CHECK(differs.status == 1);
    CHECK(differs.err.find("config.json:") != std::string::npos);
    CHECK(differs.err.find("'rms_norm_eps' is 1e-06, and norm.eps of kjv is 1e-05 [config.differs]") !=
          std::string::npos);
  }
  const Result ignored = run(directory.path(), check + " --ignore-config");
  CHECK(ignored.status == 0);
  CHECK(ignored.err.find("epsilons") != std::string::npos);
  CHECK(run(directory.path(), "check " + source_dir + "/models/kjv.toml --ignore-config").status == 2);
}
