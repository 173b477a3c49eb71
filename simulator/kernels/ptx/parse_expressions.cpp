// SPDX-License-Identifier: Apache-2.0
// Constant expressions of integers: 64 bits, C's operators in C's order. "a ? b : c" is read, too.
#include "kernels/ptx/parser.hpp"

namespace nvmlab::ptx {
namespace {

struct Operation {
  std::string_view word;
  std::uint32_t rank;  // higher binds closer
};

constexpr Operation kOperations[] = {{"||", 2}, {"&&", 3}, {"|", 4},  {"^", 5},  {"&", 6},  {"==", 7},
                                     {"!=", 7}, {"<=", 8}, {">=", 8}, {"<<", 9}, {">>", 9}, {"<", 8},
                                     {">", 8},  {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

std::uint64_t result(std::string_view word, std::uint64_t a, std::uint64_t b) {
  const auto left = static_cast<std::int64_t>(a);
  const auto right = static_cast<std::int64_t>(b);
  switch (word[0]) {
    case '|':
      return word.size() == 2 ? static_cast<std::uint64_t>(a != 0 || b != 0) : a | b;
    case '&':
      return word.size() == 2 ? static_cast<std::uint64_t>(a != 0 && b != 0) : a & b;
    case '^':
      return a ^ b;
    case '=':
      return a == b;
    case '!':
      return a != b;
    case '<':
      if (word == "<<") return b > 63 ? 0 : a << b;
      return word.size() == 2 ? left <= right : left < right;
    case '>':
      if (word == ">>") return static_cast<std::uint64_t>(left >> (b > 63 ? 63 : b));
      return word.size() == 2 ? left >= right : left > right;
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b == 0 ? 0 : right == -1 ? 0 - a : static_cast<std::uint64_t>(left / right);
    default:
      return b == 0 || right == -1 ? 0 : static_cast<std::uint64_t>(left % right);
  }
}

}  // namespace

bool Parser::primary(std::uint64_t* value, std::uint32_t depth) {
  if (depth > kDeepest) return complain(now(), "an expression nests deeper than 64 parentheses");
  if (take('-')) {
    if (!primary(value, depth + 1)) return false;
    *value = 0 - *value;
    return true;
  }
  if (take('+')) return primary(value, depth + 1);
  if (take('~')) {
    if (!primary(value, depth + 1)) return false;
    *value = ~*value;
    return true;
  }
  if (take('!')) {
    if (!primary(value, depth + 1)) return false;
    *value = *value == 0 ? 1 : 0;
    return true;
  }
  if (take('(')) {
    if (take_dotted("s64") || take_dotted("u64")) return expect(')', "behind a cast") && primary(value, depth + 1);
    return expression(value, depth + 1) && expect(')', "in an expression");
  }
  if (now().kind == TokenKind::name && now().word == "WARP_SZ") {
    *value = 32;
  } else if (now().kind == TokenKind::integer) {
    *value = now().bits;
  } else {
    return complain(now(), "'" + std::string(now().word) + "' is no constant; an integer is expected here");
  }
  ++at_;
  return true;
}

bool Parser::expression(std::uint64_t* value, std::uint32_t depth, std::uint32_t lowest) {
  if (depth > kDeepest) return complain(now(), "an expression nests deeper than 64 parentheses");
  if (!primary(value, depth)) return false;
  for (;;) {
    const Operation* found = nullptr;
    for (const Operation& each : kOperations) {
      const bool two = each.word.size() == 2;
      if (now().is(each.word[0]) && (!two || ahead().is(each.word[1])) && each.rank >= lowest) {
        found = &each;
        break;
      }
    }
    if (found == nullptr) break;
    at_ += found->word.size();
    std::uint64_t right = 0;
    if (!expression(&right, depth + 1, found->rank + 1)) return false;
    *value = result(found->word, *value, right);
  }
  if (lowest > 1 || !take('?')) return true;
  std::uint64_t yes = 0;
  std::uint64_t no = 0;
  if (!expression(&yes, depth + 1) || !expect(':', "behind '?'") || !expression(&no, depth + 1)) return false;
  *value = *value != 0 ? yes : no;
  return true;
}

}  // namespace nvmlab::ptx
