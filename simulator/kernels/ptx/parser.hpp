// SPDX-License-Identifier: Apache-2.0
//
// PTX text to a Module. Whatever an instruction is, it is read as opcode, modifiers and operands; what they mean is
// looked at when a kernel is made of them (kernels/code). A text comes from strangers: depths and sizes are limited.
// Tests: tests/unit/kernels/parser_test.cpp.
#pragma once

#include <expected>
#include <string>

#include "kernels/ptx/lexer.hpp"
#include "kernels/ptx/module.hpp"
#include "kernels/ptx/scope.hpp"

namespace nvmlab::ptx {

// `newest` is the latest version that may be read, 84 of PTX 8.4; 0: any.
std::expected<Module, Problem> parse(std::string text, std::uint32_t newest = 0);

// One per text. Functions return false after a problem, the first of which is kept.
class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Module& module, std::uint32_t newest)
      : tokens_(tokens), module_(module), newest_(newest) {}
  bool run();
  Problem take_problem() { return std::move(problem_); }

 private:
  static constexpr std::uint32_t kDeepest = 64;
  static constexpr std::uint32_t kMostRegisters = 1 << 20;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;
  static constexpr std::uint64_t kMostData = std::uint64_t{1} << 28;

  const Token& now() const { return tokens_[at_]; }
  const Token& ahead(std::size_t by = 1) const { return tokens_[std::min(at_ + by, tokens_.size() - 1)]; }
  bool at_dotted(std::string_view word) const { return now().kind == TokenKind::dotted && now().word == word; }
  bool take(char mark);
  bool take_dotted(std::string_view word);
  bool expect(char mark, const char* where);
  bool complain(const Token& at, std::string text);
  void skip_line();
  bool skip_until(char mark);
  bool skip_braces();

  // parse_module.cpp
  bool directive();
  void drop_declarations();
  bool version();
  bool target();
  bool alias();
  bool declaration();
  Linkage linkage();

  // parse_variables.cpp
  struct Shape {  // what stands before a name
    Type type = Type::none;
    std::uint32_t lanes = 1;
    std::uint32_t align = 0;
    bool managed = false;
  };
  bool shape(Shape* out);
  bool declarator(Space space, const Shape& of, Variable* out);
  bool variables(Space space, Linkage how, bool local);
  bool initialiser(Variable& variable, std::uint64_t* offset, std::uint64_t end, std::uint32_t depth);
  bool initial_value(Variable& variable, std::uint64_t* offset);
  bool symbol_value(Variable& variable, std::uint64_t offset, std::uint32_t size);

  // parse_expressions.cpp
  bool expression(std::uint64_t* value, std::uint32_t depth = 0, std::uint32_t lowest = 1);
  bool primary(std::uint64_t* value, std::uint32_t depth);

  // parse_function.cpp
  bool function(bool entry, Linkage how);
  bool parameters(std::vector<std::uint32_t>* into);
  bool parameter(std::vector<std::uint32_t>* into);
  bool function_facts();
  bool body();
  bool statement();
  bool directive_in_body();
  bool registers();
  bool instruction();
  bool label_or_table();
  void open_scope();
  bool close_scope();
  bool add_variable(Variable variable, std::uint32_t* number);

  // parse_operands.cpp
  bool operands(char end, std::vector<Operand>* into, std::uint32_t depth);
  bool operand(Operand* out, std::uint32_t depth);
  bool named(Operand* out);
  bool indexed(Operand* out);
  bool number(Operand* out);
  bool address(Operand* out, std::uint32_t depth);

  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  Module& module_;
  std::uint32_t newest_;
  Function* function_ = nullptr;  // the one that is read
  Scopes scopes_;
  Problem problem_;
};

}  // namespace nvmlab::ptx
