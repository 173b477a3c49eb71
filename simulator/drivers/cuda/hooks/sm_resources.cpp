// SPDX-License-Identifier: Apache-2.0
// Multiprocessors that are parted, and put into descriptors. Tests: tests/drivers/cuda/sm_resources_test.cpp.
#include "drivers/cuda/contexts/sm_resources.hpp"

#include "drivers/cuda/contexts/green_contexts.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"

namespace nvmlab::cuda {
namespace {

constexpr unsigned kIgnoreCoscheduling = 1;
constexpr unsigned kLargestClusters = 2;
constexpr unsigned kBackfill = 1;
constexpr std::uint32_t kHopper = 90;

constinit std::uint64_t last_split = 0;

std::uint32_t round_up(std::uint32_t count, std::uint32_t to) { return (count + to - 1) / to * to; }

// What is to be parted, as it came from a device or context, or was left over.
CUresult read_input(const CUdevResource* input, SmRange* range) {
  if (input == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = read_resource(*input, range);
  if (code != CUDA_SUCCESS) return code;
  return range->origin == SmOrigin::group ? CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION : CUDA_SUCCESS;
}

void write_remainder(const SmRange& left, const SmRules& rules, CUdevResource* out) {
  if (out == nullptr) return;
  if (left.count == 0) return write_no_resource(out);
  write_resource({left.device, left.begin, left.count, SmOrigin::remainder, last_split}, rules, out);
}

SmRange take(SmRange& from, std::uint32_t count) {
  const SmRange taken{from.device, from.begin, count, SmOrigin::group, last_split};
  from.begin += count;
  from.count -= count;
  return taken;
}

CUresult split_evenly(CUdevResource* result, unsigned* groups, const CUdevResource* input, CUdevResource* remainder,
                      unsigned flags, unsigned least) {
  SmRange left{};
  if (groups == nullptr || (flags & ~(kIgnoreCoscheduling | kLargestClusters)) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = read_input(input, &left); code != CUDA_SUCCESS) return code;
  if (least > left.count) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & kLargestClusters) != 0 && capability_of(gpu_of(process.devices[left.device])) < kHopper)
    return CUDA_ERROR_INVALID_VALUE;
  const SmRules rules = sm_rules(left.device, (flags & kIgnoreCoscheduling) != 0);
  const std::uint32_t each = round_up(least > rules.least ? least : rules.least, rules.alignment);
  const std::uint32_t most = left.count / each;
  if (result == nullptr) {
    *groups = most;
    return CUDA_SUCCESS;
  }
  if (*groups == 0) return CUDA_ERROR_INVALID_VALUE;
  if (most == 0) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  if (*groups > most) *groups = most;
  ++last_split;
  for (unsigned i = 0; i < *groups; ++i)
    write_resource(take(left, each), rules, &result[i]);
  write_remainder(left, rules, remainder);
  return CUDA_SUCCESS;
}

// How many multiprocessors a group has of those that are left.
CUresult size_of_group(const CU_DEV_SM_RESOURCE_GROUP_PARAMS& asked, const SmRange& left, std::uint32_t* count,
                       std::uint32_t* together) {
  const bool hopper = capability_of(gpu_of(process.devices[left.device])) >= kHopper;
  const std::uint32_t most_together = hopper ? 32 : 2;
  *together = asked.coscheduledSmCount == 0 ? (hopper ? 8 : 2) : asked.coscheduledSmCount;
  const bool backfill = (asked.flags & kBackfill) != 0;
  if ((asked.flags & ~kBackfill) != 0 || *together > most_together || *together % 2 != 0)
    return CUDA_ERROR_INVALID_VALUE;
  *count = asked.smCount;
  if (asked.smCount == 0) {
    *count = backfill ? left.count / 2 * 2 : left.count / *together * *together;
    return CUDA_SUCCESS;
  }
  if (*count % 2 != 0 || (!backfill && *count % *together != 0)) return CUDA_ERROR_INVALID_VALUE;
  return *count > left.count ? CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION : CUDA_SUCCESS;
}

CUresult split_by_groups(CUdevResource* result, unsigned groups, const CUdevResource* input, CUdevResource* remainder,
                         CU_DEV_SM_RESOURCE_GROUP_PARAMS* asked) {
  SmRange left{};
  if (const CUresult code = read_input(input, &left); code != CUDA_SUCCESS) return code;
  ++last_split;
  for (unsigned i = 0; i < groups; ++i) {
    std::uint32_t count = 0;
    std::uint32_t together = 0;
    if (const CUresult code = size_of_group(asked[i], left, &count, &together); code != CUDA_SUCCESS) return code;
    if (result != nullptr && (count == 0 || count < together)) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    asked[i].smCount = count;
    const SmRange taken = take(left, count);
    if (result != nullptr) write_resource(taken, {together, together}, &result[i]);
  }
  write_remainder(left, sm_rules(left.device, false), remainder);
  return CUDA_SUCCESS;
}

// Several must be of one split, and each of them another one.
CUresult join(const CUdevResource* resources, unsigned count, SmRange* all) {
  if (const CUresult code = read_resource(resources[0], all); code != CUDA_SUCCESS) return code;
  for (unsigned i = 1; i < count; ++i) {
    SmRange next{};
    if (const CUresult code = read_resource(resources[i], &next); code != CUDA_SUCCESS) return code;
    if (next.device != all->device || next.split == 0 || next.split != all->split)
      return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    for (unsigned before = 0; before < i; ++before) {
      SmRange other{};
      read_resource(resources[before], &other);
      if (next.begin < other.begin + other.count && other.begin < next.begin + next.count)
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    }
    all->count += next.count;
  }
  return CUDA_SUCCESS;
}

}  // namespace

namespace hooks {

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource* resource, CUdevResourceType type) {
  if (resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (type != kMultiprocessors) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  const auto ordinal = static_cast<std::uint32_t>(device);
  write_resource(all_multiprocessors(ordinal), sm_rules(ordinal, false), resource);
  return CUDA_SUCCESS;
}

CUresult cuDevSmResourceSplitByCount(CUdevResource* result, unsigned int* nbGroups, const CUdevResource* input,
                                     CUdevResource* remainder, unsigned int flags, unsigned int minCount) {
  const Locked lock;
  return split_evenly(result, nbGroups, input, remainder, flags, minCount);
}

CUresult cuDevSmResourceSplit(CUdevResource* result, unsigned int nbGroups, const CUdevResource* input,
                              CUdevResource* remainder, unsigned int flags,
                              CU_DEV_SM_RESOURCE_GROUP_PARAMS* groupParams) {
  if (nbGroups == 0 || groupParams == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  return split_by_groups(result, nbGroups, input, remainder, groupParams);
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* phDesc, CUdevResource* resources, unsigned int nbResources) {
  if (phDesc == nullptr || resources == nullptr || nbResources == 0) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  SmRange all{};
  const CUresult code = join(resources, nbResources, &all);
  return code == CUDA_SUCCESS ? create_descriptor(all, phDesc) : code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
