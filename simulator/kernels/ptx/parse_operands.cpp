// SPDX-License-Identifier: Apache-2.0
// Operands: registers, constants, names, addresses, vectors, the lists of a call.
#include <algorithm>

#include "kernels/ptx/parser.hpp"

namespace nvmlab::ptx {
namespace {

// Of "%tid.x" and of a vector's member; 4: none.
std::uint32_t member_of(std::string_view word) {
  if (word.size() != 1) return 4;
  const std::size_t xyzw = std::string_view("xyzw").find(word[0]);
  if (xyzw != std::string_view::npos) return static_cast<std::uint32_t>(xyzw);
  const std::size_t rgba = std::string_view("rgba").find(word[0]);
  return rgba != std::string_view::npos ? static_cast<std::uint32_t>(rgba) : 4;
}

}  // namespace

bool Parser::operands(char end, std::vector<Operand>* into, std::uint32_t depth) {
  if (now().kind == TokenKind::end) return expect(end, "behind an instruction");
  if (take(end)) return true;
  constexpr std::size_t kMost = 4096;
  do {
    into->emplace_back();
    if (into->size() > kMost) return complain(now(), "an instruction has more than 4096 operands");
    if (!operand(&into->back(), depth)) return false;
  } while (take(','));
  return expect(end, "behind the operands of an instruction");
}

bool Parser::operand(Operand* out, std::uint32_t depth) {
  if (depth > 4) return complain(now(), "operands nest deeper than 4 levels");
  if (take('{')) {
    out->kind = OperandKind::vector;
    return operands('}', &out->items, depth + 1);
  }
  if (take('[')) return address(out, depth);
  if (now().is('(') && (ahead().kind == TokenKind::name || ahead().is(')') || ahead().kind == TokenKind::real)) {
    ++at_;
    out->kind = OperandKind::list;
    return operands(')', &out->items, depth + 1);
  }
  if (now().is('!') && ahead().kind == TokenKind::name) {
    ++at_;
    if (!named(out)) return false;
    out->negated = true;
    return true;
  }
  if (now().kind == TokenKind::name && now().word != "WARP_SZ") {
    if (!named(out)) return false;
    if (!take('|')) return true;
    Operand pair;
    pair.kind = OperandKind::pair;
    pair.items.resize(2);
    pair.items[0] = std::move(*out);
    if (!operand(&pair.items[1], depth + 1)) return false;
    *out = std::move(pair);
    return true;
  }
  return number(out);
}

bool Parser::number(Operand* out) {
  const bool negative = now().is('-') && ahead().kind == TokenKind::real;
  if (negative) ++at_;
  if (now().kind == TokenKind::real) {
    out->kind = OperandKind::real;
    out->single = now().single;
    out->bits = now().bits ^ (negative ? std::uint64_t{1} << (now().single ? 31 : 63) : 0);
    ++at_;
    return true;
  }
  out->kind = OperandKind::integer;
  return expression(&out->bits);
}

bool Parser::named(Operand* out) {
  const Token& name = now();
  ++at_;
  const std::uint32_t member = now().kind == TokenKind::dotted ? member_of(now().word) : 4;
  if (name.word == "_") {
    out->kind = OperandKind::sink;
    return true;
  }
  if (const auto found = scopes_.find_register(name.word)) {
    out->kind = OperandKind::reg;
    out->number = found->first;
    if (now().kind == TokenKind::dotted && (found->lanes == 1 || member >= found->lanes))
      return complain(now(), "register '" + std::string(name.word) + "' has no member ." + std::string(now().word));
    if (now().kind == TokenKind::dotted) {
      ++at_;
      out->number += member;
    } else if (found->lanes > 1) {
      out->kind = OperandKind::vector;
      for (std::uint32_t i = 0; i < found->lanes; ++i) {
        Operand& each = out->items.emplace_back();
        each.kind = OperandKind::reg;
        each.number = found->first + i;
      }
    }
    return true;
  }
  out->word = name.word;
  if (name.word[0] == '%') {
    out->kind = OperandKind::special;
    if (now().kind == TokenKind::dotted) {
      if (member >= 4)
        return complain(now(), "'" + std::string(name.word) + "' has no member ." + std::string(now().word));
      out->bits = member;
      ++at_;
    }
    return true;
  }
  const auto variable = scopes_.find_variable(name.word);
  out->kind = variable ? OperandKind::variable : OperandKind::symbol;
  out->number = variable.value_or(0);
  if (now().is('[')) return indexed(out);
  if (now().is('+') || now().is('-')) {  // "symbol+4"
    const bool minus = now().is('-');
    ++at_;
    std::uint64_t offset = 0;
    if (!primary(&offset, 0)) return false;
    out->bits = minus ? 0 - offset : offset;
  }
  return true;
}

// "array[5]", "array[%r1+5]": the address of that element.
bool Parser::indexed(Operand* out) {
  const Variable* array = out->kind == OperandKind::variable ? &function_->variables[out->number] : nullptr;
  if (array == nullptr) {
    const auto found = std::ranges::find(module_.variables, out->word, &Variable::name);
    if (found == module_.variables.end())
      return complain(now(), "'" + std::string(out->word) + "' is not declared above its index");
    array = &*found;
  }
  if (array->element == 0)
    return complain(now(), "an array of several dimensions takes no index; give the offset in bytes");
  const std::uint32_t element = array->element;
  ++at_;
  out->indexed = true;
  std::uint64_t index = 0;
  const bool counted = now().kind == TokenKind::name && scopes_.find_register(now().word).has_value();
  if (counted) {
    Operand of;
    of.kind = OperandKind::address;
    of.number = element;
    of.items.resize(2);
    of.items[0] = std::move(*out);
    if (!named(&of.items[1])) return false;
    *out = std::move(of);
    if (out->items[1].kind != OperandKind::reg) return complain(now(), "an index is a number or one register");
  }
  const bool more = !counted || now().is('+') || now().is('-');
  if ((more && !expression(&index)) || !expect(']', "behind an index")) return false;
  out->bits = index * element;
  return true;
}

// "[base+offset]"; of textures "[name, {x, y}]".
bool Parser::address(Operand* out, std::uint32_t depth) {
  out->kind = OperandKind::address;
  out->items.emplace_back();
  if (!operand(&out->items.back(), depth + 1)) return false;
  Operand& base = out->items.front();
  if (base.kind == OperandKind::reg && (now().is('+') || now().is('-'))) {
    const bool minus = now().is('-');
    ++at_;
    std::uint64_t offset = 0;
    if (!expression(&offset)) return false;
    out->bits = minus ? 0 - offset : offset;
  } else if (base.kind == OperandKind::variable || base.kind == OperandKind::symbol) {
    out->bits = base.bits;
    base.bits = 0;
  } else if (base.kind == OperandKind::integer) {
    out->bits = base.bits;
  }
  while (take(',')) {
    out->items.emplace_back();
    if (!operand(&out->items.back(), depth + 1)) return false;
  }
  return expect(']', "behind an address");
}

}  // namespace nvmlab::ptx
