// SPDX-License-Identifier: Apache-2.0
#include "control/refusals.hpp"

#include <fmt/format.h>

#include "compiler/return_codes.hpp"

namespace nvmlab::control {

std::string refusal(Code code, const Change& change, const std::string& what) {
  const std::string owner = change.target.is_gpu() ? fmt::format("GPU {}: ", change.target.gpu) : "";
  if (code == kDriverNotLoaded) return owner + "the driver is not loaded; `nvmlab driver load` loads it";
  if (code == kTimeout || code == kNoPermission || code == kOperatingSystem) return not_locked(code);
  if (code == kGpuIsLost) return owner + "it was removed; nvidia-smi drain -p finds it again";
  if (code == kInsufficientResources)
    return fmt::format("{}{}: {} values are pinned, and no more can be", owner, what, kMaxPins);
  return fmt::format("{}{}: the machine rejects it with NVML_ERROR_{}", owner, what, compiler::return_code_name(code));
}

std::string not_locked(Code code) {
  switch (code) {
    case kTimeout:
      return fmt::format("another process has had the machine's lock for {} s, so nothing was changed; is it stopped?",
                         WriteLock::kPatienceNs / 1'000'000'000);
    case kNoPermission:
      return "this user may not write to the machine";
    case kSuccess:
    case kGpuIsLost:
      return "the machine was taken down just now";
    default:
      return "the machine's file cannot be locked";
  }
}

std::string no_such_gpu(std::uint32_t gpu, std::uint32_t count) {
  if (count == 0) return fmt::format("there is no GPU {}: the machine has none", gpu);
  return fmt::format("there is no GPU {}: the machine has {}, counted from 0", gpu, count);
}

}  // namespace nvmlab::control
