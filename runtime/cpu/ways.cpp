#include "runtime/cpu/ways.hpp"

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/program/hazards.hpp"

namespace monomorph::cpu {

Way make_way(const Program& program, const Storage& storage, Stage stage) {
  Way way;
  const Phase* phase = phase_of_any_rows(program, stage);
  if (phase == nullptr) return way;
  phase->record(way.recorder);
  HazardTracker hazards;
  for (const Dispatch& dispatch : way.recorder.dispatches) {
    const Kernel& kernel = program.kernels[static_cast<std::size_t>(dispatch.kernel)];
    const Function function = program.cpu_kernels[static_cast<std::size_t>(dispatch.kernel)];
    if (function.run == nullptr || dispatch.arguments.size() != kernel.bindings.size()) {
      throw Error(ErrorKind::internal, fmt::format("kernel {} is not one that a CPU runs", kernel.name));
    }
    Step step{function, {}, false};
    std::vector<ByteAccess> accesses;
    for (std::size_t b = 0; b < dispatch.arguments.size(); ++b) {
      const auto& [view, stored] = dispatch.arguments[b];
      step.arguments.push_back(stored < 0 ? Argument{storage.at(view)} : storage.stored(stored));
      if (stored >= 0) continue;
      const Access access = kernel.bindings[b].access;
      accesses.push_back({static_cast<std::size_t>(view.arena), view.offset, view.bytes, access != Access::write,
                          access != Access::read});
    }
    step.waits = hazards.add(accesses);
    way.steps.push_back(std::move(step));
  }
  return way;
}

}  // namespace monomorph::cpu
