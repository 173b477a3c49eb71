// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "kernels/lowering/lowering.hpp"
#include "kernels/run/special.hpp"

namespace nvmlab::kernels {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

Space take_space(Words& words) {
  if (words.take("global")) return Space::global;
  if (!words.take_one({"shared", "shared::cta", "shared::cluster"}).empty()) return Space::shared;
  if (words.take("local")) return Space::local;
  if (words.take("const")) return Space::constant;
  if (!words.take_one({"param", "param::entry", "param::func"}).empty()) return Space::param;
  return Space::generic;
}

namespace {

AddressSpace meant(Space space, bool in_kernel) {
  if (space == Space::shared) return AddressSpace::shared;
  if (space == Space::local || (space == Space::param && !in_kernel)) return AddressSpace::local;
  return AddressSpace::generic;
}

}  // namespace

// An address among a kernel's parameters that is in 32 bits counts from their beginning (symbol_value); in 64 bits it
// is the generic one already.
Ref Lowering::parameter_at(Ref offset) {
  const Ref at = temporary(Type::b64);
  const Ref begin = temporary(Type::b64);
  Instruction& widened = emit(handlers_.convert(Type::u64, Type::u32, {}));
  widened.r[0] = at;
  widened.r[1] = offset;
  emit(address_of_parameter).r[0] = begin;
  Instruction& sum = emit(handlers_.integer("add", Type::u64));
  sum.r[0] = at;
  sum.r[1] = at;
  sum.r[2] = begin;
  return at;
}

// The space of an access by a name: that of shared variables, where the access does not say one.
Space Lowering::of_symbol(const Operand& name, Space told) const {
  const bool shared = name.kind == OperandKind::variable ? function_.variables[name.number].space == Space::shared
                                                         : builder_.find(name.word).kind == Symbol::Kind::shared;
  return shared && told == Space::generic ? Space::shared : told;
}

// "array[%r1+2]": a register counts elements.
bool Lowering::element_address(const Operand& operand, Space space, Instruction* made) {
  const Operand& base = operand.items[0];
  const Type own = type_of(operand.items[1]);
  const bool wide = ptx::size_of(own) == 8;
  Ref begin;
  Ref index;
  if (!symbol_value(base, Type::b64, &begin) || !source(operand.items[1], wide ? Type::b64 : Type::b32, &index))
    return false;
  const Ref at = temporary(Type::b64);
  const auto step = [&](Handler run, Ref a, Ref b) {
    Instruction& one = emit(run);
    one.r[0] = at;
    one.r[1] = a;
    one.r[2] = b;
  };
  const Type widened = own == Type::s32 ? Type::s32 : Type::u32;
  step(wide ? handlers_.integer("mov", Type::b64) : handlers_.convert(Type::u64, widened, {}), index, {});
  step(handlers_.integer("shl", Type::b64), at,
       constant(static_cast<std::uint64_t>(std::countr_zero(operand.number)), false));
  step(handlers_.integer("add", Type::u64), at, begin);
  made->space = static_cast<std::uint8_t>(meant(of_symbol(base, space), function_.entry));
  made->imm = operand.bits;
  made->r[4] = at;
  return true;
}

bool Lowering::address(const Operand& operand, Space space, std::uint64_t bytes, Instruction* made) {
  if (operand.indexed) {  // "array[2]"
    Operand bracketed;
    bracketed.kind = OperandKind::address;
    bracketed.bits = operand.bits;
    bracketed.items.push_back(operand);
    bracketed.items[0].bits = 0;
    bracketed.items[0].indexed = false;
    return address(bracketed, space, bytes, made);
  }
  if (operand.kind == OperandKind::address && operand.number != 0) return element_address(operand, space, made);
  if (operand.kind != OperandKind::address || operand.items.size() != 1)
    return invalid("a memory operation takes an address, as [%rd1+4]");
  const Operand& base = operand.items[0];
  if (base.kind == OperandKind::variable) {
    const ptx::Variable& variable = function_.variables[base.number];
    const bool of_kernel =
        variable.space == Space::param && function_.entry && base.number < function_.parameters.size();
    if (variable.space != Space::shared && (space == variable.space || of_kernel)) {
      if (operand.bits > variable.bytes || bytes > variable.bytes - operand.bits)
        return invalid("'" + variable.name + "' has " + std::to_string(variable.bytes) +
                       " bytes, which this access leaves");
      made->space = static_cast<std::uint8_t>(of_kernel ? AddressSpace::parameter : AddressSpace::frame);
      made->imm = locals_[base.number] + operand.bits;
      return true;
    }
  }
  made->space = static_cast<std::uint8_t>(meant(space, function_.entry));
  made->imm = operand.bits;
  if (base.kind == OperandKind::reg) {
    const bool wide = ptx::size_of(type_of(base)) == 8;
    if (!source(base, wide ? Type::b64 : Type::b32, &made->r[4])) return false;
    if (space == Space::param && function_.entry && !wide) made->r[4] = parameter_at(made->r[4]);
    return true;
  }
  if (base.kind == OperandKind::integer) {
    made->imm = 0;
    made->r[4] = constant(operand.bits, true);
    return true;
  }
  if (base.kind != OperandKind::variable && base.kind != OperandKind::symbol)
    return invalid("an address begins with a register or a name");
  if (!symbol_value(base, Type::b64, &made->r[4])) return false;
  made->space = static_cast<std::uint8_t>(meant(of_symbol(base, space), function_.entry));
  return true;
}

// ld and st: one element, or a vector of up to four.
bool Lowering::moved(const Ast& each, Words& words, bool store) {
  const bool polls = !store && (words.take("volatile") || words.take("acquire"));
  words.drop_memory_hints();
  const Space space = take_space(words);
  std::size_t count = words.take("v2") ? 2 : words.take("v4") ? 4 : 1;
  const Type type = words.take_type();
  if (!words.empty() || type == Type::none || ptx::size_of(type) > 8) return refuse_form();
  if (each.operands.size() < 2 || each.operands.size() > 3) return want(each, 2, 2);  // a third is a hint at caches
  const Operand& values = each.operands[store ? 1 : 0];
  const Operand& where = each.operands[store ? 0 : 1];
  const bool vector = values.kind == OperandKind::vector;
  if (vector ? values.items.size() != count : count != 1)
    return invalid("the vector of this access does not have as many elements as it says");
  Instruction made;
  made.count = static_cast<std::uint8_t>(count);
  bool wide = ptx::size_of(type) == 8;
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& value = vector ? values.items[i] : values;
    if (is_register(value)) wide = wide || ptx::size_of(type_of(value)) == 8;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& value = vector ? values.items[i] : values;
    if (value.kind == OperandKind::sink && !store) continue;
    const bool real = value.kind == OperandKind::real;
    const Type as = real ? type : wide ? Type::b64 : Type::b32;
    if (!(store ? source(value, as, &made.r[i]) : target(value, as, &made.r[i]))) return false;
  }
  if (!address(where, space, ptx::size_of(type) * count, &made)) return false;
  if (store && static_cast<AddressSpace>(made.space) == AddressSpace::parameter)
    return invalid("parameters of a kernel cannot be written");
  if (!emit_checked(store ? handlers_.store(type, wide) : handlers_.load(type, wide), made)) return false;
  if (polls) polls_.push_back(static_cast<std::uint32_t>(code_.size()) - 1);
  return true;
}

