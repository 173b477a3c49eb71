// SPDX-License-Identifier: Apache-2.0
// Operands of an instruction to places in the frame of the function, or among its constants.
#include <bit>
#include <cstring>

#include "kernels/lowering/lowering.hpp"
#include "kernels/run/special.hpp"

namespace nvmlab::kernels {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

Ref Lowering::slot(std::uint32_t number) {
  Ref& known = slots_[number];
  if (known.used == 0) known = temporary(function_.registers[number].type);
  return known;
}

Ref Lowering::temporary(Type type) {
  Ref made;
  made.used = 1;
  if (type == Type::pred) {
    if (predicates_ % 16 == 0) {
      predicates_ = frame_;
      frame_ += 64;
    }
    made.at = predicates_;
    made.predicate = 1;
    predicates_ += 4;
    if (predicates_ % 64 == 0) predicates_ = 0;
    return made;
  }
  made.wide = ptx::size_of(type) == 8 ? 1 : 0;
  made.at = frame_;
  frame_ += made.wide != 0 ? 256 : 128;
  return made;
}

Ref Lowering::constant(std::uint64_t bits, bool wide) {
  if (!wide) bits &= 0xFFFFFFFF;
  const auto [at, added] = constants_.try_emplace({bits, wide}, static_cast<std::uint32_t>(out_.constants.size()));
  if (added) {
    const std::size_t size = wide ? 8 : 4;
    out_.constants.resize(out_.constants.size() + size * kLanes);
    for (std::uint32_t i = 0; i < kLanes; ++i)
      std::memcpy(out_.constants.data() + at->second + i * size, &bits, size);
  }
  Ref made;
  made.at = at->second;
  made.constant = 1;
  made.wide = wide ? 1 : 0;
  made.used = 1;
  return made;
}

Ref Lowering::predicate_constant(bool value) {
  Ref made = constant(value ? kAllLanes : 0, false);
  made.predicate = 1;
  return made;
}

// Lines of 64 bytes begin where the processor's do.
void Lowering::seal_constants() {
  const std::size_t size = out_.constants.size();
  std::vector<char> sealed(size + 64);
  const auto address = reinterpret_cast<std::uintptr_t>(sealed.data());
  out_.constants_at = static_cast<std::uint32_t>((64 - address % 64) % 64);
  if (size != 0) std::memcpy(sealed.data() + out_.constants_at, out_.constants.data(), size);
  out_.constants = std::move(sealed);
}

Type Lowering::type_of(const Operand& operand) const {
  return operand.kind == OperandKind::reg ? function_.registers[operand.number].type : Type::none;
}

bool Lowering::real_constant(const Operand& operand, Type type, Ref* out) {
  const double value = operand.single
                           ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits)))
                           : std::bit_cast<double>(operand.bits);
  const std::uint32_t size = ptx::size_of(type);
  if (size == 8) {
    const std::uint64_t bits = operand.single ? std::bit_cast<std::uint64_t>(value) : operand.bits;
    *out = constant(bits, true);
    return true;
  }
  if (size != 4) return invalid("a constant of " + std::string(ptx::name_of(type)) + " is written as its bits, 0x3C00");
  *out = constant(operand.single ? operand.bits : std::bit_cast<std::uint32_t>(static_cast<float>(value)), false);
  return true;
}

bool Lowering::special(const Operand& operand, Type type, Ref* out) {
  const int which = special_number(operand.word, static_cast<std::uint32_t>(operand.bits));
  if (which < 0) {
    if (operand.word.starts_with("%envreg") || is_special_name(operand.word))
      return refuse("special register " + std::string(operand.word) + " is not simulated");
    return invalid("register '" + std::string(operand.word) + "' is not declared");
  }
  Instruction& made = emit(read_special);
  made.imm = static_cast<std::uint64_t>(which);
  *out = temporary(ptx::size_of(type) == 8 ? Type::b64 : Type::b32);
  made.r[0] = *out;
  return true;
}

