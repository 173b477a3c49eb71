// SPDX-License-Identifier: Apache-2.0
//
// Multiprocessors of a device as resources that are parted: which ones a resource has stands in the bytes that CUDA
// keeps for the driver. By how many they are parted follows from the compute capability, as cuda.h has it. A resource
// that a program has made up is told by a sum over it. Tests: tests/drivers/cuda/sm_resources_test.cpp.
#pragma once

#include "drivers/cuda/process/process.hpp"

namespace nvmlab::cuda {

inline constexpr int kNoResource = 0;
inline constexpr int kMultiprocessors = 1;

enum class SmOrigin : std::uint32_t { queried, group, remainder };

// A row of multiprocessors.
struct SmRange {
  std::uint32_t device;
  std::uint32_t begin;
  std::uint32_t count;
  SmOrigin origin;
  std::uint64_t split;  // whose groups may be put together
};

struct SmRules {
  std::uint32_t least;      // of a partition
  std::uint32_t alignment;  // of its count
};
SmRules sm_rules(std::uint32_t device, bool ignore_coscheduling);

SmRange all_multiprocessors(std::uint32_t device);
void write_resource(const SmRange& range, const SmRules& rules, CUdevResource* out);
void write_no_resource(CUdevResource* out);
// CUDA_ERROR_INVALID_RESOURCE_TYPE and _CONFIGURATION of what is none.
CUresult read_resource(const CUdevResource& resource, SmRange* out);

}  // namespace nvmlab::cuda
