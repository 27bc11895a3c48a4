// JSON: a value, the text that becomes one, and the text that it becomes.
//
// The one place of the runtime and the generator that reads or writes JSON. Objects keep the order of their keys;
// of a key that a text gives twice, the last value stands in the first one's place. Whole numbers of 64 bits are exact;
// one that is larger is a double. Texts are UTF-8.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace monomorph {

/// A text that is no JSON. what() says where and why, after the reader's own number for it, "[...] ".
struct JsonError : std::runtime_error {
  enum class Kind { syntax, number, depth };  ///< not JSON; a number beyond all bounds; too many levels
  JsonError(Kind of, std::size_t at, const std::string& what) : std::runtime_error(what), kind(of), byte(at) {}
  Kind kind;
  std::size_t byte;  ///< how many were read, the wrong one included
};

/// How many levels of lists and objects are read, and what becomes of those that lie deeper.
struct JsonDepth {
  enum class Deeper { left_out, refused };
  int deepest = std::numeric_limits<int>::max();
  Deeper deeper = Deeper::left_out;
};

/// Where a value is of another type than the one asked for, or lacks what is asked of it, functions throw
/// Error(internal): who reads what others wrote asks first.
class Json {
 public:
  struct Member;

  Json() = default;  ///< null
  Json(std::nullptr_t) {}
  Json(std::same_as<bool> auto value) : value_(value) {}
  Json(std::signed_integral auto value) : value_(std::int64_t{value}) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  Json(T value) : value_(std::uint64_t{value}) {}
  Json(double value) : value_(value) {}
  Json(std::string text);
  Json(std::string_view text);
  Json(const char* text);
  template <class T>
  Json(const std::vector<T>& elements) : Json(array()) {
    for (const T& element : elements) push_back(element);
  }
  static Json array(std::initializer_list<Json> elements = {});
  static Json object(std::initializer_list<Member> members = {});

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  /// Throws JsonError.
  static Json parse(std::string_view text, const JsonDepth& depth = {});
  /// Nothing where the text is no JSON.
  static std::optional<Json> try_parse(std::string_view text, const JsonDepth& depth = {});

  bool is_null() const { return holds<std::monostate>(); }
  bool is_boolean() const { return holds<bool>(); }
  bool is_number() const { return is_integer() || holds<double>(); }
  bool is_integer() const { return is_unsigned() || holds<std::int64_t>(); }
  bool is_unsigned() const { return holds<std::uint64_t>(); }  ///< a whole number that was read without a sign
  bool is_string() const { return holds<std::string>(); }
  bool is_array() const { return holds<std::vector<Json>>(); }
  bool is_object() const { return holds<Object>(); }
  bool is_structured() const { return is_array() || is_object(); }
  const char* type_name() const;  ///< "null", "boolean", "number", "string", "array", "object"

  bool boolean() const;
  const std::string& string() const;
  /// Of any number; a fraction loses what is behind its point.
  std::int64_t integer() const;
  std::uint64_t unsigned_integer() const { return static_cast<std::uint64_t>(integer()); }
  double real() const;

  /// Of a list or an object; 0 of null and 1 of any other value.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  /// The elements of a list, or the values of an object; of anything else there are none.
  const Json* begin() const;
  const Json* end() const;
  const Json& operator[](std::integral auto index) const { return element(static_cast<std::size_t>(index)); }
  Json& operator[](std::integral auto index) { return const_cast<Json&>(element(static_cast<std::size_t>(index))); }
  const Json& back() const { return element(size() - 1); }
  Json& back() { return (*this)[size() - 1]; }
  /// A null becomes a list.
  void push_back(Json element);

  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// Null where there is no such key, or no object.
  const Json* find(std::string_view key) const;
  const Json& at(std::string_view key) const;
  const Json& operator[](std::string_view key) const { return at(key); }
  /// A null becomes an object; a key that it lacks is added, with a null.
  Json& operator[](std::string_view key);
  /// The keys of an object, in their order, which is that of its values.
  const std::vector<std::string>& keys() const;
  /// Keys and values: `for (const auto& [key, value] : json.members())`.
  class Members;
  Members members() const&;
  Members members() && = delete;  ///< a loop would outlive it

  /// On one line, or with `indent` spaces a level. Throws std::exception where a text is not UTF-8.
  std::string dump(int indent = -1) const;
  /// The same, with U+FFFD for what is not UTF-8.
  std::string dump_repaired(int indent = -1) const;

  /// Numbers are equal by value, whatever their types; objects where their keys also stand in one order.
  friend bool operator==(const Json& a, const Json& b);
  template <std::convertible_to<std::string_view> Text>
  friend bool operator==(const Json& a, const Text& text) {
    return a.is_string() && a.string() == std::string_view(text);
  }

 private:
  friend class JsonBuilder;
  struct Object {
    std::vector<std::string> keys;
    std::vector<Json> values;  ///< as many
  };

  template <class T>
  bool holds() const {
    return std::holds_alternative<T>(value_);
  }
  const std::vector<Json>* children() const;
  std::vector<Json>* children();
  const Json& element(std::size_t index) const;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<Json>, Object>
      value_;
};

/// JSON as Python writes it, which has words for numbers that JSON has not: each Infinity, -Infinity and NaN that is no
/// part of a text becomes a text.
std::string with_words_quoted(std::string_view text);

struct Json::Member {
  std::string key;
  Json value;
};

class Json::Members {
 public:
  explicit Members(const Json& object) : keys_(object.keys()), values_(object.begin()) {}

  struct Iterator {
    std::pair<const std::string&, const Json&> operator*() const { return {*key, *value}; }
    Iterator& operator++() { return ++key, ++value, *this; }
    bool operator==(const Iterator& other) const { return key == other.key; }
    const std::string* key;
    const Json* value;
  };
  Iterator begin() const { return {keys_.data(), values_}; }
  Iterator end() const { return {keys_.data() + keys_.size(), values_ + keys_.size()}; }

 private:
  const std::vector<std::string>& keys_;
  const Json* values_;
};

inline Json::Members Json::members() const& { return Members(*this); }

/// What a text says, told as it is read, for those who need no value of it.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual void null() = 0;
  virtual void boolean(bool value) = 0;
  virtual void integer(std::int64_t value) = 0;            ///< with a sign
  virtual void unsigned_integer(std::uint64_t value) = 0;  ///< without one
  virtual void real(double value) = 0;
  virtual void string(std::string&& text) = 0;
  virtual void key(std::string&& text) = 0;
  virtual void begin_object() = 0;
  virtual void end_object() = 0;
  virtual void begin_array() = 0;
  virtual void end_array() = 0;
};

/// Throws JsonError, and whatever `events` throws.
void read_json_events(std::string_view text, JsonEvents& events);

}  // namespace monomorph
