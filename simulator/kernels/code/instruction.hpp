// SPDX-License-Identifier: Apache-2.0
//
// What the interpreter runs: an instruction is done for the 32 lanes of a warp at once, by a function that was chosen
// when the module was loaded. A register is an array of 32 numbers of 4 or 8 bytes in the frame of its function, a
// predicate a word of 32 bits; constants are arrays that all warps share. Tests: tests/unit/kernels/.
#pragma once

#include <cstdint>

namespace nvmlab::kernels {

struct Warp;
struct Instruction;

// Does an instruction for the lanes whose bit is set; never called with none.
using Handler = void (*)(Warp& warp, const Instruction& code, std::uint32_t mask);

inline constexpr std::uint32_t kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFF;

// Where an operand lies.
struct Ref {
  std::uint32_t at = 0;        // in bytes
  std::uint8_t constant = 0;   // 1: among the constants of the function, 0: in its frame
  std::uint8_t wide = 0;       // lanes of 8 bytes
  std::uint8_t predicate = 0;  // no lanes, but a bit for each
  std::uint8_t used = 0;
};

// plain ones are done by their handler; the others move the program counter, or wait.
enum class Kind : std::uint8_t { plain, jump, table, call, ret, exit, barrier, together, sleep };

inline constexpr std::uint32_t kNoGuard = 0xFFFFFFFF;

struct Instruction {
  Handler run = nullptr;
  std::uint32_t guard = kNoGuard;  // predicate in the frame
  bool negated = false;
  Kind kind = Kind::plain;
  std::uint8_t count = 1;    // elements of a vector
  std::uint8_t space = 0;    // AddressSpace of a memory operation
  Ref r[6];                  // results first
  std::uint64_t imm = 0;     // offset of an address; of a jump, 1: its loop may wait; what else the handler says
  std::uint32_t target = 0;  // of a jump, a call's or table's index
  std::uint32_t line = 0;    // in the text of PTX
};

// How an address is meant. frame: a variable of the function itself, imm says where; parameter: of the kernel,
// likewise.
enum class AddressSpace : std::uint8_t { generic, shared, local, frame, parameter };

enum class BarrierKind : std::uint8_t { sync, arrive, popc, all, any, cluster_arrive, cluster_wait };

}  // namespace nvmlab::kernels