bool Lowering::ld(const Ast& each, Words& words) { return moved(each, words, false); }
bool Lowering::st(const Ast& each, Words& words) { return moved(each, words, true); }

bool Lowering::atom(const Ast& each, Words& words) {
  const bool reduces = each.opcode == "red";
  words.drop_memory_hints();
  const Space space = take_space(words);
  const std::string_view word = words.take_one({"add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"});
  const std::string_view vector = words.take_one({"v2", "v4", "v8"});
  const std::size_t count = vector.empty() ? 1 : static_cast<std::size_t>(vector[1] - '0');
  const Type type = words.take_type();
  const std::uint64_t bytes = ptx::size_of(type);
  if (!words.empty() || word.empty() || bytes > 8 ||
      (space != Space::generic && space != Space::global && space != Space::shared) ||
      (count > 1 && (!ptx::is_float(type) || bytes > 4 || bytes * count > 16)))
    return refuse_form();
  const std::size_t first = reduces ? 0 : 1;
  const std::size_t values = word == "cas" ? 2 : 1;
  if (each.operands.size() != first + 1 + values && each.operands.size() != first + 2 + values)
    return want(each, first + 1 + values, first + 1 + values);
  // Elements of a vector are changed one after another; PTX does not promise more.
  const auto element = [&](const Operand& operand, std::size_t i, const Operand** out) {
    *out = count == 1 ? &operand : operand.items.size() == count ? &operand.items[i] : nullptr;
    return *out != nullptr || invalid("the vector of this access does not have as many elements as it says");
  };
  for (std::size_t i = 0; i < count; ++i) {
    Instruction made;
    const Operand* one = nullptr;
    if (!reduces && each.operands[0].kind != OperandKind::sink &&
        (!element(each.operands[0], i, &one) || !target(*one, type, &made.r[0])))
      return false;
    for (std::size_t k = 0; k < values; ++k) {
      if (!element(each.operands[first + 1 + k], i, &one) || !source(*one, type, &made.r[1 + k])) return false;
    }
    if (!address(each.operands[first], space, bytes, &made)) return false;
    made.imm += i * bytes;
    if (!emit_checked(handlers_.atomic(word, type), made)) return false;
    if (word == "cas" || word == "exch") polls_.push_back(static_cast<std::uint32_t>(code_.size()) - 1);
  }
  return true;
}

