// SPDX-License-Identifier: Apache-2.0
//
// A module of PTX as it was written, with its names resolved as far as their scope does: registers and variables of a
// function are numbers, what a module declares stays a name, since it may be declared later or elsewhere. Tests:
// tests/unit/kernels/parser_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ptx/problem.hpp"
#include "kernels/ptx/type.hpp"

namespace nvmlab::ptx {

// A symbol's address within the bytes of a variable.
struct Relocation {
  std::uint64_t offset = 0;
  std::uint32_t size = 8;
  std::string symbol;
  std::int64_t addend = 0;
};

enum class Linkage : std::uint8_t { own, visible, external, weak, common };

struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::none;
  Linkage linkage = Linkage::own;
  std::uint32_t align = 1;
  std::uint64_t bytes = 0;
  std::uint32_t element = 0;  // bytes of what an index counts; 0: it has several dimensions
  bool unsized = false;       // "x[]", whose size the launch tells
  bool managed = false;
  std::vector<std::uint8_t> data;
  std::vector<Relocation> relocations;
  Place at;
};

struct Register {
  Type type = Type::none;
};

enum class OperandKind : std::uint8_t {
  none,
  reg,
  integer,
  real,
  variable,
  symbol,
  special,
  label,
  address,
  vector,
  list,
  pair,
  sink
};

struct Operand {
  OperandKind kind = OperandKind::none;
  bool negated = false;        // "!p"
  bool indexed = false;        // "a[2]", which is an address without further brackets
  bool single = false;         // of a real: the bits of a float
  std::uint32_t number = 0;    // of a register, a variable of the function, a label's instruction; bytes of an element
  std::uint64_t bits = 0;      // of a number; the offset of a symbol or an address
  std::string_view word;       // of a symbol, special register or label
  std::vector<Operand> items;  // of a vector, a list, a pair; of an address its base, then its index
};

struct Instruction {
  std::string_view opcode;
  std::vector<std::string_view> modifiers;
  bool guarded = false;
  Operand guard;
  std::vector<Operand> operands;
  Place at;
};

// Labels are gone: operands that name one have the index of the instruction behind it. A table of targets is an
// instruction of its own (".branchtargets") that does nothing.
struct Function {
  std::string name;
  bool entry = false;
  bool has_body = false;
  Linkage linkage = Linkage::own;
  std::vector<std::uint32_t> parameters;  // variables, or registers where register_parameters is set
  std::vector<std::uint32_t> results;
  bool register_parameters = false;
  std::vector<Variable> variables;  // of all scopes, parameters and results among them
  std::vector<Register> registers;
  std::vector<Instruction> instructions;
  std::uint32_t max_threads[3] = {0, 0, 0};
  std::uint32_t required_threads[3] = {0, 0, 0};
  std::uint32_t required_cluster[3] = {0, 0, 0};
  std::uint32_t max_cluster_rank = 0;  // 0: not declared
  std::uint32_t max_registers = 0;     // 0: as many as it likes
  Place at;
};

struct Module {
  std::shared_ptr<const std::string> text;                 // what views look into
  std::vector<std::shared_ptr<const std::string>> linked;  // and those of modules that were linked to one
  std::uint32_t version = 0;                               // 10 x major + minor
  std::uint32_t target = 0;                                // 90 of sm_90a
  std::uint32_t address_size = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<std::string, std::string> aliases;
};

}  // namespace nvmlab::ptx
