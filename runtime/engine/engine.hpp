// The file to read first: an engine is one emitted model, loaded, ready to run as many sequences as it has slots. The
// same interface is served by a Vulkan device and by the emitted reference.
//
// A step is a pass over neighbouring tokens of several slots; what serves one sequence (prefill, decode, generate) is
// written once upon it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/engine/constraints.hpp"
#include "runtime/error.hpp"
#include "runtime/program/program.hpp"

namespace monomorph {

/// How tokens are drawn. temperature 0 takes the likeliest token (the lowest id where several are). Penalties change
/// the logits first, repetition before the others, then constraints; they and log-probabilities cost a submission for
/// each token.
struct Sampling {
  float temperature = 0;    ///< 0, or from 1e-6 to 1e6
  std::uint32_t top_k = 0;  ///< 0: all tokens
  float top_p = 1;          ///< in (0, 1]
  std::uint64_t seed = 0;
  /// In [0, 1): of what top_k and top_p keep, tokens that are at least so many times as likely as the likeliest stay
  /// (Nguyen et al. 2024).
  float min_p = 0;
  /// Above 0: of each token in the slot's sequence a positive logit is divided by it, another multiplied (Keskar et al.
  /// 2019, as transformers has it).
  float repetition_penalty = 1;
  /// In [-2, 2]: taken from the logit of each token drawn since set_sampling, once and as often as it was drawn (the
  /// OpenAI API).
  float presence_penalty = 0, frequency_penalty = 0;
  bool log_probabilities = false;  ///< is told of each token drawn
  Constraints constraints{};       ///< what may follow at all
};

/// Of which tokens of a run the host wants logits. Where the model pools, the last one's row is the vector of the run,
/// [output_size], and `all` is refused.
enum class Logits : std::uint8_t { none, last, all };

/// What a step appends to one slot.
struct Run {
  std::int64_t slot = 0;                 ///< below Program::max_batch
  std::span<const std::int32_t> tokens;  ///< at least one, at most prefill_chunk
  Logits logits = Logits::last;
  bool draw = false;  ///< the token after the last one is drawn
  /// How long the sequence is once the whole text has been appended, of which these tokens may be a part; rotary angles
  /// may depend on it. 0: these tokens are the whole text.
  std::int64_t length = 0;
  std::span<const std::int32_t> types{};  ///< of each token, below Program::token_types; empty: all are 0
  /// Of Logits::all: the first token whose logits are shown, and how many are; 0: all from there on.
  std::int64_t logits_from = 0, logits_count = 0;

  /// The first token whose logits are shown, and the one past the last; `logits` is not none.
  std::int64_t first_shown() const { return logits == Logits::all ? logits_from : std::ssize(tokens) - 1; }
  std::int64_t end_shown() const {
    return logits == Logits::all && logits_count > 0 ? logits_from + logits_count : std::ssize(tokens);
  }
};

/// What a slot answers to.
struct Source {
  std::int64_t slot = 0;
  std::span<const std::int32_t> tokens;  ///< at least one, at most Program::max_source_length
};

/// A text, or a pair of them, whose vector is wanted.
struct Text {
  std::span<const std::int32_t> tokens;
  std::span<const std::int32_t> types{};  ///< as Run::types
};

/// What a step drew for a run, valid until the next call. The last token drawn is in no state yet: it is the next
/// call's to append.
struct Drawn {
  std::int64_t slot = 0;
  std::span<const std::int32_t> tokens;
  bool stopped = false;  ///< the last one is a stop token
  /// The logits after `tokens`, which may be none, hold what is no finite number: nothing is drawn from them, and the
  /// slot's draws have ended. All of `tokens` are in its states. Other slots of the step go on.
  bool wrong = false;
  /// Of each token where Sampling asks for them: the natural logarithm of the softmax of the model's own logits, before
  /// penalties and temperature.
  std::span<const float> log_probabilities{};
};

/// Sees logits of token `token` of run `run`, [vocab_size], or the run's vector, [output_size], those of a run in
/// order; valid during the call. They are shown as they are: validate_logits (runtime/engine/validate.hpp) tells
/// whether all are finite.
using OnLogits = std::function<void(std::size_t run, std::int64_t token, std::span<const float> logits)>;

/// Single-threaded. What is invalid is rejected before anything runs.
class Engine {
 public:
  /// `program` outlives the engine.
  explicit Engine(const Program& program);
  virtual ~Engine() = default;

