// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/kernel_work.hpp"

#include <cstring>

#include "drivers/cuda/abi/generated/device_attributes.hpp"
#include "drivers/cuda/contexts/device_load.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/modules/modules.hpp"
#include "drivers/cuda/modules/occupancy.hpp"
#include "drivers/cuda/modules/textures.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"

namespace nvmlab::cuda {
namespace {

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

CUresult check(const KernelAsked& asked, const FunctionState& function, const nvmlab_kernel_facts& facts,
               const CudaGpu& gpu) {
  const LaunchShape& shape = asked.shape;
  constexpr std::uint32_t kMostThreads[] = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                                            CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};
  constexpr std::uint32_t kMostBlocks[] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                           CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
  std::uint64_t threads = 1;
  for (std::uint32_t i = 0; i < 3; ++i) {
    if ((shape.grid[i] == 0 && !asked.later) || shape.block[i] == 0) return CUDA_ERROR_INVALID_VALUE;
    if (shape.block[i] > static_cast<std::uint32_t>(limit(gpu, kMostThreads[i])) ||
        shape.grid[i] > static_cast<std::uint32_t>(limit(gpu, kMostBlocks[i])))
      return CUDA_ERROR_INVALID_VALUE;
    threads *= shape.block[i];
  }
  if (threads > static_cast<std::uint64_t>(limit(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)))
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t most =
      function.most_dynamic_shared != 0
          ? std::uint64_t{function.most_dynamic_shared} + facts.shared_bytes
          : static_cast<std::uint64_t>(limit(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  return std::uint64_t{shape.shared} + facts.shared_bytes > most ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// Checks that this GPU runs N blocks together; check_with_kernel() checks their shape.
CUresult check_cluster_of(const std::uint32_t* asked, const FunctionState& function, const nvmlab_kernel_facts& facts,
                          const CudaGpu& gpu) {
  const std::uint32_t blocks = blocks_in(asked[0] != 0 ? asked : own_cluster(function, facts));
  const bool has_clusters = capability_of(gpu) >= kFirstWithClusters;
  const std::uint32_t most = has_clusters ? static_cast<std::uint32_t>(most_cluster_blocks(function)) : 1;
  return blocks == 0 || blocks > most ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
}

// Blocks that wait for each other must all have a place.
bool fits_at_once(const LaunchShape& shape, const nvmlab_kernel_facts& facts, const CudaGpu& gpu) {
  const Multiprocessor on = multiprocessor_of(gpu);
  const auto threads = static_cast<int>(shape.block[0] * shape.block[1] * shape.block[2]);
  const std::uint64_t places =
      static_cast<std::uint64_t>(blocks_of(on, facts, threads, shape.shared)) * static_cast<std::uint64_t>(on.count);
  // A product of three numbers of 32 bits may have more than 64: it is compared step by step.
  return std::uint64_t{shape.grid[0]} * shape.grid[1] <= places &&
         std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] <= places;
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

// The Xid that a real driver writes to the kernel log when a kernel ends with this code.
std::uint32_t xid_of(CUresult code) {
  constexpr std::uint32_t kMmuFault = 31;
  constexpr std::uint32_t kOfProgram = 43;
  constexpr std::uint32_t kStopped = 8;
  constexpr std::uint32_t kEngineException = 13;
  switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return kMmuFault;
    case CUDA_ERROR_ASSERT:
      return kOfProgram;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return kStopped;
    case CUDA_ERROR_OUT_OF_MEMORY:  // of the host that stands in for the GPU
      return 0;
    default:
      return kEngineException;
  }
}

void raise_xid(std::uint32_t device, CUresult code) {
  const std::uint32_t xid = xid_of(code);
  if (xid == 0) return;
  const CudaGpu gpu = gpu_of(process.devices[device]);
  const bool whole = gpu.device.mig == kWholeGpu;
  const MigDevice mig = whole ? MigDevice{} : mig_of(gpu);
  process.engine->raise_xid(gpu.store, gpu.slot, xid, whole ? nullptr : &mig);
}

CUresult run_kernel(void* payload, CUresult) {
  auto* const asked = static_cast<QueuedLaunch*>(payload);
  asked->request.parameters = asked + 1;
  {
    const Locked lock;
    const FunctionState* function = find_function(asked->function);  // a graph may have outlived its module
    if (function == nullptr || function->kernel != asked->request.kernel) return CUDA_ERROR_INVALID_HANDLE;
    kernel_begins(asked->device);
  }
  nvmlab_fault fault{};
  const auto code = static_cast<CUresult>(kernels()->launch(&asked->request, &fault));
  const Locked lock;
  kernel_ends(asked->device);
  if (fault.code == 0) return code;
  say(fault);
  const auto wrong = static_cast<CUresult>(fault.code);
  raise_xid(asked->device, wrong);
  return wrong;
}

CUresult check_with_kernel(const nvmlab_launch& request) {
  nvmlab_fault fault{};
  const auto refused = static_cast<CUresult>(kernels()->check_launch(&request, &fault));
  if (refused != CUDA_SUCCESS) say(fault);
  return refused;
}

// Checks a launch and fills its request.
CUresult prepare(const KernelAsked& asked, const Context& state, nvmlab_launch* request, nvmlab_kernel_facts* facts) {
  const LaunchShape& shape = asked.shape;
  const FunctionState* function = find_function(asked.function);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const CudaGpu gpu = gpu_of(process.devices[state.device]);
  kernels()->describe(function->kernel, facts);
  if (const CUresult code = check(asked, *function, *facts, gpu); code != CUDA_SUCCESS) return code;
  if (const CUresult code = check_cluster_of(asked.cluster, *function, *facts, gpu); code != CUDA_SUCCESS) return code;
  if (asked.cooperative && !fits_at_once(shape, *facts, gpu)) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  request->size = sizeof *request;
  request->kernel = function->kernel;
  for (std::uint32_t i = 0; i < 3; ++i) {
    request->grid[i] = shape.grid[i];
    request->block[i] = shape.block[i];
    request->cluster[i] = asked.cluster[0] != 0 ? asked.cluster[i] : function->cluster[i];
  }
  request->dynamic_shared_bytes = shape.shared;
  request->stack_bytes = state.limits[0];
  request->multiprocessors = asked.multiprocessors != 0
                                 ? asked.multiprocessors
                                 : static_cast<std::uint32_t>(limit(gpu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  request->find = find_memory;
  request->cooperative = asked.cooperative ? 1 : 0;
  request->texture = tell_texture;
  return check_with_kernel(*request);
}

}  // namespace

CUresult set_cluster(QueuedLaunch& launch, const std::uint32_t* cluster) {
  const FunctionState* const function = find_function(launch.function);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  nvmlab_kernel_facts facts{};
  kernels()->describe(function->kernel, &facts);
  CUresult code = check_cluster_of(cluster, *function, facts, gpu_of(process.devices[launch.device]));
  if (code != CUDA_SUCCESS) return code;
  nvmlab_launch changed = launch.request;
  std::memcpy(changed.cluster, cluster, sizeof changed.cluster);
  code = check_with_kernel(changed);
  if (code == CUDA_SUCCESS) launch.request = changed;
  return code;
}

CUresult make_kernel_item(const KernelAsked& asked, const Context& context, WorkItem** out) {
  nvmlab_kernel_facts facts{};
  QueuedLaunch queued{{}, asked.function, context.device, asked.each == nullptr};
  CUresult code = prepare(asked, context, &queued.request, &facts);
  if (code != CUDA_SUCCESS) return code;
  WorkItem* made = nullptr;
  code = make_sized_item({run_kernel, nullptr, false, WorkType::kernel},
                         sizeof queued + std::uint64_t{facts.parameter_bytes}, &made);
  if (code != CUDA_SUCCESS) return code;
  auto* const payload = static_cast<QueuedLaunch*>(payload_of(*made));
  *payload = queued;
  code = pack(queued.request.kernel, facts, asked.each, asked.extra, reinterpret_cast<char*>(payload + 1));
  if (code == CUDA_SUCCESS) {
    *out = made;
  } else {
    release_item(made);
  }
  return code;
}

}  // namespace nvmlab::cuda
