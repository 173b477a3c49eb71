// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/lowering.hpp"
#include "kernels/run/special.hpp"

namespace nvmlab::kernels {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

bool Lowering::bra(const Ast& each, Words& words) {
  words.take("uni");
  if (!words.empty()) return refuse_form();
  if (!want(each, 1, 1)) return false;
  if (each.operands[0].kind != OperandKind::label)
    return invalid("label '" + std::string(each.operands[0].word) + "' is not in this function");
  emit(nullptr, Kind::jump).target = each.operands[0].number;
  return true;
}

// A table stands in the text as an instruction; brx.idx looks it up.
bool Lowering::table(const Ast&, Words&) { return true; }

bool Lowering::brx(const Ast& each, Words& words) {
  words.take("uni");
  if (!words.take("idx") || !words.empty()) return refuse_form();
  if (!want(each, 2, 2)) return false;
  const Operand& named = each.operands[1];
  if (named.kind != OperandKind::label || named.number >= function_.instructions.size() ||
      function_.instructions[named.number].opcode != "branchtargets")
    return invalid("brx.idx takes the label of a .branchtargets");
  std::vector<std::uint32_t> targets;
  for (const Operand& target : function_.instructions[named.number].operands) {
    if (target.kind != OperandKind::label)
      return invalid("label '" + std::string(target.word) + "' is not in this function");
    targets.push_back(target.number);
  }
  Ref index;
  if (!source(each.operands[0], Type::u32, &index)) return false;
  Instruction& made = emit(nullptr, Kind::table);
  made.r[0] = index;
  made.target = static_cast<std::uint32_t>(out_.tables.size());
  out_.tables.push_back(std::move(targets));
  return true;
}

bool Lowering::passed(const Operand& operand, Passed* out) {
  if (operand.kind == OperandKind::variable) {
    const ptx::Variable& variable = function_.variables[operand.number];
    if (variable.space == ptx::Space::shared) return invalid("a shared variable cannot be passed by itself");
    out->local = locals_[operand.number];
    out->bytes = static_cast<std::uint32_t>(variable.bytes);
    return true;
  }
  out->in_register = true;
  const Type own = type_of(operand);
  if (operand.kind == OperandKind::sink) {
    out->ref = temporary(Type::b64);
  } else if (!source(operand,
                     own == Type::none        ? Type::b64
                     : ptx::size_of(own) == 8 ? Type::b64
                                              : Type::b32,
                     &out->ref)) {
    return false;
  }
  out->bytes = out->ref.wide != 0 ? 8 : 4;
  return true;
}

// call (results), function, (arguments), prototype
bool Lowering::call(const Ast& each, Words& words) {
  words.take("uni");
  if (!words.empty()) return refuse_form();
  std::size_t at = 0;
  CallSite site;
  const auto list = [&](std::vector<Passed>& into) {
    if (at >= each.operands.size() || each.operands[at].kind != OperandKind::list) return true;
    for (const Operand& operand : each.operands[at].items) {
      if (!passed(operand, &into.emplace_back())) return false;
    }
    ++at;
    return true;
  };
  if (!list(site.results)) return false;
  if (at >= each.operands.size()) return invalid("call names no function");
  const Operand& callee = each.operands[at++];
  if (!list(site.arguments)) return false;
  if (callee.kind == OperandKind::reg) {
    site.indirect = true;
    if (!source(callee, Type::b64, &site.address)) return false;
  } else {
    constexpr struct {
      std::string_view name;
      Builtin builtin;
      std::size_t arguments;
    } kBuiltins[] = {{"vprintf", Builtin::vprintf, 2},
                     {"__assertfail", Builtin::assert_fail, 5},
                     {"malloc", Builtin::allocate, 1},
                     {"free", Builtin::release, 1},
                     {"cudaGraphSetConditional", Builtin::set_condition, 2}};
    const Symbol symbol = builder_.find(callee.word);
    if (symbol.kind != Symbol::Kind::function)
      return invalid("function '" + std::string(callee.word) + "' is not declared");
    site.callee = symbol.index;
    if (!builder_.function(symbol.index).has_body) {
      for (const auto& row : kBuiltins) {
        if (row.name != callee.word) continue;
        site.builtin = row.builtin;
        if (site.arguments.size() != row.arguments)
          return invalid("'" + std::string(row.name) + "' takes " + std::to_string(row.arguments) + " arguments");
      }
      if (site.builtin == Builtin::none)
        return refuse("function '" + std::string(callee.word) +
                      (callee.word.starts_with("cuda")
                           ? "' is of the device runtime, of which grids in step and the launches of CUDA 12 are done"
                           : "' has no body in this module"));
    } else if (builder_.function(symbol.index).entry) {
      return invalid("'" + std::string(callee.word) + "' is a kernel, and those are launched");
    }
  }
  out_.calls = true;
  emit(nullptr, Kind::call).target = static_cast<std::uint32_t>(out_.call_sites.size());
  out_.call_sites.push_back(std::move(site));
  return true;
}

bool Lowering::ret(const Ast& each, Words& words) {
  words.take("uni");
  if (!words.empty()) return refuse_form();
  emit(nullptr, Kind::ret);
  return want(each, 0, 0);
}

bool Lowering::exit(const Ast& each, Words&) {
  emit(nullptr, Kind::exit);
  return want(each, 0, 0);
}

// No time passes: whoever sleeps waits for others, and they go on.
bool Lowering::nanosleep(const Ast& each, Words& words) {
  if (words.take_type() != Type::u32 || !words.empty()) return refuse_form();
  Ref duration;
  if (!want(each, 1, 1) || !source(each.operands[0], Type::u32, &duration)) return false;
  emit(nullptr, Kind::sleep);
  return true;
}

bool Lowering::trap(const Ast& each, Words&) {
  emit(stop_with_trap);
  return want(each, 0, 0);
}

bool Lowering::cluster_barrier(const Ast& each, Words& words) {
  const bool arrives = words.take("arrive");
  if (!arrives && !words.take("wait")) return refuse_form();
  words.drop_memory_hints();
  if (!words.empty()) return refuse_form();
  if (!want(each, 0, 0)) return false;
  emit(nullptr, Kind::barrier).space =
      static_cast<std::uint8_t>(arrives ? BarrierKind::cluster_arrive : BarrierKind::cluster_wait);
  return true;
}

// bar.sync, barrier.cta.red.popc.aligned.u32 and the forms between them; bar.warp.sync.
bool Lowering::bar(const Ast& each, Words& words) {
  words.take("aligned");
  words.take("cta");
  if (words.take("cluster")) return cluster_barrier(each, words);
  if (words.take("warp")) {
    if (!words.take("sync") || !words.empty()) return refuse_form();
    Instruction made;
    made.kind = Kind::together;
    return want(each, 1, 1) && source(each.operands[0], Type::b32, &made.r[5]) &&
           emit_checked(handlers_.across("bar.warp.sync", Type::none), made);
  }
  const std::string_view what = words.take_one({"sync", "arrive", "red"});
  BarrierKind kind = what == "arrive" ? BarrierKind::arrive : BarrierKind::sync;
  if (what == "red") {
    const std::string_view how = words.take_one({"popc", "and", "or"});
    kind = how == "popc" ? BarrierKind::popc : how == "and" ? BarrierKind::all : BarrierKind::any;
    words.take_type();
  }
  if (what.empty() || !words.empty()) return refuse_form();
  const bool reduces = what == "red";
  const std::size_t first = reduces ? 1 : 0;
  if (!want(each, first + 1 + (reduces ? 1 : 0), first + 2 + (reduces ? 1 : 0))) return false;
  Instruction made;
  made.kind = Kind::barrier;
  made.space = static_cast<std::uint8_t>(kind);
  if (!source(each.operands[first], Type::b32, &made.r[0])) return false;
  const std::size_t counted = each.operands.size() - (reduces ? 1 : 0);
  if (counted > first + 1 && !source(each.operands[first + 1], Type::b32, &made.r[1])) return false;
  if (reduces) {
    if (!predicate(each.operands.back(), &made.r[2])) return false;
    const bool number = kind == BarrierKind::popc;
    if (!(number ? target(each.operands[0], Type::b32, &made.r[3]) : predicate_target(each.operands[0], &made.r[3])))
      return false;
  }
  const Instruction kept = made;
  Instruction& emitted = emit(nullptr, Kind::barrier);
  emitted.space = kept.space;
  for (int i = 0; i < 6; ++i)
    emitted.r[i] = kept.r[i];
  return true;
}

}  // namespace nvmlab::kernels
