#include "tests/support/glsl.hpp"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace monomorph::test {
namespace {

class ShaderFolder : public glslang::TShader::Includer {
 public:
  IncludeResult* includeLocal(const char* name, const char*, std::size_t) override {
    std::ifstream file(std::string(MONOMORPH_SOURCE_DIR) + "/shaders/" + name, std::ios::binary);
    if (!file) return nullptr;
    auto* text = new std::string(std::istreambuf_iterator<char>(file), {});
    return new IncludeResult(name, text->data(), text->size(), text);
  }
  void releaseInclude(IncludeResult* result) override {
    if (result == nullptr) return;
    delete static_cast<std::string*>(result->userData);
    delete result;
  }
};

}  // namespace

std::vector<std::uint32_t> compile_glsl(const std::string& source) {
  static const bool initialized = glslang::InitializeProcess();
  if (!initialized) throw std::runtime_error("glslang cannot be initialized");
  glslang::TShader shader(EShLangCompute);
  const char* text = source.c_str();
  shader.setStrings(&text, 1);
  shader.setPreamble("#extension GL_GOOGLE_include_directive : require\n");
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_2);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_5);
  const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  ShaderFolder includes;
  if (!shader.parse(GetDefaultResources(), 450, false, messages, includes)) {
    throw std::runtime_error(shader.getInfoLog());
  }
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(messages)) throw std::runtime_error(program.getInfoLog());
  std::vector<std::uint32_t> spirv;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), spirv);
  return spirv;
}

}  // namespace monomorph::test