  const Program& program() const { return program_; }

  /// Appends every run, as many as fit in one pass (Program::prefill_chunk tokens); runs that draw then go on, each
  /// with its drawn tokens, until `ahead` are drawn (at most Program::decode_steps), a stop token is, the slot's stop
  /// position is reached, or its logits are no finite numbers (Drawn::wrong). Gives what was drawn, a row for each run
  /// that draws. A slot has at most one run.
  std::span<const Drawn> step(std::span<const Run> runs, std::int64_t ahead = 1, const OnLogits& on_logits = {});
  /// The largest `ahead` of a step that is of use: passes that a submission may run before the host sees what was
  /// drawn, from 1 to Program::decode_steps.
  virtual std::int64_t most_ahead() const = 0;
  /// How a slot draws from now on, and the position at which it ends, 1 to max_sequence_length: once so many tokens are
  /// in its states, the next drawn is its last.
  void set_sampling(std::int64_t slot, const Sampling& sampling, std::int64_t stop_position);
  /// Whether a token ends what is drawn, whatever the tokenizer holds it for.
  bool is_stop_token(std::int32_t token) const;
  /// Position of a slot's next token, that is, tokens in its states.
  std::int64_t position(std::int64_t slot = 0) const;
  /// These tokens, `position` of them, whatever ended the last call; valid until the next.
  std::span<const std::int32_t> sequence(std::int64_t slot = 0) const;
  /// Forgets what a slot has at `position` and after; gives the position that it has then: this one, or an earlier one
  /// where a state has lost what the tokens from there on see, so that the caller appends the rest anew. Attention and
  /// convolutions go back over the last prefill_chunk positions at least; what is recurrent goes back to where the last
  /// submission began. Else it is 0. Nothing is done to a state.
  std::int64_t rewind(std::int64_t slot, std::int64_t position);
  /// Goes back to the end of what the slot's sequence and `tokens` begin with alike, but for the last of `tokens`,
  /// which is left to be appended in any case; gives the position as rewind does: `tokens` from there on are the rest.
  std::int64_t rewind_to_common(std::int64_t slot, std::span<const std::int32_t> tokens);

  // ------------------------------------------------------------------------------------------------ sources

  /// Reads sources, each in place of the one that its slot had, as many in a pass as fit; the slots' sequences are
  /// forgotten. What is appended to a slot answers to its source, which stays when it is reset or goes back. Throws
  /// Error(rejected), before anything runs, where the model reads none, or a source is empty, too long, or has tokens
  /// that the model has not.
  void encode(std::span<const Source> sources);
  void encode(std::span<const std::int32_t> tokens, std::int64_t slot = 0);
  /// A slot's source, valid until the next call; empty: it has none.
  std::span<const std::int32_t> source(std::int64_t slot = 0) const;

  // ------------------------------------------------------------------------------------------------ copies, saved
  // slots

  /// Slot `to` forgets its sequence and has the first `positions` tokens of slot `from`, without a pass over them;
  /// gives the position that it has then: this one, that of `from` where it has fewer, or the earlier one to which
  /// `from` would go back. It has the source of `from`, too. How `to` draws stays; it has drawn none of
  /// these tokens. A slot's copy onto itself is rewind.
  std::int64_t copy(std::int64_t from, std::int64_t to, std::int64_t positions);
  /// A slot's tokens and what its states hold of them (runtime/engine/slot_file.hpp). Sampling is not among it.
  std::vector<std::byte> save(std::int64_t slot);
  /// The slot has what such bytes say in place of its sequence; how it draws stays. Throws Error(rejected), the slot
  /// being as it was, for bytes that are cut or changed, of a newer format, or of another engine: program, spec, cache,
  /// weights, or the reference in place of a device.
  void restore(std::int64_t slot, std::span<const std::byte> bytes);
  /// The same with a file, which is written whole or not at all. Throws Error(environment) too, where it cannot be read
  /// or written; the message names it.
  void save_file(std::int64_t slot, const std::string& path);
  void restore_file(std::int64_t slot, const std::string& path);

