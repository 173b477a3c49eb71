// SPDX-License-Identifier: Apache-2.0
#include "drivers/cudart/node_parameters.hpp"

#include <cstring>

#include "drivers/cudart/images.hpp"

namespace nvmlab::cudart {
namespace {

enum NodeType : int { kKernel = 0, kCopy = 1, kFill = 2 };

// A copy as each has it: what both begin with is 16 bytes.
struct DriverCopy {
  int flags;
  int reserved;
  CUcontext context;
  CUDA_MEMCPY3D box;
};
struct RuntimeCopy {
  int flags;
  int reserved[3];
  cudaMemcpy3DParms asked;
};
struct DriverFill {
  CUDA_MEMSET_NODE_PARAMS fill;
  CUcontext context;
};
static_assert(sizeof(DriverCopy) <= sizeof(CUgraphNodeParams::of));
static_assert(sizeof(RuntimeCopy) <= sizeof(CUgraphNodeParams::of));

template <class T>
T read(const CUgraphNodeParams& of) {
  T value;
  std::memcpy(&value, of.of, sizeof value);
  return value;
}

template <class T>
void write(const T& value, CUgraphNodeParams* out) {
  std::memset(out->of, 0, sizeof out->of);
  std::memcpy(out->of, &value, sizeof value);
}

}  // namespace

CUcontext current_context(const Driver& below) {
  CUcontext context = nullptr;
  ask(below.cuCtxGetCurrent, &context);
  return context;
}

cudaError_t driver_kernel(const cudaKernelNodeParams& of, CUDA_KERNEL_NODE_PARAMS_v1* out) {
  CUfunction function = nullptr;
  if (const cudaError_t code = function_of(of.func, &function); code != cudaSuccess) return code;
  *out = {function,      of.gridDim.x,  of.gridDim.y,      of.gridDim.z,    of.blockDim.x,
          of.blockDim.y, of.blockDim.z, of.sharedMemBytes, of.kernelParams, of.extra};
  return cudaSuccess;
}

void runtime_kernel(const CUDA_KERNEL_NODE_PARAMS_v1& of, cudaKernelNodeParams* out) {
  *out = {const_cast<void*>(host_of(of.func)),
          {of.gridDimX, of.gridDimY, of.gridDimZ},
          {of.blockDimX, of.blockDimY, of.blockDimZ},
          of.sharedMemBytes,
          of.kernelParams,
          of.extra};
}

cudaError_t driver_node(const Driver& below, const cudaGraphNodeParams& of, CUgraphNodeParams* out) {
  *out = of;
  if (of.type == kKernel) {
    CUDA_KERNEL_NODE_PARAMS made{};
    const cudaError_t code = driver_kernel(read<cudaKernelNodeParams>(of), &made.launch);
    write(made, out);
    return code;
  }
  if (of.type == kCopy) {
    const auto asked = read<RuntimeCopy>(of);
    DriverCopy made{asked.flags, 0, current_context(below), {}};
    const cudaError_t code = box_of(below, asked.asked, &made.box);
    write(made, out);
    return code;
  }
  if (of.type == kFill) write(DriverFill{read<CUDA_MEMSET_NODE_PARAMS>(of), current_context(below)}, out);
  return cudaSuccess;
}

cudaError_t runtime_node(const Driver& below, const CUgraphNodeParams& of, cudaGraphNodeParams* out) {
  static_cast<CUgraphNodeParams&>(*out) = of;
  if (of.type == kKernel) {
    cudaKernelNodeParams told{};
    runtime_kernel(read<CUDA_KERNEL_NODE_PARAMS>(of).launch, &told);
    write(told, out);
  } else if (of.type == kCopy) {
    const auto copy = read<DriverCopy>(of);
    RuntimeCopy told{copy.flags, {}, {}};
    const cudaError_t code = parameters_of(below, copy.box, &told.asked);
    write(told, out);
    return code;
  } else if (of.type == kFill) {
    write(read<DriverFill>(of).fill, out);
  }
  return cudaSuccess;
}

void tell_node(const CUgraphNodeParams& of, cudaGraphNodeParams* out) {
  if (of.type != kKernel && of.type != kCopy && of.type != kFill) std::memcpy(out->of, of.of, sizeof out->of);
}

}  // namespace nvmlab::cudart
