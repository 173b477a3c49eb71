// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/launched.hpp"

#include <algorithm>
#include <cstring>

namespace nvmlab::kernels {
namespace {

struct Node {
  std::uint64_t next;
  std::uint64_t kernel;
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t dynamic_shared_bytes;
};
constexpr std::uint64_t kParametersAt = 64;
constexpr std::uint64_t kMostParameters = 4096;
constexpr std::uint64_t kNodeBytes = kParametersAt + kMostParameters;

constexpr std::uint32_t kMostGrid[3] = {0x7FFFFFFF, 65535, 65535};
constexpr std::uint32_t kMostBlock[3] = {1024, 1024, 64};
constexpr std::uint32_t kMostShared = 227 << 10;

const GlobalVariable* list_of(const Program& program) {
  for (const GlobalVariable& each : program.variables) {
    if (each.name == "__nvmlab_launched" && each.bytes == sizeof(std::uint64_t)) return &each;
  }
  return nullptr;
}

const FunctionCode* kernel_of(const Program& program, std::uint64_t address) {
  if (address < kFunctionAddress || (address - kFunctionAddress) % 16 != 0) return nullptr;
  const std::uint64_t index = (address - kFunctionAddress) / 16;
  if (index >= program.functions.size()) return nullptr;
  const FunctionCode& function = program.functions[index];
  return function.entry && (!function.code.empty() || !function.refused.empty()) ? &function : nullptr;
}

bool fits(const std::uint32_t (&shape)[3], const std::uint32_t (&most)[3]) {
  for (int i = 0; i < 3; ++i) {
    if (shape[i] == 0 || shape[i] > most[i]) return false;
  }
  return true;
}

// Its place in the heap is given back.
bool read(const Program& program, const Node& node, const char* parameters, Launched* out, std::string* wrong) {
  out->kernel = kernel_of(program, node.kernel);
  if (out->kernel == nullptr) {
    *wrong = "a kernel launched what is no kernel of its module";
    return false;
  }
  const FunctionCode& kernel = *out->kernel;
  if (!fits(node.grid, kMostGrid) || !fits(node.block, kMostBlock) || node.dynamic_shared_bytes > kMostShared) {
    *wrong = kernel.name + " was launched by a kernel with a grid, a block or shared memory that no GPU has";
    return false;
  }
  if (kernel.parameter_bytes > kMostParameters) {
    *wrong = kernel.name + " has parameters of more than 4096 bytes, and was launched by a kernel";
    return false;
  }
  std::copy_n(node.grid, 3, out->grid);
  std::copy_n(node.block, 3, out->block);
  out->dynamic_shared_bytes = node.dynamic_shared_bytes;
  out->parameters.assign(parameters, parameters + kernel.parameter_bytes);
  return true;
}

}  // namespace

bool can_launch(const Program& program) { return program.heap != nullptr && list_of(program) != nullptr; }

std::vector<Launched> take_launched(const Program& program, std::string* wrong) {
  std::vector<Launched> made;
  char* const list = reinterpret_cast<char*>(program.memory + list_of(program)->offset);
  std::uint64_t at = 0;
  std::memcpy(&at, list, sizeof at);
  std::memset(list, 0, sizeof at);
  while (at != 0 && wrong->empty()) {
    Node node;
    const bool inside = at >= program.memory && program.memory_bytes >= kNodeBytes &&
                        at - program.memory <= program.memory_bytes - kNodeBytes;
    if (!inside || !program.heap->release(at)) {  // also where the list goes in a circle
      *wrong = "the list of what kernels have launched was written over";
      break;
    }
    std::memcpy(&node, reinterpret_cast<const char*>(at), sizeof node);
    const char* const parameters = reinterpret_cast<const char*>(at) + kParametersAt;
    if (Launched one; read(program, node, parameters, &one, wrong)) made.push_back(std::move(one));
    at = node.next;
  }
  std::ranges::reverse(made);  // the latest stands first
  return made;
}

}  // namespace nvmlab::kernels
