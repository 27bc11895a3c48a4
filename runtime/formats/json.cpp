#include "runtime/formats/json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

using Library = nlohmann::ordered_json;

[[noreturn]] void misused(const Json& json, const std::string& wanted) {
  throw Error(ErrorKind::internal, std::string("JSON: ") + wanted + " is required of a JSON " + json.type_name());
}

/// Hands the library's events on.
class Adapter final : public nlohmann::json_sax<Library> {
 public:
  explicit Adapter(JsonEvents& events) : events_(events) {}

  bool null() override { return events_.null(), true; }
  bool boolean(bool value) override { return events_.boolean(value), true; }
  bool number_integer(std::int64_t value) override { return events_.integer(value), true; }
  bool number_unsigned(std::uint64_t value) override { return events_.unsigned_integer(value), true; }
  bool number_float(double value, const std::string&) override { return events_.real(value), true; }
  bool string(std::string& text) override { return events_.string(std::move(text)), true; }
  bool binary(binary_t&) override { return false; }  // texts have none
  bool key(std::string& text) override { return events_.key(std::move(text)), true; }
  bool start_object(std::size_t) override { return events_.begin_object(), true; }
  bool end_object() override { return events_.end_object(), true; }
  bool start_array(std::size_t) override { return events_.begin_array(), true; }
  bool end_array() override { return events_.end_array(), true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    const bool is_syntax = dynamic_cast<const Library::parse_error*>(&error) != nullptr;
    throw JsonError(is_syntax ? JsonError::Kind::syntax : JsonError::Kind::number, position, error.what());
  }

 private:
  JsonEvents& events_;
};

/// The library's value of the same text.
Library in_library(const Json& json) {
  if (json.is_boolean()) return json.boolean();
  if (json.is_string()) return json.string();
  if (json.is_unsigned()) return static_cast<std::uint64_t>(json.integer());
  if (json.is_integer()) return json.integer();
  if (json.is_number()) return json.real();
  if (json.is_array()) {
    Library list = Library::array();
    for (const Json& element : json) list.push_back(in_library(element));
    return list;
  }
  if (!json.is_object()) return nullptr;
  Library::object_t members;  // whose own insertion looks through all keys
  for (const auto& [key, value] : json.members()) members.push_back({key, in_library(value)});
  return members;
}

}  // namespace

/// Makes a value of events.
class JsonBuilder final : public JsonEvents {
 public:
  explicit JsonBuilder(const JsonDepth& depth) : depth_(depth) {}

  void null() override { add(nullptr); }
  void boolean(bool value) override { add(value); }
  void integer(std::int64_t value) override { add(value); }
  void unsigned_integer(std::uint64_t value) override { add(value); }
  void real(double value) override { add(value); }
  void string(std::string&& text) override { add(std::move(text)); }
  void key(std::string&& text) override {
    if (is_near()) std::get<Json::Object>(open_.back().value_).keys.push_back(std::move(text));
  }
  void begin_object() override { open(Json::object()); }
  void end_object() override { close(); }
  void begin_array() override { open(Json::array()); }
  void end_array() override { close(); }

  Json result() { return std::move(result_); }

 private:
  bool is_near() const {
    if (levels_ <= depth_.deepest) return true;
    if (depth_.deeper == JsonDepth::Deeper::refused) {
      const std::string levels = std::to_string(depth_.deepest);
      throw JsonError(JsonError::Kind::depth, 0, "lists and objects lie more than " + levels + " deep");
    }
    return false;
  }

  void add(Json value) {
    if (!is_near()) return;
    if (open_.empty()) {
      result_ = std::move(value);
    } else {
      open_.back().children()->push_back(std::move(value));
    }
  }

  void open(Json value) {
    if (is_near()) open_.push_back(std::move(value));
    ++levels_;
  }

  void close() {
    --levels_;
    if (!is_near()) return;
    Json value = std::move(open_.back());
    open_.pop_back();
    if (value.is_object()) join_repeated(std::get<Json::Object>(value.value_));
    add(std::move(value));
  }

  /// Of a key that stands twice, the last value in the first place.
  static void join_repeated(Json::Object& object) {
    const std::vector<std::string>& keys = object.keys;
    std::vector<std::size_t> sorted(keys.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    const auto same = [&](std::size_t a, std::size_t b) { return keys[a] == keys[b]; };
    if (std::adjacent_find(sorted.begin(), sorted.end(), same) == sorted.end()) return;
    std::vector<bool> is_repeated(keys.size());
    for (std::size_t i = 0, first = 0; i < sorted.size(); ++i) {
      if (!same(sorted[i], sorted[first])) first = i;
      if (i == first) continue;
      object.values[sorted[first]] = std::move(object.values[sorted[i]]);
      is_repeated[sorted[i]] = true;
    }
    Json::Object joined;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (is_repeated[i]) continue;
      joined.keys.push_back(std::move(object.keys[i]));
      joined.values.push_back(std::move(object.values[i]));
    }
    object = std::move(joined);
  }

  const JsonDepth depth_;
  int levels_ = 0;          ///< around what comes next
  std::vector<Json> open_;  ///< of them, those that are kept
  Json result_;
};

void read_json_events(std::string_view text, JsonEvents& events) {
  Adapter adapter(events);
  Library::sax_parse(text.begin(), text.end(), &adapter);
}

Json Json::parse(std::string_view text, const JsonDepth& depth) {
  JsonBuilder builder(depth);
  read_json_events(text, builder);
  return builder.result();
}

