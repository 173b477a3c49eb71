// SPDX-License-Identifier: Apache-2.0
// Entries and functions: parameters, what is declared about them, and their bodies.
#include "kernels/ptx/parser.hpp"

namespace nvmlab::ptx {

bool Parser::add_variable(Variable variable, std::uint32_t* number) {
  *number = static_cast<std::uint32_t>(function_->variables.size());
  function_->variables.push_back(std::move(variable));
  return true;
}

bool Parser::parameter(std::vector<std::uint32_t>* into) {
  const bool reg = take_dotted("reg");
  if (!reg && !take_dotted("param")) return complain(now(), "a parameter begins with .param or .reg");
  Shape of;
  if (!shape(&of)) return false;
  if (!reg) {
    const std::string_view name = now().word;
    Variable made;
    std::uint32_t number = 0;
    if (!declarator(Space::param, of, &made) || !add_variable(std::move(made), &number)) return false;
    scopes_.open.back().variables[name] = number;
    into->push_back(number);
    return true;
  }
  if (now().kind != TokenKind::name) return complain(now(), "a parameter needs a name");
  const auto number = static_cast<std::uint32_t>(function_->registers.size());
  function_->registers.push_back({of.type});
  function_->register_parameters = true;
  scopes_.open.back().registers[now().word] = {number, 1, 1};
  into->push_back(number);
  ++at_;
  return true;
}

bool Parser::parameters(std::vector<std::uint32_t>* into) {
  if (!take('(')) return true;
  while (!take(')')) {
    if (!parameter(into)) return false;
    if (!take(',') && !now().is(')')) return expect(')', "in a list of parameters");
  }
  return true;
}

// .maxntid and what else stands before the body.
bool Parser::function_facts() {
  while (now().kind == TokenKind::dotted) {
    const std::string_view word = now().word;
    std::uint32_t* const dimensions = word == "maxntid"             ? function_->max_threads
                                      : word == "reqntid"           ? function_->required_threads
                                      : word == "reqnctapercluster" ? function_->required_cluster
                                                                    : nullptr;
    std::uint32_t* const number = word == "maxnreg"          ? &function_->max_registers
                                  : word == "maxclusterrank" ? &function_->max_cluster_rank
                                                             : nullptr;
    if (word == "pragma") {
      if (!skip_until(';')) return false;
      continue;
    }
    if (word == "loc" || word == "file") {
      skip_line();
      continue;
    }
    ++at_;
    for (std::uint32_t i = 0; now().kind == TokenKind::integer; ++i) {
      if (dimensions != nullptr && i < 3) dimensions[i] = static_cast<std::uint32_t>(now().bits);
      if (number != nullptr) *number = static_cast<std::uint32_t>(now().bits);
      ++at_;
      if (!take(',')) break;
    }
    if (dimensions != nullptr) {
      for (std::uint32_t i = 0; i < 3; ++i)
        dimensions[i] = std::max(dimensions[i], 1U);
    }
  }
  return true;
}

bool Parser::function(bool entry, Linkage how) {
  Function made;
  made.entry = entry;
  made.linkage = how;
  made.at = now().at;
  function_ = &made;
  scopes_.open.assign(1, Scope{});
  if (take_dotted("attribute") && !skip_until(')')) return false;
  if (!entry && !parameters(&made.results)) return false;
  if (now().kind != TokenKind::name) return complain(now(), "a function needs a name");
  made.name = now().word;
  ++at_;
  if (!parameters(&made.parameters) || !function_facts()) return false;
  if (!take(';')) {
    if (!expect('{', "where the body of a function begins") || !body()) return false;
    made.has_body = true;
  }
  module_.functions.push_back(std::move(made));
  function_ = nullptr;
  return true;
}

void Parser::open_scope() {
  scopes_.open.emplace_back();
  scopes_.open.back().begin = static_cast<std::uint32_t>(function_->instructions.size());
}

// Names that are labels of this scope become the place that they stand for.
bool Parser::close_scope() {
  const Scope& closed = scopes_.open.back();
  if (!closed.labels.empty()) {
    for (std::size_t i = closed.begin; i < function_->instructions.size(); ++i) {
      for (Operand& each : function_->instructions[i].operands) {
        if (each.kind != OperandKind::symbol) continue;
        const auto found = closed.labels.find(each.word);
        if (found == closed.labels.end()) continue;
        each.kind = OperandKind::label;
        each.number = found->second;
      }
    }
  }
  scopes_.open.pop_back();
  return true;
}

bool Parser::body() {
  open_scope();
  std::uint32_t depth = 1;
  while (depth > 0) {
    if (now().kind == TokenKind::end) return complain(now(), "the text ends within a function; close it with '}'");
    if (take('{')) {
      if (++depth > kDeepest) return complain(now(), "a function nests deeper than 64 braces");
      open_scope();
    } else if (take('}')) {
      close_scope();
      --depth;
    } else if (!statement()) {
      return false;
    }
  }
  return true;
}

bool Parser::statement() {
  if (take(';')) return true;
  if (now().kind == TokenKind::dotted) return directive_in_body();
  if (now().kind == TokenKind::name && ahead().is(':')) return label_or_table();
  return instruction();
}

// "L:", or "T: .branchtargets L1, L2;"
bool Parser::label_or_table() {
  const auto position = static_cast<std::uint32_t>(function_->instructions.size());
  if (!scopes_.open.back().labels.emplace(now().word, position).second)
    return complain(now(), "label '" + std::string(now().word) + "' stands here a second time");
  at_ += 2;
  if (!at_dotted("branchtargets") && !at_dotted("calltargets") && !at_dotted("callprototype")) return true;
  Instruction made;
  made.opcode = now().word;
  made.at = now().at;
  ++at_;
  if (made.opcode == "callprototype") {
    if (!skip_until(';')) return false;
  } else if (!operands(';', &made.operands, 0)) {
    return false;
  }
  function_->instructions.push_back(std::move(made));
  return true;
}

bool Parser::directive_in_body() {
  if (at_dotted("loc") || at_dotted("file")) {
    skip_line();
    return true;
  }
  if (at_dotted("pragma")) return skip_until(';');
  if (take_dotted("reg")) return registers();
  const Linkage how = linkage();
  for (const auto& [word, space] :
       {std::pair{"local", Space::local}, std::pair{"shared", Space::shared}, std::pair{"param", Space::param},
        std::pair{"global", Space::global}, std::pair{"const", Space::constant}}) {
    if (take_dotted(word)) return variables(space, how, true);
  }
  return complain(now(), "'." + std::string(now().word) + "' is no directive that a function may have");
}

// ".reg .b32 %r<10>, x;"
bool Parser::registers() {
  Shape of;
  if (!shape(&of)) return false;
  do {
    if (now().kind != TokenKind::name) return complain(now(), "a register needs a name");
    const std::string_view name = now().word;
    const Token& begin = now();
    ++at_;
    std::uint64_t count = 1;
    const bool family = take('<');
    if (family && (!primary(&count, 0) || !expect('>', "behind a number of registers"))) return false;
    const std::size_t first = function_->registers.size();
    if (count > kMostRegisters || first + count * of.lanes > kMostRegisters)
      return complain(begin, "a function has more than 2^20 registers");
    function_->registers.resize(first + count * of.lanes, {of.type});
    const RegisterName made{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), of.lanes};
    (family ? scopes_.open.back().families : scopes_.open.back().registers)[name] = made;
  } while (take(','));
  return expect(';', "behind registers");
}

bool Parser::instruction() {
  Instruction made;
  made.at = now().at;
  if (take('@')) {
    made.guarded = true;
    const bool negated = take('!');
    if (!operand(&made.guard, 0)) return false;
    made.guard.negated = negated;
    if (made.guard.kind != OperandKind::reg) return complain(now(), "'@' takes a predicate");
  }
  if (now().kind != TokenKind::name)
    return complain(now(), "found '" + std::string(now().word) + "' where an instruction should begin");
  made.opcode = now().word;
  ++at_;
  for (; now().kind == TokenKind::dotted; ++at_)
    made.modifiers.push_back(now().word);
  if (!operands(';', &made.operands, 0)) return false;
  function_->instructions.push_back(std::move(made));
  return true;
}

}  // namespace nvmlab::ptx
