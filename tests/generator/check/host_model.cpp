#include "tests/generator/check/host_model.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "generator/pipeline.hpp"

namespace monomorph::test {
namespace {

namespace fs = std::filesystem;

/// The emitted headers in a folder that goes with the process.
class EmittedHeaders {
 public:
  explicit EmittedHeaders(const std::string& name)
      : folder_(MONOMORPH_BUILD_DIR "/host_model_" + std::to_string(getpid()) + "_" + name) {
    const std::string spec = name + ".toml";
    const generator::AcceptedSpec accepted =
        generator::accept_spec(generator::open_spec(MONOMORPH_SOURCE_DIR "/tests/cases/host/" + spec), {});
    const generator::PlannedModel planned = generator::plan_model(accepted.contract);
    for (const auto& [path, text] :
         generator::emit_model(accepted.contract, planned.graph, planned.plan, {"0", spec, "generate"})) {
      if (!path.starts_with("include/")) continue;
      fs::create_directories((folder_ / path).parent_path());
      std::ofstream(folder_ / path, std::ios::binary) << text;
    }
    model_ = {name, (folder_ / "include").string(), accepted.spec.hash};
  }
  ~EmittedHeaders() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const HostModel& model() const { return model_; }

 private:
  fs::path folder_;
  HostModel model_;
};

}  // namespace

std::vector<std::string> HostModel::include_dirs() const { return {include_dir, MONOMORPH_SOURCE_DIR}; }

std::vector<std::string> HostModel::include_flags() const {
  std::vector<std::string> flags;
  for (const std::string& directory : include_dirs()) flags.push_back("-I" + directory);
  return flags;
}

std::string HostModel::header(const std::string& file) const {
  std::ifstream stream(include_dir + "/model_" + name + "/" + file, std::ios::binary);
  if (!stream) throw std::runtime_error("no emitted header " + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

const HostModel& host_model(const std::string& name) {
  static std::map<std::string, EmittedHeaders> headers;
  return headers.try_emplace(name, name).first->second.model();
}

}  // namespace monomorph::test
