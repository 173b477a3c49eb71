// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/snapshot.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "nvmlab/nvml.hpp"
#include "nvmlab/nvml/generated/return.hpp"
#include "tests/binding/support/simulated.hpp"

namespace nvml {
namespace {

TEST(Snapshot, HasWhatTheGettersAnswer) {
  const Library library = nvmlab::binding_test::open_simulated();
  const Device device = library.devices().at(1);
  const Snapshot now = snapshot(device);
  EXPECT_EQ(now.name, device.name());
  EXPECT_EQ(now.uuid, device.uuid());
  EXPECT_EQ(now.memory_info, device.memory_info());
  EXPECT_EQ(now.power_management_limit, device.power_management_limit());
  EXPECT_EQ(now.pci_info, device.pci_info());
  ASSERT_FALSE(now.fan_speed);
  EXPECT_EQ(now.fan_speed.error().code(), Return::not_supported) << "an SXM board has no fan";
}

TEST(Snapshot, VisitsEachMemberOnce) {
  const Snapshot now = snapshot(nvmlab::binding_test::open_simulated().devices().at(0));
  std::set<std::string, std::less<>> names;
  unsigned answered = 0;
  now.for_each([&](std::string_view name, const auto& answer) {
    EXPECT_TRUE(names.emplace(name).second) << name;
    if (answer) {
      ++answered;
    } else {
      EXPECT_EQ(answer.error().origin(), Origin::driver) << name << ": " << answer.error().message();
    }
  });
  EXPECT_GE(names.size(), 120U);
  EXPECT_GE(answered, 60U);
}

TEST(Snapshot, OfALibraryWithoutFunctionsIsAllErrors) {
  const Library empty = Library::from_table(Functions{});
  const Snapshot nothing = snapshot(Device{empty.library(), nullptr});
  nothing.for_each([](std::string_view name, const auto& answer) {
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().origin(), Origin::symbol) << name;
  });
}

}  // namespace
}  // namespace nvml