std::string with_words_quoted(std::string_view text) {
  constexpr std::array<std::string_view, 3> words = {"-Infinity", "Infinity", "NaN"};
  std::string quoted;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto stands_here = [&](std::string_view word) { return text.substr(at).starts_with(word); };
    const auto* const word = in_text ? words.end() : std::ranges::find_if(words, stands_here);
    if (word != words.end()) {
      quoted.append("\"").append(*word).append("\"");
      at += word->size();
      continue;
    }
    if (text[at] == '"') in_text = !in_text;
    const std::size_t length = in_text && text[at] == '\\' ? 2 : 1;
    quoted += text.substr(at, length);
    at += length;
  }
  return quoted;
}

std::optional<Json> Json::try_parse(std::string_view text, const JsonDepth& depth) {
  try {
    return parse(text, depth);
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;

/// What lies within is ended level by level: a text of a million brackets must not use up the stack.
Json::~Json() {
  std::vector<Json> ended;
  const auto take_children = [&ended](Json& json) {
    std::vector<Json>* const children = json.children();
    for (std::size_t i = 0; children != nullptr && i < children->size(); ++i) {
      if (!(*children)[i].empty() && (*children)[i].is_structured()) ended.push_back(std::move((*children)[i]));
    }
  };
  take_children(*this);
  while (!ended.empty()) {
    Json last = std::move(ended.back());
    ended.pop_back();
    take_children(last);
  }
}

Json Json::array(std::initializer_list<Json> elements) {
  Json json;
  json.value_ = std::vector<Json>(elements);
  return json;
}

Json Json::object(std::initializer_list<Member> members) {
  Json json;
  json.value_ = Object();
  for (const Member& member : members) json[member.key] = member.value;
  return json;
}

const char* Json::type_name() const {
  if (is_number()) return "number";
  if (is_null()) return "null";
  if (is_boolean()) return "boolean";
  return is_string() ? "string" : is_array() ? "array" : "object";
}

bool Json::boolean() const {
  if (!is_boolean()) misused(*this, "a boolean");
  return std::get<bool>(value_);
}

const std::string& Json::string() const {
  if (!is_string()) misused(*this, "a string");
  return std::get<std::string>(value_);
}

std::int64_t Json::integer() const {
  if (is_unsigned()) return static_cast<std::int64_t>(std::get<std::uint64_t>(value_));
  if (is_integer()) return std::get<std::int64_t>(value_);
  return static_cast<std::int64_t>(real());
}

double Json::real() const {
  if (is_unsigned()) return static_cast<double>(std::get<std::uint64_t>(value_));
  if (is_integer()) return static_cast<double>(std::get<std::int64_t>(value_));
  if (!is_number()) misused(*this, "a number");
  return std::get<double>(value_);
}

const std::vector<Json>* Json::children() const {
  if (const auto* const object = std::get_if<Object>(&value_)) return &object->values;
  return std::get_if<std::vector<Json>>(&value_);
}

std::vector<Json>* Json::children() { return const_cast<std::vector<Json>*>(std::as_const(*this).children()); }

std::size_t Json::size() const {
  const std::vector<Json>* const all = children();
  return all != nullptr ? all->size() : is_null() ? 0 : 1;
}

const Json* Json::begin() const {
  const std::vector<Json>* const all = children();
  return all == nullptr ? nullptr : all->data();
}

const Json* Json::end() const {
  const std::vector<Json>* const all = children();
  return all == nullptr ? nullptr : all->data() + all->size();
}

const Json& Json::element(std::size_t index) const {
  const auto* const elements = std::get_if<std::vector<Json>>(&value_);
  if (elements == nullptr || index >= elements->size()) misused(*this, "element " + std::to_string(index));
  return (*elements)[index];
}

void Json::push_back(Json element) {
  if (is_null()) value_ = std::vector<Json>();
  if (!is_array()) misused(*this, "a place for elements");
  std::get<std::vector<Json>>(value_).push_back(std::move(element));
}

const Json* Json::find(std::string_view key) const {
  const auto* const object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = std::find(object->keys.begin(), object->keys.end(), key);
  return found == object->keys.end() ? nullptr
                                     : &object->values[static_cast<std::size_t>(found - object->keys.begin())];
}

const Json& Json::at(std::string_view key) const {
  const Json* const found = find(key);
  if (found == nullptr) misused(*this, "the key '" + std::string(key) + "'");
  return *found;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  if (!is_object()) misused(*this, "the key '" + std::string(key) + "'");
  if (const Json* const found = find(key)) return const_cast<Json&>(*found);
  auto& object = std::get<Object>(value_);
  object.keys.emplace_back(key);
  return object.values.emplace_back();
}

const std::vector<std::string>& Json::keys() const {
  if (!is_object()) misused(*this, "its keys");
  return std::get<Object>(value_).keys;
}

std::string Json::dump(int indent) const { return in_library(*this).dump(indent); }

std::string Json::dump_repaired(int indent) const {
  return in_library(*this).dump(indent, ' ', false, Library::error_handler_t::replace);
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    const bool exact = a.is_integer() && b.is_integer();
    return exact ? a.integer() == b.integer() : a.real() == b.real();
  }
  if (a.value_.index() != b.value_.index() || a.size() != b.size()) return false;
  if (a.is_string()) return a.string() == b.string();
  if (a.is_boolean()) return a.boolean() == b.boolean();
  return (!a.is_object() || a.keys() == b.keys()) && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace monomorph
