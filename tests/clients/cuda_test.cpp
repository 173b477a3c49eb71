// SPDX-License-Identifier: Apache-2.0
//
// Programs on CUDA's driver API, unmodified: they find the devices of a machine as its profile describes them. Both
// take the functions of the driver by name, numba the newest that there is, so each gets the library of the driver.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/compile.hpp"
#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

class CudaClients : public testing::TestWithParam<std::string_view> {
 protected:
  nlohmann::json told_by(const Client& client, const char* script) const {
    Command command;
    command.time_limit = std::chrono::minutes(2);  // of imports alone, where many tests run side by side
    command.environment = node_environment(Node{});
    command.arguments = {nvmlab_program().string(),
                         "run",
                         "--profile",
                         std::string{GetParam()},
                         "--driver",
                         "550",
                         "--",
                         "env",
                         "PYTHONPATH=" + client.program.parent_path().string(),
                         "PYTHONDONTWRITEBYTECODE=1",
                         "CUDA_DEVICE_ORDER=PCI_BUS_ID",
                         "python3",
                         (source_folder() / "tests/clients" / script).string()};
    const Outcome ran = run(command);
    EXPECT_TRUE(ran.ok()) << ran.story();
    return nlohmann::json::parse(ran.out, nullptr, false);
  }
};

// "GPU-8932f937-d72c-..." as 32 digits.
std::string digits_of(std::string uuid) {
  uuid.erase(0, 4);
  std::erase(uuid, '-');
  return uuid;
}

TEST_P(CudaClients, NvidiasBindingFindsEveryGpu) {
  NVMLAB_REQUIRE_CLIENT(client, "cuda-bindings");
  const auto machine = compiler::compile(GetParam());
  ASSERT_TRUE(machine);
  const auto told = told_by(client, "cuda_bindings_devices.py");
  ASSERT_EQ(told.size(), machine->gpu_count());
  for (std::uint32_t i = 0; i < machine->gpu_count(); ++i) {
    const Gpu& gpu = machine->gpu(i);
    EXPECT_EQ(told[i].at("name"), gpu.identity.name.data);
    EXPECT_EQ(told[i].at("uuid"), digits_of(gpu.identity.uuid.data));
    EXPECT_LE(told[i].at("memory"), gpu.memory.total_bytes.value);
    EXPECT_GE(told[i].at("attributes"), 110);
  }
}

TEST_P(CudaClients, NumbaFindsEveryGpu) {
  NVMLAB_REQUIRE_CLIENT(client, "numba");
  const auto machine = compiler::compile(GetParam());
  ASSERT_TRUE(machine);
  const auto told = told_by(client, "numba_devices.py");
  ASSERT_EQ(told.size(), machine->gpu_count());
  for (std::uint32_t i = 0; i < machine->gpu_count(); ++i) {
    const Gpu& gpu = machine->gpu(i);
    EXPECT_EQ(told[i].at("name"), gpu.identity.name.data);
    EXPECT_EQ(told[i].at("uuid"), gpu.identity.uuid.data);
    EXPECT_EQ(told[i].at("capability")[0], gpu.identity.compute_capability_major.value);
    if (gpu.cuda.multiprocessor_count.has_value()) {
      EXPECT_EQ(told[i].at("multiprocessors"), gpu.cuda.multiprocessor_count.value);
    }
    EXPECT_LT(told[i].at("free"), told[i].at("memory"));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, CudaClients,
                         testing::Values("dgx-a100", "dgx-h100", "g6-xlarge", "hgx-a100-4gpu", "rtx-4090-server"),
                         NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