// The address of a variable or a function, in its space.
bool Lowering::symbol_value(const Operand& operand, Type type, Ref* out) {
  const bool wide = ptx::size_of(type) == 8;
  if (!wide && ptx::size_of(type) != 4) return invalid("an address takes 32 or 64 bits");
  if (operand.kind == OperandKind::variable) {
    const ptx::Variable& variable = function_.variables[operand.number];
    if (variable.space == Space::shared) {
      const auto& places = builder_.shared(index_);
      const auto place = places.of_function.find(operand.number);
      *out = constant((place == places.of_function.end() ? places.dynamic_at : place->second) + operand.bits, wide);
      return true;
    }
    const bool of_kernel =
        variable.space == Space::param && function_.entry && operand.number < function_.parameters.size();
    if (of_kernel && !wide) {
      *out = constant(locals_[operand.number] + operand.bits, false);
      return true;
    }
    Instruction& made = emit(of_kernel ? address_of_parameter : address_of_local);
    made.imm = locals_[operand.number] + operand.bits;
    *out = temporary(wide ? Type::b64 : Type::b32);
    made.r[0] = *out;
    return true;
  }
  const Symbol symbol = builder_.find(operand.word);
  switch (symbol.kind) {
    case Symbol::Kind::memory:
      *out = constant(symbol.address + operand.bits, wide);
      return true;
    case Symbol::Kind::shared: {
      const auto& places = builder_.shared(index_);
      const auto place = places.of_module.find(symbol.index);
      *out = constant((place == places.of_module.end() ? places.dynamic_at : place->second) + operand.bits, wide);
      return true;
    }
    case Symbol::Kind::function:
      *out = constant(kFunctionAddress + std::uint64_t{symbol.index} * 16, wide);
      return true;
    default:
      return invalid("'" + std::string(operand.word) + "' is not declared");
  }
}

bool Lowering::source(const Operand& operand, Type type, Ref* out) {
  const bool wide = ptx::size_of(type) == 8;
  switch (operand.kind) {
    case OperandKind::reg: {
      const Type own = type_of(operand);
      if (ptx::size_of(own) == 16) return refuse("registers of 128 bits are not executed");
      if (own == Type::pred || (ptx::size_of(own) == 8) != wide)
        return invalid("an operand of ." + std::string(ptx::name_of(type)) + " is a register of ." +
                       std::string(ptx::name_of(own)));
      *out = slot(operand.number);
      return true;
    }
    case OperandKind::integer:
      if (type == Type::f32 || type == Type::f64)
        return invalid("a floating point operand is written as 1.0 or 0f3F800000, not as an integer");
      *out = constant(operand.bits, wide);
      return true;
    case OperandKind::real:
      return real_constant(operand, type, out);
    case OperandKind::special:
      return special(operand, type, out);
    case OperandKind::variable:
    case OperandKind::symbol:
      return symbol_value(operand, type, out);
    default:
      return invalid("an operand is neither a register nor a constant");
  }
}

// The lower part of a wider register, where an instruction allows one.
bool Lowering::loose_source(const Operand& operand, Type type, Ref* out) {
  if (!is_register(operand) || ptx::size_of(type_of(operand)) != 8 || ptx::size_of(type) == 8)
    return source(operand, type, out);
  const Ref whole = slot(operand.number);
  Instruction& made = emit(handlers_.convert(Type::u32, Type::u64, {}));
  made.r[1] = whole;
  *out = temporary(Type::b32);
  made.r[0] = *out;
  return true;
}

bool Lowering::target(const Operand& operand, Type type, Ref* out) {
  if (operand.kind == OperandKind::sink) {
    *out = temporary(type);
    return true;
  }
  if (operand.kind != OperandKind::reg) return invalid("the result of an instruction goes to a register");
  return source(operand, type, out);
}

bool Lowering::predicate(const Operand& operand, Ref* out) {
  if (operand.kind == OperandKind::integer) {
    *out = predicate_constant(operand.bits != 0);
    return true;
  }
  if (type_of(operand) != Type::pred) return invalid("this operand must be a predicate");
  *out = slot(operand.number);
  out->wide = operand.negated ? 1 : 0;
  return true;
}

bool Lowering::predicate_target(const Operand& operand, Ref* out) {
  if (operand.kind == OperandKind::sink) {
    *out = {};
    return true;
  }
  if (type_of(operand) != Type::pred || operand.negated) return invalid("the result must be a predicate");
  *out = slot(operand.number);
  return true;
}

}  // namespace nvmlab::kernels
