// Kernels as GLSL: one file a kernel, the shaders they include, and the state's struct.
#include <fmt/format.h>

#include <set>
#include <sstream>

#include "generator/emit/emit.hpp"
#include "generator/emit/resources.hpp"

namespace monomorph::generator {
namespace {

std::string access_word(Access access) {
  switch (access) {
    case Access::read:
      return "readonly";
    case Access::write:
      return "writeonly";
    case Access::read_write:
      return "";
  }
  return "";
}

/// The files that `text` includes, and those they include.
void add_included(const std::string& text, EmittedFiles& files) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::string name = line.substr(10, line.rfind('"') - 10);
    if (files.contains("kernels/" + name)) continue;
    const std::string included(resource("shaders/" + name));
    files.emplace("kernels/" + name, included);
    add_included(included, files);
  }
}

std::string state_struct(const StructRecord& record) {
  std::string text = "// The sequence's state, shared with the host (its twin stands in model.hpp).\n";
  text += "struct " + record.name + " {\n";
  for (const StructField& field : record.fields) {
    const std::string array = field.count > 0 ? fmt::format("[{}]", field.count) : "";
    text += fmt::format("  {} {}{};  // {}\n", field.type, field.name, array, field.meaning);
  }
  return text + "};\n";
}

std::string render_kernel(const KernelPlan& kernel, const StructRecord& state, const std::string& generated) {
  std::vector<Holes> buffers;
  const auto add = [&](Access access, const std::string& block, const std::string& member, const std::string& shape) {
    buffers.push_back({{"binding", static_cast<std::int64_t>(buffers.size())},
                       {"access", access_word(access)},
                       {"block", block},
                       {"member", member},
                       {"shape", shape}});
  };
  add(kernel.state_access, "State", state.name + " state", "one sequence");
  for (const ParameterPlan& parameter : kernel.parameters) {
    add(parameter.access, parameter.block, parameter.member, parameter.shape);
  }
  Holes holes = kernel.holes;
  holes.insert({{"kernel", kernel.name}, {"about", kernel.about}, {"generated", generated}, {"buffers", buffers}});
  return embedded_template(kernel.template_path).render(holes);
}

}  // namespace

EmittedFiles emit_kernels(const Plan& plan, const std::string& generated) {
  EmittedFiles files;
  files["kernels/sequence_state.glsl"] = state_struct(plan.sequence_state);
  for (const KernelPlan& kernel : plan.kernels) {
    const std::string text = render_kernel(kernel, plan.sequence_state, generated);
    add_included(text, files);
    files["kernels/" + kernel.name + ".comp"] = text;
  }
  return files;
}

}  // namespace monomorph::generator