  // ------------------------------------------------------------------------------------------------ vectors of texts

  /// The hidden states of each token of a text that pooling reads, [hidden_size], in order; the text is in slot 0
  /// afterwards. What gives texts' vectors is embed (runtime/engine/embed.hpp). Throws Error(rejected), before anything
  /// runs, where the model gives logits, or the text is none of its.
  void token_states(const Text& text, const std::function<void(std::span<const float> row)>& take);

  // ------------------------------------------------------------------------------------------------ one sequence

  /// Prompts are appended in chunks: from now on `watcher` is told after each how many of the call's tokens are in the
  /// sequence. What it throws ends the call there.
  void watch_prompts(std::function<void(std::int64_t done, std::int64_t total)> watcher) {
    prompt_watcher_ = std::move(watcher);
  }
  /// A generation draws several tokens in a submission: from now on `watcher` is called when all of one have been
  /// handed out. What it throws ends the generation there.
  void watch_draws(std::function<void()> watcher) { draw_watcher_ = std::move(watcher); }

  /// Forgets the sequence of a slot: the next token has position 0.
  void reset(std::int64_t slot = 0) { rewind(slot, 0); }
  /// Appends `tokens` (at least one) and gives the logits of the last, [vocab_size], valid until the next call. Rejects
  /// tokens outside the vocabulary and sequences longer than max_sequence_length before anything runs.
  std::span<const float> prefill(std::span<const std::int32_t> tokens, std::int64_t slot = 0);
  /// The same, with the logits of every token handed to `row` in order.
  /// `types`: as Run::types.
  void prefill_all(std::span<const std::int32_t> tokens, const std::function<void(std::span<const float> logits)>& row,
                   std::int64_t slot = 0, std::span<const std::int32_t> types = {});
  /// Appends one token and gives its logits.
  std::span<const float> decode(std::int32_t token, std::int64_t slot = 0);

  struct Generation {
    std::vector<std::int32_t> tokens;      ///< drawn, the stop token included
    std::vector<float> log_probabilities;  ///< of each, where Sampling asks for them
    bool stopped = false;                  ///< ended by a stop token
    bool full = false;                     ///< ended by max_sequence_length
    double prefill_seconds = 0;
    double decode_seconds = 0;
  };
  /// Appends `prompt`, then draws up to `count` tokens; `token` sees each as it is drawn and ends the generation by
  /// returning false. Throws Error(rejected) where logits are no finite numbers, after `token` has seen what was drawn
  /// before.
  Generation generate(std::span<const std::int32_t> prompt, std::int64_t count, const Sampling& sampling,
                      const std::function<bool(std::int32_t)>& token, std::int64_t slot = 0);

 protected:
  struct Slot {
    std::vector<std::int32_t> source;  ///< that it answers to
    std::uint64_t encoding = 0;        ///< of the source: slots of one number have the same states of it
    std::vector<std::int32_t> tokens;  ///< in its states
    std::int64_t furthest = 0;         ///< positions that were written since the sequence began
    std::int64_t underway = 0;         ///< positions that a submission which has not been told of may have written
    std::int64_t length = 0;           ///< that the sequence had, or was to have, when its keys were turned
    /// Of each copy of recurrent states, the position whose tokens have made it; none: -1.
    std::array<std::int64_t, recurrent_copies> copies = no_copies();
    Sampling sampling;
    StepSlot settings{};
    std::map<std::int64_t, std::int32_t> drawn;  ///< here, since set_sampling, by position

    std::int64_t position() const { return static_cast<std::int64_t>(tokens.size()); }
    /// The copy of a position; none: -1.
    std::int64_t copy_of(std::int64_t position) const {
      const auto found = std::ranges::find(copies, position);
      return found == copies.end() ? -1 : found - copies.begin();
    }
    /// The copy that the next submission writes: another one than it goes on from.
    std::int64_t written_copy() const { return copy_of(position()) == 0 ? 1 : 0; }
    static std::array<std::int64_t, recurrent_copies> no_copies() {
      std::array<std::int64_t, recurrent_copies> none;
      none.fill(-1);
      return none;
    }
  };

