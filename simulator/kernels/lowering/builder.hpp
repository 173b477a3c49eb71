// SPDX-License-Identifier: Apache-2.0
// A module of PTX to a program: its variables are laid out and filled, its functions lowered (lowering/lowering.hpp).
// Tests: tests/unit/kernels/.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kernels/code/program.hpp"
#include "kernels/ptx/module.hpp"

namespace nvmlab::kernels {

// Gives memory for the variables of a module; 0 where there is none.
using Allocate = std::function<std::uint64_t(std::uint64_t bytes)>;

struct BuildFailure {
  int code = 0;  // CUDA_ERROR_...
  std::string text;
};

inline constexpr std::uint64_t kDefaultHeap = std::uint64_t{8} << 20;  // as CUDA's

// heap_bytes: of malloc in kernels (CU_LIMIT_MALLOC_HEAP_SIZE).
std::expected<Program, BuildFailure> build(const ptx::Module& module, const Allocate& allocate,
                                           std::uint64_t heap_bytes = kDefaultHeap);

// What a name of the module stands for.
struct Symbol {
  enum class Kind : std::uint8_t { none, memory, shared, function } kind = Kind::none;
  std::uint64_t address = 0;  // of memory
  std::uint32_t index = 0;    // of a function or a shared variable
};

class Builder {
 public:
  explicit Builder(const ptx::Module& module) : module_(module) {}
  std::expected<Program, BuildFailure> run(const Allocate& allocate, std::uint64_t heap_bytes);

  Symbol find(std::string_view name) const;
  const ptx::Module& module() const { return module_; }
  const ptx::Function& function(std::uint32_t index) const { return *functions_[index]; }

  // Where shared variables lie, of the module (by its index) and of functions (by its function's and its own).
  struct SharedPlaces {
    std::map<std::uint32_t, std::uint32_t> of_module;
    std::map<std::uint32_t, std::uint32_t> of_function;
    std::uint32_t bytes = 0;
    std::uint32_t dynamic_at = 0;
  };
  const SharedPlaces& shared(std::uint32_t function) const { return shared_[function]; }

 private:
  bool lay_out_memory(Program& program, const Allocate& allocate, std::uint64_t heap_bytes, BuildFailure* failure);
  bool fill_memory(const Program& program, BuildFailure* failure) const;
  void collect_functions();
  void lay_out_shared();
  void place_shared(std::uint32_t function, SharedPlaces& places) const;

  const ptx::Module& module_;
  std::unordered_map<std::string_view, Symbol> symbols_;
  std::vector<const ptx::Function*> functions_;  // the one with a body where there are several of a name
  std::vector<SharedPlaces> shared_;
  std::vector<std::uint64_t> addresses_;  // of module variables
};

}  // namespace nvmlab::kernels
