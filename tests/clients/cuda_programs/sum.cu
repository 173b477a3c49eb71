// SPDX-License-Identifier: Apache-2.0
// A program as users write them, for the shared runtime: kernels, __constant__, __device__ and __managed__ variables,
// atomics, a stream, events, two devices. Compiled by NVIDIA's nvcc in cudart_test.cpp, which knows what it prints.
#include <cstdio>
#include <vector>

__constant__ int step;
__device__ unsigned counter;
__managed__ int shown = 7;

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + static_cast<float>(step);
}
__global__ void count(unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 3 == 0) atomicAdd(&counter, 1u);
  if (i == 0) shown += 35;
}

#define GOOD(...)                                                                            \
  do {                                                                                       \
    const cudaError_t code = (__VA_ARGS__);                                                  \
    if (code != cudaSuccess) {                                                               \
      std::printf("%d: %s: %s\n", __LINE__, cudaGetErrorName(code), cudaGetErrorString(code)); \
      return 1;                                                                              \
    }                                                                                        \
  } while (false)

static int work(int device) {
  GOOD(cudaSetDevice(device));
  cudaDeviceProp prop;
  GOOD(cudaGetDeviceProperties(&prop, device));
  constexpr int n = 10000;
  std::vector<float> a(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = static_cast<float>(i);
  float *x = nullptr, *y = nullptr, *z = nullptr;
  GOOD(cudaMalloc(&x, n * 4));
  GOOD(cudaMallocManaged(&y, n * 4));
  GOOD(cudaMalloc(&z, n * 4));
  for (int i = 0; i < n; ++i) y[i] = 2.0f * static_cast<float>(i);
  const int five = 5 + device;
  const unsigned zero = 0;
  GOOD(cudaMemcpyToSymbol(step, &five, sizeof five));
  GOOD(cudaMemcpyToSymbol(counter, &zero, sizeof zero));
  cudaStream_t stream;
  cudaEvent_t begin, end;
  GOOD(cudaStreamCreate(&stream));
  GOOD(cudaEventCreate(&begin));
  GOOD(cudaEventCreate(&end));
  GOOD(cudaEventRecord(begin, stream));
  GOOD(cudaMemcpyAsync(x, a.data(), n * 4, cudaMemcpyHostToDevice, stream));
  add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
  GOOD(cudaGetLastError());
  count<<<(n + 255) / 256, 256, 0, stream>>>(n);
  GOOD(cudaEventRecord(end, stream));
  GOOD(cudaStreamSynchronize(stream));
  float time = -1;
  GOOD(cudaEventElapsedTime(&time, begin, end));
  GOOD(cudaMemcpy(c.data(), z, n * 4, cudaMemcpyDeviceToHost));
  unsigned counted = 0;
  GOOD(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += c[i] != 3.0f * static_cast<float>(i) + 5.0f + static_cast<float>(device);
  int blocks = 0;
  GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
  add<<<1, 4096>>>(x, y, z, n);
  const bool refused = cudaGetLastError() == cudaErrorInvalidConfiguration;
  std::printf("%s: wrong=%d counted=%u blocks=%d refused=%d time=%d\n", prop.name, wrong, counted, blocks, refused, time >= 0);
  return wrong;
}

int main() {
  int devices = 0;
  GOOD(cudaGetDeviceCount(&devices));
  std::printf("%d devices\n", devices);
  if (work(0) != 0) return 1;
  std::printf("shown=%d\n", shown);
  return devices > 1 ? work(1) : 0;
}