  /// What `step` does with runs that have been judged; no draw needs more than StepSlot tells.
  virtual std::span<const Drawn> run_step(std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits) = 0;
  /// Reads sources that have been judged, and that fit in one pass.
  virtual void run_encode(std::span<const Source> sources);
  /// The first `rows` rows of the hidden states that the last pass left for the head, [rows, hidden_size].
  virtual std::vector<float> read_hidden_states(std::int64_t rows) = 0;
  /// What copies and saved slots are made of.
  struct StatesOwner {
    std::string_view kind;      ///< "vulkan": engines of one kind read each other's states
    std::uint64_t weights = 0;  ///< their fingerprint (runtime/weights/fingerprint.hpp)
  };
  virtual StatesOwner states_owner() const = 0;
  virtual void copy_states(const HeldStates& from, std::int64_t to) = 0;
  virtual std::vector<std::byte> save_states(const HeldStates& held) = 0;
  /// Of `tokens`, as many as held.position. Bytes that are not those of so many tokens are rejected before anything
  /// changes.
  virtual void restore_states(const HeldStates& held, std::span<const std::int32_t> source,
                              std::span<const std::int32_t> tokens, std::span<const std::byte> bytes) = 0;
  /// Of a slot that has been judged.
  Slot& slot_at(std::int64_t index) { return slots_[static_cast<std::size_t>(index)]; }
  /// The length that a run gives its slot's sequence.
  std::int64_t length_of(const Run& run) const {
    return run.length != 0 ? run.length : position(run.slot) + static_cast<std::int64_t>(run.tokens.size());
  }
  /// To be called before a run is appended. Where its length wants other angles than its slot's keys have (LongRoPE),
  /// the sequence is forgotten, and handed to `append` in chunks, as runs of that length.
  void each_outdated(const Run& run, const std::function<void(const Run&)>& append);
  /// Tokens that may be drawn after a run before their passes want other angles than the run's.
  std::int64_t draws_alike(const Run& run) const;
  /// To be told before a submission that may write this many positions of a slot.
  void will_write(std::int64_t index, std::int64_t positions);
  /// To be told after it which tokens are in the slot's states now: those of its run, then those that it drew.
  void has_written(std::int64_t index, std::span<const std::int32_t> run, std::span<const std::int32_t> drawn = {});

  const Program& program_;

 private:
  HeldStates held_states(std::int64_t index, std::int64_t position) const;
  /// Whether a sequence can go on from what is held.
  bool all_held(const HeldStates& held) const;
  /// What is held of the last position, up to this one, from which the sequence can go on.
  HeldStates last_held(std::int64_t index, std::int64_t position) const;
  /// Goes back to `position`, which the slot has reached; what a state has lost for that is computed again.
  void go_back(std::int64_t index, std::int64_t position);
  /// Appends tokens in chunks, with the angles of the length that they end at; the last
  /// chunk's run is like `last`. `after` is called after each chunk with the number of its tokens.
  std::span<const Drawn> append(std::span<const std::int32_t> tokens, Run last, const OnLogits& on_logits,
                                const std::function<void(std::int64_t)>& after = {});
  /// What a step draws for one run.
  struct Row {
    std::vector<float> logits;  ///< of its last token, where it is drawn from here
    std::vector<std::int32_t> tokens;
    std::vector<float> log_probabilities;
    bool stopped = false;
    bool wrong = false;
  };
  bool draws_here(const Run& run) const;
  bool draw_here(std::int64_t index, Row& row);
  std::span<const Drawn> step_drawing_here(std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits);

  std::function<void(std::int64_t, std::int64_t)> prompt_watcher_;
  std::function<void()> draw_watcher_;
  std::vector<Slot> slots_;
  std::uint64_t encodings_ = 0;  ///< sources that were read, or restored
  std::vector<Row> rows_;
  std::vector<Drawn> drawn_here_;
  std::vector<float> logits_;
  double pass_seconds_ = 0;  ///< of a decoded token, the last time; 0: not known yet
};

}  // namespace monomorph
