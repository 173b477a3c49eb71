// SPDX-License-Identifier: Apache-2.0
// What a program advises of managed memory, and what it is told of that again. Tests:
// tests/drivers/cuda/managed_test.cpp.
#include "drivers/cuda/contexts/contexts.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/memory/managed_places.hpp"

namespace nvmlab::cuda {
namespace {

enum Advice : int {
  kSetReadMostly = 1,
  kUnsetReadMostly,
  kSetPreferred,
  kUnsetPreferred,
  kSetAccessedBy,
  kUnsetAccessedBy
};

enum RangeAttribute : int {
  kReadMostly = 1,
  kPreferred,
  kAccessedBy,
  kPrefetched,
  kPreferredType,
  kPreferredId,
  kPrefetchedType,
  kPrefetchedId
};

bool has_place(int advice) { return advice >= kSetPreferred && advice != kUnsetPreferred; }

void set_accessed_by(Hints& hints, const HintPlace& by, bool set) {
  if (by.type == kAtHost) {
    hints.by_host = set;
    return;
  }
  const auto device = static_cast<std::uint32_t>(by.id);
  const std::uint64_t bit = std::uint64_t{1} << (device % 64);
  std::uint64_t& word = hints.by_device[device / 64];
  word = set ? word | bit : word & ~bit;
}

void apply(Hints& hints, int advice, const HintPlace& place) {
  switch (advice) {
    case kSetReadMostly:
    case kUnsetReadMostly:
      hints.read_mostly = advice == kSetReadMostly;
      break;
    case kSetPreferred:
    case kUnsetPreferred:
      hints.preferred = place;
      break;
    default:
      set_accessed_by(hints, place, advice == kSetAccessedBy);
  }
}

CUresult advise(std::uint64_t address, std::uint64_t size, int advice, const CUmemLocation& location) {
  if (advice < kSetReadMostly || advice > kUnsetAccessedBy) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  HintPlace place{};
  CUresult code = check_managed(address, size);
  if (code == CUDA_SUCCESS && has_place(advice)) code = find_place(location, &place);
  if (code != CUDA_SUCCESS) return code;
  if (advice >= kSetAccessedBy && place.type == kAtHostNode) return CUDA_ERROR_INVALID_VALUE;
  return change_hints(address, address + size, [&](Hints& hints) { apply(hints, advice, place); });
}

// Of a range, where all its pages say the same; none where they do not.
HintPlace place_of_all(std::uint64_t address, std::uint64_t size, HintPlace Hints::*which) {
  HintPlace all{};
  bool first = true;
  for_hints(address, address + size, [&](const Hints& hints) {
    if (first) {
      all = hints.*which;
    } else if (!(hints.*which == all)) {
      all = {};
    }
    first = false;
  });
  return all;
}

// As an ordinal; nodes of the host are the host.
int ordinal_of(const HintPlace& place) {
  if (place.type == kNoPlace) return kNoDevice;
  return place.type == kAtDevice ? place.id : kDeviceOfHost;
}

int read_mostly(std::uint64_t address, std::uint64_t size) {
  bool all = true;
  for_hints(address, address + size, [&](const Hints& hints) { all = all && hints.read_mostly; });
  return all ? 1 : 0;
}

// Those that have all of the range, as many as there is room for.
void tell_accessed_by(std::uint64_t address, std::uint64_t size, int* out, std::uint64_t room) {
  Hints all{};
  all.by_host = true;
  for (std::uint64_t& word : all.by_device)
    word = ~std::uint64_t{0};
  for_hints(address, address + size, [&](const Hints& hints) {
    all.by_host = all.by_host && hints.by_host;
    for (std::uint32_t i = 0; i < Hints::kWords; ++i)
      all.by_device[i] &= hints.by_device[i];
  });
  std::uint64_t told = 0;
  if (all.by_host && told < room) out[told++] = kDeviceOfHost;
  for (std::uint32_t device = 0; device < process.device_count && told < room; ++device) {
    if ((all.by_device[device / 64] >> (device % 64) & 1) != 0) out[told++] = static_cast<int>(device);
  }
  while (told < room)
    out[told++] = kNoDevice;
}

CUresult tell(void* data, std::uint64_t room, int attribute, std::uint64_t address, std::uint64_t size) {
  if (attribute < kReadMostly || attribute > kPrefetchedId || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool good = attribute == kAccessedBy ? room != 0 && room % sizeof(int) == 0 : room == sizeof(int);
  if (!good) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = check_managed(address, size); code != CUDA_SUCCESS) return code;
  int* const out = static_cast<int*>(data);
  const bool preferred = attribute == kPreferred || attribute == kPreferredType || attribute == kPreferredId;
  const HintPlace place = place_of_all(address, size, preferred ? &Hints::preferred : &Hints::prefetched);
  switch (attribute) {
    case kReadMostly:
      *out = read_mostly(address, size);
      break;
    case kAccessedBy:
      tell_accessed_by(address, size, out, room / sizeof(int));
      break;
    case kPreferred:
    case kPrefetched:
      *out = ordinal_of(place);
      break;
    case kPreferredType:
    case kPrefetchedType:
      *out = place.type;
      break;
    default:
      *out = place.type == kNoPlace ? kNoDevice : place.id;
  }
  return CUDA_SUCCESS;
}

}  // namespace

namespace hooks {

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
  return advise(devPtr, count, advice, location_of(device));
}
CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location) {
  return advise(devPtr, count, advice, location);
}

CUresult cuMemRangeGetAttribute(void* data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr,
                                size_t count) {
  const ContextGuard guard;
  return guard.code() == CUDA_SUCCESS ? tell(data, dataSize, attribute, devPtr, count) : guard.code();
}

CUresult cuMemRangeGetAttributes(void** data, size_t* dataSizes, CUmem_range_attribute* attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
  if (data == nullptr || dataSizes == nullptr || attributes == nullptr || numAttributes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  for (size_t i = 0; i < numAttributes; ++i) {
    if (const CUresult code = tell(data[i], dataSizes[i], attributes[i], devPtr, count); code != CUDA_SUCCESS)
      return code;
  }
  return CUDA_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
