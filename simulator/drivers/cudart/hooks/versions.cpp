// SPDX-License-Identifier: Apache-2.0
// Versions, and the way to the driver's own functions. Tests: tests/drivers/cudart/errors_test.cpp.
#include "drivers/cudart/generated/hooks.hpp"
#include "drivers/cudart/runtime.hpp"

namespace nvmlab::cudart::hooks {

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  if (driverVersion == nullptr) return cudaErrorInvalidValue;
  *driverVersion = 0;
  const Driver* below = driver();
  return below == nullptr ? cudaSuccess : ask(below->cuDriverGetVersion, driverVersion);
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  if (runtimeVersion == nullptr) return cudaErrorInvalidValue;
  *runtimeVersion = kRuntimeVersion;
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** funcPtr, unsigned int cudaVersion,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* driverStatus) {
  if (symbol == nullptr || funcPtr == nullptr) return cudaErrorInvalidValue;
  return with_driver([&](const Driver& below) {
    int status = 0;
    *funcPtr = nullptr;
    const cudaError_t code = ask(below.cuGetProcAddress_v2, symbol, funcPtr, static_cast<int>(cudaVersion),
                                 static_cast<cuuint64_t>(flags), &status);
    if (driverStatus != nullptr) *driverStatus = static_cast<cudaDriverEntryPointQueryResult>(status);
    return code == cudaSuccess && *funcPtr == nullptr && driverStatus == nullptr ? cudaErrorSymbolNotFound : code;
  });
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* driverStatus) {
  return cudaGetDriverEntryPointByVersion(symbol, funcPtr, static_cast<unsigned>(kRuntimeVersion), flags, driverStatus);
}

// NVIDIA's tables are between NVIDIA's libraries; there is none here.
cudaError_t cudaGetExportTable(const void** ppExportTable, const cudaUUID_t*) {
  if (ppExportTable != nullptr) *ppExportTable = nullptr;
  return cudaErrorInvalidValue;
}

}  // namespace nvmlab::cudart::hooks
