// SPDX-License-Identifier: Apache-2.0
// Placements of vGPUs, whose list grew a member, and the two blocks of bytes that tell whether a vGPU can move.
#include "nvmlab/nvml/vgpu_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "nvmlab/nvml/generated/convert_vgpu.hpp"
#include "tests/binding/support/allocations.hpp"
#include "tests/binding/support/fake_objects.hpp"

namespace nvmlab::binding_test {
namespace {

using namespace nvml;
namespace abi = nvml::abi;

class VgpuLists : public testing::Test {
 protected:
  // Knows lists of this version and older ones.
  void know(unsigned version) {
    fake.set<&Functions::nvmlDeviceGetVgpuTypeSupportedPlacements>(
        [version](abi::nvmlDevice_t, abi::nvmlVgpuTypeId_t type, abi::nvmlVgpuPlacementList_t* list) {
          const bool newer = list->version == abi::version_of<abi::nvmlVgpuPlacementList_v2_t>;
          if ((newer && version < 2) || (!newer && list->version != abi::version_of<abi::nvmlVgpuPlacementList_v1_t>))
            return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
          const unsigned offered = list->count;
          list->count = type;
          list->placementSize = newer ? 100 + list->mode : 50;
          if (offered < type) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
          for (unsigned i = 0; i < type; ++i)
            list->placementIds[i] = i * 8;
          return abi::NVML_SUCCESS;
        });
  }
  Fake fake;
  Device device = device_of(fake);
  VgpuType type(unsigned id) const { return {fake.library().library(), id}; }
};

TEST_F(VgpuLists, PlacementsAndTheirSize) {
  know(2);
  const auto few = device.vgpu_type_supported_placements(type(3), false);
  ASSERT_TRUE(few) << few.error().message();
  EXPECT_EQ(*few, (VgpuPlacements{100, {0, 8, 16}}));
  const auto many = device.vgpu_type_supported_placements(type(1000), true);
  ASSERT_TRUE(many) << many.error().message();
  EXPECT_EQ(many->size, 101U);
  EXPECT_EQ(many->ids.size(), 1000U);
}

TEST_F(VgpuLists, AnOlderDriverKnowsOneMode) {
  know(1);
  EXPECT_EQ(device.vgpu_type_supported_placements(type(2), false).value(), (VgpuPlacements{50, {0, 8}}));
  EXPECT_EQ(device.vgpu_type_supported_placements(type(2), true).error().code(),
            Return{abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH})
      << "an answer for the other mode would be wrong";
}

TEST_F(VgpuLists, PlacementsIntoTheCallersMemory) {
  for (const unsigned version : {1U, 2U}) {
    know(version);
    unsigned memory[3] = {};
    Result<VgpuPlacementsView> lent = VgpuPlacementsView{};
    EXPECT_EQ(allocated([&] { lent = device.vgpu_type_supported_placements(type(3), false, memory); }), 0U);
    ASSERT_TRUE(lent) << lent.error().message();
    const VgpuPlacements list = device.vgpu_type_supported_placements(type(3), false).value();
    EXPECT_EQ(lent->size, list.size);
    EXPECT_EQ(lent->ids.data(), memory);
    EXPECT_TRUE(std::ranges::equal(lent->ids, list.ids));
    EXPECT_EQ(device.vgpu_type_supported_placements(type(4), false, memory).error().code(),
              Return{abi::NVML_ERROR_INSUFFICIENT_SIZE});
  }
  unsigned memory[3] = {};
  EXPECT_EQ(device.vgpu_type_creatable_placements(type(3), false, memory).error().origin(), Origin::symbol);
}

TEST_F(VgpuLists, CompatibilityGetsBothBlocksWhole) {
  fake.set<&Functions::nvmlGetVgpuCompatibility>(
      [](abi::nvmlVgpuMetadata_t* vgpu, abi::nvmlVgpuPgpuMetadata_t* gpu, abi::nvmlVgpuPgpuCompatibility_t* answer) {
        const bool whole = vgpu->opaqueDataSize == 40 && vgpu->opaqueData[39] == 'v' && gpu->opaqueDataSize == 50 &&
                           gpu->opaqueData[49] == 'g';
        answer->compatibilityLimitCode =
            whole ? abi::NVML_VGPU_COMPATIBILITY_LIMIT_GUEST_DRIVER : abi::NVML_VGPU_COMPATIBILITY_LIMIT_NONE;
        return abi::NVML_SUCCESS;
      });
  VgpuMetadata vgpu;
  vgpu.opaque_data.assign(40, 'v');
  VgpuPgpuMetadata gpu;
  gpu.opaque_data.assign(50, 'g');
  const auto answer = fake.library().vgpu_compatibility(vgpu, gpu);
  ASSERT_TRUE(answer) << answer.error().message();
  VgpuPgpuCompatibility expected;
  abi::nvmlVgpuPgpuCompatibility_t c{};
  c.compatibilityLimitCode = abi::NVML_VGPU_COMPATIBILITY_LIMIT_GUEST_DRIVER;
  from_c(c, expected);
  EXPECT_EQ(*answer, expected);
}

}  // namespace
}  // namespace nvmlab::binding_test
