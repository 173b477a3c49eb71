// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/lowering.hpp"
#include "kernels/lowering/numeric.hpp"

namespace nvmlab::kernels {

using ptx::Type;

namespace {

std::size_t sources_of(std::string_view opcode) {
  for (const std::string_view one : {"abs", "neg", "sqrt", "rcp", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh", "testp",
                                     "not", "cnot", "popc", "clz", "bfind", "brev"}) {
    if (opcode == one) return 1;
  }
  for (const std::string_view three : {"mad", "fma", "sad", "mad24", "madc", "bfe", "shf", "fns", "lop3", "prmt"}) {
    if (opcode == three) return 3;
  }
  return opcode == "bfi" ? 4 : 2;
}

}  // namespace

bool Lowering::same_types(const Ast& each, Handler run, Type result, std::initializer_list<Type> sources,
                          std::uint64_t imm) {
  if (run == nullptr) return refuse_form();
  Instruction made;
  std::size_t at = 1;
  for (const Type type : sources) {
    if (!source(each.operands[at], type, &made.r[at])) return false;
    ++at;
  }
  if (!target(each.operands[0], result, &made.r[0])) return false;
  made.imm = imm;
  return emit_checked(run, made);
}

bool Lowering::arithmetic(const Ast& each, Words& words) {
  Numeric how;
  take_numeric(words, &how);
  std::string word(each.opcode);
  for (const char* part : {"lo", "hi", "wide"}) {
    if (words.take(part)) word += std::string(".") + part;
  }
  if (each.opcode == "testp")
    word += "." + std::string(words.take_one({"finite", "infinite", "number", "notanumber", "normal", "subnormal"}));
  const bool carry_out = words.take("cc");
  const bool joined = words.take("xorsign");
  if (joined) words.take("abs");
  const Type type = words.take_type();
  if (!words.empty() || type == Type::none) return refuse_form();
  const std::size_t sources = sources_of(each.opcode);
  if (!want(each, sources + 1, sources + 1)) return false;
  if (carry_out) word += ".cc";
  Handler run = nullptr;
  if (type == Type::f32 || type == Type::f64) {
    run = handlers_.floating(word, type, how);
  } else if (ptx::is_float(type)) {
    run = handlers_.half(word, type, how);
  } else {
    run = handlers_.integer(how.saturate ? word + ".sat" : word, type);
  }
  std::uint64_t imm = ptx::is_float(type) ? packed_numeric(how) | (joined ? 32U : 0U) : 0;
  if (each.opcode == "testp") {
    Instruction made;
    if (!source(each.operands[1], type, &made.r[1]) || !predicate_target(each.operands[0], &made.r[0])) return false;
    return emit_checked(run, made);
  }
  const bool wide = word.ends_with(".wide");
  const Type result = !wide ? type : ptx::size_of(type) == 2 ? Type::b32 : Type::b64;
  switch (sources) {
    case 1:
      return same_types(each, run, result, {type}, imm);
    case 2:
      return same_types(each, run, result, {type, type}, imm);
    default:
      return same_types(each, run, result, {type, type, result}, imm);
  }
}

bool Lowering::bitwise(const Ast& each, Words& words) {
  std::string word(each.opcode);
  std::uint64_t imm = 0;
  if (word == "shf") {
    word += "." + std::string(words.take_one({"l", "r"}));
    word += "." + std::string(words.take_one({"wrap", "clamp"}));
  }
  if (word == "bmsk" || word == "szext") word += "." + std::string(words.take_one({"wrap", "clamp"}));
  if (word == "bfind") imm = words.take("shiftamt") ? 1 : 0;
  if (word == "prmt") {
    std::uint64_t mode = 0;
    for (const char* name : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}) {
      ++mode;
      if (words.take(name)) imm = mode;
    }
  }
  const Type type = words.take_type();
  if (!words.empty() || type == Type::none) return refuse_form();
  if (type == Type::pred) {
    Instruction made;
    const std::size_t sources = sources_of(each.opcode);
    if (!want(each, sources + 1, sources + 1)) return false;
    for (std::size_t i = 1; i <= sources; ++i) {
      if (!predicate(each.operands[i], &made.r[i])) return false;
    }
    return predicate_target(each.operands[0], &made.r[0]) && emit_checked(handlers_.predicate(word), made);
  }
  const Handler run = handlers_.integer(word, type);
  const Type b32 = Type::b32;
  if (each.opcode == "lop3") {
    if (!want(each, 5, 5)) return false;
    return same_types(each, run, type, {type, type, type}, each.operands[4].bits & 255);
  }
  const std::size_t sources = sources_of(each.opcode);
  if (!want(each, sources + 1, sources + 1)) return false;
  if (word == "shl" || word == "shr") return same_types(each, run, type, {type, b32}, imm);
  if (word == "bfe") return same_types(each, run, type, {type, b32, b32}, imm);
  if (word == "bfi") return same_types(each, run, type, {type, type, b32, b32}, imm);
  if (word == "popc" || word == "clz" || word == "bfind") return same_types(each, run, b32, {type}, imm);
  if (sources == 1) return same_types(each, run, type, {type}, imm);
  if (sources == 2) return same_types(each, run, type, {type, type}, imm);
  return same_types(each, run, type, {type, type, type}, imm);
}

// dp4a.u32.s32, dp2a.lo.s32.u32
bool Lowering::dot(const Ast& each, Words& words) {
  std::uint64_t imm = each.opcode == "dp2a" ? 4 : 0;
  if (words.take("hi")) imm |= 8;
  words.take("lo");
  const Type a = words.take_type();
  const Type b = words.take_type();
  if (!words.empty() || ptx::size_of(a) != 4 || ptx::size_of(b) != 4) return refuse_form();
  imm |= (ptx::is_signed(a) ? 1U : 0U) | (ptx::is_signed(b) ? 2U : 0U);
  return want(each, 4, 4) &&
         same_types(each, handlers_.integer("dot", Type::b32), Type::b32, {Type::b32, Type::b32, Type::b32}, imm);
}

}  // namespace nvmlab::kernels
