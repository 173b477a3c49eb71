// SPDX-License-Identifier: Apache-2.0
// What a device is. Tests: tests/drivers/cuda/device_query_test.cpp, devices_test.cpp.
#include <cstring>

#include "drivers/cuda/abi/generated/device_attributes.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"
#include "drivers/cuda/process/process.hpp"
#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab::cuda {
namespace {

// As much as fits, always with its end.
CUresult give_text(const char* text, char* out, int length) {
  if (out == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t room = static_cast<std::size_t>(length) - 1;
  const std::size_t size = std::strlen(text) < room ? std::strlen(text) : room;
  std::memcpy(out, text, size);
  out[size] = '\0';
  return CUDA_SUCCESS;
}

unsigned digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

// The digits behind "GPU-" or "MIG-", two to a byte.
void bytes_of_uuid(const char* text, CUuuid* uuid) {
  *uuid = {};
  std::size_t at = 0;
  for (const char* c = std::strlen(text) > 4 ? text + 4 : ""; *c != '\0' && at < 32; ++c) {
    const unsigned digit = digit_of(*c);
    if (digit > 15) continue;
    uuid->bytes[at / 2] = static_cast<unsigned char>(16u * uuid->bytes[at / 2] + digit);
    ++at;
  }
}

int attribute(const CudaGpu& gpu, std::uint32_t id) {
  int value = 0;
  read_attribute(id, gpu, &value);
  return value;
}

}  // namespace

namespace hooks {

CUresult cuDeviceGetCount(int* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<int>(process.device_count);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (find_device(ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
  return with_device(dev, [&](const CudaGpu& gpu) {
    Text<96> board = read_field(gpu.slot, &Gpu::identity, &Identity::name);
    if (gpu.device.mig == kWholeGpu) return give_text(board.data, name, len);
    const MigDevice part = mig_of(gpu);
    char both[200];
    const std::size_t size = std::strlen(board.data);
    std::memcpy(both, board.data, size);
    std::memcpy(both + size, " MIG ", 6);
    std::memcpy(both + size + 5, part.name, std::strlen(part.name) + 1);
    return give_text(both, name, len);
  });
}

// Of a MIG device, the GPU's.
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) {
  if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_device(dev, [&](const CudaGpu& gpu) {
    bytes_of_uuid(read_field(gpu.slot, &Gpu::identity, &Identity::uuid).data, uuid);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice dev) {
  if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_device(dev, [&](const CudaGpu& gpu) {
    if (gpu.device.mig == kWholeGpu) return cuDeviceGetUuid(uuid, dev);
    bytes_of_uuid(mig_of(gpu).uuid, uuid);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice dev) {
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_device(dev, [&](const CudaGpu& gpu) {
    *bytes = total_memory(gpu);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem(unsigned int* bytes, CUdevice dev) {
  size_t whole = 0;
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = cuDeviceTotalMem_v2(&whole, dev);
  if (code == CUDA_SUCCESS) *bytes = whole > 0xFFFFFFFF ? 0xFFFFFFFF : static_cast<unsigned int>(whole);
  return code;
}

CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
  if (pi == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_device(dev, [&](const CudaGpu& gpu) {
    const auto id = static_cast<std::uint32_t>(attrib);
    const bool known = attribute_since(id) <= cuda_release() && read_attribute(id, gpu, pi);
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  if (major == nullptr || minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_device(dev, [&](const CudaGpu& gpu) {
    const std::uint32_t capability = capability_of(gpu);
    *major = static_cast<int>(capability / 10);
    *minor = static_cast<int>(capability % 10);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetProperties(CUdevprop* prop, CUdevice dev) {
  if (prop == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_device(dev, [&](const CudaGpu& gpu) {
    *prop = {};
    prop->maxThreadsPerBlock = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    prop->maxThreadsDim[0] = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
    prop->maxThreadsDim[1] = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
    prop->maxThreadsDim[2] = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    prop->maxGridSize[0] = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
    prop->maxGridSize[1] = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
    prop->maxGridSize[2] = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
    prop->sharedMemPerBlock = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    prop->totalConstantMemory = attribute(gpu, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    prop->SIMDWidth = attribute(gpu, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    prop->memPitch = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    prop->regsPerBlock = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    prop->clockRate = attribute(gpu, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    prop->textureAlign = attribute(gpu, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  if (pciBusId == nullptr || len <= 0) return CUDA_ERROR_INVALID_VALUE;
  return with_device(dev, [&](const CudaGpu& gpu) {
    char text[17];
    const PciAddress address = consistent(gpu.slot, [](const Gpu& state) {
      return PciAddress{load(state.pci.domain).value, load(state.pci.bus).value, load(state.pci.device).value, 0};
    });
    format_pci_address(address, 4, text);
    return give_text(text, pciBusId, len);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
  PciAddress wanted{};
  if (dev == nullptr || pciBusId == nullptr || !parse_pci_address(pciBusId, &wanted)) return CUDA_ERROR_INVALID_VALUE;
  for (std::uint32_t i = 0; i < process.device_count; ++i) {
    const CudaGpu gpu = gpu_of(process.devices[i]);
    const PciAddress address = consistent(gpu.slot, [](const Gpu& state) {
      return PciAddress{load(state.pci.domain).value, load(state.pci.bus).value, load(state.pci.device).value, 0};
    });
    if (!(address == wanted)) continue;
    *dev = static_cast<CUdevice>(i);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

// Shares of multiprocessors are what MPS has.
CUresult cuDeviceGetExecAffinitySupport(int* pi, CUexecAffinityType type, CUdevice dev) {
  if (pi == nullptr || type != 0) return CUDA_ERROR_INVALID_VALUE;
  return with_device(dev, [&](const CudaGpu&) {
    *pi = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, CUarray_format format, unsigned int numChannels,
                                            CUdevice dev) {
  constexpr int kHighestFormat = 0x20;
  if (maxWidthInElements == nullptr || format <= 0 || format > kHighestFormat ||
      (numChannels != 1 && numChannels != 2 && numChannels != 4))
    return CUDA_ERROR_INVALID_VALUE;
  return with_device(dev, [&](const CudaGpu& gpu) {
    *maxWidthInElements = static_cast<size_t>(attribute(gpu, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
    return CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
