// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/lowering.hpp"
#include "kernels/run/special.hpp"

namespace nvmlab::kernels {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

// The space that an instruction names; generic where it names none.
Space take_space(Words& words) {
  if (words.take("global")) return Space::global;
  if (words.take("shared") || words.take("shared::cta")) return Space::shared;
  if (words.take("local")) return Space::local;
  if (words.take("const")) return Space::constant;
  if (words.take("param") || words.take("param::entry") || words.take("param::func")) return Space::param;
  return Space::generic;
}

AddressSpace meant(Space space, bool in_kernel) {
  if (space == Space::shared) return AddressSpace::shared;
  if (space == Space::local || (space == Space::param && !in_kernel)) return AddressSpace::local;
  return AddressSpace::generic;
}

}  // namespace

bool Lowering::address(const Operand& operand, Space space, std::uint64_t bytes, Instruction* made) {
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
    return source(base, wide ? Type::b64 : Type::b32, &made->r[4]);
  }
  if (base.kind == OperandKind::integer) {
    made->imm = 0;
    made->r[4] = constant(operand.bits, true);
    return true;
  }
  if (base.kind != OperandKind::variable && base.kind != OperandKind::symbol)
    return invalid("an address begins with a register or a name");
  if (!symbol_value(base, Type::b64, &made->r[4])) return false;
  const bool shared_symbol = base.kind == OperandKind::variable
                                 ? function_.variables[base.number].space == Space::shared
                                 : builder_.find(base.word).kind == Symbol::Kind::shared;
  if (shared_symbol && space == Space::generic) made->space = static_cast<std::uint8_t>(AddressSpace::shared);
  return true;
}

// ld and st: one element, or a vector of up to four.
bool Lowering::moved(const Ast& each, Words& words, bool store) {
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
  return emit_checked(store ? handlers_.store(type, wide) : handlers_.load(type, wide), made);
}

bool Lowering::ld(const Ast& each, Words& words) { return moved(each, words, false); }
bool Lowering::st(const Ast& each, Words& words) { return moved(each, words, true); }

bool Lowering::atom(const Ast& each, Words& words) {
  const bool reduces = each.opcode == "red";
  words.drop_memory_hints();
  const Space space = take_space(words);
  const std::string_view word = words.take_one({"add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"});
  const Type type = words.take_type();
  if (!words.empty() || word.empty() || (space != Space::generic && space != Space::global && space != Space::shared))
    return refuse_form();
  const std::size_t first = reduces ? 0 : 1;
  const std::size_t values = word == "cas" ? 2 : 1;
  if (each.operands.size() != first + 1 + values && each.operands.size() != first + 2 + values)
    return want(each, first + 1 + values, first + 1 + values);
  Instruction made;
  if (!reduces && each.operands[0].kind != OperandKind::sink && !target(each.operands[0], type, &made.r[0]))
    return false;
  for (std::size_t i = 0; i < values; ++i) {
    if (!source(each.operands[first + 1 + i], type, &made.r[1 + i])) return false;
  }
  return address(each.operands[first], space, ptx::size_of(type), &made) &&
         emit_checked(handlers_.atomic(word, type), made);
}

// Hints, which change nothing that can be seen.
bool Lowering::nothing(const Ast&, Words&) { return true; }

bool Lowering::fence(const Ast& each, Words& words) {
  words.drop_memory_hints();
  if (words.take("gl") || words.take("proxy") || words.empty()) {
    emit(order_memory);
    return true;
  }
  (void)each;
  return refuse_form();
}

// cp.async: done at once, so there is nothing to commit or to wait for.
bool Lowering::cp(const Ast& each, Words& words) {
  if (!words.take("async")) return refuse_form();
  if (words.take("commit_group") || words.take("wait_group") || words.take("wait_all"))
    return words.empty() || refuse_form();
  words.drop_memory_hints();
  words.take("shared");
  words.take("shared::cta");
  words.take("global");
  if (!words.empty()) return refuse_form();
  if (!want(each, 3, 4)) return false;
  const std::uint64_t bytes = each.operands[2].bits;
  if (each.operands[2].kind != OperandKind::integer || (bytes != 4 && bytes != 8 && bytes != 16))
    return invalid("cp.async copies 4, 8 or 16 bytes");
  if (each.operands.size() == 4 && (each.operands[3].kind != OperandKind::integer || each.operands[3].bits != bytes))
    return refuse_form();
  const auto count = static_cast<std::uint8_t>(bytes / 4);
  Instruction load;
  load.count = count;
  for (std::uint8_t i = 0; i < count; ++i)
    load.r[i] = temporary(Type::b32);
  Instruction save = load;
  if (!address(each.operands[1], Space::global, bytes, &load) || !emit_checked(handlers_.load(Type::b32, false), load))
    return false;
  return address(each.operands[0], Space::shared, bytes, &save) &&
         emit_checked(handlers_.store(Type::b32, false), save);
}

}  // namespace nvmlab::kernels
