#include "runtime/tokenizer/text_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {

void validate_stop_strings(std::span<const std::string> stop_strings) {
  for (const std::string& stop : stop_strings) {
    if (stop.empty()) throw Error(ErrorKind::rejected, "a stop string is empty; leave it out to stop nowhere");
    if (const std::size_t error = utf8_error(stop); error != std::string_view::npos) {
      throw Error(ErrorKind::rejected,
                  fmt::format("the stop string '{}' is not UTF-8 at byte {}; convert it first", stop, error));
    }
  }
}

TextStream::TextStream(const Tokenizer& tokenizer, std::vector<std::string> stop_strings)
    : decoder_(tokenizer, true), stop_strings_(std::move(stop_strings)) {
  validate_stop_strings(stop_strings_);
}

std::string TextStream::push(std::int32_t id) { return stopped_ ? "" : take(decoder_.push(id), false); }

std::string TextStream::finish() { return stopped_ ? "" : take(decoder_.finish(), true); }

std::string TextStream::take(std::string_view text, bool last) {
  held_ += text;
  std::size_t end = std::string::npos, begin = held_.size();
  for (const std::string& stop : stop_strings_) {
    const std::size_t at = held_.find(stop);
    if (at == std::string::npos || std::pair(at + stop.size(), at) > std::pair(end, begin)) continue;
    end = at + stop.size();
    begin = at;
  }
  stopped_ = end != std::string::npos;
  if (stopped_) return std::exchange(held_, "").substr(0, begin);

  // The longest end of the text that begins a stop string.
  std::size_t kept = 0;
  for (const std::string& stop : stop_strings_) {
    std::size_t length = last ? 0 : std::min(stop.size() - 1, held_.size());
    while (length > kept && !held_.ends_with(std::string_view(stop).substr(0, length))) --length;
    kept = std::max(kept, length);
  }
  const std::string shown = held_.substr(0, held_.size() - kept);
  held_.erase(0, shown.size());
  return shown;
}

}  // namespace monomorph
