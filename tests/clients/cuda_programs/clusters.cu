// SPDX-License-Identifier: Apache-2.0
// Blocks that run in clusters, by cooperative groups: each block adds up its part, and what the blocks before it in its
// cluster have; then kernels that launch a kernel whose function is of another part. One line for each.
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__device__ int twice(int value);

__device__ void sums(const int* in, int* out) {
  __shared__ int own;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) own = 0;
  cluster.sync();
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  // Into the memory of every block from this one on.
  for (unsigned rank = cluster.block_rank(); rank < cluster.num_blocks(); ++rank)
    atomicAdd(cluster.map_shared_rank(&own, rank), value);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = own;
}
__global__ void of_any_size(const int* in, int* out) { sums(in, out); }
__global__ void __cluster_dims__(4, 1, 1) of_four(const int* in, int* out) { sums(in, out); }

__global__ void child(int* out, int value) { out[blockIdx.x] = twice(value) + blockIdx.x; }
__global__ void parent(int* out) { child<<<3, 1>>>(out, 21); }

int main() {
  constexpr int kBlocks = 16, kThreads = 48;
  std::vector<int> in(kBlocks * kThreads), got(kBlocks);
  unsigned state = 5;
  for (int& each : in)
    each = static_cast<int>((state = state * 1664525U + 1013904223U) >> 20);
  int *from = nullptr, *to = nullptr;
  cudaMalloc(&from, in.size() * 4);
  cudaMalloc(&to, kBlocks * 4);
  cudaMemcpy(from, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  for (const int size : {1, 2, 8, 0}) {
    cudaLaunchAttribute shape{};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = kBlocks;
    config.blockDim = kThreads;
    config.attrs = &shape;
    config.numAttrs = size == 0 ? 0 : 1;
    const cudaError_t launched =
        cudaLaunchKernelEx(&config, size == 0 ? of_four : of_any_size, static_cast<const int*>(from), to);
    const cudaError_t ended = cudaMemcpy(got.data(), to, kBlocks * 4, cudaMemcpyDeviceToHost);
    const int together = size == 0 ? 4 : size;
    int wrong = 0;
    for (int block = 0; block < kBlocks; ++block) {
      int sum = 0;
      for (int i = block / together * together * kThreads; i < (block + 1) * kThreads; ++i)
        sum += in[i];
      wrong += sum != got[block];
    }
    std::printf("clusters of %d: %d %d wrong=%d\n", together, launched, ended, wrong);
  }
  parent<<<1, 1>>>(to);
  const cudaError_t ended = cudaMemcpy(got.data(), to, 12, cudaMemcpyDeviceToHost);
  std::printf("parts: %d %d %d %d\n", ended, got[0], got[1], got[2]);
}
