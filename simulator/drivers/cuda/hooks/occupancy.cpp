// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor holds (occupancy.hpp). Tests: tests/drivers/cuda/modules_test.cpp.
#include "drivers/cuda/modules/occupancy.hpp"

#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/modules/launch_config.hpp"

namespace nvmlab::cuda {
namespace {

int smaller(int a, int b) { return a < b ? a : b; }

// Calls body(multiprocessor, facts) under the lock.
template <class Body>
CUresult with_facts(CUfunction handle, const Body& body) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const FunctionState* function = find_function(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  nvmlab_kernel_facts facts{};
  kernels()->describe(function->kernel, &facts);
  return body(multiprocessor_of(gpu_of(process.devices[guard.context().device])), facts);
}

}  // namespace

namespace hooks {

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, CUfunction func, int blockSize,
                                                              size_t dynamicSMemSize, unsigned int flags) {
  if (numBlocks == nullptr || blockSize <= 0 || flags > 1) return CUDA_ERROR_INVALID_VALUE;
  return with_facts(func, [&](const Multiprocessor& on, const nvmlab_kernel_facts& facts) {
    *numBlocks = blocks_of(on, facts, blockSize, dynamicSMemSize);
    return CUDA_SUCCESS;
  });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize, 0);
}

// The largest of the best.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags) {
  if (minGridSize == nullptr || blockSize == nullptr || blockSizeLimit < 0 || flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  return with_facts(func, [&](const Multiprocessor& on, const nvmlab_kernel_facts& facts) {
    int most = smaller(on.block_threads, static_cast<int>(facts.max_threads));
    if (blockSizeLimit != 0) most = smaller(most, blockSizeLimit);
    int best = 0;
    for (int size = most; size > 0; size = (size - 1) / 32 * 32) {
      const std::size_t dynamic =
          blockSizeToDynamicSMemSize != nullptr ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize;
      const int blocks = blocks_of(on, facts, size, dynamic);
      if (blocks * size <= best) continue;
      best = blocks * size;
      *blockSize = size;
      *minGridSize = blocks * on.count;
    }
    return best == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                          int blockSizeLimit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
                                                   dynamicSMemSize, blockSizeLimit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func, int numBlocks,
                                                 int blockSize) {
  if (dynamicSmemSize == nullptr || numBlocks <= 0 || blockSize <= 0) return CUDA_ERROR_INVALID_VALUE;
  return with_facts(func, [&](const Multiprocessor& on, const nvmlab_kernel_facts& facts) {
    if (blocks_of(on, facts, blockSize, 0) < numBlocks) return CUDA_ERROR_INVALID_VALUE;
    const int taken = static_cast<int>(facts.shared_bytes) + on.reserved;
    *dynamicSmemSize = static_cast<std::size_t>(on.shared / numBlocks - taken);
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyMaxPotentialClusterSize(int* clusterSize, CUfunction func, const CUlaunchConfig* config) {
  if (clusterSize == nullptr || config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const FunctionState* const function = find_function(func);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const bool has_clusters = capability_of(gpu_of(process.devices[guard.context().device])) >= kFirstWithClusters;
  *clusterSize = has_clusters ? most_cluster_blocks(*function) : 1;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveClusters(int* numClusters, CUfunction func, const CUlaunchConfig* config) {
  if (numClusters == nullptr || config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LaunchChoices choices;
  if (const CUresult code = read_launch_attributes(*config, &choices); code != CUDA_SUCCESS) return code;
  const std::uint64_t threads = std::uint64_t{config->blockDimX} * config->blockDimY * config->blockDimZ;
  if (threads == 0 || threads > 1024) return CUDA_ERROR_INVALID_VALUE;
  return with_facts(func, [&](const Multiprocessor& on, const nvmlab_kernel_facts& facts) {
    const std::uint32_t* const of =
        choices.cluster[0] != 0 ? choices.cluster : own_cluster(*find_function(func), facts);
    const std::uint32_t together = blocks_in(of);
    if (together == 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    const int blocks = blocks_of(on, facts, static_cast<int>(threads), config->sharedMemBytes) * on.count;
    *numClusters = blocks / static_cast<int>(together);
    return CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
