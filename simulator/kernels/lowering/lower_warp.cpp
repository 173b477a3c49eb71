// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/lowering.hpp"

namespace nvmlab::kernels {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

bool Lowering::shfl(const Ast& each, Words& words) {
  const bool sync = words.take("sync");
  const std::string_view mode = words.take_one({"up", "down", "bfly", "idx"});
  const Type type = words.take_type();
  if (!words.empty() || mode.empty() || ptx::size_of(type) != 4) return refuse_form();
  if (!want(each, sync ? 5 : 4, sync ? 5 : 4)) return false;
  Instruction made;
  made.kind = sync ? Kind::together : Kind::plain;
  const Operand& to = each.operands[0];
  if (to.kind == OperandKind::pair) {
    if (!target(to.items[0], type, &made.r[0]) || !predicate_target(to.items[1], &made.r[1])) return false;
  } else if (!target(to, type, &made.r[0])) {
    return false;
  }
  for (std::size_t i = 1; i < each.operands.size(); ++i) {
    if (!source(each.operands[i], Type::b32, &made.r[i + 1])) return false;
  }
  return emit_checked(handlers_.across("shfl." + std::string(mode), Type::b32), made);
}

bool Lowering::vote(const Ast& each, Words& words) {
  const bool sync = words.take("sync");
  const std::string_view mode = words.take_one({"all", "any", "uni", "ballot"});
  const Type type = words.take_type();
  if (!words.empty() || mode.empty()) return refuse_form();
  if (!want(each, sync ? 3 : 2, sync ? 3 : 2)) return false;
  Instruction made;
  made.kind = sync ? Kind::together : Kind::plain;
  if (!predicate(each.operands[1], &made.r[1])) return false;
  if (sync && !source(each.operands[2], Type::b32, &made.r[5])) return false;
  const bool ballot = mode == "ballot";
  if (!(ballot ? target(each.operands[0], Type::b32, &made.r[0]) : predicate_target(each.operands[0], &made.r[0])))
    return false;
  return emit_checked(handlers_.across("vote." + std::string(mode), ballot ? type : Type::none), made);
}

bool Lowering::match(const Ast& each, Words& words) {
  const std::string_view mode = words.take_one({"any", "all"});
  const bool sync = words.take("sync");
  const Type type = words.take_type();
  if (!words.empty() || mode.empty() || !sync) return refuse_form();
  if (!want(each, 3, 3)) return false;
  Instruction made;
  made.kind = Kind::together;
  const Operand& to = each.operands[0];
  if (to.kind == OperandKind::pair) {
    if (!target(to.items[0], Type::b32, &made.r[0]) || !predicate_target(to.items[1], &made.r[1])) return false;
  } else if (!target(to, Type::b32, &made.r[0])) {
    return false;
  }
  return source(each.operands[1], type, &made.r[2]) && source(each.operands[2], Type::b32, &made.r[5]) &&
         emit_checked(handlers_.across("match." + std::string(mode), type), made);
}

// redux.sync.add.s32, and elect.sync
bool Lowering::redux(const Ast& each, Words& words) {
  if (!words.take("sync")) return refuse_form();
  Instruction made;
  made.kind = Kind::together;
  if (each.opcode == "elect") {
    if (!want(each, 2, 2)) return false;
    if (each.operands[0].kind != OperandKind::pair) return invalid("elect.sync gives a lane and a predicate, as d|p");
    const auto& both = each.operands[0].items;
    if (both[0].kind != OperandKind::sink && !target(both[0], Type::b32, &made.r[0])) return false;
    return predicate_target(both[1], &made.r[1]) && source(each.operands[1], Type::b32, &made.r[5]) &&
           emit_checked(handlers_.across("elect", Type::none), made);
  }
  const std::string_view how = words.take_one({"add", "min", "max", "and", "or", "xor"});
  const Type type = words.take_type();
  if (!words.empty() || how.empty() || ptx::is_float(type)) return refuse_form();
  return want(each, 3, 3) && target(each.operands[0], Type::b32, &made.r[0]) &&
         source(each.operands[1], Type::b32, &made.r[2]) && source(each.operands[2], Type::b32, &made.r[5]) &&
         emit_checked(handlers_.across("redux." + std::string(how), type), made);
}

bool Lowering::activemask(const Ast& each, Words&) {
  Instruction made;
  return want(each, 1, 1) && target(each.operands[0], Type::b32, &made.r[0]) &&
         emit_checked(handlers_.across("activemask", Type::b32), made);
}

}  // namespace nvmlab::kernels
