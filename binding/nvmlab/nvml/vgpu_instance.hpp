// SPDX-License-Identifier: Apache-2.0
// A running virtual GPU. In C it is a number, as a VgpuType is; here they are two things.
#pragma once

#include <string>

#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/generated/vgpu_instance_methods.hpp"

namespace nvml::inline v1 {

/// The virtual machine of a vGPU.
struct VmId {
  std::string id;       ///< a UUID, or the number of a domain
  VgpuVmIdType type{};  ///< which of them it is

  friend bool operator==(const VmId&, const VmId&) = default;
};

/// A vGPU that runs in a virtual machine.
class VgpuInstance : public VgpuInstanceMethods {
 public:
  using VgpuInstanceMethods::VgpuInstanceMethods;

  /// Name of the virtual machine that has the vGPU, and whether that is a UUID or a domain's number.
  ///
  /// Drivers from 352 on (NVML 11.0 or older).
  /// Errors: NOT_FOUND (no vGPU has this number), FUNCTION_NOT_FOUND (of origin symbol: the library is too old).
  /// C: nvmlVgpuInstanceGetVmID
  [[nodiscard]] Result<VmId> vm_id() const;
};

}  // namespace nvml::inline v1
