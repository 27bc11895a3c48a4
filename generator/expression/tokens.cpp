#include "generator/expression/tokens.hpp"

#include <cctype>

#include "generator/expression/expression.hpp"

namespace monomorph::generator {

Token next_token(const std::string& text, std::size_t begin) {
  while (begin < text.size() &&
         (text[begin] == ' ' || text[begin] == '\t' || text[begin] == '\n' || text[begin] == '\r')) {
    ++begin;
  }
  const auto take = [&](Token::Kind kind, std::size_t end) {
    return Token{kind, text.substr(begin, end - begin), begin};
  };
  if (begin == text.size()) return take(Token::Kind::end, begin);
  const auto is = [&](std::size_t at, auto test) {
    return at < text.size() && test(static_cast<unsigned char>(text[at])) != 0;
  };
  const auto digit = [](int c) { return c >= '0' && c <= '9'; };
  const auto word = [](int c) { return std::isalnum(c) != 0 || c == '_'; };
  std::size_t end = begin;
  if (is(begin, digit) || (text[begin] == '.' && is(begin + 1, digit))) {
    while (is(end, digit)) ++end;
    if (end < text.size() && text[end] == '.') ++end;
    while (is(end, digit)) ++end;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
      std::size_t exponent = end + 1;
      if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
      if (is(exponent, digit)) {
        while (is(exponent, digit)) ++exponent;
        end = exponent;
      }
    }
    // "2x" is a slip, not 2 times x.
    if (is(end, word)) return take(Token::Kind::invalid, end + 1);
    return take(Token::Kind::number, end);
  }
  if (is(begin, word)) {
    while (is(end, word) || (is(end, [](int c) { return c == '.'; }) && is(end + 1, word) && !is(end + 1, digit)))
      ++end;
    return take(Token::Kind::name, end);
  }
  if (text[begin] == '\'') {
    end = text.find('\'', begin + 1);
    if (end != std::string::npos) return take(Token::Kind::word, end + 1);
  }
  for (const char* symbol : {"<=", ">=", "==", "!=", "&&", "||", "??"}) {
    if (text.compare(begin, 2, symbol) == 0) return take(Token::Kind::symbol, begin + 2);
  }
  if (text.compare(begin, 2, "**") == 0) return take(Token::Kind::invalid, begin + 2);
  const bool known = std::string("+-*/%!()<>?:,[]").find(text[begin]) != std::string::npos;
  return take(known ? Token::Kind::symbol : Token::Kind::invalid, begin + 1);
}

std::string rename_in_expression(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  std::size_t copied = 0;
  for (Token token = next_token(text, 0); token.kind != Token::Kind::end;
       token = next_token(text, token.begin + token.text.size())) {
    result += text.substr(copied, token.begin - copied);
    result += token.kind == Token::Kind::name && token.text == from ? to : token.text;
    copied = token.begin + token.text.size();
  }
  return result + text.substr(copied);
}

}  // namespace monomorph::generator
