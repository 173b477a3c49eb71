// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/process/process.hpp"

#include <unistd.h>
#include <cstdlib>
#include <cstring>

#include "drivers/common/dynamic_loader.hpp"
#include "drivers/common/library_path.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {

constinit Process process;

namespace {

using ExportTable = int(const void** table, const void* id);

// Before there is an engine to log by.
void complain(const char* what, const char* path) {
  driver::Line line;
  line << "nvmlab[" << std::uint64_t{sys::process_id()} << "] libcuda.so.1: " << what << " " << driver::Quoted{path}
       << "; it belongs beside libcuda.so.1, as `nvmlab run` and the installation have it";
  line.end();
  sys::write_quietly(2, line.text(), line.size());
}

// By its absolute path: one process has one engine, and it is that of our own folder.
const driver::EngineTable* open_engine() {
  driver::LibraryPath path;
  const driver::DynamicLoader loader;
  if (!loader.there() || !driver::beside_library("libnvidia-ml.so.1", &path)) return nullptr;
  void* const library = loader.open(path.text, RTLD_NOW | RTLD_LOCAL);
  auto* const ask = library == nullptr ? nullptr : driver::look_up<ExportTable>(library, "nvmlInternalGetExportTable");
  const void* found = nullptr;
  if (ask == nullptr || ask(&found, driver::kEngineTableId) != 0 || found == nullptr) {
    complain("cannot use", path.text);
    return nullptr;
  }
  const auto* table = static_cast<const driver::EngineTable*>(found);
  if (table->size == sizeof *table && table->layout_hash == kLayoutHash) return table;
  complain("is of another build of nvmlab than", path.text);
  return nullptr;
}

// What cuInit says where nvmlInit fails. NVML tells no more than that a driver is not there.
CUresult code_of_init(std::uint32_t nvml) {
  constexpr std::uint32_t kVersionMismatch = 18;
  switch (nvml) {
    case kDriverNotLoaded:
      return CUDA_ERROR_NO_DEVICE;
    case kVersionMismatch:
      return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
    case kMemory:
      return CUDA_ERROR_OUT_OF_MEMORY;
    default:
      return CUDA_ERROR_UNKNOWN;
  }
}

// A GPU behind NVSwitches works once its fabric is up.
bool fabric_is_up(const CudaGpu& gpu) {
  constexpr std::uint32_t kNotStarted = 1;
  constexpr std::uint32_t kInProgress = 2;
  const std::uint32_t state = read_field(gpu.slot, &Gpu::fabric, &Fabric::state).value_or(0);
  return state != kNotStarted && state != kInProgress;
}

CUresult first_init() {
  const driver::EngineTable* table = engine();
  if (table == nullptr) return CUDA_ERROR_UNKNOWN;
  if (const std::uint32_t code = table->open(&process.store); code != 0) return code_of_init(code);
  process.device_count = choose_devices(*table, *process.store, std::getenv("CUDA_DEVICE_ORDER"),
                                        std::getenv("CUDA_VISIBLE_DEVICES"), process.devices);
  if (process.device_count == 0) return CUDA_ERROR_NO_DEVICE;
  for (std::uint32_t i = 0; i < process.device_count; ++i) {
    if (!fabric_is_up(gpu_of(process.devices[i]))) return CUDA_ERROR_SYSTEM_NOT_READY;
  }
  __atomic_store_n(&process.token, sys::process_token(), __ATOMIC_RELEASE);
  return CUDA_SUCCESS;
}

}  // namespace

const driver::EngineTable* engine() {
  const driver::EngineTable* known = __atomic_load_n(&process.engine, __ATOMIC_ACQUIRE);
  if (known != nullptr) return known;
  known = open_engine();
  __atomic_store_n(&process.engine, known, __ATOMIC_RELEASE);
  return known;
}

CUresult initialise() {
  const Locked lock;
  const std::uint32_t token = __atomic_load_n(&process.token, __ATOMIC_ACQUIRE);
  if (token != 0) return token == sys::process_token() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
  return first_init();
}

CUresult check_initialised() {
  const std::uint32_t token = __atomic_load_n(&process.token, __ATOMIC_ACQUIRE);
  return token != 0 && token == sys::process_token() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

std::uint32_t cuda_release() {
  std::uint32_t known = __atomic_load_n(&process.cuda_release, __ATOMIC_RELAXED);
  if (known != 0) return known;
  const driver::EngineTable* table = engine();
  known = table == nullptr ? 0 : table->cuda_version();
  __atomic_store_n(&process.cuda_release, known, __ATOMIC_RELAXED);
  return known;
}

std::uint32_t log_level() {
  const driver::EngineTable* table = __atomic_load_n(&process.engine, __ATOMIC_ACQUIRE);
  return table == nullptr ? 0 : table->log_level();
}

void log(std::uint32_t level, const driver::Line& line) {
  if (const driver::EngineTable* table = __atomic_load_n(&process.engine, __ATOMIC_ACQUIRE))
    table->log(level, line.text());
}

const VisibleDevice* find_device(CUdevice ordinal) {
  if (ordinal < 0 || static_cast<std::uint32_t>(ordinal) >= process.device_count) return nullptr;
  return &process.devices[ordinal];
}

CudaGpu gpu_of(const VisibleDevice& device) { return {*process.store, process.store->gpus()[device.gpu], device}; }

// A program whose GPU falls off the bus is told of an unknown error: github.com/proteneer/timemachine/pull/1203 takes
// it for that.
CUresult state_of(const CudaGpu& gpu) {
  switch (process.engine->state_of(gpu.store, gpu.slot)) {
    case kSuccess:
      return CUDA_SUCCESS;
    case kResetRequired:
      return CUDA_ERROR_ECC_UNCORRECTABLE;
    default:
      return CUDA_ERROR_UNKNOWN;
  }
}

}  // namespace nvmlab::cuda
