// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/lowering.hpp"
#include "kernels/lowering/numeric.hpp"
#include "kernels/run/special.hpp"

namespace nvmlab::kernels {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

namespace {

bool is_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

}  // namespace

bool Lowering::mov(const Ast& each, Words& words) {
  const Type type = words.take_type();
  if (!words.empty() || type == Type::none) return refuse_form();
  if (!want(each, 2, 2)) return false;
  if (type == Type::pred) {
    Instruction made;
    return predicate(each.operands[1], &made.r[1]) && predicate_target(each.operands[0], &made.r[0]) &&
           emit_checked(handlers_.predicate("mov"), made);
  }
  if (each.operands[0].kind == OperandKind::vector || each.operands[1].kind == OperandKind::vector)
    return pack(each, type);
  return same_types(each, handlers_.integer("mov", type), type, {type}, 0);
}

// mov.b32 %r, {a, b} and back: parts are shifted in or out.
bool Lowering::pack(const Ast& each, Type type) {
  const bool packs = each.operands[1].kind == OperandKind::vector;
  const std::vector<Operand>& parts = each.operands[packs ? 1 : 0].items;
  const std::uint32_t size = ptx::size_of(type);
  if (parts.empty() || size % parts.size() != 0 || size > 8) return refuse_form();
  const auto bits = static_cast<std::uint32_t>(size / parts.size() * 8);
  const Type whole = size == 8 ? Type::b64 : Type::b32;
  const Type part = bits == 32 ? Type::u32 : bits == 16 ? Type::u16 : Type::u8;
  const auto step = [this](Handler run, Ref to, Ref a, Ref b) {
    Instruction& made = emit(run);
    made.r[0] = to;
    made.r[1] = a;
    made.r[2] = b;
  };
  const Type unsigned_whole = size == 8 ? Type::u64 : Type::u32;
  if (!packs) {
    Ref from;
    if (!source(each.operands[1], whole, &from)) return false;
    // The source may be one of the targets, so parts are taken from a copy.
    const Ref shifted = temporary(whole);
    step(handlers_.integer("mov", whole), shifted, from, from);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) step(handlers_.integer("shr", unsigned_whole), shifted, shifted, constant(bits, false));
      if (parts[i].kind == OperandKind::sink) continue;
      Ref to;
      if (!target(parts[i], part == Type::u8 ? Type::u16 : part, &to)) return false;
      step(handlers_.convert(part, unsigned_whole, {}), to, shifted, shifted);
    }
    return true;
  }
  Ref to;
  if (!target(each.operands[0], whole, &to)) return false;
  const Ref sum = temporary(whole);
  const Ref wider = temporary(whole);
  step(handlers_.integer("mov", whole), sum, constant(0, size == 8), {});
  for (std::size_t i = parts.size(); i-- > 0;) {
    Ref from;
    if (!source(parts[i], part == Type::u8 ? Type::u16 : part, &from)) return false;
    step(handlers_.convert(unsigned_whole, part, {}), wider, from, from);
    step(handlers_.integer("shl", whole), sum, sum, constant(bits % (size * 8), false));
    step(handlers_.integer("or", whole), sum, sum, wider);
  }
  step(handlers_.integer("mov", whole), to, sum, sum);
  return true;
}

bool Lowering::cvt(const Ast& each, Words& words) {
  Numeric how;
  take_numeric(words, &how);
  const Type to = words.take_type();
  const Type from = words.take_type();
  if (!words.empty() || from == Type::none) return refuse_form();
  const bool pairs = from == Type::f32 && (to == Type::f16x2 || to == Type::bf16x2 || to >= Type::e4m3x2);
  if (!want(each, pairs ? 3 : 2, pairs ? 3 : 2)) return false;
  const Handler run = handlers_.convert(to, from, how);
  if (run == nullptr) return refuse_form();
  Instruction made;
  for (std::size_t i = 1; i < each.operands.size(); ++i) {
    if (!loose_source(each.operands[i], from, &made.r[i])) return false;
  }
  // PTX lets .rn and no rounding stand for whole numbers where one is needed.
  made.imm = packed_numeric(how);
  const bool widens =
      is_register(each.operands[0]) && ptx::size_of(type_of(each.operands[0])) == 8 && ptx::size_of(to) < 8;
  if (!widens) return target(each.operands[0], to, &made.r[0]) && emit_checked(run, made);
  made.r[0] = temporary(Type::b32);
  const Ref narrow = made.r[0];
  if (!emit_checked(run, made)) return false;
  Instruction wide;
  wide.r[1] = narrow;
  return target(each.operands[0], Type::b64, &wide.r[0]) &&
         emit_checked(handlers_.convert(Type::u64, ptx::is_signed(to) ? Type::s32 : Type::u32, {}), wide);
}

