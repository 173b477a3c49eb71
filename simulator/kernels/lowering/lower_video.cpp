// SPDX-License-Identifier: Apache-2.0
// Video instructions on two or four numbers in a register: vadd4.u32.u32.u32.add d, a, b, c and its kin. Those on one
// number, and chosen or masked parts of registers, are not executed.
#include "kernels/lowering/lowering.hpp"

namespace nvmlab::kernels {

using ptx::Type;

bool Lowering::video(const Ast& each, Words& words) {
  const bool adds = words.take("add");
  const bool saturates = words.take("sat");
  const Type to = words.take_type();
  const Type a = words.take_type();
  const Type b = words.take_type();
  const auto known = [](Type type) { return type == Type::u32 || type == Type::s32; };
  if (!words.empty() || !known(to) || !known(a) || !known(b)) return refuse_form();
  const std::uint64_t imm = (ptx::is_signed(a) ? 1U : 0U) | (ptx::is_signed(b) ? 2U : 0U) |
                            (ptx::is_signed(to) ? 4U : 0U) | (adds ? 8U : 0U) | (saturates ? 16U : 0U);
  return want(each, 4, 4) &&
         same_types(each, handlers_.integer(each.opcode, Type::b32), Type::b32, {Type::b32, Type::b32, Type::b32}, imm);
}

}  // namespace nvmlab::kernels
