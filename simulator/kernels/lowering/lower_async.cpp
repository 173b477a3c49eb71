// SPDX-License-Identifier: Apache-2.0
// cp.async and its barriers in memory; fields of tensor maps; addresses in a cluster.
#include <algorithm>

#include "kernels/lowering/lowering.hpp"
#include "kernels/run/cluster.hpp"
#include "kernels/run/mbarrier.hpp"
#include "kernels/run/special.hpp"
#include "kernels/run/tensor_maps.hpp"

namespace nvmlab::kernels {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

// cp.async.ca.shared.global [to], [from], 16, read; what was asked for is there at once, so commit_group and wait_group
// have nothing to do.
bool Lowering::async_copy(const Ast& each, Words& words) {
  if (!words.take("async")) return refuse_form();
  if (words.take("bulk")) return bulk_copy(each, words);
  if (!words.take_one({"commit_group", "wait_group", "wait_all"}).empty()) return words.empty() || refuse_form();
  Instruction made;
  if (words.take("mbarrier")) {
    const bool known = words.take("arrive");
    const bool counted = words.take("noinc");
    const Space space = words.take_one({"shared", "shared::cta"}).empty() ? Space::generic : Space::shared;
    if (!known || !words.take("b64") || !words.empty()) return refuse_form();
    if (!want(each, 1, 1) || !generic_address(each.operands[0], space, 8, &made.r[1])) return false;
    // Without .noinc one more arrival is expected, and it is this one.
    made.r[2] = constant(counted ? 1 : 0, false);
    made.imm = static_cast<std::uint64_t>(BarrierStep::arrive);
    return emit_checked(step_mbarrier, made);
  }
  words.drop_memory_hints();
  words.take_one({"shared", "shared::cta"});
  words.take("global");
  if (!words.empty()) return refuse_form();
  if (!want(each, 3, 5)) return false;
  made.imm = each.operands[2].bits;
  if (each.operands[2].kind != OperandKind::integer || (made.imm != 4 && made.imm != 8 && made.imm != 16))
    return invalid("cp.async copies 4, 8 or 16 bytes");
  if (each.operands.size() > 3) {
    const Operand& more = each.operands[3];
    const Type type = type_of(more);
    if (type == Type::pred) {
      if (!predicate(more, &made.r[3])) return false;
    } else if (ptx::size_of(type) != 8 && !source(more, Type::b32, &made.r[2])) {  // one of 64 bits hints at caches
      return false;
    }
  }
  return generic_address(each.operands[0], Space::shared, made.imm, &made.r[0]) &&
         generic_address(each.operands[1], Space::global, made.imm, &made.r[1]) && emit_checked(copy_async, made);
}

// cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [to], [from], bytes, [barrier], and back.
bool Lowering::bulk_copy(const Ast& each, Words& words) {
  if (words.take("commit_group")) return words.empty() || refuse_form();
  if (words.take("wait_group")) {
    words.take("read");
    return words.empty() || refuse_form();
  }
  const bool told = words.take("mbarrier::complete_tx::bytes");
  const bool grouped = words.take("bulk_group");
  words.drop_memory_hints();
  const std::vector<std::string_view> spaces = words.left();
  const bool in = told && spaces.size() == 2 && spaces[0].starts_with("shared::") && spaces[1] == "global";
  const bool across = told && spaces.size() == 2 && spaces[0] == "shared::cluster" && spaces[1] == "shared::cta";
  const bool out = grouped && spaces.size() == 2 && spaces[0] == "global" && spaces[1] == "shared::cta";
  if (!in && !across && !out) return refuse_form();
  if (!want(each, told ? 4 : 3, told ? 5 : 4)) return false;
  Instruction made;
  if (told && !generic_address(each.operands[3], Space::shared, 8, &made.r[3])) return false;
  return generic_address(each.operands[0], out ? Space::global : Space::shared, 1, &made.r[0]) &&
         generic_address(each.operands[1], in ? Space::global : Space::shared, 1, &made.r[1]) &&
         source(each.operands[2], Type::b32, &made.r[2]) && emit_checked(copy_bulk, made);
}

bool Lowering::mbarrier(const Ast& each, Words& words) {
  constexpr struct {
    std::string_view word;
    BarrierStep step;
    std::size_t least, most;
  } kSteps[] = {{"init", BarrierStep::init, 2, 2},        {"inval", BarrierStep::invalidate, 1, 1},
                {"arrive", BarrierStep::arrive, 2, 3},    {"arrive_drop", BarrierStep::drop, 2, 3},
                {"expect_tx", BarrierStep::expect, 2, 2}, {"complete_tx", BarrierStep::complete, 2, 2}};
  const bool waits = !words.take_one({"test_wait", "try_wait"}).empty();
  const bool pending = words.take("pending_count");
  const bool parity = waits && words.take("parity");
  const decltype(&kSteps[0]) row = [&]() -> decltype(&kSteps[0]) {
    for (const auto& one : kSteps) {
      if (words.take(one.word)) return &one;
    }
    return nullptr;
  }();
  const bool expects = row != nullptr && words.take("expect_tx");
  const bool partial = row != nullptr && words.take("noComplete");
  words.drop_memory_hints();
  const Space space = take_space(words);
  words.take("b64");
  if (!words.empty() || (row == nullptr && !waits && !pending)) return refuse_form();
  Instruction made;
  if (pending) {
    return want(each, 2, 2) && source(each.operands[1], Type::b64, &made.r[1]) &&
           target(each.operands[0], Type::b32, &made.r[0]) && emit_checked(pending_of_state, made);
  }
  if (waits) {
    made.imm = parity ? 1 : 0;
    return want(each, 3, 4) && generic_address(each.operands[1], space, 8, &made.r[1]) &&
           source(each.operands[2], parity ? Type::b32 : Type::b64, &made.r[2]) &&
           predicate_target(each.operands[0], &made.r[0]) && emit_checked(test_mbarrier, made);
  }
  if (!want(each, row->least, row->most)) return false;
  const bool gives_state = row->most == 3;
  const std::size_t at = gives_state ? 1 : 0;
  if (!generic_address(each.operands[at], space, 8, &made.r[1])) return false;
  if (each.operands.size() > at + 1 && !source(each.operands[at + 1], Type::b32, expects ? &made.r[3] : &made.r[2]))
    return false;
  if (gives_state && each.operands[0].kind != OperandKind::sink && !target(each.operands[0], Type::b64, &made.r[0]))
    return false;
  made.imm = static_cast<std::uint64_t>(partial ? BarrierStep::no_complete : row->step);
  return emit_checked(step_mbarrier, made);
}

// tensormap.replace.tile.global_dim.global.b1024.b32 [map], 1, size
bool Lowering::replace_in_map(const Ast& each, Words& words) {
  constexpr struct {
    std::string_view word;
    TensorField field;
    std::uint64_t dimensions;  // 0: the field is one
    bool wide;
    bool given;  // as a number of the instruction
  } kFields[] = {{"global_address", TensorField::global_address, 0, true, false},
                 {"rank", TensorField::rank, 0, false, false},
                 {"box_dim", TensorField::box_dim, 5, false, false},
                 {"global_dim", TensorField::global_dim, 5, false, false},
                 {"global_stride", TensorField::global_stride, 4, true, false},
                 {"element_stride", TensorField::element_stride, 5, false, false},
                 {"elemtype", TensorField::elemtype, 0, false, true},
                 {"interleave_layout", TensorField::interleave_layout, 0, false, true},
                 {"swizzle_mode", TensorField::swizzle_mode, 0, false, true},
                 {"fill_mode", TensorField::fill_mode, 0, false, true},
                 {"swizzle_atomicity", TensorField::swizzle_atomicity, 0, false, true}};
  const bool known = words.take("replace") && words.take("tile") && words.take("b1024");
  const auto* const row = std::ranges::find_if(kFields, [&](const auto& one) { return words.take(one.word); });
  if (!known || row == std::end(kFields) || !words.take(row->wide ? "b64" : "b32")) return refuse_form();
  const Space space = take_space(words);
  if (!words.empty()) return refuse_form();
  const std::size_t value = row->dimensions != 0 ? 2 : 1;
  if (!want(each, value + 1, value + 1)) return false;
  const auto is_number = [&](std::size_t at) { return each.operands[at].kind == OperandKind::integer; };
  Instruction made;
  made.imm = static_cast<std::uint64_t>(row->field);
  if (row->dimensions != 0) {
    if (!is_number(1) || each.operands[1].bits >= row->dimensions)
      return invalid("tensormap.replace takes the number of a dimension from 0 on");
    made.imm |= each.operands[1].bits << 8;
  }
  if (row->given && !is_number(value)) return invalid("tensormap.replace takes a number for this field");
  return generic_address(each.operands[0], space, 1, &made.r[0]) &&
         source(each.operands[value], row->wide ? Type::b64 : Type::b32, &made.r[1]) &&
         emit_checked(replace_tensor_field, made);
}

// mapa{.shared::cluster}.u32 to, address, rank; getctarank{.shared::cluster}.u32 rank, address.
bool Lowering::cluster(const Ast& each, Words& words) {
  const bool named = words.take("shared::cluster");
  const Type type = words.take_type();
  if (!words.empty() || type == Type::none) return refuse_form();
  const bool shared = named || ptx::size_of(type) == 4;  // generic addresses have 64 bits
  Instruction made;
  made.space = static_cast<std::uint8_t>(shared ? AddressSpace::shared : AddressSpace::generic);
  const bool maps = each.opcode == "mapa";
  if (!want(each, maps ? 3 : 2, maps ? 3 : 2)) return false;
  if (maps && !source(each.operands[2], Type::b32, &made.r[2])) return false;
  if (!source(each.operands[1], type, &made.r[1])) return false;
  if (!shared && !is_register(each.operands[1])) {  // the name of a variable
    Instruction& generic = emit(convert_shared);
    generic.r[1] = made.r[1];
    generic.r[0] = made.r[1] = temporary(Type::b64);
  }
  return target(each.operands[0], maps ? type : Type::b32, &made.r[0]) &&
         emit_checked(maps ? map_to_block : rank_of_address, made);
}

}  // namespace nvmlab::kernels
