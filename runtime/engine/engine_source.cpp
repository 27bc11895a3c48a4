// Engine::encode: sources, as many in a pass as fit. How a pass is run is the engine's own.
#include "runtime/engine/engine.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph {

void Engine::run_encode(std::span<const Source>) { throw Error(ErrorKind::internal, "this engine reads no sources"); }

void Engine::encode(std::span<const Source> sources) {
  validate_sources(program_, sources);
  for (std::size_t first = 0, end = 0; first < sources.size(); first = end) {
    std::int64_t rows = 0;
    for (; end < sources.size(); ++end) {
      const std::int64_t with = rows + std::ssize(sources[end].tokens);
      if (end > first && with > program_.max_source_length) break;
      rows = with;
    }
    const std::span<const Source> pass = sources.subspan(first, end - first);
    for (const Source& source : pass) {
      Slot& slot = slot_at(source.slot);
      reset(source.slot);
      slot.source.clear();  // until it has been read
      slot.encoding = 0;
    }
    run_encode(pass);
    for (const Source& source : pass) {
      Slot& slot = slot_at(source.slot);
      slot.source.assign(source.tokens.begin(), source.tokens.end());
      slot.encoding = ++encodings_;
    }
  }
}

void Engine::encode(std::span<const std::int32_t> tokens, std::int64_t slot) {
  const Source source{slot, tokens};
  encode({&source, 1});
}

std::span<const std::int32_t> Engine::source(std::int64_t slot) const {
  validate_slot(program_, slot);
  return slots_[static_cast<std::size_t>(slot)].source;
}

}  // namespace monomorph
