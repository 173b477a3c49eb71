// SPDX-License-Identifier: Apache-2.0
// The table of vGPU types: rows that are published, what holds of all, and where vGPUs may lie.
#include "engine/topics/vgpu/vgpu_type.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace nvmlab::topics_test {
namespace {

std::vector<VgpuType> types_of(std::uint32_t device, std::uint32_t subsystem = 0) {
  std::vector<VgpuType> all;
  const VgpuBoard* const board = find_vgpu_board(device << 16 | 0x10DE, subsystem << 16 | 0x10DE);
  VgpuType type{};
  for (std::uint32_t i = 0; board != nullptr && vgpu_type_at(*board, i, &type); ++i)
    all.push_back(type);
  return all;
}

VgpuType named(const std::vector<VgpuType>& all, const std::string& name) {
  for (const VgpuType& each : all) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(VgpuTypes, AreThoseThatArePublished) {
  const VgpuType compute = named(types_of(0x20F1), "GRID A100-8C");
  EXPECT_EQ(compute.id, 470U);
  EXPECT_EQ(compute.subsystem_id, 0x149A10DEU);
  EXPECT_EQ(compute.max_instances, 5U);
  EXPECT_STREQ(compute.vgpu_class, "Compute");
  EXPECT_FALSE(compute.backed_by_mig());
  const VgpuType sliced = named(types_of(0x20F1), "GRID A100-3-20C");
  EXPECT_EQ(sliced.id, 476U);
  EXPECT_EQ(sliced.gpu_instance_profile, 9U);
  EXPECT_EQ(sliced.max_instances, 2U);
  EXPECT_EQ(named(types_of(0x20F1), "GRID A100-1-5CME").gpu_instance_profile, 20U);
  EXPECT_EQ(named(types_of(0x20F1), "GRID A100-1-10C").gpu_instance_profile, 15U);
  EXPECT_EQ(named(types_of(0x20B7), "NVIDIA A30-2-12C").gpu_instance_profile, 5U);
  const VgpuType desktop = named(types_of(0x1EB8), "GRID T4-2B4");
  EXPECT_EQ(desktop.id, 224U);
  EXPECT_EQ(desktop.frame_rate_limit, 45U);
  EXPECT_EQ(named(types_of(0x2235), "NVIDIA A40-1Q").max_instances, 32U) << "48 GiB, but no more than 32";
  EXPECT_EQ(named(types_of(0x2235), "NVIDIA A40-1Q").max_width, 5120U);
  EXPECT_EQ(named(types_of(0x26B9), "NVIDIA L40S-48Q").id, 1156U);
  EXPECT_EQ(named(types_of(0x2331), "NVIDIA H100-7-80C").id, 825U);
}

TEST(VgpuTypes, BoardsThatShareADeviceIdAreToldApart) {
  EXPECT_EQ(std::string(types_of(0x25B6, 0x14A9).at(0).name), "NVIDIA A16-1B");
  EXPECT_EQ(std::string(types_of(0x25B6, 0x157E).at(0).name), "NVIDIA A2-1B");
  EXPECT_TRUE(types_of(0x25B6, 0x1).empty());
  EXPECT_TRUE(types_of(0x1234).empty());
}

TEST(VgpuTypes, HaveNumbersAndNamesOfTheirOwn) {
  std::map<std::uint32_t, std::string> numbers;
  std::set<std::string> names;
  for (std::uint32_t device = 0; device < 0x10000; ++device) {
    for (const std::uint32_t subsystem : {0x14A9U, 0x157EU}) {
      if (subsystem != 0x14A9U && device != 0x25B6) continue;
      for (const VgpuType& type : types_of(device, subsystem)) {
        EXPECT_TRUE(numbers.emplace(type.id, type.name).second) << type.name << " and " << numbers[type.id];
        EXPECT_TRUE(names.insert(type.name).second) << type.name;
        EXPECT_GE(type.max_instances, 1U) << type.name;
        EXPECT_GT(type.fb_bytes, 0U) << type.name;
      }
    }
  }
  EXPECT_GT(numbers.size(), 300U);
}

std::vector<std::uint32_t> places(const std::string& name, std::uint32_t gib, bool heterogeneous) {
  const Placements found = supported_placements(named(types_of(0x20B2), "GRID A100DX-" + name), gib, heterogeneous);
  return {found.ids, found.ids + found.count};
}

using Places = std::vector<std::uint32_t>;

TEST(VgpuTypes, LieWhereTheOpenKernelModulesPutThem) {
  EXPECT_EQ(places("16C", 80, false), (Places{0, 16, 32, 48, 64}));
  EXPECT_EQ(places("16C", 80, true), (Places{0, 24, 40, 64})) << "one at the outer end of each quarter";
  EXPECT_EQ(places("20C", 80, true), (Places{0, 20, 40, 60}));
  EXPECT_EQ(places("80C", 80, true), (Places{0}));
  EXPECT_EQ(places("8C", 80, true).size(), 8U);
  EXPECT_EQ(places("1-10C", 80, false), Places{}) << "in a GPU instance";
  EXPECT_EQ(places("80C", 40, false), Places{}) << "larger than the board";
}

}  // namespace
}  // namespace nvmlab::topics_test
