// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/builder.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/lowering/lowering.hpp"

namespace nvmlab::kernels {
namespace {

using ptx::Space;

constexpr int kNoMemory = 2;
constexpr int kSymbolNotFound = 500;

std::uint64_t up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

std::uint32_t reference_of(ptx::Type type) {
  return type == ptx::Type::texref ? 1 : type == ptx::Type::surfref ? 2 : 0;
}

std::string at(ptx::Place place, const std::string& text) { return ptx::Problem{place, text}.told(); }

}  // namespace

Symbol Builder::find(std::string_view name) const {
  const auto found = symbols_.find(name);
  if (found != symbols_.end()) return found->second;
  const auto alias = module_.aliases.find(std::string(name));
  const auto target = alias == module_.aliases.end() ? symbols_.end() : symbols_.find(alias->second);
  return target == symbols_.end() ? Symbol{} : target->second;
}

void Builder::collect_functions() {
  for (const ptx::Function& each : module_.functions) {
    const auto known = symbols_.find(each.name);
    if (known == symbols_.end()) {
      symbols_[each.name] = {Symbol::Kind::function, 0, static_cast<std::uint32_t>(functions_.size())};
      functions_.push_back(&each);
    } else if (each.has_body && known->second.kind == Symbol::Kind::function) {
      functions_[known->second.index] = &each;
    }
  }
}

bool Builder::lay_out_memory(Program& program, const Allocate& allocate, std::uint64_t heap_bytes,
                             BuildFailure* failure) {
  std::uint64_t bytes = 0;
  addresses_.assign(module_.variables.size(), 0);
  for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
    const ptx::Variable& each = module_.variables[i];
    if (each.space == Space::shared) {
      symbols_[each.name] = {Symbol::Kind::shared, 0, i};
      continue;
    }
    if (each.linkage == ptx::Linkage::external) continue;
    bytes = up(bytes, std::max(each.align, 16U));
    addresses_[i] = bytes;
    symbols_[each.name] = {Symbol::Kind::memory, bytes, i};
    program.variables.push_back({each.name, bytes, each.bytes, each.space == Space::constant,
                                 each.linkage != ptx::Linkage::own, reference_of(each.type), each.managed});
    bytes += each.bytes;
    if (each.space == Space::constant) program.constant_bytes += each.bytes;
    if (bytes > std::uint64_t{1} << 40) {
      *failure = {kNoMemory, at(each.at, "the variables of this module take more than 1 TiB")};
      return false;
    }
  }
  const Symbol malloc = find("malloc");
  const bool has_heap = malloc.kind == Symbol::Kind::function && !function(malloc.index).has_body;
  const std::uint64_t heap_at = up(bytes, 256);
  program.memory_bytes = has_heap ? heap_at + heap_bytes : bytes;
  if (program.memory_bytes == 0) return true;
  program.memory = allocate(program.memory_bytes);
  if (has_heap && program.memory != 0) program.heap = std::make_unique<Heap>(program.memory + heap_at, heap_bytes);
  if (program.memory == 0) {
    *failure = {kNoMemory,
                "no memory for the variables of this module, " + std::to_string(program.memory_bytes) + " bytes"};
    return false;
  }
  for (auto& [name, symbol] : symbols_) {
    if (symbol.kind == Symbol::Kind::memory) symbol.address += program.memory;
  }
  return true;
}

bool Builder::fill_memory(const Program& program, BuildFailure* failure) const {
  for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
    const ptx::Variable& each = module_.variables[i];
    if (each.data.empty() || each.space == Space::shared || each.linkage == ptx::Linkage::external) continue;
    char* const to = reinterpret_cast<char*>(program.memory + addresses_[i]);
    std::memcpy(to, each.data.data(), each.data.size());
    for (const ptx::Relocation& part : each.relocations) {
      const Symbol target = find(part.symbol);
      std::uint64_t value = target.address;
      if (target.kind == Symbol::Kind::function) value = kFunctionAddress + std::uint64_t{target.index} * 16;
      if (target.kind == Symbol::Kind::none || target.kind == Symbol::Kind::shared) {
        *failure = {kInvalidPtx, at(each.at, "'" + part.symbol + "', whose address '" + each.name +
                                                 "' holds, is not in this module")};
        return false;
      }
      value += static_cast<std::uint64_t>(part.addend);
      std::memcpy(to + part.offset, &value, part.size);
    }
  }
  return true;
}

