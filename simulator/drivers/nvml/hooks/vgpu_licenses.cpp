// SPDX-License-Identifier: Apache-2.0
//
// Licences of the GPUs in a guest. The struct grew with each version of the function and has no version word, so what
// is written follows the function; of a node without licences only what all four begin with.
// Tests: tests/drivers/functions/vgpu_test.cpp, tests/clients/smi_vgpu_test.cpp.
#include "drivers/nvml/hooks/vgpu.hpp"
#include "drivers/nvml/hooks/vgpu_license.hpp"
#include "engine/topics/vgpu/license_rules.hpp"

namespace nvmlab::driver {
namespace {

using License = Vgpu::License;

struct FeatureV1 {
  nvmlGridLicenseFeatureCode_t featureCode;
  unsigned int featureState;
  char licenseInfo[GRID_LICENSE_BUFFER_SIZE];
};
struct FeatureV2 {
  nvmlGridLicenseFeatureCode_t featureCode;
  unsigned int featureState;
  char licenseInfo[GRID_LICENSE_BUFFER_SIZE];
  char productName[GRID_LICENSE_BUFFER_SIZE];
};
using FeatureV3 = historic::nvmlGridLicensableFeature_t_before_11_4_120;
using FeatureV4 = nvmlGridLicensableFeature_t;

template <class Feature>
struct Features {
  int isGridLicenseSupported;
  unsigned int licensableFeaturesCount;
  Feature gridLicensableFeatures[GRID_LICENSE_FEATURE_MAX_COUNT];
};
static_assert(sizeof(Features<FeatureV4>) == sizeof(nvmlGridLicensableFeatures_t));

static_assert(kLicenseEndUnknown == GRID_LICENSE_EXPIRY_NOT_AVAILABLE && kLicenseEndValid == GRID_LICENSE_EXPIRY_VALID);

template <class Feature>
void put_feature(const License& row, Feature& to) {
  to = {};
  to.featureCode = static_cast<nvmlGridLicenseFeatureCode_t>(row.feature.value_or(0));
  to.featureState = row.state.value_or(0) == GRID_LICENSE_STATE_LICENSED ? 1 : 0;
  if constexpr (requires { to.productName; }) {
    static_assert(sizeof to.productName == sizeof row.product.data);
    std::memcpy(to.productName, row.product.data, sizeof to.productName);
  }
  if constexpr (requires { to.featureEnabled; }) to.featureEnabled = row.enabled.value_or(0);
  if constexpr (requires { to.licenseExpiry; }) {
    const LicenseEnd end = license_end(row.expiry, row.expires_s);
    to.licenseExpiry = {end.year,
                        static_cast<unsigned short>(end.month),
                        static_cast<unsigned short>(end.day),
                        static_cast<unsigned short>(end.hour),
                        static_cast<unsigned short>(end.minute),
                        static_cast<unsigned short>(end.second),
                        static_cast<unsigned char>(end.status)};
  }
}

template <class Feature>
nvmlReturn_t give_features(const Device& gpu, void* callers) {
  auto* const to = static_cast<Features<Feature>*>(callers);
  const std::uint32_t found = consistent(gpu.store.node, [&](const Node& node) {
    std::uint32_t count = 0;
    visit_until(node.vgpu.licenses, [&](const License& each) {
      if (load(each.gpu).value_or(~0U) != gpu.index) return false;
      put_feature(load(each), to->gridLicensableFeatures[count++]);
      return count == GRID_LICENSE_FEATURE_MAX_COUNT;
    });
    return count;
  });
  to->isGridLicenseSupported = found != 0 ? 1 : 0;
  to->licensableFeaturesCount = found;
  return NVML_SUCCESS;
}

}  // namespace

Fact<std::uint32_t> license_state(const Store& store, std::uint32_t gpu) {
  return consistent(store.node, [gpu](const Node& node) {
    Fact<std::uint32_t> state{};
    visit_until(node.vgpu.licenses, [&](const License& each) {
      if (load(each.gpu).value_or(~0U) != gpu) return false;
      state = load(each.state);
      return true;
    });
    return state;
  });
}

namespace hooks {

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures(const Device& gpu,
                                                 nvmlGridLicensableFeatures_t* pGridLicensableFeatures) {
  return give_features<FeatureV1>(gpu, pGridLicensableFeatures);
}

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v2(const Device& gpu,
                                                    nvmlGridLicensableFeatures_t* pGridLicensableFeatures) {
  return give_features<FeatureV2>(gpu, pGridLicensableFeatures);
}

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v3(const Device& gpu,
                                                    nvmlGridLicensableFeatures_t* pGridLicensableFeatures) {
  return give_features<FeatureV3>(gpu, pGridLicensableFeatures);
}

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v4(const Device& gpu,
                                                    nvmlGridLicensableFeatures_t* pGridLicensableFeatures) {
  return give_features<FeatureV4>(gpu, pGridLicensableFeatures);
}

}  // namespace hooks
}  // namespace nvmlab::driver
