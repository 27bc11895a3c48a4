#include "runtime/chat/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/chat/loop.hpp"
#include "runtime/chat/operators.hpp"
#include "runtime/error.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph::chat {

void fail(const std::string& what) { throw Error(ErrorKind::rejected, "the chat template: " + what); }

void need_defined(const Value& value) {
  if (const Undefined* undefined = value.as<Undefined>()) fail(undefined->why);
}

namespace {

thread_local int depth = 0;
thread_local const char* top = nullptr;  // of the stack, where the first step was

thread_local std::vector<std::function<void()>> to_free;
thread_local bool freeing = false;

}  // namespace

Deeper::Deeper() {
  constexpr int deepest = 250;
  constexpr std::ptrdiff_t most = 4 << 20;  // bytes: half of what a thread has
  const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
  if (depth == 0) top = here;
  if (depth == deepest || std::abs(top - here) > most) fail("values or calls lie too deep within each other");
  ++depth;
}

Deeper::~Deeper() { --depth; }

void free_in_turn(std::function<void()> free) {
  to_free.push_back(std::move(free));
  if (freeing) return;
  freeing = true;
  while (!to_free.empty()) {
    const std::function<void()> next = std::move(to_free.back());
    to_free.pop_back();
    next();
  }
  freeing = false;
}

Value::Value(Sequence value) : content_(held<const Sequence>(std::move(value))) {}
Value::Value(Dict value) : content_(held<const Dict>(std::move(value))) {}
Value::Value(Generator value) : content_(held<Generator>(std::move(value))) {}

bool Value::number() const { return integer() || as<double>() != nullptr; }

std::optional<std::int64_t> Value::integer() const {
  if (const bool* value = as<bool>()) return *value ? 1 : 0;
  if (const std::int64_t* value = as<std::int64_t>()) return *value;
  return std::nullopt;
}

double Value::real() const {
  const double* value = as<double>();
  return value != nullptr ? *value : static_cast<double>(integer().value());
}

const Value* Dict::find(const Value& key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
    // Attributes are asked for again and again: equal texts are told apart first.
    const std::string* const have = entry.first.template as<std::string>();
    const std::string* const want = key.as<std::string>();
    return have != nullptr || want != nullptr ? have != nullptr && want != nullptr && *have == *want
                                              : equal(entry.first, key);
  });
  return found == entries.end() ? nullptr : &found->second;
}

void Dict::set(const Value& key, Value value) {
  require_hashable(key);
  if (const Value* const found = find(key)) {
    const_cast<Value&>(*found) = std::move(value);  // an entry of this dict
  } else {
    entries.emplace_back(key, std::move(value));
  }
}

std::string type_name(const Value& value) {
  if (value.undefined()) return "Undefined";
  if (value.none()) return "NoneType";
  if (value.as<Method>() != nullptr) return "method";
  if (value.as<bool>() != nullptr) return "bool";
  if (value.as<std::int64_t>() != nullptr) return "int";
  if (value.as<double>() != nullptr) return "float";
  if (value.as<std::string>() != nullptr) return "str";
  if (value.as<Safe>() != nullptr) return "Markup";
  if (value.dict() != nullptr) return "dict";
  if (value.name_space() != nullptr) return "Namespace";
  if (value.generator() != nullptr) return "generator";
  if (value.loop() != nullptr) return "LoopContext";
  switch (value.sequence()->kind) {
    case SequenceKind::list:
      return "list";
    case SequenceKind::tuple:
      return "tuple";
    case SequenceKind::view:
      return "dict view";
    default:
      return "range";
  }
}

bool truth(const Value& value) {
  if (value.undefined() || value.none()) return false;
  if (value.number()) return value.real() != 0;
  if (const std::optional<std::int64_t> length = length_of(value)) return *length != 0;
  return true;
}

std::optional<std::int64_t> length_of(const Value& value) {
  if (value.undefined()) return 0;
  if (const std::string* text = value.text()) {
    return std::count_if(text->begin(), text->end(), [](char c) { return (c & 0xC0) != 0x80; });
  }
  if (const Sequence* sequence = value.sequence()) return static_cast<std::int64_t>(sequence->elements.size());
  if (const Dict* dict = value.dict()) return static_cast<std::int64_t>(dict->entries.size());
  if (LoopState* loop = value.loop()) return loop->length();
  return std::nullopt;
}

Iterator iterate(const Value& value) {
  if (value.undefined()) {
    return [] { return std::optional<Value>(); };
  }
  if (const std::string* text = value.as<std::string>()) {
    return [text = *text, at = std::size_t{0}]() mutable -> std::optional<Value> {
      if (at == text.size()) return std::nullopt;
      std::size_t length = 0;
      utf8_code_point(std::string_view(text).substr(at), length);
      at += length;
      return Value(text.substr(at - length, length));
    };
  }
  if (value.sequence() != nullptr || value.dict() != nullptr) {
    return [value, at = std::size_t{0}]() mutable -> std::optional<Value> {
      if (const Dict* dict = value.dict()) {
        return at < dict->entries.size() ? std::optional<Value>(dict->entries[at++].first) : std::nullopt;
      }
      const std::vector<Value>& elements = value.sequence()->elements;
      return at < elements.size() ? std::optional<Value>(elements[at++]) : std::nullopt;
    };
  }
  // What another reader has taken of a generator is gone: both hold the same one.
  if (value.generator() != nullptr) {
    return [value] { return value.generator()->next(); };
  }
  fail(fmt::format("'{}' object is not iterable", type_name(value)));
}

std::vector<Value> elements_of(const Value& value) {
  std::vector<Value> elements;
  const Iterator next = iterate(value);
  while (std::optional<Value> element = next()) elements.push_back(std::move(*element));
  return elements;
}

Scope Scope::with(const std::vector<std::pair<Value, Value>>& variables) const {
  Scope result = *this;
  for (const auto& [name, value] : variables) {
    if (variables_.find(name) == nullptr) result.variables_.set(name, value);
  }
  return result;
}

Value Scope::find(std::string_view name) const {
  const Value* const found = variables_.find(name);
  return found != nullptr ? *found : Undefined{fmt::format("'{}' is undefined", name)};
}

}  // namespace monomorph::chat
