// Kernels as GLSL: one file a kernel, and the shaders they include.
#include <fmt/format.h>

#include <set>
#include <sstream>

#include "generator/emit/emit.hpp"
#include "generator/emit/resources.hpp"
#include "generator/emit/steps.hpp"
#include "generator/emit/template.hpp"

namespace monomorph::generator {
namespace {

const char* access_word(Access access) {
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

void add_steps(const std::vector<MapStep>& steps, Holes& holes) {
  std::vector<Holes> records;
  bool previous = false;
  for (const MapStep& step : steps) {
    std::string parameters, arguments;
    for (std::size_t i = 0; i < step.names.size(); ++i) {
      parameters += (i > 0 ? ", float " : "float ") + step.names[i];
      arguments += (i > 0 ? ", " : "") + operand_name(step.operands[i]);
      previous |= step.operands[i].from == StepOperand::From::output;
    }
    records.push_back({{"function", fmt::format("map_{}", records.size())},
                       {"parameters", parameters},
                       {"expression", to_glsl(step.expression)},
                       {"name", fmt::format("step_{}", records.size())},
                       {"arguments", arguments},
                       {"about", step.result}});
  }
  holes.insert_or_assign("previous", previous);
  holes.insert_or_assign("result", records.empty() ? std::string("sum_0") : fmt::format("step_{}", records.size() - 1));
  holes.insert_or_assign("steps", std::move(records));
}

HoleValue hole_of(const Parameter& parameter);

Holes holes_of(const Parameters& parameters) {
  Holes holes;
  for (const auto& [name, parameter] : parameters) {
    if (const auto* steps = std::get_if<std::vector<MapStep>>(&parameter.value)) {
      add_steps(*steps, holes);
    } else {
      holes.insert_or_assign(name, hole_of(parameter));
    }
  }
  return holes;
}

HoleValue hole_of(const Parameter& parameter) {
  if (const bool* flag = std::get_if<bool>(&parameter.value)) return *flag;
  if (const std::int64_t* number = std::get_if<std::int64_t>(&parameter.value)) return *number;
  if (const double* real = std::get_if<double>(&parameter.value)) return *real;
  if (const std::string* word = std::get_if<std::string>(&parameter.value)) return *word;
  if (const auto* function = std::get_if<KernelFunction>(&parameter.value)) return to_glsl(function->gives);
  std::vector<Holes> records;
  for (const Parameters& record : std::get<std::vector<Parameters>>(parameter.value))
    records.push_back(holes_of(record));
  return records;
}

std::string render_kernel(const Kernel& kernel, const Contract& contract, const Plan& plan,
                          const std::string& generated) {
  Holes holes = holes_of(kernel.parameters);
  holes.insert({{"kernel", kernel.name},
                {"about", kernel.about},
                {"generated", generated},
                {"max_batch", contract.max_batch},
                {"decode_steps", plan.decode_steps},
                {"max_head_rows", contract.head_rows},
                {"max_tokens", contract.pass_rows()},
                {"step_access", access_word(kernel.step_access)}});
  std::vector<BufferUse> uses;
  for (const KernelBinding& binding : kernel.bindings) uses.push_back({binding.name, access_word(binding.access)});
  const Template& text = embedded_template(kernel.path);
  holes.insert({"buffers", text.buffers(holes, uses)});
  return text.render(holes);
}

}  // namespace

EmittedFiles emit_kernels(const Contract& contract, const Plan& plan, const std::string& generated) {
  EmittedFiles files;
  for (const Kernel& kernel : plan.kernels) {
    const std::string text = render_kernel(kernel, contract, plan, generated);
    add_included(text, files);
    files["kernels/" + kernel.name + ".comp"] = text;
  }
  return files;
}

}  // namespace monomorph::generator
