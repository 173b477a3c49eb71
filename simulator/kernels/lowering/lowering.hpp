// SPDX-License-Identifier: Apache-2.0
//
// One function of PTX to instructions that run. What PTX does not allow fails the module; what it allows and nobody
// executes here is said of the function, by its line, and kernels that reach it are refused. Tests:
// tests/unit/kernels/.
#pragma once

#include <map>
#include <string>

#include "kernels/lowering/builder.hpp"
#include "kernels/lowering/words.hpp"
#include "kernels/ops/handlers.hpp"

namespace nvmlab::kernels {

// The space that an instruction names; generic where it names none. Addresses tell a block's own memory from others'.
ptx::Space take_space(Words& words);

class Lowering {
 public:
  Lowering(const Builder& builder, std::uint32_t index, FunctionCode& out);
  bool lower_function();
  const ptx::Problem& problem() const { return problem_; }

 private:
  using Ast = ptx::Instruction;
  using Method = bool (Lowering::*)(const Ast&, Words&);
  struct OpcodeRow {
    std::string_view opcode;
    Method lower;
  };
  static Method method_of(std::string_view opcode);

  // lowering.cpp
  bool lower(const Ast& each);
  bool invalid(std::string text);
  bool refuse(const std::string& why);
  bool refuse_form();
  Instruction& emit(Handler run, Kind kind = Kind::plain);
  bool emit_checked(Handler run, const Instruction& made);
  void lay_out_variables();
  bool want(const Ast& each, std::size_t least, std::size_t most);

  // frame.cpp
  Ref slot(std::uint32_t number);
  Ref temporary(ptx::Type type);
  Ref constant(std::uint64_t bits, bool wide);
  Ref predicate_constant(bool value);
  bool source(const ptx::Operand& operand, ptx::Type type, Ref* out);
  bool loose_source(const ptx::Operand& operand, ptx::Type type, Ref* out);  // of a register that may be wider
  bool target(const ptx::Operand& operand, ptx::Type type, Ref* out);
  bool predicate(const ptx::Operand& operand, Ref* out);
  bool predicate_target(const ptx::Operand& operand, Ref* out);
  bool real_constant(const ptx::Operand& operand, ptx::Type type, Ref* out);
  bool special(const ptx::Operand& operand, ptx::Type type, Ref* out);
  bool symbol_value(const ptx::Operand& operand, ptx::Type type, Ref* out);
  bool is_register(const ptx::Operand& operand) const { return operand.kind == ptx::OperandKind::reg; }
  ptx::Type type_of(const ptx::Operand& operand) const;
  void seal_constants();

  // layout.cpp
  bool lay_out_code();
  template <class Place>
  void mark_waiting_loops(const Place& place);

  // lower_arithmetic.cpp
  bool arithmetic(const Ast& each, Words& words);
  bool bitwise(const Ast& each, Words& words);
  bool dot(const Ast& each, Words& words);
  bool same_types(const Ast& each, Handler run, ptx::Type result, std::initializer_list<ptx::Type> sources,
                  std::uint64_t imm);

  // lower_moves.cpp
  bool mov(const Ast& each, Words& words);
  bool pack(const Ast& each, ptx::Type type);
  bool cvt(const Ast& each, Words& words);
  bool cvta(const Ast& each, Words& words);
  bool isspacep(const Ast& each, Words& words);
  bool setp(const Ast& each, Words& words);
  bool set(const Ast& each, Words& words);
  bool selp(const Ast& each, Words& words);
  bool slct(const Ast& each, Words& words);
  bool compare(const Ast& each, Words words, ptx::Type type, Ref p, Ref q, std::uint32_t half);

  // lower_memory.cpp
  bool ld(const Ast& each, Words& words);
  bool st(const Ast& each, Words& words);
  bool atom(const Ast& each, Words& words);
  bool nothing(const Ast& each, Words& words);
  bool cache_policy(const Ast& each, Words& words);
  bool fence(const Ast& each, Words& words);
  bool address(const ptx::Operand& operand, ptx::Space space, std::uint64_t bytes, Instruction* made);
  ptx::Space of_symbol(const ptx::Operand& name, ptx::Space told) const;
  bool element_address(const ptx::Operand& operand, ptx::Space space, Instruction* made);
  Ref parameter_at(Ref offset);
  bool moved(const Ast& each, Words& words, bool store);
  bool generic_address(const ptx::Operand& operand, ptx::Space space, std::uint64_t bytes, Ref* out);

  // lower_async.cpp
  bool async_copy(const Ast& each, Words& words);
  bool bulk_copy(const Ast& each, Words& words);
  bool mbarrier(const Ast& each, Words& words);
  bool replace_in_map(const Ast& each, Words& words);
  bool cluster(const Ast& each, Words& words);

  // lower_texture.cpp
  bool tex(const Ast& each, Words& words);
  bool txq(const Ast& each, Words& words);
  bool surface(const Ast& each, Words& words);
  bool texture_operand(const ptx::Operand& operand, TextureAccess* made, bool placed);
  bool texture_values(const ptx::Operand& operand, ptx::Type type, TextureAccess* made, bool writes);
  bool emit_texture(const TextureAccess& made);
  TextureAccess& new_texture();

  // lower_video.cpp
  bool video(const Ast& each, Words& words);

  // lower_matrix.cpp
  bool mma(const Ast& each, Words& words);
  bool wmma_moved(const Ast& each, Words& words, bool store);
  bool ldmatrix(const Ast& each, Words& words);
  bool movmatrix(const Ast& each, Words& words);
  bool fragment(const ptx::Operand& operand, Fragment* of, bool writes);
  bool emit_matrix(Handler run, const Matrix& matrix, Rounding rounding = Rounding::nearest);
  Matrix& new_matrix();

  // lower_control.cpp
  bool bra(const Ast& each, Words& words);
  bool brx(const Ast& each, Words& words);
  bool call(const Ast& each, Words& words);
  bool passed(const ptx::Operand& operand, Passed* out);
  bool ret(const Ast& each, Words& words);
  bool exit(const Ast& each, Words& words);
  bool trap(const Ast& each, Words& words);
  bool nanosleep(const Ast& each, Words& words);
  bool bar(const Ast& each, Words& words);
  bool cluster_barrier(const Ast& each, Words& words);
  bool shfl(const Ast& each, Words& words);
  bool vote(const Ast& each, Words& words);
  bool match(const Ast& each, Words& words);
  bool redux(const Ast& each, Words& words);
  bool activemask(const Ast& each, Words& words);
  bool table(const Ast& each, Words& words);

  const Builder& builder_;
  const std::uint32_t index_;
  const ptx::Function& function_;
  FunctionCode& out_;
  const Handlers& handlers_;

  const Ast* now_ = nullptr;
  std::uint32_t guard_ = kNoGuard;
  bool guard_negated_ = false;
  std::vector<Instruction> code_;      // in the order of the text; jumps name instructions of the text
  std::vector<std::uint32_t> polls_;   // those in code_ that loops may wait by for what other threads do
  std::vector<std::uint32_t> begins_;  // of each instruction of the text, in code_
  std::vector<Ref> slots_;             // of registers that are used
  std::vector<std::uint32_t> locals_;  // of variables, in local memory, or of parameters
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> constants_;
  std::uint32_t frame_ = 0;
  std::uint32_t predicates_ = 0;  // they fill lines of their own
  ptx::Problem problem_;
};

}  // namespace nvmlab::kernels
