// SPDX-License-Identifier: Apache-2.0
//
// Confidential computing: what only makes sense while it is on, and what memory is protected. The rules are those of
// NVIDIA's open kernel modules: GPUs that accepted work and were told to stop never accept any again, keys can be
// arranged only before, and a size of unprotected memory is taken without effect. Tests:
// tests/drivers/functions/confcompute_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

Confcompute settings_of(const Store& node) {
  return consistent(node.node, [](const Node& state) { return load(state.confcompute); });
}

// Settings of a feature that is off, or that the GPUs do not have.
bool is_on(const Confcompute& settings) { return settings.feature.value_or(0) != 0; }

}  // namespace

namespace hooks {

nvmlReturn_t nvmlSystemSetConfComputeGpusReadyState(Store& node, unsigned int isAcceptingWork) {
  const Confcompute settings = settings_of(node);
  if (!settings.ready.has_value()) return code_of(settings.ready.code());
  if (!is_on(settings)) return NVML_ERROR_NOT_SUPPORTED;
  if (isAcceptingWork > CC_ACCEPTING_CLIENT_REQUESTS_TRUE) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(node, [isAcceptingWork](Node& state) {
    Confcompute& now = state.confcompute;
    if (now.ready_withdrawn.value_or(0) != 0) return NVML_ERROR_INVALID_ARGUMENT;
    if (now.ready.value != 0 && isAcceptingWork == 0) now.ready_withdrawn.set(1);
    now.ready.set(isAcceptingWork);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlSystemSetConfComputeKeyRotationThresholdInfo(
    Store& node, nvmlConfComputeSetKeyRotationThresholdInfo_t* pKeyRotationThrInfo) {
  const Confcompute settings = settings_of(node);
  const auto& threshold = settings.key_rotation_attacker_advantage;
  if (!threshold.has_value()) return code_of(threshold.code());
  if (!is_on(settings)) return NVML_ERROR_NOT_SUPPORTED;
  const unsigned long long wanted = pKeyRotationThrInfo->maxAttackerAdvantage;
  if (wanted < CC_KEY_ROTATION_THRESHOLD_ATTACKER_ADVANTAGE_MIN ||
      wanted > CC_KEY_ROTATION_THRESHOLD_ATTACKER_ADVANTAGE_MAX)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(node, [wanted](Node& state) {
    if (state.confcompute.ready.value_or(0) != 0) return NVML_ERROR_INVALID_STATE;
    state.confcompute.key_rotation_attacker_advantage.set(static_cast<std::uint32_t>(wanted));
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetConfComputeUnprotectedMemSize(const Device& gpu, unsigned long long) {
  const Fact<std::uint64_t> secured = read_field(gpu.slot, &Gpu::memory, &Memory::protected_total_bytes);
  if (!secured.has_value()) return code_of(secured.code());
  return may_administrate() ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
}

}  // namespace hooks
}  // namespace nvmlab::driver
