// SPDX-License-Identifier: Apache-2.0
// Declarations of variables with their initial values.
#include <bit>
#include <cstring>

#include "kernels/ptx/parser.hpp"

namespace nvmlab::ptx {
namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

// ".align 4 .v4 .f32", ".attribute(.managed)", ".ptr .global .align 4" in any order that compilers have used.
bool Parser::shape(Shape* out) {
  while (now().kind == TokenKind::dotted) {
    const std::string_view word = now().word;
    if (word == "align") {
      ++at_;
      std::uint64_t align = 0;
      const Token& at = now();
      if (!primary(&align, 0)) return false;
      if (!std::has_single_bit(align) || align > 4096) return complain(at, ".align takes a power of two up to 4096");
      out->align = std::max(out->align, static_cast<std::uint32_t>(align));
    } else if (word == "v2" || word == "v4" || word == "v8") {
      out->lanes = static_cast<std::uint32_t>(word[1] - '0');
      ++at_;
    } else if (word == "ptr") {  // the type stood before it; its space and alignment say nothing that is needed
      ++at_;
      while (now().kind == TokenKind::dotted)
        at_ += now().word == "align" ? 2 : 1;
      return true;
    } else if (word == "attribute") {
      ++at_;
      for (; now().kind != TokenKind::end && !now().is(')'); ++at_)
        out->managed = out->managed || (now().kind == TokenKind::dotted && now().word == "managed");
      if (!expect(')', "where an attribute ends")) return false;
    } else if (const Type type = type_of(word); type != Type::none) {
      out->type = type;
      ++at_;
    } else {
      return complain(now(), "'." + std::string(word) + "' is no type and no attribute of a variable");
    }
  }
  return out->type != Type::none || complain(now(), "a variable needs a type, as .u32");
}

// The name, the dimensions behind it and the bytes that follow from them.
bool Parser::declarator(Space space, const Shape& of, Variable* out) {
  if (now().kind != TokenKind::name) return complain(now(), "a variable needs a name");
  out->name = now().word;
  out->space = space;
  out->type = of.type;
  out->at = now().at;
  ++at_;
  std::uint64_t count = of.lanes;
  std::uint32_t dimensions = 0;
  for (; take('['); ++dimensions) {
    if (take(']')) {
      out->unsized = true;
      continue;
    }
    std::uint64_t length = 0;
    if (!expression(&length) || !expect(']', "behind a dimension")) return false;
    if (length > kMostBytes || count * length > kMostBytes) return complain(now(), "a variable has more than 64 GiB");
    count *= length;
  }
  const std::uint32_t size = std::max(size_of(of.type), 1U);
  out->bytes = out->unsized ? 0 : count * size;
  out->align = std::max(of.align, size * of.lanes);
  out->managed = of.managed;
  out->element = dimensions > 1 ? 0 : size * of.lanes;
  return true;
}

bool Parser::variables(Space space, Linkage how, bool local) {
  if (now().kind == TokenKind::dotted && now().word.starts_with("_")) ++at_;  // a bank of .const
  Shape of;
  if (!shape(&of)) return false;
  do {
    const Token& begin = now();
    Variable made;
    if (!declarator(space, of, &made)) return false;
    made.linkage = how;
    if (take('=')) {
      if (space != Space::global && space != Space::constant)
        return complain(begin, "only variables in .global and .const have initial values");
      std::uint64_t offset = 0;
      const std::uint64_t end = made.unsized ? kMostData : made.bytes;
      if (end > kMostData && !made.unsized) return complain(begin, "a variable with values has more than 256 MiB");
      if (!initialiser(made, &offset, end, 0)) return false;
      if (made.unsized) made.bytes = rounded_up(offset, std::max(size_of(of.type), 1U));
      made.unsized = false;
      made.data.resize(made.bytes);
    }
    if (local && space != Space::global && space != Space::constant) {
      std::uint32_t number = 0;
      if (!add_variable(std::move(made), &number)) return false;
      scopes_.open.back().variables[begin.word] = number;
    } else {
      module_.variables.push_back(std::move(made));
    }
  } while (take(','));
  return expect(';', "behind a variable");
}

bool Parser::initialiser(Variable& variable, std::uint64_t* offset, std::uint64_t end, std::uint32_t depth) {
  if (depth > 8) return complain(now(), "initial values nest deeper than 8 braces");
  if (!take('{')) {
    if (*offset + std::max(size_of(variable.type), 1U) > end)
      return complain(now(), "more initial values than the variable holds");
    return initial_value(variable, offset);
  }
  while (!take('}')) {
    if (!initialiser(variable, offset, end, depth + 1)) return false;
    if (!take(',') && !now().is('}')) return expect('}', "in initial values");
  }
  return true;
}

bool Parser::initial_value(Variable& variable, std::uint64_t* offset) {
  const std::uint32_t size = std::max(size_of(variable.type), 1U);
  if (variable.data.size() < *offset + size) variable.data.resize(*offset + size);
  const bool negative = now().is('-') && ahead().kind == TokenKind::real;
  const Token& value = negative ? ahead() : now();
  std::uint64_t bits = 0;
  if (value.kind == TokenKind::real) {
    at_ += negative ? 2 : 1;
    if (size == 4 && !value.single) {
      const float narrow = static_cast<float>(std::bit_cast<double>(value.bits));
      bits = std::bit_cast<std::uint32_t>(negative ? -narrow : narrow);
    } else if (size == 4) {
      bits = value.bits ^ (negative ? std::uint64_t{1} << 31 : 0);
    } else {
      const double wide = value.single
                              ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits)))
                              : std::bit_cast<double>(value.bits);
      bits = std::bit_cast<std::uint64_t>(negative ? -wide : wide);
    }
  } else if (value.kind == TokenKind::name && value.word != "WARP_SZ") {
    if (!symbol_value(variable, *offset, size)) return false;
  } else if (value.kind == TokenKind::integer && ahead().is('(')) {  // "0xFF(symbol)": one byte of its address
    return complain(value, "a part of an address as initial value is not supported; use the whole of it");
  } else if (!expression(&bits)) {
    return false;
  }
  std::memcpy(variable.data.data() + *offset, &bits, std::min<std::size_t>(size, sizeof bits));
  *offset += size;
  return true;
}

// "symbol", "symbol+4", "generic(symbol)+4"
bool Parser::symbol_value(Variable& variable, std::uint64_t offset, std::uint32_t size) {
  const bool generic = now().word == "generic" && ahead().is('(');
  if (generic) at_ += 2;
  if (now().kind != TokenKind::name) return complain(now(), "generic() takes the name of a variable");
  Relocation made{.offset = offset, .size = size, .symbol = std::string(now().word)};
  ++at_;
  if (generic && !expect(')', "behind generic(...")) return false;
  if (now().is('+') || now().is('-')) {
    std::uint64_t addend = 0;
    const bool minus = now().is('-');
    ++at_;
    if (!primary(&addend, 0)) return false;
    made.addend = static_cast<std::int64_t>(minus ? 0 - addend : addend);
  }
  if (size != 8 && size != 4) return complain(now(), "an address takes 8 bytes; declare the variable as .u64");
  variable.relocations.push_back(std::move(made));
  return true;
}

}  // namespace nvmlab::ptx
