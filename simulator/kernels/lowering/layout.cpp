// SPDX-License-Identifier: Apache-2.0
// The instructions of a function in the order in which they run (lowering/flow.hpp), with their jumps.
#include <algorithm>
#include <numeric>

#include "kernels/lowering/flow.hpp"
#include "kernels/lowering/lowering.hpp"

namespace nvmlab::kernels {
namespace {

bool moves(Kind kind) { return kind == Kind::jump || kind == Kind::table || kind == Kind::ret || kind == Kind::exit; }

}  // namespace

// A jump back over one of polls_ has imm 1. `place` tells where an instruction of code_ has come to lie.
template <class Place>
void Lowering::mark_waiting_loops(const Place& place) {
  if (polls_.empty()) return;
  std::vector<std::uint32_t> before(out_.code.size() + 1, 0);  // how many lie before each
  for (const std::uint32_t at : polls_)
    ++before[place(at) + 1];
  std::partial_sum(before.begin(), before.end(), before.begin());
  for (std::uint32_t i = 0; i < out_.code.size(); ++i) {
    Instruction& each = out_.code[i];
    if (each.kind == Kind::jump && each.target <= i) each.imm = before[i] > before[each.target] ? 1 : 0;
  }
}

bool Lowering::lay_out_code() {
  const auto count = static_cast<std::uint32_t>(code_.size());
  std::vector<bool> leads(count + 1, false);
  leads[0] = true;
  for (std::vector<std::uint32_t>& table : out_.tables) {
    for (std::uint32_t& target : table) {
      target = begins_[target];
      leads[target] = true;
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (code_[i].kind == Kind::jump) {
      code_[i].target = begins_[code_[i].target];
      leads[code_[i].target] = true;
    }
    if (moves(code_[i].kind)) leads[i + 1] = true;
  }
  std::vector<std::uint32_t> block_at(count + 1, 0);
  std::vector<std::uint32_t> first;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (leads[i]) first.push_back(i);
    block_at[i] = static_cast<std::uint32_t>(first.size()) - 1;
  }
  const auto blocks = static_cast<std::uint32_t>(first.size());
  first.push_back(count);
  std::vector<std::vector<std::uint32_t>> successors(blocks);
  std::vector<std::uint32_t> entries(blocks, 0);
  const auto connect = [&](std::uint32_t from, std::uint32_t to) {
    successors[from].push_back(to);
    ++entries[to];
  };
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const Instruction& last = code_[first[b + 1] - 1];
    const bool always = moves(last.kind) && last.guard == kNoGuard;
    if (last.kind == Kind::jump) connect(b, block_at[last.target]);
    if (last.kind == Kind::table) {
      for (const std::uint32_t target : out_.tables[last.target])
        connect(b, block_at[target]);
    }
    if (!always && b + 1 < blocks) connect(b, b + 1);
  }
  const std::vector<std::uint32_t> order = order_of(successors);
  std::vector<std::uint32_t> begin(blocks, 0);
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::uint32_t b = order[at];
    begin[b] = static_cast<std::uint32_t>(out_.code.size());
    out_.code.insert(out_.code.end(), code_.begin() + first[b], code_.begin() + first[b + 1]);
    const Instruction& last = code_[first[b + 1] - 1];
    if ((moves(last.kind) && last.guard == kNoGuard) || b + 1 >= blocks) continue;
    const bool next = at + 1 < order.size() && order[at + 1] == b + 1;
    if (next && entries[b + 1] == 1) continue;  // nobody to meet there
    Instruction jump;
    jump.kind = Kind::jump;
    jump.target = first[b + 1];
    jump.line = last.line;
    out_.code.push_back(jump);
  }
  for (Instruction& each : out_.code) {
    if (each.kind == Kind::jump) each.target = begin[block_at[each.target]];
  }
  mark_waiting_loops([&](std::uint32_t at) { return begin[block_at[at]] + at - first[block_at[at]]; });
  for (std::vector<std::uint32_t>& table : out_.tables) {
    for (std::uint32_t& target : table)
      target = begin[block_at[target]];
  }
  return true;
}

}  // namespace nvmlab::kernels
