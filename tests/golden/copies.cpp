#include "tests/golden/copies.hpp"

#include <algorithm>
#include <vector>

namespace monomorph::golden {
namespace {

constexpr std::size_t prefilled = 70, decoded = 20, shorter = 83;

/// Logits of what follows a slot's sequence in the golden, by prefill and by decode.
std::vector<float> go_on(const Golden& golden, Engine& engine, std::int64_t slot) {
  std::vector<float> record;
  const auto append = [&](std::span<const float> logits) { record.insert(record.end(), logits.begin(), logits.end()); };
  const auto rest = std::span(golden.tokens).subspan(static_cast<std::size_t>(engine.position(slot)));
  engine.prefill_all(rest.first(5), append, slot);
  append(engine.decode(rest[5], slot));
  append(engine.decode(rest[6], slot));
  return record;
}

bool recurs(const Program& program) {
  return std::ranges::any_of(program.states,
                             [](const StateTable& state) { return state.kind == StateKind::recurrent; });
}

}  // namespace

std::string copies_disagree(const Golden& golden, Engine& engine) {
  const std::int64_t last = engine.program().max_batch - 1;
  const std::span<const std::int32_t> tokens = golden.tokens;
  const auto fill_last = [&] {
    engine.reset(last);
    engine.prefill(tokens.last(90), last);
  };
  if (!golden.source.empty()) {
    const std::span<const std::int32_t> source = golden.source;
    const std::vector<std::int32_t> other(source.rbegin(), source.rend());
    engine.encode(source.first(77), 0);
    engine.encode(other, last);
  }
  engine.reset(0);
  engine.prefill(tokens.first(prefilled), 0);
  for (const std::int32_t token : tokens.subspan(prefilled, decoded)) engine.decode(token, 0);
  const std::int64_t position = engine.position(0);
  const std::vector<std::byte> saved = engine.save(0);

  fill_last();
  if (engine.copy(0, last, position) != position) return "a whole slot is not copied";
  if (!std::ranges::equal(engine.sequence(last), engine.sequence(0))) return "a copy has other tokens";
  if (!std::ranges::equal(engine.source(last), engine.source(0))) return "a copy has another source";
  const std::vector<float> expected = go_on(golden, engine, 0);
  if (go_on(golden, engine, last) != expected) return "a copy goes on differently";

  fill_last();
  engine.restore(last, saved);
  if (go_on(golden, engine, last) != expected) return "what was saved goes on differently";

  // Where a submission began every state goes back to.
  const std::span<const std::int32_t> more =
      tokens.subspan(static_cast<std::size_t>(position),
                     std::min<std::size_t>(5, static_cast<std::size_t>(engine.program().prefill_chunk)));
  engine.restore(0, saved);
  engine.prefill(more, 0);
  if (engine.rewind(0, position) != position) return "what a submission appended stays";
  if (go_on(golden, engine, 0) != expected) return "what was gone back over goes on differently";

  // A submission that is broken off changes nothing of what was before it.
  engine.restore(0, saved);
  const Run broken{0, more, Logits::last};
  try {
    engine.step({&broken, 1}, 1, [](std::size_t, std::int64_t, std::span<const float>) { throw 0; });
  } catch (int) {
  }
  if (engine.rewind(0, position) != position) return "what was broken off stays";
  if (go_on(golden, engine, 0) != expected) return "what was before a pass that was broken off goes on differently";

  // A chunk back at most: that every ring has, and what is recurrent is made again.
  engine.restore(0, saved);
  fill_last();
  const std::int64_t copied = engine.copy(0, last, shorter), kept = engine.rewind(0, shorter);
  if (copied != kept || kept != (recurs(engine.program()) ? 0 : shorter)) return "a shorter slot is not copied";
  for (const std::int64_t slot : {std::int64_t{0}, last}) {
    const auto rest = std::span(golden.tokens).subspan(static_cast<std::size_t>(kept));
    if (kept == 0) engine.prefill(rest.first(shorter - static_cast<std::size_t>(kept)), slot);
  }
  if (go_on(golden, engine, last) != go_on(golden, engine, 0)) return "a shorter copy goes on differently";
  return {};
}

}  // namespace monomorph::golden
