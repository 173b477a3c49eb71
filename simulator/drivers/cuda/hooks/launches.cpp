// SPDX-License-Identifier: Apache-2.0
//
// Launches. A call checks a launch and returns; the kernel runs when its stream comes to it, and the
// context's next call returns what goes wrong in it, as on a GPU. Tests:
// tests/drivers/cuda/modules_test.cpp.
#include <cstring>

#include "drivers/cuda/contexts/green_contexts.hpp"
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/modules/kernel_work.hpp"
#include "drivers/cuda/modules/launch_config.hpp"

namespace nvmlab::cuda {
namespace {

CUresult queue_launch(KernelAsked asked, CUstream handle, WorkMark* mark) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  asked.multiprocessors = multiprocessors_of(guard.stream().green);
  WorkItem* item = nullptr;
  const CUresult code = make_kernel_item(asked, guard.context(), &item);
  return code == CUDA_SUCCESS ? submit(guard.queue(), item, mark) : code;
}

CUresult launch(const KernelAsked& asked, CUstream stream) {
  WorkMark mark{};
  const CUresult code = queue_launch(asked, stream, &mark);
  return code == CUDA_SUCCESS ? leave(mark, Leave::to_threads) : code;
}

}  // namespace

namespace hooks {

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void** kernelParams, void** extra) {
  const LaunchShape shape{{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes};
  return launch({f, shape, kernelParams, extra, false}, hStream);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const LaunchShape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                          {config->blockDimX, config->blockDimY, config->blockDimZ},
                          config->sharedMemBytes};
  LaunchChoices choices;
  if (const CUresult code = read_launch_attributes(*config, &choices); code != CUDA_SUCCESS) return code;
  KernelAsked asked{f, shape, kernelParams, extra, choices.cooperative};
  std::memcpy(asked.cluster, choices.cluster, sizeof choices.cluster);
  return launch(asked, config->hStream);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void** kernelParams) {
  const LaunchShape shape{{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes};
  return launch({f, shape, kernelParams, nullptr, true}, hStream);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
