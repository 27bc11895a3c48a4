// A `for` of a template, and its variable `loop`.
#pragma once

#include "runtime/chat/value.hpp"

namespace monomorph::chat {

/// Elements are taken when they are needed, as Jinja takes them: a filter may depend on what the body has done.
class LoopState {
 public:
  explicit LoopState(Value iterable) : iterable_(std::move(iterable)), rest_(iterate(iterable_)) {}

  bool advance();
  /// The loop is over: who kept its variable learns no more of its elements.
  void finish();
  const Value& current() const { return *current_; }
  std::int64_t length();
  /// Of the names that `loop` has; undefined for others.
  Value attribute(std::string_view name);
  /// `cycle` and `changed`.
  Value call(std::string_view name, const Arguments& arguments);

 private:
  bool peek();

  Value iterable_;
  Iterator rest_;
  std::int64_t index0_ = -1;
  std::optional<std::int64_t> length_;
  std::optional<Value> before_, current_, after_;
  std::optional<std::vector<Value>> last_changed_;
};

/// while (loop.next()) use(loop.item());
class Loop {
 public:
  explicit Loop(Value iterable) : state_(held<LoopState>(LoopState(std::move(iterable)))) {}
  ~Loop() { state_->finish(); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  bool next() { return state_->advance(); }
  const Value& item() const { return state_->current(); }
  Value variable() const { return state_; }

 private:
  std::shared_ptr<LoopState> state_;
};

/// The elements of which `keep` is true, each asked when it is needed.
Value filtered(const Value& iterable, std::function<bool(const Value&)> keep);
/// What `make` makes of each element, when it is needed.
Value transformed(const Value& iterable, std::function<Value(const Value&)> make);

}  // namespace monomorph::chat
