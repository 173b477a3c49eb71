// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor holds: what NVIDIA's programming guide tells of threads, blocks,
// registers and shared memory, with the attributes of the device. Tests: tests/drivers/cuda/modules_test.cpp,
// launch_attributes_test.cpp.
#pragma once

#include "drivers/cuda/modules/modules.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"

namespace nvmlab::cuda {

inline constexpr std::uint32_t kFirstWithClusters = 90;  // compute capability
// How many blocks a cluster of this kernel may have.
inline int most_cluster_blocks(const FunctionState& function) { return function.large_clusters ? 16 : 8; }
// The shape that the kernel was declared with or given; zeros: none.
inline const std::uint32_t* own_cluster(const FunctionState& function, const nvmlab_kernel_facts& facts) {
  return facts.cluster[0] != 0 ? facts.cluster : function.cluster;
}
// Blocks of a cluster of this shape, 1 where none is given; 0: it is none, or has more than any GPU takes.
inline std::uint32_t blocks_in(const std::uint32_t* cluster) {
  constexpr std::uint32_t kMost = 16;
  if ((cluster[0] | cluster[1] | cluster[2]) == 0) return 1;
  if (cluster[0] > kMost || cluster[1] > kMost || cluster[2] > kMost) return 0;
  const std::uint32_t blocks = cluster[0] * cluster[1] * cluster[2];
  return blocks > kMost ? 0 : blocks;
}

struct Multiprocessor {
  int count;
  int threads;
  int blocks;
  int shared;
  int reserved;  // of shared memory, for each block
  int registers;
  int block_threads;
};

Multiprocessor multiprocessor_of(const CudaGpu& gpu);
// 0: a block does not fit.
int blocks_of(const Multiprocessor& on, const nvmlab_kernel_facts& facts, int block_size, std::size_t dynamic);

}  // namespace nvmlab::cuda
