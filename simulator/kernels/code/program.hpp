// SPDX-License-Identifier: Apache-2.0
// A module that was loaded: its kernels and functions as instructions, its variables where they lie. Tests:
// tests/unit/kernels/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/code/heap.hpp"
#include "kernels/code/instruction.hpp"
#include "kernels/code/matrix.hpp"
#include "kernels/code/texture.hpp"

namespace nvmlab::kernels {

// A value that crosses a call: in a register, or in the local memory of the frame.
struct Passed {
  bool in_register = false;
  Ref ref;
  std::uint32_t local = 0;
  std::uint32_t bytes = 0;
};

enum class Builtin : std::uint8_t { none, vprintf, assert_fail, allocate, release, set_condition };

struct CallSite {
  std::uint32_t callee = 0;  // index into the functions of the program
  Builtin builtin = Builtin::none;
  bool indirect = false;
  Ref address;
  std::vector<Passed> arguments;
  std::vector<Passed> results;
};

struct Parameter {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

struct FunctionCode {
  std::string name;
  bool entry = false;
  bool visible = false;
  std::string refused;  // why it cannot be executed, with the line; empty: it can
  std::vector<Instruction> code;
  std::vector<char> constants;  // 64 bytes of slack in front, for their alignment
  std::uint32_t constants_at = 0;
  std::uint32_t frame_bytes = 0;
  std::uint32_t register_count = 0;  // 32-bit ones for each thread
  std::uint32_t local_bytes = 0;
  std::uint32_t shared_bytes = 0;  // static
  std::uint32_t dynamic_shared_at = 0;
  bool calls = false;
  std::uint32_t local_align = 16;
  std::vector<CallSite> call_sites;
  std::vector<std::unique_ptr<Matrix>> matrices;  // of mma and its kin
  std::vector<std::unique_ptr<TextureAccess>> textures;
  std::vector<std::vector<std::uint32_t>> tables;  // of brx.idx
  std::vector<Passed> arguments;                   // of a function
  std::vector<Passed> results;
  std::vector<Parameter> parameters;  // of a kernel
  std::uint32_t parameter_bytes = 0;
  std::uint32_t max_threads = 1024;
  std::uint32_t required_threads[3] = {0, 0, 0};
  std::uint32_t required_cluster[3] = {0, 0, 0};
  std::uint32_t max_cluster_rank = 0;  // blocks in a cluster; 0: as many as there may be
};

struct GlobalVariable {
  std::string name;
  std::uint64_t offset = 0;  // in the memory of the module
  std::uint64_t bytes = 0;
  bool constant = false;
  bool visible = false;
  std::uint32_t reference = 0;  // as in nvmlab_variable
  bool managed = false;
};

struct Program {
  std::uint32_t version = 0;
  std::uint32_t target = 0;
  std::vector<FunctionCode> functions;
  std::vector<GlobalVariable> variables;
  std::uint64_t memory = 0;  // where variables lie
  std::uint64_t memory_bytes = 0;
  std::uint64_t constant_bytes = 0;
  std::unique_ptr<Heap> heap;  // where the module calls malloc
};

// An address of a function: of no memory, so that using it as a pointer is told as an illegal address.
inline constexpr std::uint64_t kFunctionAddress = std::uint64_t{0xF0} << 48;

}  // namespace nvmlab::kernels
