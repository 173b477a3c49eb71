// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/occupancy.hpp"

#include "drivers/cuda/abi/generated/device_attributes.hpp"

namespace nvmlab::cuda {
namespace {

int smaller(int a, int b) { return a < b ? a : b; }

}  // namespace

Multiprocessor multiprocessor_of(const CudaGpu& gpu) {
  Multiprocessor on{};
  read_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu, &on.count);
  read_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, gpu, &on.threads);
  read_attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, gpu, &on.blocks);
  read_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, gpu, &on.shared);
  read_attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, gpu, &on.reserved);
  read_attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, gpu, &on.registers);
  read_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, gpu, &on.block_threads);
  return on;
}

int blocks_of(const Multiprocessor& on, const nvmlab_kernel_facts& facts, int block_size, std::size_t dynamic) {
  constexpr int kWarp = 32;
  constexpr int kRegisterUnit = 256;  // of a warp
  if (block_size > smaller(on.block_threads, static_cast<int>(facts.max_threads))) return 0;
  const int warps = (block_size + kWarp - 1) / kWarp;
  const int of_warp = (static_cast<int>(facts.registers) * kWarp + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  int blocks = smaller(on.blocks, on.threads / kWarp / warps);
  if (of_warp > 0) blocks = smaller(blocks, on.registers / of_warp / warps);
  const std::size_t shared = facts.shared_bytes + dynamic + static_cast<std::size_t>(on.reserved);
  if (shared > 0) blocks = smaller(blocks, static_cast<int>(static_cast<std::size_t>(on.shared) / shared));
  return blocks;
}

}  // namespace nvmlab::cuda
