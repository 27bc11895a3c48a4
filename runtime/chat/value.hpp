// Values of a chat template: Python's, as far as templates meet them. Lists, tuples and dicts are never changed (the
// template's environment is immutable), namespaces are.
//
// Every function here and in the other headers of this folder throws Error(rejected) where Python or Jinja would raise,
// and where this folder does not know what Python would do: what it gives is what Jinja gives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace monomorph::chat {

class Value;
class LoopState;

/// A value that is not there; `why` is the error where it is used as if it were.
struct Undefined {
  std::string why;
};
struct None {};
/// A text that `safe` has marked, Python's Markup. It is printed as it is; what Python would escape beside it, and its
/// methods, are errors.
struct Safe {
  std::string text;
};
/// A method that is named and not called: it is there, and can be asked nothing else.
struct Method {
  std::string name;
};

struct Sequence;
struct Dict;
struct Namespace;

/// Gives the next element, until there is none.
using Iterator = std::function<std::optional<Value>()>;

/// What filters like `map` give: elements made one by one, once.
struct Generator {
  Iterator next;
};

class Value {
 public:
  using Content = std::variant<Undefined, None, Method, bool, std::int64_t, double, std::string, Safe,
                               std::shared_ptr<const Sequence>, std::shared_ptr<const Dict>, std::shared_ptr<Namespace>,
                               std::shared_ptr<Generator>, std::shared_ptr<LoopState>>;

  Value() = default;  ///< undefined
  Value(Undefined value) : content_(std::move(value)) {}
  Value(None value) : content_(value) {}
  Value(Method value) : content_(std::move(value)) {}
  Value(bool value) : content_(value) {}
  Value(std::int64_t value) : content_(value) {}
  Value(int value) : content_(std::int64_t{value}) {}
  Value(double value) : content_(value) {}
  Value(std::string value) : content_(std::move(value)) {}
  Value(std::string_view value) : content_(std::string(value)) {}
  Value(const char* value) : content_(std::string(value)) {}
  Value(Safe value) : content_(std::move(value)) {}
  Value(Sequence value);
  Value(Dict value);
  Value(Generator value);
  Value(std::shared_ptr<Namespace> value) : content_(std::move(value)) {}
  Value(std::shared_ptr<LoopState> value) : content_(std::move(value)) {}

  bool undefined() const { return std::holds_alternative<Undefined>(content_); }
  bool none() const { return std::holds_alternative<None>(content_); }
  /// What it holds of this type, or null. Of what is shared, the thing itself.
  template <class Type>
  const Type* as() const {
    return std::get_if<Type>(&content_);
  }
  /// A text, marked or not.
  const std::string* text() const {
    const Safe* const safe = as<Safe>();
    return safe != nullptr ? &safe->text : as<std::string>();
  }
  const Sequence* sequence() const { return shared<const Sequence>(); }
  const Dict* dict() const { return shared<const Dict>(); }
  Namespace* name_space() const { return shared<Namespace>(); }
  Generator* generator() const { return shared<Generator>(); }
  LoopState* loop() const { return shared<LoopState>(); }
  /// bool, int or float, as Python computes with them.
  bool number() const;
  /// bool or int.
  std::optional<std::int64_t> integer() const;
  double real() const;  ///< of a number

 private:
  template <class Type>
  Type* shared() const {
    const auto* pointer = std::get_if<std::shared_ptr<Type>>(&content_);
    return pointer == nullptr ? nullptr : pointer->get();
  }
  Content content_;
};

enum class SequenceKind : std::uint8_t { list, tuple, view, range };

/// A list, a tuple, the view of a dict (its keys, values or items), or a range.
struct Sequence {
  SequenceKind kind = SequenceKind::list;
  std::vector<Value> elements;
  std::string shown{};  ///< of a view its kind, "dict_keys", of a range its text
};
inline Value list_of(std::vector<Value> elements) { return Sequence{SequenceKind::list, std::move(elements)}; }
inline Value tuple_of(std::vector<Value> elements) { return Sequence{SequenceKind::tuple, std::move(elements)}; }

/// In the order in which keys were first written.
struct Dict {
  std::vector<std::pair<Value, Value>> entries;

  const Value* find(const Value& key) const;
  /// Throws where the key is no value that Python hashes.
  void set(const Value& key, Value value);
};

struct Namespace {
  Dict attributes;
};

/// Arguments of a call, a filter (its subject first) or a test.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named = {};
};

[[noreturn]] void fail(const std::string& what);
/// Throws its own error where the value is undefined.
void need_defined(const Value& value);

/// A step into what may have no end: macros that call themselves, values within values. Throws where there are too many
/// at a time, of steps or of what they take of the stack.
class Deeper {
 public:
  Deeper();
  ~Deeper();
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
};

/// Calls `free`, which may free more of the kind: those after it and not within it, since values lie within values as
/// deep as a template makes them.
void free_in_turn(std::function<void()> free);

/// A value that many hold.
template <class Type, class Made>
std::shared_ptr<Type> held(Made value) {
  return {new Made(std::move(value)), [](Made* pointer) { free_in_turn([pointer] { delete pointer; }); }};
}

/// "str", "dict": as Python calls it.
std::string type_name(const Value& value);

bool truth(const Value& value);

/// The elements of what Python iterates: characters, keys, elements. Throws for what it does not.
Iterator iterate(const Value& value);
std::vector<Value> elements_of(const Value& value);
/// What `len` gives; nullopt where there is none.
std::optional<std::int64_t> length_of(const Value& value);

/// What a template is rendered with.
class Scope {
 public:
  /// `now`: what strftime_now shows, seconds and microseconds since 1970.
  Scope(Dict variables, std::int64_t now, std::int64_t microseconds)
      : variables_(std::move(variables)), now_(now), microseconds_(microseconds) {}
  /// The same with these variables where it has none of their names.
  Scope with(const std::vector<std::pair<Value, Value>>& variables) const;
  /// Undefined where there is none of this name.
  Value find(std::string_view name) const;
  std::int64_t now() const { return now_; }
  std::int64_t microseconds() const { return microseconds_; }

 private:
  Dict variables_;
  std::int64_t now_, microseconds_;
};

}  // namespace monomorph::chat
