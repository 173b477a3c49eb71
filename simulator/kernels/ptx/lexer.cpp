// SPDX-License-Identifier: Apache-2.0
#include "kernels/ptx/lexer.hpp"

#include <bit>
#include <charconv>

namespace nvmlab::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool starts_name(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::expected<std::vector<Token>, Problem> run() {
    while (problem_.text.empty() && skip_space()) {
      if (tokens_.size() >= kMostTokens) {
        complain("the text has more than 2^26 tokens; split the module");
        break;
      }
      next();
    }
    if (!problem_.text.empty()) return std::unexpected(problem_);
    add(TokenKind::end, at_, 0);
    return std::move(tokens_);
  }

 private:
  static constexpr std::size_t kMostTokens = std::size_t{1} << 26;

  Place place(std::size_t at) const { return {line_, static_cast<std::uint32_t>(at - line_start_) + 1}; }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void complain(std::string text) { problem_ = {place(at_), std::move(text)}; }

  Token& add(TokenKind kind, std::size_t from, std::size_t length) {
    tokens_.push_back({.kind = kind, .word = text_.substr(from, length), .at = place(from)});
    return tokens_.back();
  }

  void new_line() {
    ++line_;
    line_start_ = at_ + 1;
  }

  // False at the end of the text, or where a comment does not end.
  bool skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        new_line();
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n')
          ++at_;
      } else if (c == '/' && peek(1) == '*') {
        if (!skip_comment()) return false;
      } else {
        return c != '\0';  // some callers count the terminating zero
      }
    }
    return false;
  }

  bool skip_comment() {
    const Place begin = place(at_);
    for (at_ += 2; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') new_line();
      if (text_[at_] == '*' && peek(1) == '/') {
        at_ += 2;
        return true;
      }
    }
    problem_ = {begin, "this comment does not end; close it with */"};
    return false;
  }

  void next() {
    const char c = text_[at_];
    if (is_digit(c)) return number();
    if (starts_name(c)) return name();
    if (c == '.' && (in_name(peek(1)))) return dotted();
    if (c == '"') return quoted();
    if (std::string_view("{}[](),;:@!|+-*/<>=&^~?%").find(c) == std::string_view::npos)
      return complain("unexpected character '" + std::string(1, c) + "'; PTX is ASCII text");
    add(TokenKind::mark, at_, 1);
    ++at_;
  }

  void name() {
    const std::size_t from = at_++;
    while (in_name(peek()))
      ++at_;
    if (at_ - from == 1 && text_[from] == '%') {
      add(TokenKind::mark, from, 1);
    } else {
      add(TokenKind::name, from, at_ - from);
    }
  }

  // ".shared::cta" and ".L2::128B" are one word.
  void dotted() {
    const std::size_t from = ++at_;
    while (in_name(peek()) || (peek() == ':' && peek(1) == ':' && in_name(peek(2))))
      at_ += peek() == ':' ? 2 : 1;
    Token& made = add(TokenKind::dotted, from, at_ - from);
    --made.at.column;
  }

  void quoted() {
    const std::size_t from = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
      ++at_;
    if (peek() != '"') return complain("this text in quotes does not end on its line");
    add(TokenKind::text, from, at_ - from);
    ++at_;
  }

  void number() {
    const std::size_t from = at_;
    const char second = static_cast<char>(peek(1) | 0x20);
    if (peek() == '0' && (second == 'f' || second == 'd')) return bits_of_real(second == 'f');
    if (peek() == '0' && (second == 'x' || second == 'b')) {
      at_ += 2;
      return integer(from, at_, second == 'x' ? 16 : 2);
    }
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end]))
      ++end;
    const bool fraction = end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1]);
    const bool point =
        end < text_.size() && text_[end] == '.' && !fraction && (end + 1 >= text_.size() || !in_name(text_[end + 1]));
    const bool exponent = end < text_.size() && (text_[end] | 0x20) == 'e';
    if (fraction || point || exponent) return decimal(from);
    integer(from, from, peek() == '0' && end - from > 1 ? 8 : 10);
  }

  void integer(std::size_t from, std::size_t digits, int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + digits, text_.data() + text_.size(), value, base);
    if (error != std::errc{}) return complain("this integer does not fit into 64 bits or has no digits");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (peek() == 'U' || peek() == 'u') ++at_;
    if (in_name(peek()))
      return complain("a number ends in '" + std::string(1, peek()) + "'; separate it from the name");
    add(TokenKind::integer, from, at_ - from).bits = value;
  }

  void bits_of_real(bool single) {
    const std::size_t digits = single ? 8 : 16;
    std::uint64_t value = 0;
    const char* const first = text_.data() + at_ + 2;
    const char* const last = text_.data() + std::min(text_.size(), at_ + 2 + digits);
    const auto [end, error] = std::from_chars(std::min(first, last), last, value, 16);
    if (error != std::errc{} || static_cast<std::size_t>(end - first) != digits)
      return complain(single ? "0f takes 8 hexadecimal digits" : "0d takes 16 hexadecimal digits");
    Token& made = add(TokenKind::real, at_, digits + 2);
    made.bits = value;
    made.single = single;
    at_ += digits + 2;
  }

  void decimal(std::size_t from) {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + from, text_.data() + text_.size(), value);
    if (error == std::errc::invalid_argument) return complain("this is no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    add(TokenKind::real, from, at_ - from).bits = std::bit_cast<std::uint64_t>(value);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  std::vector<Token> tokens_;
  Problem problem_;
};

}  // namespace

std::expected<std::vector<Token>, Problem> tokens_of(std::string_view text) { return Lexer(text).run(); }

}  // namespace nvmlab::ptx
