// SPDX-License-Identifier: Apache-2.0
// What calls about managed memory say: a range of it, and a processor. Under the lock of the process. Tests:
// tests/drivers/cuda/managed_test.cpp.
#pragma once

#include "drivers/cuda/memory/managed_hints.hpp"

namespace nvmlab::cuda {

inline constexpr int kNoPlace = 0;
inline constexpr int kAtDevice = 1;
inline constexpr int kAtHost = 2;
inline constexpr int kAtHostNode = 3;

inline constexpr int kDeviceOfHost = -1;  // of functions that take an ordinal
inline constexpr int kNoDevice = -2;

// CUDA_ERROR_INVALID_VALUE where it is not within one managed allocation, or empty.
CUresult check_managed(std::uint64_t address, std::uint64_t size);

// Devices whose managed memory host and GPU may use at once; the others take no hints.
bool shares_managed_memory(std::uint32_t device);

// Where a location is; CUDA_ERROR_INVALID_DEVICE of a device that there is not, or that takes no hints.
CUresult find_place(const CUmemLocation& location, HintPlace* out);
// As functions of before CUDA 12.2 say it.
CUmemLocation location_of(CUdevice device);

}  // namespace nvmlab::cuda
