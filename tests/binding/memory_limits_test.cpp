// SPDX-License-Identifier: Apache-2.0
// Limits of control groups: the group is a parameter, where C has it in the struct.
#include <gtest/gtest.h>

#include <string>

#include "tests/binding/support/fake_objects.hpp"

namespace nvml {
namespace {

TEST(MemoryLimits, AreSetForAControlGroup) {
  Fake fake;
  std::string group;
  abi::nvmlSetMemoryLimits_v1_t seen{};
  fake.set<&Functions::nvmlDeviceSetMemoryLimits_v1>([&](abi::nvmlDevice_t, abi::nvmlSetMemoryLimits_v1_t* c) {
    group = c->nameSpace;
    seen = *c;
    return abi::NVML_SUCCESS;
  });
  const Device device{fake.library().library(), nullptr};
  EXPECT_TRUE(device.set_memory_limits("/sys/fs/cgroup/jobs", {.soft_limit = Bytes{1}, .hard_limit = Bytes{2}}));
  EXPECT_EQ(group, "/sys/fs/cgroup/jobs");
  EXPECT_EQ(seen.softLimit, 1U);
  EXPECT_EQ(seen.hardLimit, 2U);
  EXPECT_TRUE(device.set_memory_limits("/sys/fs/cgroup/jobs", {}));
  EXPECT_EQ(seen.softLimit, 0U);
  EXPECT_EQ(seen.hardLimit, ~0ULL);
}

TEST(MemoryLimits, AreReadOfAControlGroup) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetMemoryLimits_v1>([](abi::nvmlDevice_t, abi::nvmlGetMemoryLimits_v1_t* c) {
    if (std::string{c->nameSpace} != "/sys/fs/cgroup/jobs") return abi::NVML_ERROR_NOT_FOUND;
    c->softLimit = 3;
    c->hardLimit = ~0ULL;
    c->currentUsed = 4;
    return abi::NVML_SUCCESS;
  });
  const Device device{fake.library().library(), nullptr};
  const auto limits = device.memory_limits("/sys/fs/cgroup/jobs");
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->soft_limit, Bytes{3});
  EXPECT_EQ(limits->hard_limit, std::nullopt);
  EXPECT_EQ(limits->current_used, Bytes{4});
  EXPECT_FALSE(device.memory_limits("/elsewhere"));
}

}  // namespace
}  // namespace nvml
