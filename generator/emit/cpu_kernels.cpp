#include "generator/emit/cpu_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "generator/emit/spelling.hpp"
#include "generator/emit/steps.hpp"

namespace monomorph::generator {
namespace {

std::string f32_literal(double value) { return float_literal(value) + "f"; }

const char* cpp_type(Type type) {
  switch (type) {
    case Type::real:
      return "float";
    case Type::integer:
      return "int";
    case Type::boolean:
      return "bool";
    default:
      throw InternalError("emit: a kernel's function of what is no number");
  }
}

std::string function(const std::string& name, const KernelFunction& function) {
  std::vector<std::string> numbers;
  for (const auto& [number, type] : function.numbers) {
    numbers.push_back(fmt::format("[[maybe_unused]] {} {}", cpp_type(type), number));
  }
  return fmt::format("static {} {}({}) {{ return {}; }}\n", cpp_type(type_of(function.gives)), name,
                     fmt::join(numbers, ", "), to_cpp_f32(function.gives));
}

/// What becomes of the sums of an element, step by step.
std::string steps(const std::vector<MapStep>& steps) {
  std::string functions, body, result = "sum_0";
  std::set<std::int64_t> buffers;
  bool reads_output = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    KernelFunction map{steps[i].expression, {}};
    for (const std::string& name : steps[i].names) map.numbers.push_back({name, Type::real});
    functions += function(fmt::format("map_{}", i), map);
    std::vector<std::string> arguments;
    for (const StepOperand& read : steps[i].operands) {
      arguments.push_back(operand_name(read));
      if (read.from == StepOperand::From::buffer) buffers.insert(read.index);
      reads_output |= read.from == StepOperand::From::output;
    }
    result = fmt::format("step_{}", i);
    body +=
        fmt::format("  const float {} = map_{}({});  // {}\n", result, i, fmt::join(arguments, ", "), steps[i].result);
  }
  std::string operands;
  for (const std::int64_t buffer : buffers) {
    operands += fmt::format("  const float operand_{} = operands[{}];\n", buffer, buffer);
  }
  return functions + fmt::format("static constexpr bool reads_output = {};\n", reads_output) +
         "static float output([[maybe_unused]] float sum_0, [[maybe_unused]] float sum_1, [[maybe_unused]] float "
         "previous, [[maybe_unused]] const float* operands) {\n" +
         operands + body + fmt::format("  return {};\n}}\n", result);
}

std::string members(const Parameters& parameters);

/// Records of one number are an array of them, others a list of types.
std::string records(const std::string& name, const std::vector<Parameters>& records) {
  const bool numbers = !records.empty() && std::ranges::all_of(records, [](const Parameters& record) {
    return record.size() == 1 && std::holds_alternative<double>(record.begin()->second.value);
  });
  std::vector<std::string> each;
  if (numbers) {
    for (const Parameters& record : records) {
      each.push_back(f32_literal(std::get<double>(record.begin()->second.value)));
    }
    return fmt::format("static constexpr float {}[] = {{{}}};\n", name, fmt::join(each, ", "));
  }
  std::string types;
  for (const Parameters& record : records) {
    each.push_back(fmt::format("{}_{}", name, each.size()));
    types += fmt::format("struct {} {{\n{}}};\n", each.back(), members(record));
  }
  return types + fmt::format("using {} = List<{}>;\n", name, fmt::join(each, ", "));
}

std::string member(const std::string& name, const Parameter& parameter) {
  const auto constant = [&](const char* type, const std::string& value) {
    return fmt::format("static constexpr {} {} = {};\n", type, name, value);
  };
  if (const bool* flag = std::get_if<bool>(&parameter.value)) return constant("bool", *flag ? "true" : "false");
  if (const auto* number = std::get_if<std::int64_t>(&parameter.value)) {
    return constant("std::int64_t", std::to_string(*number));
  }
  if (const double* real = std::get_if<double>(&parameter.value)) return constant("float", f32_literal(*real));
  if (const auto* word = std::get_if<std::string>(&parameter.value)) {
    return constant("std::string_view", '"' + *word + '"');
  }
  if (const auto* expression = std::get_if<KernelFunction>(&parameter.value)) return function(name, *expression);
  if (const auto* maps = std::get_if<std::vector<MapStep>>(&parameter.value)) return steps(*maps);
  return records(name, std::get<std::vector<Parameters>>(parameter.value));
}

std::string members(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, parameter] : parameters) text += member(name, parameter);
  return text;
}

std::string bindings(const Kernel& kernel) {
  std::vector<std::string> names = {"\"step\""}, splits = {"false"};
  for (const KernelBinding& binding : kernel.bindings) {
    names.push_back('"' + binding.name + '"');
    splits.push_back(binding.splits ? "true" : "false");
  }
  return fmt::format(
      "static constexpr std::string_view bindings[] = {{{}}};\nstatic constexpr bool splits[] = {{{}}};\n",
      fmt::join(names, ", "), fmt::join(splits, ", "));
}

/// Of "kernels/norm_heads.comp", NormHeads. Products with one row, some and many are one kernel.
std::string template_of(const Kernel& kernel) {
  const std::string stem = std::filesystem::path(kernel.path).stem();
  return stem.starts_with("mat") ? "Linear" : camel_case(stem);
}

/// Those that the ways call which a CPU takes.
std::set<KernelId> called(const Plan& plan) {
  std::set<KernelId> kernels;
  for (const PhasePlan& phase : plan.phases) {
    const bool taken = std::ranges::none_of(plan.phases, [&](const PhasePlan& other) {
      return other.row->stage == phase.row->stage && rank(other.row->lowering) > rank(phase.row->lowering);
    });
    if (!taken || phase.row->stage == Stage::sample) continue;
    for (const Section& section : phase.sections) {
      for (const Call& call : section.calls) kernels.insert(call.kernel);
    }
  }
  return kernels;
}

}  // namespace

std::vector<Holes> cpu_kernels(const Plan& plan) {
  const std::set<KernelId> run = called(plan);
  std::vector<Holes> holes;
  for (const KernelId id : plan.kernels.ids()) {
    const Kernel& kernel = plan.kernels[id];
    const bool runs = run.contains(id);
    holes.push_back({{"name", kernel.name},
                     {"about", kernel.about},
                     {"template", runs ? template_of(kernel) : ""},
                     {"members", runs ? bindings(kernel) + members(kernel.parameters) : ""}});
  }
  return holes;
}

std::string dump_cpu_kernels(const Plan& plan) {
  const std::set<KernelId> run = called(plan);
  std::string text = "\non the CPU\n";
  for (const KernelId id : plan.kernels.ids()) {
    if (!run.contains(id)) continue;
    const std::string name = template_of(plan.kernels[id]);
    const bool by_level = name == "Linear" || name == "Attention";
    text += fmt::format("  {}: {}, {}\n", plan.kernels[id].name, name, by_level ? "by level" : "plain loops");
  }
  return text;
}

}  // namespace monomorph::generator
