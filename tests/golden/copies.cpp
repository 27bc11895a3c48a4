#include "tests/golden/copies.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
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

/// What slots 0 and `last` draw in one call, of which the first ends early, and how both go on. By the host: a pass at
/// a time.
std::pair<std::vector<std::vector<std::int32_t>>, std::vector<float>> drawn_ahead(const Golden& golden, Engine& engine,
                                                                                  std::span<const std::byte> saved,
                                                                                  bool by_host) {
  const std::int64_t last = engine.program().max_batch - 1;
  std::vector<Run> runs;
  for (const std::int64_t slot : {std::int64_t{0}, last}) {
    engine.restore(slot, saved);
    const std::int64_t position = engine.position(slot);
    Sampling sampling;
    sampling.log_probabilities = by_host;
    engine.set_sampling(slot, sampling, position + (slot == 0 ? 3 : 9));
    runs.push_back({slot, std::span(golden.tokens).subspan(static_cast<std::size_t>(position), 1), Logits::none, true});
  }
  std::vector<std::vector<std::int32_t>> tokens;
  for (const Drawn& drawn : engine.step(runs, std::min<std::int64_t>(8, engine.program().decode_steps))) {
    tokens.emplace_back(drawn.tokens.begin(), drawn.tokens.end());
  }
  std::vector<float> record = go_on(golden, engine, 0);
  for (const float logit : go_on(golden, engine, last)) record.push_back(logit);
  return {tokens, record};
}

/// Within what passes of other numbers of rows differ by.
bool are_close(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, [](float x, float y) { return std::abs(x - y) <= 1e-3f * (1 + std::abs(y)); });
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

  // Drawn tokens of a submission, some of them after another slot has ended, leave what one after the other does.
  const auto ahead = drawn_ahead(golden, engine, saved, false), singly = drawn_ahead(golden, engine, saved, true);
  if (ahead.first != singly.first) return "tokens that are drawn ahead are others";
  if (!are_close(ahead.second, singly.second)) return "what drew ahead goes on differently";

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