// Hints, which change nothing that can be seen.
bool Lowering::nothing(const Ast&, Words&) { return true; }

// A hint at caches as a value, which nothing but further hints may look into: 0.
bool Lowering::cache_policy(const Ast& each, Words& words) {
  words.drop_memory_hints();
  const bool ranges = words.take("range");
  if (!ranges && !words.take("fractional")) return refuse_form();
  if (ranges) words.take("global");
  if (words.take_type() != Type::b64 || !words.empty()) return refuse_form();
  Instruction made;
  made.r[1] = constant(0, true);
  return want(each, ranges ? 4 : 1, ranges ? 4 : 2) && target(each.operands[0], Type::b64, &made.r[0]) &&
         emit_checked(handlers_.integer("mov", Type::b64), made);
}

bool Lowering::fence(const Ast&, Words& words) {
  words.drop_memory_hints();
  words.take("gl");
  words.take("aligned");
  if (words.take("proxy")) words.take_one({"alias", "async", "async::generic", "tensormap::generic"});
  words.take("mbarrier_init");
  words.take_one({"global", "shared::cta", "shared::cluster"});
  words.take_one({"sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
  if (!words.empty()) return refuse_form();
  emit(order_memory);
  return true;
}

// An address of any space as the generic one, in a register of 64 bits of its own.
bool Lowering::generic_address(const Operand& operand, Space space, std::uint64_t bytes, Ref* out) {
  Instruction made;
  if (!address(operand, space, bytes, &made)) return false;
  const Ref to = temporary(Type::b64);
  *out = to;
  const auto step = [&](Handler run, Ref a, Ref b, std::uint64_t imm) {
    Instruction& one = emit(run);
    one.r[0] = to;
    one.r[1] = a;
    one.r[2] = b;
    one.imm = imm;
  };
  const auto kind = static_cast<AddressSpace>(made.space);
  if (kind == AddressSpace::parameter) {
    step(address_of_parameter, {}, {}, made.imm);
    return true;
  }
  if (kind == AddressSpace::frame) {
    step(address_of_local, {}, {}, made.imm);
    step(convert_local, to, {}, 0);
    return true;
  }
  if (made.r[4].wide != 0) {
    step(handlers_.integer("mov", Type::b64), made.r[4], made.r[4], 0);
  } else {
    step(handlers_.convert(Type::u64, Type::u32, {}), made.r[4], made.r[4], 0);
  }
  if (made.imm != 0) step(handlers_.integer("add", Type::u64), to, constant(made.imm, true), 0);
  if (kind == AddressSpace::shared) step(convert_shared, to, {}, 0);
  if (kind == AddressSpace::local) step(convert_local, to, {}, 0);
  return true;
}

}  // namespace nvmlab::kernels
