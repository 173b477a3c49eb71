// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/managed_places.hpp"

#include "drivers/cuda/abi/generated/device_attributes.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"

namespace nvmlab::cuda {
namespace {

constexpr int kAtNodeOfThread = 4;
constexpr int kInDomainOfDevice = 6;

// Of the host, as far as GPUs tell of them.
bool is_node(int id) {
  if (id == 0) return true;
  for (std::uint32_t i = 0; i < process.device_count; ++i) {
    if (rules::host_numa_id(gpu_of(process.devices[i])) == id) return true;
  }
  return false;
}

}  // namespace

CUresult check_managed(std::uint64_t address, std::uint64_t size) {
  const Allocation* const found = find_allocation(address);
  const bool good = found != nullptr && found->kind == MemoryKind::managed && !found->leaving && size != 0 &&
                    size <= found->size - (address - found->address);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool shares_managed_memory(std::uint32_t device) {
  int value = 0;
  return read_attribute(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, gpu_of(process.devices[device]), &value) &&
         value != 0;
}

CUresult find_place(const CUmemLocation& location, HintPlace* out) {
  switch (location.type) {
    case kAtDevice:
      if (find_device(location.id) == nullptr || !shares_managed_memory(static_cast<std::uint32_t>(location.id)))
        return CUDA_ERROR_INVALID_DEVICE;
      *out = {kAtDevice, location.id};
      return CUDA_SUCCESS;
    case kAtHost:
      *out = {kAtHost, kDeviceOfHost};
      return CUDA_SUCCESS;
    case kAtHostNode:
      *out = {kAtHostNode, location.id};
      return is_node(location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case kAtNodeOfThread:  // threads of the program are not the simulated node's
      *out = {kAtHostNode, 0};
      return CUDA_SUCCESS;
    case kInDomainOfDevice:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUmemLocation location_of(CUdevice device) {
  return device == kDeviceOfHost ? CUmemLocation{kAtHost, 0} : CUmemLocation{kAtDevice, device};
}

}  // namespace nvmlab::cuda
