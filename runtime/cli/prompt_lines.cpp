#include "runtime/cli/prompt_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/nearest.hpp"
#include "runtime/tokenizer/text_stream.hpp"

namespace monomorph::cli {
namespace {

[[noreturn]] void reject(const std::string& message) { throw Error(ErrorKind::rejected, message); }

[[noreturn]] void reject_value(const std::string& key, const Json& value, const std::string& wanted) {
  constexpr std::size_t most = 60;  // of a value that is shown
  std::string shown = value.dump_repaired();
  if (shown.size() > most) shown = fmt::format("this {}", value.type_name());
  reject(fmt::format("\"{}\": {} is no {}", key, shown, wanted));
}

template <class Number>
Number whole_number(const std::string& key, const Json& value) {
  using Limits = std::numeric_limits<Number>;
  const bool fits = value.is_integer() && (value.is_unsigned() ? std::in_range<Number>(value.unsigned_integer())
                                                               : std::in_range<Number>(value.integer()));
  if (!fits) reject_value(key, value, fmt::format("whole number from {} to {}", Limits::lowest(), Limits::max()));
  return static_cast<Number>(value.is_unsigned() ? value.unsigned_integer()
                                                 : static_cast<std::uint64_t>(value.integer()));
}

float number(const std::string& key, const Json& value) {
  if (!value.is_number() || std::abs(value.real()) > std::numeric_limits<float>::max()) {
    reject_value(key, value, "number that fits here");
  }
  return static_cast<float>(value.real());
}

const std::string& text(const std::string& key, const Json& value) {
  if (!value.is_string()) reject_value(key, value, "text");
  return value.string();
}

std::vector<std::int32_t> token_ids(const std::string& key, const Json& value) {
  if (!value.is_array()) reject_value(key, value, "list of token ids");
  std::vector<std::int32_t> tokens;
  for (const Json& each : value) tokens.push_back(whole_number<std::int32_t>(key, each));
  return tokens;
}

std::vector<std::string> texts(const std::string& key, const Json& value) {
  if (value.is_string()) return {value.string()};
  if (!value.is_array()) reject_value(key, value, "text or list of texts");
  std::vector<std::string> all;
  for (const Json& each : value) all.push_back(text(key, each));
  return all;
}

/// A key, and what becomes of its value.
struct Key {
  std::string name;
  std::function<void(const Json& value)> read;
};

/// The keys of settings, which go to `settings`.
std::vector<Key> keys_of(PromptSettings& settings) {
  std::vector<Key> keys;
  const auto add_number = [&](const char* name, float& target) {
    keys.push_back({name, [=, &target](const Json& value) { target = number(name, value); }});
  };
  const auto add_whole = [&]<class Number>(const char* name, Number& target) {
    keys.push_back({name, [=, &target](const Json& value) { target = whole_number<Number>(name, value); }});
  };
  Sampling& sampling = settings.sampling;
  keys.push_back({"count", [&](const Json& value) { settings.count = whole_number<std::int64_t>("count", value); }});
  add_number("temperature", sampling.temperature);
  add_whole("top_k", sampling.top_k);
  add_number("top_p", sampling.top_p);
  add_number("min_p", sampling.min_p);
  add_whole("seed", sampling.seed);
  add_number("repetition_penalty", sampling.repetition_penalty);
  add_whole("no_repeat_ngram_size", sampling.constraints.no_repeat_ngram_size);
  add_whole("min_new_tokens", sampling.constraints.min_new_tokens);
  add_number("presence_penalty", sampling.presence_penalty);
  add_number("frequency_penalty", sampling.frequency_penalty);
  keys.push_back({"stop", [&](const Json& value) { settings.stop_strings = texts("stop", value); }});
  return keys;
}

[[noreturn]] void reject_key(const std::string& name, const std::vector<Key>& keys) {
  std::vector<std::string> known;
  for (const Key& key : keys) known.push_back(key.name);
  const std::string near = nearest(name, known);
  reject(fmt::format(
      "there is no key {}; {}", Json(name).dump_repaired(),
      near.empty() ? fmt::format("known are {}", fmt::join(known, ", ")) : fmt::format("did you mean \"{}\"?", near)));
}

}  // namespace

std::optional<std::string> PromptLines::next_line(bool wait) {
  while (true) {
    const std::size_t newline = buffer_.find('\n', searched_);
    if (newline != std::string::npos || (ended_ && begin_ < buffer_.size())) {
      const std::size_t end = newline == std::string::npos ? buffer_.size() : newline + 1;
      std::string line = buffer_.substr(begin_, std::min(end, newline) - begin_);
      taken_ += static_cast<std::int64_t>(end - begin_);
      begin_ = searched_ = end;
      return line;
    }
    if (ended_ || (!wait && !input_.ready())) return std::nullopt;
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched_ = buffer_.size();
    ended_ = !input_.read(buffer_);
  }
}

std::optional<PromptLines::Line> PromptLines::next(bool wait) {
  while (const std::optional<std::string> text = next_line(wait)) {
    const std::int64_t index = lines_++;
    if (text->find_first_not_of(" \t\r\n") != std::string::npos) return Line{index, *text, taken_};
  }
  return std::nullopt;
}

Json parse_prompt_line(std::string_view line) {
  constexpr const char* example = R"({"prompt": "Once upon a time", "count": 64})";
  try {
    Json value = Json::parse(line, {64, JsonDepth::Deeper::refused});
    if (!value.is_object()) {
      reject(fmt::format("the line is no object, but of type {}; write {}", value.type_name(), example));
    }
    return value;
  } catch (const JsonError& error) {
    // The reader's text begins with a number of its own, and counts this line as its first.
    std::string what = error.what();
    if (what.starts_with('[')) what.erase(0, what.find("] ") + 2);
    constexpr std::string_view first = "at line 1, ";
    if (const std::size_t at = what.find(first); at != std::string::npos) what.replace(at, first.size(), "at ");
    reject(fmt::format("the line is no JSON: {}; write {}", what, example));
  }
}

PromptLine read_prompt_line(const Json& line, const PromptSettings& otherwise,
                            const std::optional<Tokenizer>& tokenizer) {
  const bool answers = line.contains("source") || line.contains("source_tokens");
  PromptLine read{{}, answers && !line.contains("tokens"), {}, otherwise};
  std::vector<Key> keys = keys_of(read.settings);
  keys.push_back({"prompt", [&](const Json& value) {
                    const std::string& prompt = text("prompt", value);
                    if (!tokenizer) {
                      reject("\"prompt\": there is no tokenizer; name one with --tokenizer, or give \"tokens\"");
                    }
                    read.tokens = tokenizer->encode(prompt, !answers);
                    if (!read.tokens.empty() || answers) return;
                    reject("\"prompt\" has no tokens; write one, or name the first token with \"tokens\"");
                  }});
  keys.push_back({"source", [&](const Json& value) {
                    const std::string& source = text("source", value);
                    if (!tokenizer) {
                      reject("\"source\": there is no tokenizer; name one with --tokenizer, or give \"source_tokens\"");
                    }
                    read.source = tokenizer->encode(source);
                  }});
  keys.push_back({"source_tokens", [&](const Json& value) { read.source = token_ids("source_tokens", value); }});
  keys.push_back({"tokens", [&](const Json& value) { read.tokens = token_ids("tokens", value); }});
  keys.push_back({"id", [](const Json&) {}});
  for (const auto& [name, value] : line.members()) {
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& each) { return each.name == name; });
    if (key == keys.end()) reject_key(name, keys);
    key->read(value);
  }
  if (line.contains("source") && line.contains("source_tokens")) {
    reject("a line has either \"source\" or \"source_tokens\", and this one both; leave one out");
  }
  if (line.contains("prompt") == line.contains("tokens") && !(answers && !line.contains("prompt"))) {
    reject(fmt::format("a line has either \"prompt\" or \"tokens\", and this one {}",
                       line.contains("prompt") ? "both; leave one out" : "neither; give one"));
  }
  if (!read.settings.stop_strings.empty() && !tokenizer) {
    reject("\"stop\" ends a text, and there is no tokenizer; name one with --tokenizer");
  }
  validate_stop_strings(read.settings.stop_strings);
  return read;
}

}  // namespace monomorph::cli
