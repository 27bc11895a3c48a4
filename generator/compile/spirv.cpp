#include "generator/compile/spirv.hpp"

#include <fmt/format.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <future>
#include <memory>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {
namespace {

/// glslang's library, for as long as the program lives.
struct GlslangProcess {
  GlslangProcess() { glslang::InitializeProcess(); }
  ~GlslangProcess() { glslang::FinalizeProcess(); }
};

/// Resolves #include "x.glsl" to kernels/x.glsl.
class EmittedIncluder : public glslang::TShader::Includer {
 public:
  explicit EmittedIncluder(const EmittedFiles& files) : files_(files) {}

  IncludeResult* includeLocal(const char* header, const char*, std::size_t) override {
    const auto found = files_.find("kernels/" + std::string(header));
    if (found == files_.end()) return nullptr;
    return new IncludeResult(found->first, found->second.data(), found->second.size(), nullptr);
  }
  void releaseInclude(IncludeResult* result) override { delete result; }

 private:
  const EmittedFiles& files_;
};

std::vector<std::uint32_t> to_spirv(const std::string& name, const EmittedFiles& files) {
  static const GlslangProcess process;
  const std::string& text = files.at("kernels/" + name + ".comp");
  const std::string file = name + ".comp";
  const char* strings[] = {text.c_str()};
  const char* names[] = {file.c_str()};
  const int lengths[] = {static_cast<int>(text.size())};

  glslang::TShader shader(EShLangCompute);
  shader.setStringsWithLengthsAndNames(strings, lengths, names, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_2);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_5);
  const EShMessages messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  EmittedIncluder includer(files);
  if (!shader.parse(GetDefaultResources(), 450, false, messages, includer)) {
    throw InternalError(fmt::format("compile: kernel {} is not valid GLSL:\n{}", name, shader.getInfoLog()));
  }
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(messages)) {
    throw InternalError(fmt::format("compile: kernel {} does not link:\n{}", name, program.getInfoLog()));
  }
  std::vector<std::uint32_t> words;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words);
  return words;
}

std::vector<std::uint32_t> run(const std::string& name, spvtools::Optimizer& optimizer,
                               const std::vector<std::uint32_t>& words) {
  std::string complaints;
  optimizer.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
    complaints += std::string(message) + "\n";
  });
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);  // validated below, as it ships
  std::vector<std::uint32_t> result;
  if (!optimizer.Run(words.data(), words.size(), &result, options)) {
    throw InternalError(fmt::format("compile: SPIRV-Tools could not optimise kernel {}:\n{}", name, complaints));
  }
  return result;
}

void validate(const std::string& name, const std::vector<std::uint32_t>& words) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  std::string complaints;
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
    complaints += std::string(message) + "\n";
  });
  if (!tools.Validate(words)) {
    throw InternalError(fmt::format("compile: the SPIR-V of kernel {} is not valid:\n{}", name, complaints));
  }
}

}  // namespace

CompiledKernel compile_kernel(const std::string& name, const EmittedFiles& files) {
  CompiledKernel kernel;
  spvtools::Optimizer performance(SPV_ENV_VULKAN_1_2);
  performance.RegisterPerformancePasses();
  kernel.named = run(name, performance, to_spirv(name, files));
  spvtools::Optimizer strip(SPV_ENV_VULKAN_1_2);
  strip.RegisterPass(spvtools::CreateStripDebugInfoPass());
  strip.RegisterPass(spvtools::CreateCompactIdsPass());
  kernel.optimized = run(name, strip, kernel.named);
  validate(name, kernel.optimized);
  return kernel;
}

std::map<std::string, CompiledKernel> compile_spirv(const EmittedFiles& files) {
  std::vector<std::pair<std::string, std::future<CompiledKernel>>> running;
  for (const auto& [path, text] : files) {
    if (!path.starts_with("kernels/") || !path.ends_with(".comp")) continue;
    const std::string name = path.substr(8, path.size() - 8 - 5);
    running.emplace_back(name, std::async(std::launch::async, [name, &files] { return compile_kernel(name, files); }));
  }
  std::map<std::string, CompiledKernel> kernels;
  for (auto& [name, kernel] : running) kernels.emplace(name, kernel.get());
  return kernels;
}

}  // namespace monomorph::generator
