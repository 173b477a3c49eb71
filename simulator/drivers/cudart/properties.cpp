// SPDX-License-Identifier: Apache-2.0
#include "drivers/cudart/properties.hpp"

#include "drivers/cudart/runtime.hpp"

namespace nvmlab::cudart {
namespace {

// Attributes of one device, one after the other into the members; an attribute that the driver does not know is 0.
struct Reader {
  const Driver& below;
  int device;

  template <class T>
  void operator()(T& member, int attribute) const {
    int value = 0;
    ask(below.cuDeviceGetAttribute, &value, attribute, device);
    member = static_cast<T>(value);
  }
  // Of successive attributes.
  template <std::size_t Count>
  void operator()(int (&members)[Count], int first) const {
    for (std::size_t i = 0; i < Count; ++i)
      (*this)(members[i], first + static_cast<int>(i));
  }
};

// The numbers are those of CUdevice_attribute.
template <class Properties>
void read_common(const Reader& read, Properties& out) {
  read(out.sharedMemPerBlock, 8);
  read(out.regsPerBlock, 12);
  read(out.warpSize, 10);
  read(out.memPitch, 11);
  read(out.maxThreadsPerBlock, 1);
  read(out.maxThreadsDim, 2);
  read(out.maxGridSize, 5);
  read(out.totalConstMem, 9);
  read(out.major, 75);
  read(out.minor, 76);
  read(out.textureAlignment, 14);
  read(out.texturePitchAlignment, 51);
  read(out.multiProcessorCount, 16);
  read(out.integrated, 18);
  read(out.canMapHostMemory, 19);
  read(out.surfaceAlignment, 30);
  read(out.concurrentKernels, 31);
  read(out.ECCEnabled, 32);
  read(out.pciBusID, 33);
  read(out.pciDeviceID, 34);
  read(out.pciDomainID, 50);
  read(out.tccDriver, 35);
  read(out.asyncEngineCount, 40);
  read(out.unifiedAddressing, 41);
  read(out.memoryBusWidth, 37);
  read(out.l2CacheSize, 38);
  read(out.persistingL2CacheMaxSize, 108);
  read(out.maxThreadsPerMultiProcessor, 39);
  read(out.streamPrioritiesSupported, 78);
  read(out.globalL1CacheSupported, 79);
  read(out.localL1CacheSupported, 80);
  read(out.sharedMemPerMultiprocessor, 81);
  read(out.regsPerMultiprocessor, 82);
  read(out.managedMemory, 83);
  read(out.isMultiGpuBoard, 84);
  read(out.multiGpuBoardGroupID, 85);
  read(out.hostNativeAtomicSupported, 86);
}

template <class Properties>
void read_textures(const Reader& read, Properties& out) {
  read(out.maxTexture1D, 21);
  read(out.maxTexture1DMipmap, 77);
  read(out.maxTexture2D, 22);
  read(out.maxTexture2DMipmap, 73);
  read(out.maxTexture2DLinear, 70);
  read(out.maxTexture2DGather, 45);
  read(out.maxTexture3D, 24);
  read(out.maxTexture3DAlt, 47);
  read(out.maxTextureCubemap, 52);
  read(out.maxTexture1DLayered, 42);
  read(out.maxTexture2DLayered, 27);
  read(out.maxTextureCubemapLayered, 53);
  read(out.maxSurface1D, 55);
  read(out.maxSurface2D, 56);
  read(out.maxSurface3D, 58);
  read(out.maxSurface1DLayered, 61);
  read(out.maxSurface2DLayered, 63);
  read(out.maxSurfaceCubemap, 66);
  read(out.maxSurfaceCubemapLayered, 67);
}

template <class Properties>
void read_recent(const Reader& read, Properties& out) {
  read(out.pageableMemoryAccess, 88);
  read(out.concurrentManagedAccess, 89);
  read(out.computePreemptionSupported, 90);
  read(out.canUseHostPointerForRegisteredMem, 91);
  read(out.cooperativeLaunch, 95);
  read(out.sharedMemPerBlockOptin, 97);
  read(out.pageableMemoryAccessUsesHostPageTables, 100);
  read(out.directManagedMemAccessFromHost, 101);
  read(out.maxBlocksPerMultiProcessor, 106);
  read(out.accessPolicyMaxWindowSize, 109);
  read(out.reservedSharedMemPerBlock, 111);
  read(out.hostRegisterSupported, 99);
  read(out.sparseCudaArraySupported, 112);
  read(out.hostRegisterReadOnlySupported, 113);
  read(out.timelineSemaphoreInteropSupported, 114);
  read(out.memoryPoolsSupported, 115);
  read(out.gpuDirectRDMASupported, 116);
  read(out.gpuDirectRDMAFlushWritesOptions, 117);
  read(out.gpuDirectRDMAWritesOrdering, 118);
  read(out.memoryPoolSupportedHandleTypes, 119);
  read(out.deferredMappingCudaArraySupported, 121);
  read(out.ipcEventSupported, 125);
  read(out.clusterLaunch, 120);
  read(out.unifiedFunctionPointers, 129);
}

void read_own(const Reader& read, Properties12& out) {
  read(out.clockRate, 13);
  read(out.deviceOverlap, 15);
  read(out.kernelExecTimeoutEnabled, 17);
  read(out.computeMode, 20);
  read(out.maxTexture1DLinear, 69);
  read(out.memoryClockRate, 36);
  read(out.singleToDoublePrecisionPerfRatio, 87);
  read(out.cooperativeMultiDeviceLaunch, 96);
}

void read_own(const Reader& read, Properties13& out) {
  read(out.deviceNumaConfig, 130);
  read(out.deviceNumaId, 131);
  read(out.mpsEnabled, 133);
  read(out.hostNumaId, 134);
  read(out.gpuPciDeviceID, 139);
  read(out.gpuPciSubsystemID, 140);
  read(out.hostNumaMultinodeIpcSupported, 143);
}

template <class Properties>
cudaError_t read_all(int device, Properties* out) {
  return with_driver([&](const Driver& below) {
    if (const cudaError_t code = check_device(device); code != cudaSuccess) return code;
    *out = {};
    cudaError_t code = ask(below.cuDeviceGetName, out->name, static_cast<int>(sizeof out->name), device);
    CUuuid uuid{};
    if (code == cudaSuccess) code = ask(below.cuDeviceGetUuid_v2, &uuid, device);
    if (code == cudaSuccess) code = ask(below.cuDeviceTotalMem_v2, &out->totalGlobalMem, device);
    if (code != cudaSuccess) return code;
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i)
      out->uuid[i] = uuid.bytes[i];
    const Reader read{below, device};
    read_common(read, *out);
    read_textures(read, *out);
    read_recent(read, *out);
    read_own(read, *out);
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t read_properties(int device, Properties12* out) { return read_all(device, out); }
cudaError_t read_properties(int device, Properties13* out) { return read_all(device, out); }

}  // namespace nvmlab::cudart
