// SPDX-License-Identifier: Apache-2.0
// Special registers, addresses of a thread's own memory, and conversions between address spaces. Tests:
// tests/unit/kernels/.
#pragma once

#include <string_view>

#include "kernels/code/instruction.hpp"

namespace nvmlab::kernels {

// By name and member (0 for x); negative: not simulated. Goes to Instruction::imm of read_special.
int special_number(std::string_view name, std::uint32_t member);
// Whether PTX has a special register of this name.
bool is_special_name(std::string_view name);

void read_special(Warp& warp, const Instruction& code, std::uint32_t mask);

// r[0] = imm within the thread's local memory, or the kernel's parameters.
void address_of_local(Warp& warp, const Instruction& code, std::uint32_t mask);
void address_of_parameter(Warp& warp, const Instruction& code, std::uint32_t mask);

// r[0] = r[1] in the other space; imm 1: from generic.
void convert_shared(Warp& warp, const Instruction& code, std::uint32_t mask);
void convert_local(Warp& warp, const Instruction& code, std::uint32_t mask);

// r[0] predicate: is r[1] generic in the space of `space`? imm 1: or, for shared memory, in that of the cluster.
void is_in_space(Warp& warp, const Instruction& code, std::uint32_t mask);

void stop_with_trap(Warp& warp, const Instruction& code, std::uint32_t mask);
void sleep_a_little(Warp& warp, const Instruction& code, std::uint32_t mask);
void order_memory(Warp& warp, const Instruction& code, std::uint32_t mask);

}  // namespace nvmlab::kernels
