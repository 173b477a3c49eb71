// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/contexts/sm_resources.hpp"

#include <cstring>

#include "drivers/cuda/process/attribute_sources.hpp"

namespace nvmlab::cuda {
namespace {

struct ResourceLabel {
  SmRange range;
  std::uint64_t sum;
};

std::uint64_t sum_of(const SmRange& range) {
  std::uint64_t words[sizeof range / sizeof(std::uint64_t)];
  static_assert(sizeof words == sizeof range);
  std::memcpy(words, &range, sizeof words);
  std::uint64_t sum = 0x9E3779B97F4A7C15;
  for (const std::uint64_t word : words)
    sum = (sum ^ word) * 0x100000001B3;
  return sum;
}

}  // namespace

// The least and the alignment by the guideline of CUDA 12.9's cuda.h; what is left of them without co-scheduling is
// assumed.
SmRules sm_rules(std::uint32_t device, bool ignore_coscheduling) {
  const std::uint32_t capability = capability_of(gpu_of(process.devices[device]));
  if (capability < 70) return {1, 1};
  if (ignore_coscheduling || capability < 80) return {2, 2};
  return capability < 90 ? SmRules{4, 2} : SmRules{8, 8};
}

SmRange all_multiprocessors(std::uint32_t device) {
  const auto count = static_cast<std::uint32_t>(rules::multiprocessor_count(gpu_of(process.devices[device])));
  return {device, 0, count, SmOrigin::queried, 0};
}

void write_resource(const SmRange& range, const SmRules& rules, CUdevResource* out) {
  const ResourceLabel label{range, sum_of(range)};
  static_assert(sizeof label <= sizeof out->own);
  *out = {};
  out->type = kMultiprocessors;
  std::memcpy(out->own, &label, sizeof label);
  out->sm = {range.count, rules.least, rules.alignment, 0, 0};
}

void write_no_resource(CUdevResource* out) { *out = {}; }

CUresult read_resource(const CUdevResource& resource, SmRange* out) {
  if (resource.type != kMultiprocessors) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  ResourceLabel label{};
  std::memcpy(&label, resource.own, sizeof label);
  if (label.sum != sum_of(label.range) || label.range.device >= process.device_count ||
      resource.sm.smCount != label.range.count || label.range.count == 0)
    return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  *out = label.range;
  return CUDA_SUCCESS;
}

}  // namespace nvmlab::cuda