bool Lowering::cvta(const Ast& each, Words& words) {
  const bool from_generic = words.take("to");
  const std::string_view space =
      words.take_one({"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry"});
  const Type type = words.take_type();
  if (!words.empty() || space.empty() || type == Type::none) return refuse_form();
  if (!want(each, 2, 2)) return false;
  const bool shared = space.starts_with("shared");
  const Handler run = shared ? convert_shared : space == "local" ? convert_local : handlers_.integer("mov", type);
  return same_types(each, run, type, {type}, from_generic ? 1 : 0);
}

bool Lowering::isspacep(const Ast& each, Words& words) {
  const std::string_view space = words.take_one({"global", "shared", "shared::cta", "shared::cluster", "local"});
  if (!words.empty() || space.empty()) return refuse_form();
  if (!want(each, 2, 2)) return false;
  Instruction made;
  made.imm = space == "shared::cluster" ? 1 : 0;
  made.space = static_cast<std::uint8_t>(space.starts_with("shared") ? AddressSpace::shared
                                         : space == "local"          ? AddressSpace::local
                                                                     : AddressSpace::generic);
  return source(each.operands[1], Type::b64, &made.r[1]) && predicate_target(each.operands[0], &made.r[0]) &&
         emit_checked(is_in_space, made);
}

// `half`: of a pair of numbers, the lower or the upper one.
bool Lowering::compare(const Ast& each, Words words, Type type, Ref p, Ref q, std::uint32_t half) {
  constexpr struct {
    std::string_view word;
    Comparison how;
  } kWords[] = {{"eq", Comparison::eq},   {"ne", Comparison::ne},   {"lt", Comparison::lt},   {"le", Comparison::le},
                {"gt", Comparison::gt},   {"ge", Comparison::ge},   {"lo", Comparison::lt},   {"ls", Comparison::le},
                {"hi", Comparison::gt},   {"hs", Comparison::ge},   {"equ", Comparison::equ}, {"neu", Comparison::neu},
                {"ltu", Comparison::ltu}, {"leu", Comparison::leu}, {"gtu", Comparison::gtu}, {"geu", Comparison::geu},
                {"num", Comparison::num}, {"nan", Comparison::nan}};
  const bool flush = words.take("ftz");
  const Comparison* how = nullptr;
  for (const auto& row : kWords) {
    if (how == nullptr && words.take(row.word)) how = &row.how;
  }
  const std::string_view join = words.take_one({"and", "or", "xor"});
  if (how == nullptr || !words.empty()) return refuse_form();
  Instruction made;
  made.r[0] = p;
  made.r[1] = q;
  if (!source(each.operands[1], type, &made.r[2]) || !source(each.operands[2], type, &made.r[3])) return false;
  if (half != 0) {
    for (const std::size_t i : {2U, 3U}) {
      const Ref upper = temporary(Type::b32);
      Instruction& shift = emit(handlers_.integer("shr", Type::u32));
      shift.r[0] = upper;
      shift.r[1] = made.r[i];
      shift.r[2] = constant(16, false);
      made.r[i] = upper;
    }
  }
  type = type == Type::f16x2 ? Type::f16 : type == Type::bf16x2 ? Type::bf16 : type;
  Join joined = Join::none;
  if (!join.empty()) {
    if (each.operands.size() <= 3) return invalid("." + std::string(join) + " takes one more predicate");
    if (!predicate(each.operands[3], &made.r[4])) return false;
    joined = join == "and" ? Join::conjunction : join == "or" ? Join::disjunction : Join::exclusive;
  }
  made.imm = static_cast<std::uint64_t>(joined) | (flush ? 256U : 0U);
  return emit_checked(handlers_.compare(*how, joined, type, flush), made);
}

