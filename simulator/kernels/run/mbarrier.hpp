// SPDX-License-Identifier: Apache-2.0
// Barriers in memory, the copies that announce themselves at them, and the copies of cp.async. A copy is made at once,
// so nothing is ever on its way. Tests: tests/unit/kernels/forms/.
#pragma once

#include "kernels/code/instruction.hpp"

namespace nvmlab::kernels {

enum class BarrierStep : std::uint8_t { init, invalidate, arrive, drop, expect, complete, no_complete };

// r[0] the state before it where it is used, r[1] the address, r[2] a count where it is used, r[3] bytes to expect
// where it is used; imm: what is done.
void step_mbarrier(Warp& warp, const Instruction& code, std::uint32_t mask);
// r[0] predicate, r[1] the address, r[2] a state, or with imm 1 a parity: is that phase over?
void test_mbarrier(Warp& warp, const Instruction& code, std::uint32_t mask);
// r[0] = arrivals that a state was short of.
void pending_of_state(Warp& warp, const Instruction& code, std::uint32_t mask);

// imm bytes from r[1] to r[0], of which r[2] are read where it is used, none where r[3] holds; the others are zero.
void copy_async(Warp& warp, const Instruction& code, std::uint32_t mask);
// r[2] bytes from r[1] to r[0], told to the barrier at r[3] where it is used.
void copy_bulk(Warp& warp, const Instruction& code, std::uint32_t mask);

}  // namespace nvmlab::kernels
