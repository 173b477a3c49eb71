// SPDX-License-Identifier: Apache-2.0
// cuInit, versions, names of codes, and the look-up of functions.
#include <cstdlib>
#include <cstring>

#include "drivers/cuda/abi/generated/result_texts.hpp"
#include "drivers/cuda/abi/names.hpp"
#include "drivers/cuda/contexts/thread_contexts.hpp"
#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"

namespace nvmlab::cuda {
namespace {

// A driver knows the codes of its time.
const ResultRow* find_result(CUresult code) {
  for (const ResultRow& row : kResults) {
    if (row.code == static_cast<int>(code) && row.since <= cuda_release()) return &row;
  }
  return nullptr;
}

CUresult give_text(CUresult error, const char** text, const char* ResultRow::*member) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ResultRow* row = find_result(error);
  *text = row == nullptr ? nullptr : row->*member;
  return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

bool has_base(const FunctionRow& row, const char* base, std::size_t length) {
  return row.base_length == length && std::memcmp(row.name, base, length) == 0;
}

// The newest version that is no newer than `release`, of this stream; null: there is none. `exists` says whether there
// is one of a later release.
const FunctionRow* find_version(const char* base, std::uint32_t release, Stream stream, bool* exists) {
  const std::size_t length = std::strlen(base);
  const FunctionRow* best = nullptr;
  for (const FunctionRow& row : kFunctions) {
    if (row.stream != stream || row.since > cuda_release() || !has_base(row, base, length)) continue;
    *exists = true;
    if (row.since <= release && (best == nullptr || row.since >= best->since)) best = &row;
  }
  return best;
}

constexpr cuuint64_t kOfLegacyStream = 1;  // CU_GET_PROC_ADDRESS_...
constexpr cuuint64_t kOfPerThreadStream = 2;
constexpr int kFound = 0;
constexpr int kNotThere = 1;
constexpr int kTooNew = 2;

// What both forms of cuGetProcAddress do. A name that is not there is no error, as drivers of CUDA 12 have it.
CUresult look_up(const char* symbol, void** function, int release, cuuint64_t flags, int* status) {
  if (symbol == nullptr || function == nullptr || release < 0) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & ~(kOfLegacyStream | kOfPerThreadStream)) != 0 || flags == (kOfLegacyStream | kOfPerThreadStream))
    return CUDA_ERROR_INVALID_VALUE;
  bool exists = false;
  const FunctionRow* row = nullptr;
  if (flags == kOfPerThreadStream)
    row = find_version(symbol, static_cast<std::uint32_t>(release), Stream::per_thread, &exists);
  if (row == nullptr) row = find_version(symbol, static_cast<std::uint32_t>(release), Stream::legacy, &exists);
  *function = row == nullptr ? nullptr : reinterpret_cast<void*>(row->address);
  if (status != nullptr) *status = row != nullptr ? kFound : exists ? kTooNew : kNotThere;
  return CUDA_SUCCESS;
}

// Called by the C library in a thread that ends.
void release_thread(void* contexts) {
  auto& ended = *static_cast<ThreadContexts*>(contexts);
  const Locked lock;
  leave_captures_of_thread(ended.number);
  release_streams_of_thread(ended.number);
  recycle(ended);
}

}  // namespace

namespace hooks {

CUresult cuInit(unsigned int Flags) {
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  keep_by_thread(release_thread);
  return initialise();
}

CUresult cuDriverGetVersion(int* driverVersion) {
  if (driverVersion == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = static_cast<int>(cuda_release());
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** pStr) { return give_text(error, pStr, &ResultRow::name); }
CUresult cuGetErrorString(CUresult error, const char** pStr) { return give_text(error, pStr, &ResultRow::text); }

CUresult cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags) {
  return look_up(symbol, pfn, cudaVersion, flags, nullptr);
}
CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* symbolStatus) {
  return look_up(symbol, pfn, cudaVersion, flags, symbolStatus);
}

// The tables by which NVIDIA's own libraries reach into NVIDIA's driver, and by which they make sure that it is
// NVIDIA's. This one is not, and says so: every table is one that it does not have.
CUresult cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
  if (ppExportTable == nullptr || pExportTableId == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *ppExportTable = nullptr;
  if (log_level() >= kLogInfo) {
    driver::Line line;
    line << "cuGetExportTable: this driver has no internal tables; NVIDIA's CUDA runtime does not run on it, programs "
            "on "
            "the driver API do (docs/guide/cuda.md)";
    log(kLogInfo, line);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  constexpr int kEager = 1;
  constexpr int kLazy = 2;
  constexpr std::uint32_t kLazyByDefault = 12020;
  const char* wanted = std::getenv("CUDA_MODULE_LOADING");
  const int unset = cuda_release() >= kLazyByDefault ? kLazy : kEager;
  *mode = wanted == nullptr ? unset : std::strcmp(wanted, "EAGER") == 0 ? kEager : kLazy;
  return CUDA_SUCCESS;
}

CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }

}  // namespace hooks
}  // namespace nvmlab::cuda
