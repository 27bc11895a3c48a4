// Macros of a template, and the bodies of its call blocks.
#pragma once

#include "runtime/chat/value.hpp"

namespace monomorph::chat {

/// Empty until the template has come to it.
struct Macro {
  std::string_view name;
  std::function<Value(const Arguments& arguments, const Macro* caller)> body{};

  bool defined() const { return body != nullptr; }
  /// `caller`: the body of the call block that calls it, or null.
  Value operator()(const Arguments& arguments, const Macro* caller = nullptr) const;
};

/// What one call of a macro is given, as Jinja hands it out.
class MacroCall {
 public:
  /// Parts of a macro's text that take what its parameters leave.
  struct Takes {
    bool caller = false, named = false, positional = false;
  };
  MacroCall(std::string_view name, std::vector<std::string_view> parameters, const Arguments& arguments,
            const Macro* caller, Takes takes);

  bool has(std::size_t parameter) const { return values_[parameter].has_value(); }
  /// Of the parameter at this place; undefined where it was not given.
  Value value(std::size_t parameter) const;
  Value varargs() const { return tuple_of(positional_); }
  Value kwargs() const { return named_; }

 private:
  std::vector<std::string_view> parameters_;
  std::vector<std::optional<Value>> values_;
  std::vector<Value> positional_;
  Dict named_;
};

/// `caller` as a macro, which is not defined where there is none.
Macro caller_or_none(const Macro* caller);

}  // namespace monomorph::chat
