// SPDX-License-Identifier: Apache-2.0
//
// nvidia-ctk, which writes what container engines are to add for a GPU, on a driver root with our library in it. It
// takes the driver's version from the file at the end of the links, and refuses where NVML says another.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "compiler/compile.hpp"
#include "tests/clients/driver_root.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

class ContainerToolkit : public testing::TestWithParam<std::string> {};

TEST_P(ContainerToolkit, DescribesEveryGpu) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-ctk");
  const auto machine = compiler::compile(GetParam());
  ASSERT_TRUE(machine);
  const DriverRoot root;
  if (!root.make("--profile=" + GetParam())) GTEST_SKIP() << "device nodes cannot be made here";
  Node node;
  node.profile = GetParam();
  Command command = on_node(client,
                            {"cdi", "generate", "--mode=nvml", "--format=json", "--nvidia-cdi-hook-path=/bin/true",
                             "--driver-root=" + root.path().string(), "--dev-root=" + root.path().string()},
                            node);
  command.environment["LD_LIBRARY_PATH"] = root.libraries().string();
  const Outcome outcome = run(command);
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  const auto told = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(told.is_object()) << outcome.story();
  std::set<std::string> names;
  for (const auto& device : told.at("devices"))
    names.insert(device.at("name").get<std::string>());
  for (std::uint32_t i = 0; i < machine->gpu_count(); ++i) {
    EXPECT_TRUE(names.contains(std::to_string(i))) << outcome.out;
    EXPECT_TRUE(names.contains(machine->gpu(i).identity.uuid.data)) << outcome.out;
  }
  const std::string version = machine->node().system.driver_version.data;
  EXPECT_NE(outcome.out.find("libnvidia-ml.so." + version), std::string::npos) << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(All, ContainerToolkit, testing::Values("dgx-h100", "g6-xlarge", "v100s-server"),
                         NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