bool Lowering::setp(const Ast& each, Words& words) {
  const Type type = words.take_type();
  if (!want(each, 3, 4)) return false;
  Ref p;
  Ref q;
  const Operand& to = each.operands[0];
  if (to.kind == OperandKind::pair) {
    if (!predicate_target(to.items[0], &p) || !predicate_target(to.items[1], &q)) return false;
  } else if (!predicate_target(to, &p)) {
    return false;
  }
  if (!is_pair(type)) return compare(each, words, type, p, q, 0);
  return compare(each, words, type, p, {}, 0) && compare(each, words, type, q, {}, 1);
}

// set: all bits, or 1.0, where it holds; of pairs for each half.
bool Lowering::set(const Ast& each, Words& words) {
  const Type to = words.take_type();
  const Type from = words.take_type();
  if (!want(each, 3, 4)) return false;
  if (is_pair(to) && !is_pair(from)) return refuse_form();
  const std::uint64_t one = to == Type::f32                          ? 0x3F800000
                            : to == Type::f16 || to == Type::f16x2   ? 0x3C00
                            : to == Type::bf16 || to == Type::bf16x2 ? 0x3F80
                            : to == Type::u16 || to == Type::s16     ? 0xFFFF
                                                                     : 0xFFFFFFFF;
  if (ptx::size_of(to) != 4 && ptx::size_of(to) != 2) return refuse_form();
  const auto chosen = [&](std::uint32_t half, std::uint64_t bits, Ref result) {
    const Ref p = temporary(Type::pred);
    if (!compare(each, words, from, p, {}, half)) return false;
    Instruction made;
    made.r[0] = result;
    made.r[1] = constant(bits, false);
    made.r[2] = constant(0, false);
    made.r[3] = p;
    return emit_checked(handlers_.select(Type::b32), made);
  };
  Ref result;
  if (!target(each.operands[0], to, &result)) return false;
  if (!is_pair(from)) return chosen(0, one, result);
  const bool halves = is_pair(to) || ptx::size_of(to) == 4;
  const std::uint64_t low = is_pair(to) ? one : 0xFFFF;
  const Ref lower = temporary(Type::b32);
  const Ref upper = temporary(Type::b32);
  if (!halves || !chosen(0, low, lower) || !chosen(1, low << 16, upper)) return halves ? false : refuse_form();
  Instruction made;
  made.r[0] = result;
  made.r[1] = lower;
  made.r[2] = upper;
  return emit_checked(handlers_.integer("or", Type::b32), made);
}

bool Lowering::selp(const Ast& each, Words& words) {
  const Type type = words.take_type();
  if (!words.empty() || type == Type::none) return refuse_form();
  if (!want(each, 4, 4)) return false;
  Instruction made;
  return source(each.operands[1], type, &made.r[1]) && source(each.operands[2], type, &made.r[2]) &&
         predicate(each.operands[3], &made.r[3]) && target(each.operands[0], type, &made.r[0]) &&
         emit_checked(handlers_.select(type), made);
}

// slct: the first where the third is not negative.
bool Lowering::slct(const Ast& each, Words& words) {
  const bool flush = words.take("ftz");
  const Type type = words.take_type();
  const Type sign = words.take_type();
  if (!words.empty() || (sign != Type::s32 && sign != Type::f32)) return refuse_form();
  if (!want(each, 4, 4)) return false;
  Instruction test;
  test.r[0] = temporary(Type::pred);
  test.r[3] = constant(0, false);
  test.imm = flush ? 256 : 0;
  const Ref p = test.r[0];
  if (!source(each.operands[3], sign, &test.r[2]) ||
      !emit_checked(handlers_.compare(Comparison::ge, Join::none, sign, flush), test))
    return false;
  Instruction made;
  made.r[3] = p;
  return source(each.operands[1], type, &made.r[1]) && source(each.operands[2], type, &made.r[2]) &&
         target(each.operands[0], type, &made.r[0]) && emit_checked(handlers_.select(type), made);
}

}  // namespace nvmlab::kernels
