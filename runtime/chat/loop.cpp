#include "runtime/chat/loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/chat/operators.hpp"

namespace monomorph::chat {

bool LoopState::peek() {
  if (!after_) after_ = rest_();
  return after_.has_value();
}

bool LoopState::advance() {
  if (!peek()) return false;
  ++index0_;
  before_ = std::move(current_);
  current_ = std::move(after_);
  after_.reset();
  return true;
}

void LoopState::finish() {
  rest_ = []() -> std::optional<Value> { fail("a loop's variable is asked for elements when the loop is over"); };
}

std::int64_t LoopState::length() {
  if (!length_) length_ = length_of(iterable_);
  if (!length_) {
    auto rest = std::make_shared<std::vector<Value>>();
    while (std::optional<Value> element = rest_()) rest->push_back(std::move(*element));
    length_ = index0_ + 1 + (after_ ? 1 : 0) + static_cast<std::int64_t>(rest->size());
    rest_ = [rest, at = std::size_t{0}]() mutable {
      return at < rest->size() ? std::optional<Value>((*rest)[at++]) : std::nullopt;
    };
  }
  return *length_;
}

Value LoopState::attribute(std::string_view name) {
  if (name == "index") return index0_ + 1;
  if (name == "index0") return index0_;
  if (name == "first") return index0_ == 0;
  if (name == "last") return !peek();
  if (name == "length") return length();
  if (name == "revindex") return length() - index0_;
  if (name == "revindex0") return length() - index0_ - 1;
  if (name == "depth") return 1;
  if (name == "depth0") return 0;
  if (name == "previtem") return index0_ == 0 ? Value(Undefined{"there is no previous item"}) : *before_;
  if (name == "nextitem") return peek() ? *after_ : Value(Undefined{"there is no next item"});
  if (name == "cycle" || name == "changed") fail(fmt::format("loop.{} is used without being called", name));
  return Undefined{fmt::format("'LoopContext object' has no attribute '{}'", name)};
}

Value LoopState::call(std::string_view name, const Arguments& arguments) {
  if (!arguments.named.empty()) fail(fmt::format("loop.{} takes no named arguments", name));
  const std::vector<Value>& values = arguments.positional;
  if (name == "cycle") {
    if (values.empty()) fail("loop.cycle has no items to cycle");
    return values[static_cast<std::size_t>(index0_) % values.size()];
  }
  if (name != "changed") fail(fmt::format("'LoopContext object' has no attribute '{}'", name));
  const bool same =
      last_changed_ && std::equal(values.begin(), values.end(), last_changed_->begin(), last_changed_->end(), equal);
  last_changed_ = values;
  return !same;
}

Value filtered(const Value& iterable, std::function<bool(const Value&)> keep) {
  return Generator{[next = iterate(iterable), keep = std::move(keep)]() -> std::optional<Value> {
    const Deeper deeper;
    while (std::optional<Value> element = next()) {
      if (keep(*element)) return element;
    }
    return std::nullopt;
  }};
}

Value transformed(const Value& iterable, std::function<Value(const Value&)> make) {
  return Generator{[next = iterate(iterable), make = std::move(make)]() -> std::optional<Value> {
    const Deeper deeper;
    std::optional<Value> element = next();
    return element ? std::optional<Value>(make(*element)) : std::nullopt;
  }};
}

}  // namespace monomorph::chat
