#include "generator/plan/fuse.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/plan/section.hpp"

namespace monomorph::generator {

std::vector<CallPlan> Planner::section(const std::vector<Op>& ops, Phase phase, const LayerContract* kind) {
  return SectionPlanner(*this, ops, phase, kind).run();
}

std::vector<CallPlan> Planner::sample() {
  KernelPlan kernel;
  kernel.name = "sample";
  kernel.about = "draws the next token and advances the sequence";
  kernel.template_path = "kernels/sample.comp";
  kernel.kind = KernelKind::sample;
  kernel.state_access = Access::read_write;
  kernel.holes = {{"vocab_size", contract_.vocab_size}};
  const auto add = [&](const char* name, const char* block, const char* member, Access access) {
    const BufferPlan& buffer = plan_.buffer(name);
    kernel.parameters.push_back({name, "const " + buffer.type() + "&", block, member,
                                 fmt::format("{}: {}", name, buffer.axes.back().name), access, false});
  };
  add("logits", "Logits", "float logits[]", Access::read);
  add("token_ids", "TokenIds", "uint token_ids[]", Access::read_write);
  add("generated", "Generated", "uint generated[]", Access::write);
  const std::size_t function = add_function("sample", kernel, "1", "1");
  return {{function, {"buffers::logits", "buffers::token_ids", "buffers::generated"}}};
}

std::size_t Planner::add_function(const std::string& name, const KernelPlan& kernel, const std::string& rows,
                                  const std::string& tokens) {
  // Functions of different types may share a shader: the same template filled alike, with alike buffers.
  const auto same = [&](const KernelPlan& other) {
    if (other.template_path != kernel.template_path || other.max_tile_tokens != kernel.max_tile_tokens) return false;
    if (other.parameters.size() != kernel.parameters.size() || !(other.holes == kernel.holes)) return false;
    return std::equal(kernel.parameters.begin(), kernel.parameters.end(), other.parameters.begin(),
                      [](const ParameterPlan& a, const ParameterPlan& b) {
                        return a.member == b.member && a.access == b.access && a.splits == b.splits;
                      });
  };
  const auto found = std::find_if(plan_.kernels.begin(), plan_.kernels.end(), same);
  const std::size_t index = static_cast<std::size_t>(found - plan_.kernels.begin());
  if (found == plan_.kernels.end()) {
    for (const KernelPlan& other : plan_.kernels) {
      if (other.name == kernel.name) throw InternalError("plan: two kernels are called " + kernel.name);
    }
    plan_.kernels.push_back(kernel);
  }

  for (std::size_t at = 0; at < plan_.functions.size(); ++at) {
    if (plan_.functions[at].name != name) continue;
    if (plan_.functions[at].kernel != index) throw InternalError("plan: two functions are called " + name);
    return at;
  }
  plan_.functions.push_back({name, kernel.about, index, kernel.parameters, rows, tokens});
  return plan_.functions.size() - 1;
}

}  // namespace monomorph::generator
