#include "runtime/chat/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "runtime/chat/operators.hpp"
#include "runtime/chat/print.hpp"
#include "runtime/chat/text.hpp"

namespace monomorph::chat {
namespace {

/// `text` as Python's float() reads it.
std::optional<double> read_float(const std::string& text) {
  std::string number = with_ascii_digits(lower(stripped(text, is_space, true, true)));
  if (number.starts_with('+') && !number.starts_with("+-")) number.erase(0, 1);
  for (std::size_t at = 1; at + 1 < number.size(); ++at) {
    const auto digit = [&](std::size_t place) { return number[place] >= '0' && number[place] <= '9'; };
    if (number[at] == '_' && digit(at - 1) && digit(at + 1)) number.erase(at, 1);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (end != number.data() + number.size() || number.empty() || number.find('(') != std::string::npos) {
    return std::nullopt;
  }
  if (error != std::errc()) fail("a number is too large or too small for a double");
  return value;
}

/// `text` as Python's int() reads it.
std::optional<std::int64_t> read_int(const std::string& text, int base) {
  std::string digits = with_ascii_digits(lower(stripped(text, is_space, true, true)));
  const std::size_t sign = digits.starts_with('+') || digits.starts_with('-') ? 1 : 0;
  const std::string_view prefix = base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "";
  if (!prefix.empty() && digits.substr(sign).starts_with(prefix)) {
    digits.erase(sign, digits.substr(sign + 2).starts_with('_') ? 3 : 2);
  }
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.erase(0, 1);
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  for (std::size_t at = 1; at + 1 < digits.size(); ++at) {
    if (digits[at] == '_' && is_digit(digits[at - 1]) && is_digit(digits[at + 1])) digits.erase(at, 1);
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  if (error != std::errc()) fail(text + " is larger than 64 bits hold");
  return number;
}

/// Python's round, to digits that are decimals.
double rounded(double value, std::int64_t digits) {
  if (digits < 0 || digits > 300) fail("round is known for 0 to 300 digits");
  if (!std::isfinite(value)) return value;
  const std::string text = fmt::format("{:.{}f}", value, digits);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

}  // namespace

Value as_float(const Given& given) {
  need_defined(*given[0]);
  if (given[0]->number()) return given[0]->real();
  const std::string* const text = given[0]->as<std::string>();
  const std::optional<double> number = text == nullptr ? std::nullopt : read_float(*text);
  return number ? Value(*number) : given[1].value_or(0.0);
}

Value as_int(const Given& given) {
  const Value otherwise = given[1].value_or(0);
  const std::int64_t base = given[2] ? whole(*given[2]) : 10;
  if (base < 2 || base > 36) fail("int is known for the bases 2 to 36");
  if (given[0]->integer()) return *given[0]->integer();
  if (const std::string* text = given[0]->as<std::string>()) {
    if (const std::optional<std::int64_t> number = read_int(*text, static_cast<int>(base))) return *number;
  }
  const Value real = as_float({given[0], None{}});
  if (real.none()) return otherwise;
  if (std::isnan(real.real())) return otherwise;
  if (!(std::abs(real.real()) < 9e18)) fail("a float is too large for an integer");
  return static_cast<std::int64_t>(real.real());
}

Value round(const Given& given) {
  const Value& value = *given[0];
  need_defined(value);
  if (!value.number()) fail("round of a value of type " + type_name(value));
  const std::int64_t digits = given[1] ? whole(*given[1]) : 0;
  const std::string method = given[2] ? text_of(*given[2]) : "common";
  if (method == "common") {
    if (!value.integer()) return rounded(value.real(), digits);
    if (digits < 0) fail("round is known for 0 to 300 digits");
    return *value.integer();
  }
  if (method != "ceil" && method != "floor") fail("method must be common, ceil or floor");
  if (digits < 0 || digits > 15) fail("round is known for 0 to 15 digits where it goes up or down");
  const double scale = std::pow(10.0, static_cast<double>(digits));
  const double scaled = value.real() * scale;
  if (!std::isfinite(scaled)) fail("a float that is not finite is rounded up or down");
  // Python's ceil and floor give whole numbers, which have no negative zero.
  return ((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) + 0.0) / scale;
}

Value absolute(const Value& value) {
  const bool below = value.number() && (value.real() < 0 || std::signbit(value.real()));
  return below ? negative(value) : positive(value);
}

}  // namespace monomorph::chat
