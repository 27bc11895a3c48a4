#include "runtime/tokenizer/decoding.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include "runtime/tokenizer/byte_alphabet.hpp"
#include "runtime/tokenizer/normalizer.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

std::optional<char> named_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  unsigned byte = 0;
  const char* const end = token.data() + 5;
  if (std::from_chars(token.data() + 3, end, byte, 16).ptr != end) return std::nullopt;
  return static_cast<char>(byte);
}

/// The characters among `bytes`, and U+FFFD for each byte that belongs to none.
std::string with_replacements(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const Utf8Step step = utf8_step(bytes);
    const bool is_character = step.kind == Utf8Step::Kind::character;
    text += is_character ? bytes.substr(0, step.length) : replacement_character;
    bytes.remove_prefix(is_character ? step.length : 1);
  }
  return text;
}

/// The library's list of what English puts no space before.
std::string without_spaces(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> tighter[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : tighter) text = replace_text(text, from, to);
  return text;
}

/// Takes `content` away from the front, at most `most` times; the number that it was there.
int strip_left(std::string& text, std::string_view content, int most) {
  int count = 0;
  for (; count < most && text.starts_with(content); ++count) text.erase(0, content.size());
  return count;
}

void strip_right(std::string& text, std::string_view content, int most) {
  for (int i = 0; i < most && text.ends_with(content); ++i) text.resize(text.size() - content.size());
}

}  // namespace

std::string DecodeStream::push(std::string_view token) {
  std::string out;
  pass(0, std::string(token), out);
  return out;
}

std::string DecodeStream::finish() {
  std::string out;
  end(0, out);
  states_.assign(steps_->size(), {});
  return out;
}

void DecodeStream::pass(std::size_t step, std::string text, std::string& out) {
  if (step == steps_->size()) {
    out += text;
    return;
  }
  State& state = states_[step];
  const bool is_first = !std::exchange(state.begun, true);
  const auto on = [&](std::string result) { pass(step + 1, std::move(result), out); };
  // Parts of one text pass on as such.
  const auto fuse = [&] {
    for (std::size_t later = step + 1; later < states_.size(); ++later) states_[later].fused = true;
  };
  const Overloaded apply{
      [&](const ReplaceInTokens& replace) { on(replace_all(replace.pattern, replace.content, text)); },
      [&](const BytesFromNames&) {
        if (const auto byte = named_byte(text)) {
          state.pending += *byte;
          return;
        }
        pass_bytes(step, out);
        on(std::move(text));
      },
      [&](const DropFrontMark& drop) {
        if (!state.past_front) {
          state.past_front = named_byte(text).has_value();
          if (text.starts_with(drop.mark)) {
            text.erase(0, drop.mark.size());
            state.past_front = !drop.all;
          }
          state.past_front |= !text.empty();
        }
        on(std::move(text));
      },
      [&](const BytesFromAlphabet&) {
        fuse();
        on(utf8_push(state.pending, bytes_of_alphabet(text).value_or(text)));
      },
      [&](const Fuse&) {
        fuse();
        on(std::move(text));
      },
      [&](const StripContent& strip) {
        if (state.fused) {
          if (state.stripped < strip.left) {
            state.stripped += strip_left(text, strip.content, strip.left - state.stripped);
            if (!text.empty()) state.stripped = strip.left;  // what is left begins with something else
          }
        } else {
          strip_left(text, strip.content, strip.left);
          strip_right(text, strip.content, strip.right);
        }
        on(std::move(text));
      },
      [&](const SpacesFromMarks& marks) {
        on(replace_text(text, marks.replacement, is_first && marks.drop_first ? "" : " "));
      },
      [&](const JoinPieces& join) {
        if (!is_first) text = text.starts_with(join.prefix) ? text.substr(join.prefix.size()) : " " + text;
        on(join.cleanup ? without_spaces(std::move(text)) : std::move(text));
      },
      [&](const JoinTokens&) { on(is_first ? std::move(text) : " " + text); },
  };
  std::visit(apply, (*steps_)[step]);
}

void DecodeStream::end(std::size_t step, std::string& out) {
  if (step == steps_->size()) return;
  if (std::holds_alternative<BytesFromNames>((*steps_)[step])) {
    pass_bytes(step, out);
  } else if (!std::exchange(states_[step].pending, {}).empty()) {
    pass(step + 1, std::string(replacement_character), out);
  }
  end(step + 1, out);
}

/// The end of a run of named bytes.
void DecodeStream::pass_bytes(std::size_t step, std::string& out) {
  const std::string bytes = std::exchange(states_[step].pending, {});
  if (bytes.empty()) return;
  if (std::get<BytesFromNames>((*steps_)[step]).that_spells_none) {
    pass(step + 1, with_replacements(bytes), out);
  } else if (utf8_error(bytes) == bytes.npos) {
    pass(step + 1, bytes, out);
  } else {
    for (std::size_t i = 0; i < bytes.size(); ++i) pass(step + 1, std::string(replacement_character), out);
  }
}

}  // namespace monomorph
