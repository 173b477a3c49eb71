// SPDX-License-Identifier: Apache-2.0
//
// Every shipped machine under the real nvidia-smi: one run each, which tells its GPUs by their names. How far the rest
// agrees with captures is measured by tests/golden and profiles/evidence.
#include <gtest/gtest.h>

#include "clients/smi.hpp"
#include "engine/workshop/compile.hpp"
#include "engine/workshop/shipped.hpp"

namespace nvmlab::test {
namespace {

TEST(SmiBoards, EveryMachineIsPrinted) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-550");
  std::size_t machines = 0;
  for (const auto& shipped : workshop::shipped_profiles()) {
    if (!shipped.machine) continue;
    ++machines;
    SCOPED_TRACE(shipped.name);
    const auto machine = workshop::compile(shipped.name);
    ASSERT_TRUE(machine);
    Node node;
    node.profile = shipped.name;
    const auto outcome = smi(client, {"-q", "-x"}, node);
    ASSERT_TRUE(outcome.ok()) << outcome.story();
    const auto log = read_output(outcome, client.name);
    ASSERT_EQ(log.gpus.size(), machine->gpu_count());
    for (std::uint32_t i = 0; i < machine->gpu_count(); ++i) {
      const auto* name = log.find(static_cast<int>(i), "product_name");
      ASSERT_NE(name, nullptr);
      EXPECT_EQ(name->value, machine->gpu(i).identity.name.data);
    }
  }
  EXPECT_GE(machines, 20U);
}

}  // namespace
}  // namespace nvmlab::test
