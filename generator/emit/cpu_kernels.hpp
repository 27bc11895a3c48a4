// Kernels as a CPU runs them: the C++ templates of runtime/cpu/kernels/, each over a struct of its parameters. They are
// those that fill the shaders' templates.
#pragma once

#include <string>
#include <vector>

#include "generator/emit/template.hpp"
#include "generator/plan/plan.hpp"

namespace monomorph::generator {

/// Of each kernel, as templates/cpp/cpu.cpp reads them: its name, what it computes, the template, and the members of
/// its struct. The template is empty where no CPU runs the kernel: it takes one way through each stage, whatever the
/// number of rows, and draws by itself.
std::vector<Holes> cpu_kernels(const Plan& plan);

/// How each kernel runs there, as plan.txt tells: by loops of the processor's level (runtime/cpu/levels/), or by plain
/// ones, in f32, which the compiler of the engine makes vectors of.
std::string dump_cpu_kernels(const Plan& plan);

}  // namespace monomorph::generator