void Builder::place_shared(std::uint32_t index, SharedPlaces& places) const {
  const ptx::Function& of = function(index);
  const auto place = [&places](const ptx::Variable& variable) {
    places.bytes = static_cast<std::uint32_t>(up(places.bytes, std::max(variable.align, 1U)));
    const std::uint32_t offset = places.bytes;
    places.bytes += static_cast<std::uint32_t>(std::min<std::uint64_t>(variable.bytes, 1U << 30));
    return offset;
  };
  for (std::uint32_t i = 0; i < of.variables.size(); ++i) {
    if (of.variables[i].space == Space::shared && !of.variables[i].unsized)
      places.of_function[i] = place(of.variables[i]);
  }
  const auto visit = [&](const ptx::Operand& operand, const auto& self) -> void {
    if (operand.kind == ptx::OperandKind::symbol) {
      const Symbol symbol = find(operand.word);
      if (symbol.kind == Symbol::Kind::shared && !module_.variables[symbol.index].unsized &&
          !places.of_module.contains(symbol.index))
        places.of_module[symbol.index] = place(module_.variables[symbol.index]);
    }
    for (const ptx::Operand& each : operand.items)
      self(each, self);
  };
  for (const ptx::Instruction& each : of.instructions) {
    for (const ptx::Operand& operand : each.operands)
      visit(operand, visit);
  }
}

// What functions use lies in the same place for all kernels, in front; what only kernels use lies behind it, for each
// kernel anew. Dynamic shared memory begins behind the largest.
void Builder::lay_out_shared() {
  shared_.assign(functions_.size(), {});
  SharedPlaces common;
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    if (function(i).entry) continue;
    common.of_function.clear();
    place_shared(i, common);
    shared_[i].of_function = common.of_function;
  }
  std::uint32_t most = common.bytes;
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    shared_[i].of_module = common.of_module;
    if (!function(i).entry) continue;
    shared_[i].bytes = common.bytes;
    place_shared(i, shared_[i]);
    most = std::max(most, shared_[i].bytes);
  }
  const bool functions_exist =
      std::ranges::any_of(functions_, [](const ptx::Function* each) { return !each->entry && each->has_body; });
  for (SharedPlaces& each : shared_)
    each.dynamic_at = static_cast<std::uint32_t>(up(functions_exist ? most : each.bytes, 16));
}

std::expected<Program, BuildFailure> Builder::run(const Allocate& allocate, std::uint64_t heap_bytes) {
  Program program;
  program.version = module_.version;
  program.target = module_.target;
  BuildFailure failure;
  collect_functions();
  for (const ptx::Variable& each : module_.variables) {
    if (each.linkage == ptx::Linkage::external && each.space != Space::shared)
      return std::unexpected(
          BuildFailure{kSymbolNotFound,
                       at(each.at, "'" + each.name + "' is declared .extern and is not in this module; link it in")});
  }
  if (!lay_out_memory(program, allocate, heap_bytes, &failure) || !fill_memory(program, &failure))
    return std::unexpected(failure);
  lay_out_shared();
  program.functions.resize(functions_.size());
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    FunctionCode& made = program.functions[i];
    made.name = function(i).name;
    made.entry = function(i).entry;
    made.visible = function(i).linkage != ptx::Linkage::own;
    Lowering lowering(*this, i, made);
    if (!lowering.lower_function()) return std::unexpected(BuildFailure{kInvalidPtx, lowering.problem().told()});
  }
  // A kernel cannot run where something that it may call cannot.
  for (bool changed = true; changed;) {
    changed = false;
    for (FunctionCode& each : program.functions) {
      if (!each.refused.empty()) continue;
      for (const CallSite& site : each.call_sites) {
        if (site.indirect || site.builtin != Builtin::none || program.functions[site.callee].refused.empty()) continue;
        each.refused = program.functions[site.callee].refused;
        changed = true;
        break;
      }
    }
  }
  return program;
}

std::expected<Program, BuildFailure> build(const ptx::Module& module, const Allocate& allocate,
                                           std::uint64_t heap_bytes) {
  return Builder(module).run(allocate, heap_bytes);
}

}  // namespace nvmlab::kernels
