// SPDX-License-Identifier: Apache-2.0
//
// Licences of vGPU software. Nothing on a bare board takes one, and that is all that a caller is told: the four layouts
// that the list has had begin with the same two members. What else belongs to vGPUs is refused by verdicts of
// model/meaning/vgpu.yaml. Tests: tests/drivers/functions/vgpu_test.cpp.
#include <cstddef>

#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver::hooks {

static_assert(offsetof(nvmlGridLicensableFeatures_t, isGridLicenseSupported) == 0 &&
              offsetof(nvmlGridLicensableFeatures_t, licensableFeaturesCount) == 4);

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v4(const Device&,
                                                    nvmlGridLicensableFeatures_t* pGridLicensableFeatures) {
  pGridLicensableFeatures->isGridLicenseSupported = 0;
  pGridLicensableFeatures->licensableFeaturesCount = 0;
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver::hooks
