// SPDX-License-Identifier: Apache-2.0
// A library with one GPU that is divided into everything that a GPU can be divided into, one unit, vGPUs, samples of
// metrics and counters of ports. It ends the program when a sample was not freed, or when something is changed.
#include <cstdlib>
#include <cstring>

#include "nvmlab/abi/generated/types.hpp"

namespace {

namespace abi = nvml::abi;

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;

constexpr unsigned kInstance = 3;         // id of the GPU instance
constexpr unsigned kComputeInstance = 5;  // and of the compute instance in it
constexpr unsigned kInstanceProfile = 19;
constexpr unsigned kComputeProfile = 7;

char gpu, mig, instance, compute, unit;
int samples = 0;  // that were lent and not given back

}  // namespace

extern "C" {

int nvmlInit_v2() { return kSuccess; }
int nvmlShutdown() {
  if (samples != 0) std::abort();
  return kSuccess;
}
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = 1, kSuccess; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &gpu;
  return index == 0 ? kSuccess : kInvalidArgument;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned) {
  std::strcpy(uuid, device == &gpu ? "GPU-11111111-2222-3333-4444-555555555555"
                                   : "MIG-GPU-11111111-2222-3333-4444-555555555555/3/5");
  return kSuccess;
}

int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* count) { return *count = device == &gpu ? 2 : 0, kSuccess; }
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** found) {
  if (device != &gpu) return kNotSupported;
  *found = &mig;
  return index == 1 ? kSuccess : kNotFound;
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* device, void** parent) {
  *parent = &gpu;
  return device == &mig ? kSuccess : kInvalidArgument;
}
int nvmlDeviceGetGpuInstanceId(void* device, unsigned* id) {
  *id = kInstance;
  return device == &mig ? kSuccess : kNotFound;
}

int nvmlDeviceGetGpuInstanceProfileInfo(void*, unsigned profile, abi::nvmlGpuInstanceProfileInfo_t* info) {
  info->id = kInstanceProfile;
  return profile == 0 ? kSuccess : kNotSupported;
}
int nvmlDeviceGetGpuInstances(void*, unsigned profile, void** instances, unsigned* count) {
  if (profile != kInstanceProfile) return kInvalidArgument;
  instances[0] = &instance;
  return *count = 1, kSuccess;
}
int nvmlDeviceGetGpuInstanceById(void*, unsigned id, void** found) {
  *found = &instance;
  return id == kInstance ? kSuccess : kNotFound;
}
int nvmlGpuInstanceGetInfo(void* of, abi::nvmlGpuInstanceInfo_t* info) {
  if (of != &instance) return kInvalidArgument;
  info->device = reinterpret_cast<abi::nvmlDevice_t>(&gpu);
  info->id = kInstance;
  info->profileId = kInstanceProfile;
  return kSuccess;
}
int nvmlGpuInstanceGetComputeInstanceProfileInfo(void*, unsigned profile, unsigned,
                                                 abi::nvmlComputeInstanceProfileInfo_t* info) {
  info->id = kComputeProfile;
  return profile == 0 ? kSuccess : kNotSupported;
}
int nvmlGpuInstanceGetComputeInstances(void*, unsigned profile, void** instances, unsigned* count) {
  if (profile != kComputeProfile) return kInvalidArgument;
  instances[0] = &compute;
  return *count = 1, kSuccess;
}
int nvmlComputeInstanceGetInfo_v2(void* of, abi::nvmlComputeInstanceInfo_t* info) {
  if (of != &compute) return kInvalidArgument;
  info->gpuInstance = reinterpret_cast<abi::nvmlGpuInstance_t>(&instance);
  info->id = kComputeInstance;
  return kSuccess;
}

int nvmlUnitGetCount(unsigned* count) { return *count = 1, kSuccess; }
int nvmlUnitGetHandleByIndex(unsigned index, void** found) {
  *found = &unit;
  return index == 0 ? kSuccess : kInvalidArgument;
}
int nvmlUnitGetDevices(void*, unsigned* count, void** devices) {
  if (*count >= 1) devices[0] = &gpu;
  return *count = 1, kSuccess;
}
int nvmlUnitGetUnitInfo(void*, abi::nvmlUnitInfo_t* info) {
  std::strcpy(info->name, "S-class");
  std::strcpy(info->serial, "123456");
  return kSuccess;
}

int nvmlDeviceGetSupportedVgpus(void*, unsigned* count, unsigned* types) {
  if (*count >= 2) types[0] = 11, types[1] = 12;
  return *count = 2, kSuccess;
}
int nvmlVgpuTypeGetName(unsigned type, char* name, unsigned* size) {
  std::strcpy(name, type == 11 ? "eleven" : "twelve");
  return *size = 7, kSuccess;
}
int nvmlDeviceGetActiveVgpus(void* device, unsigned* count, unsigned* vgpus) {
  if (*count >= 1) vgpus[0] = 77;
  return *count = device == &gpu ? 1 : 0, kSuccess;
}
int nvmlVgpuInstanceGetVmID(unsigned, char* id, unsigned, int* kind) {
  std::strcpy(id, "somebody's-machine");
  return *kind = 1, kSuccess;
}

int nvmlGpmSampleAlloc(void** sample) {
  *sample = std::malloc(8);
  return ++samples, kSuccess;
}
int nvmlGpmSampleFree(void* sample) {
  std::free(sample);
  return --samples, kSuccess;
}
int nvmlGpmSampleGet(void* device, void*) { return device == &gpu ? kSuccess : kNotSupported; }
int nvmlGpmMigSampleGet(void*, unsigned id, void*) { return id == kInstance ? kSuccess : kInvalidArgument; }
int nvmlGpmMetricsGet(abi::nvmlGpmMetricsGet_t* request) {
  for (unsigned i = 0; i < request->numMetrics; ++i) {
    abi::nvmlGpmMetric_t& metric = request->metrics[i];
    metric.nvmlReturn = static_cast<abi::nvmlReturn_t>(metric.metricId == 2 ? kSuccess : kNotSupported);
    metric.value = 12.5;
  }
  return kSuccess;
}
int nvmlDeviceReadPRMCounters_v1(void* device, abi::nvmlPRMCounterList_v1_t* list) {
  if (device != &gpu) return kNotSupported;
  for (unsigned i = 0; i < list->numCounters; ++i) {
    abi::nvmlPRMCounter_v1_t& counter = list->counters[i];
    const bool known = counter.counterId == 1 && counter.inData.localPort == 4;
    counter.counterValue.status = static_cast<abi::nvmlReturn_t>(known ? kSuccess : kNotSupported);
    counter.counterValue.outputType = abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
    counter.counterValue.outputValue.ullVal = 99;
  }
  return kSuccess;
}

// What changes something is never called.
int nvmlDeviceCreateGpuInstance() { std::abort(); }
int nvmlGpuInstanceDestroy() { std::abort(); }
int nvmlDeviceSetMigMode() { std::abort(); }
int nvmlUnitSetLedState() { std::abort(); }
int nvmlDeviceClearFieldValues() { std::abort(); }
int nvmlDeviceReadWritePRM_v1() { std::abort(); }
int nvmlSystemGetCPER_v1() { std::abort(); }
int nvmlEventSetCreate() { std::abort(); }
}
