// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/launch_config.hpp"

#include <cstring>

#include "drivers/cuda/modules/launch_attributes.hpp"
#include "drivers/cuda/process/process.hpp"

namespace nvmlab::cuda {
namespace {

CUresult refuse(const char* what) {
  driver::Line line;
  line << "launch refused: " << what;
  log(kLogErrors, line);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult read(const CUlaunchAttribute_st& each, LaunchChoices* out) {
  switch (each.id) {
    case kCooperative:
      out->cooperative = each.value.number != 0;
      return CUDA_SUCCESS;
    case kCluster:
      std::memcpy(out->cluster, each.value.dimensions, sizeof out->cluster);
      return check_cluster(each.value);
    case kEventOfBlocks:
    case kEventOfCompletion:
      return refuse("events that a launch records by an attribute are not simulated; record one behind it");
    case kDeviceUpdatable:
      return each.value.number == 0 ? CUDA_SUCCESS : refuse("kernels that change nodes of graphs are not simulated");
    default:  // where to run, what to keep in a cache, what may begin earlier: nothing that a program could tell
      return CUDA_SUCCESS;
  }
}

}  // namespace

CUresult read_launch_attributes(const CUlaunchConfig& config, LaunchChoices* out) {
  *out = {};
  if (config.numAttrs != 0 && config.attrs == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto* const from = reinterpret_cast<const char*>(config.attrs);
  for (std::size_t i = 0; i < config.numAttrs; ++i) {
    CUlaunchAttribute_st each;
    std::memcpy(&each, from + i * sizeof each, sizeof each);
    if (const CUresult code = read(each, out); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

}  // namespace nvmlab::cuda
