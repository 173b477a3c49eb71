// SPDX-License-Identifier: Apache-2.0
//
// hwloc's lstopo, whose plug-in is linked against libnvidia-ml.so.1: every GPU is a device of the operating system,
// with its UUID.
#include <gtest/gtest.h>

#include <filesystem>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "tests/clients/shared_machine.hpp"

namespace nvmlab::test {
namespace {

namespace fs = std::filesystem;

// Where the file of that name lies below a folder.
fs::path folder_with(const fs::path& top, const std::string& name) {
  for (const auto& entry : fs::recursive_directory_iterator(top)) {
    if (entry.path().filename() == name) return entry.path().parent_path();
  }
  ADD_FAILURE() << name << " is not below " << top;
  return {};
}

TEST(Hwloc, KnowsEveryGpuByItsUuid) {
  NVMLAB_REQUIRE_CLIENT(client, "hwloc");
  const fs::path fetched = client.program.parent_path();
  const std::string libraries = folder_with(fetched, "libhwloc.so.15");
  const std::string plugins = folder_with(fetched, "hwloc_nvml.so");
  for (const std::string profile : {"dgx-h100", "hgx-a100-4gpu", "v100s-server", "gtx-1080-rig"}) {
    const auto machine = compiler::compile(profile);
    ASSERT_TRUE(machine);
    Command command;
    command.arguments = {nvmlab_program().string(), "run",  "--profile", profile, "--",
                         client.program.string(),   "--of", "xml"};
    command.environment = node_environment({});
    command.environment["LD_LIBRARY_PATH"] = libraries;
    command.environment["HWLOC_PLUGINS_PATH"] = plugins;
    const Outcome outcome = run(command);
    ASSERT_TRUE(outcome.ok()) << outcome.story();
    EXPECT_EQ(count(outcome.out, "subtype=\"NVML\""), machine->gpu_count()) << profile << outcome.story();
    for (std::uint32_t i = 0; i < machine->gpu_count(); ++i) {
      const auto info = fmt::format("name=\"NVIDIAUUID\" value=\"{}\"", machine->gpu(i).identity.uuid.data);
      EXPECT_NE(outcome.out.find(info), std::string::npos) << profile << " " << info;
    }
  }
}

}  // namespace
}  // namespace nvmlab::test
