// SPDX-License-Identifier: Apache-2.0
//
// Launches. A kernel runs while the caller waits, without the lock of the process, and is done when the call returns.
// What goes wrong in it is told by the context's next call, as a GPU's would be. Tests:
// tests/drivers/cuda/modules_test.cpp.
#include <cstring>

#include "drivers/cuda/allocations.hpp"
#include "drivers/cuda/attribute_sources.hpp"
#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/modules.hpp"
#include "drivers/cuda/streams.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab::cuda {
namespace {

struct Shape {
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t shared;
};

// A kernel asks, on any thread, which memory an address belongs to.
int find_memory(void*, std::uint64_t address, std::uint64_t* begin, std::uint64_t* end) {
  const Locked lock;
  const Allocation* found = find_allocation(address);
  if (found == nullptr) return 0;
  *begin = found->address;
  *end = found->address + found->size;
  return 1;
}

int limit(const CudaGpu& gpu, std::uint32_t attribute) {
  int value = 0;
  read_attribute(attribute, gpu, &value);
  return value;
}

CUresult check(const Shape& shape, const FunctionState& function, const nvmlab_kernel_facts& facts,
               const CudaGpu& gpu) {
  constexpr std::uint32_t kMostThreads = 1;  // attributes of a device; the dimensions of blocks and grids follow
  constexpr std::uint32_t kSharedOfBlock = 8;
  std::uint64_t threads = 1;
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (shape.grid[i] == 0 || shape.block[i] == 0) return CUDA_ERROR_INVALID_VALUE;
    if (shape.block[i] > static_cast<std::uint32_t>(limit(gpu, 2 + i)) ||
        shape.grid[i] > static_cast<std::uint32_t>(limit(gpu, 5 + i)))
      return CUDA_ERROR_INVALID_VALUE;
    threads *= shape.block[i];
  }
  if (threads > static_cast<std::uint64_t>(limit(gpu, kMostThreads))) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t most = function.most_dynamic_shared != 0
                                 ? std::uint64_t{function.most_dynamic_shared} + facts.shared_bytes
                                 : static_cast<std::uint64_t>(limit(gpu, kSharedOfBlock));
  return std::uint64_t{shape.shared} + facts.shared_bytes > most ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// Parameters as the kernel wants them, from a pointer to each or from a buffer that is packed already.
CUresult pack(const nvmlab_kernel* kernel, const nvmlab_kernel_facts& facts, void** each, void** extra, char* to) {
  const auto tag = [](const void* word) { return reinterpret_cast<std::uint64_t>(word); };
  constexpr std::uint64_t kBuffer = 1;
  constexpr std::uint64_t kSize = 2;
  if (facts.parameter_count == 0) return CUDA_SUCCESS;
  if (each != nullptr) {
    for (std::uint32_t i = 0; i < facts.parameter_count; ++i) {
      nvmlab_parameter parameter{};
      if (each[i] == nullptr || kernels()->parameter(kernel, i, &parameter) != 0) return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(to + parameter.offset, each[i], parameter.bytes);
    }
    return CUDA_SUCCESS;
  }
  const void* buffer = nullptr;
  std::size_t size = 0;
  for (std::uint32_t i = 0; extra != nullptr && i < 8 && tag(extra[i]) != 0; i += 2) {
    if (tag(extra[i]) == kBuffer) buffer = extra[i + 1];
    if (tag(extra[i]) == kSize && extra[i + 1] != nullptr) size = *static_cast<const std::size_t*>(extra[i + 1]);
  }
  if (buffer == nullptr || size < facts.parameter_bytes) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, buffer, facts.parameter_bytes);
  return CUDA_SUCCESS;
}

void say(const nvmlab_fault& fault) {
  driver::Line line;
  line << "kernel " << fault.message << " (error " << static_cast<std::uint64_t>(fault.code) << ")";
  log(kLogErrors, line);
}

CUresult run(const nvmlab_launch& request, CUcontext context) {
  nvmlab_fault fault{};
  const auto code = static_cast<CUresult>(kernels()->launch(&request, &fault));
  if (fault.code == 0) return code;
  say(fault);
  if (code != CUDA_SUCCESS) return code;
  const Locked lock;
  if (Context* of = find_context(context)) of->fault = static_cast<CUresult>(fault.code);
  return CUDA_SUCCESS;
}

CUresult launch(CUfunction handle, const Shape& shape, CUstream stream, void** each, void** extra, bool cooperative) {
  constexpr std::uint32_t kMultiprocessors = 16;
  nvmlab_kernel_facts facts{};
  nvmlab_launch request{};
  CUcontext context = nullptr;
  const CUresult good = with_current([&](CUcontext current, const Context& state) {
    if (const CUresult code = check_stream(stream); code != CUDA_SUCCESS) return code;
    const FunctionState* function = find_function(handle);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const CudaGpu gpu = gpu_of(process.devices[state.device]);
    kernels()->describe(function->kernel, &facts);
    request.size = sizeof request;
    request.kernel = function->kernel;
    request.stack_bytes = state.limits[0];
    request.multiprocessors = static_cast<std::uint32_t>(limit(gpu, kMultiprocessors));
    context = current;
    const CUresult code = check(shape, *function, facts, gpu);
    if (code == CUDA_SUCCESS) begin_launch();  // from here on nobody takes the module or memory away
    return code;
  });
  if (good != CUDA_SUCCESS) return good;
  for (std::uint32_t i = 0; i < 3; ++i) {
    request.grid[i] = shape.grid[i];
    request.block[i] = shape.block[i];
  }
  request.dynamic_shared_bytes = shape.shared;
  request.cooperative = cooperative ? 1 : 0;
  request.find = find_memory;
  char few[512];
  const bool many = facts.parameter_bytes > sizeof few;
  char* const parameters = many ? static_cast<char*>(sys::map_private(facts.parameter_bytes)) : few;
  request.parameters = parameters;
  CUresult code =
      parameters == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : pack(request.kernel, facts, each, extra, parameters);
  if (code == CUDA_SUCCESS) code = run(request, context);
  end_launch();
  if (many && parameters != nullptr) sys::unmap(parameters, facts.parameter_bytes);
  return code;
}

}  // namespace

namespace hooks {

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void** kernelParams, void** extra) {
  const Shape shape{{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes};
  return launch(f, shape, hStream, kernelParams, extra, false);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Shape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                    {config->blockDimX, config->blockDimY, config->blockDimZ},
                    config->sharedMemBytes};
  return launch(f, shape, config->hStream, kernelParams, extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void** kernelParams) {
  const Shape shape{{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes};
  return launch(f, shape, hStream, kernelParams, nullptr, true);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
