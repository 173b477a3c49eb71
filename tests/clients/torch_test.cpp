// SPDX-License-Identifier: Apache-2.0
//
// PyTorch as its wheel comes, on our CUDA runtime: whatever needs no kernel of the wheel, and the kernels that it
// compiles itself, which triton makes PTX of (torch_kernels.py).
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/clients/smi.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

std::string of_this_folder(const char* file) { return (source_folder() / "tests/clients" / file).string(); }

TEST(Torch, ManagesDevicesAndComputesWhatItCompiles) {
  NVMLAB_REQUIRE_CLIENT(client, "torch");
  if (!exists(std::filesystem::path{"/usr/bin/cc"}))
    GTEST_SKIP() << "PyTorch compiles its launcher with the system's cc";
  const TempFolder cache;
  Command command;
  command.time_limit = std::chrono::minutes(8);
  command.environment = node_environment(Node{});
  command.environment["PYTHONPATH"] = client.program.parent_path().string();
  command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
  for (const auto* variable : {"XDG_CACHE_HOME", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"})
    command.environment[variable] = cache.path().string();
  command.environment["TRITON_PTXAS_PATH"] = of_this_folder("ptx_as_it_is.sh");
  command.arguments = {
      nvmlab_program().string(),         "run", "--gpus", "2", "--driver", "570", "--cudart", "12", "--", "python3",
      of_this_folder("torch_kernels.py")};
  const Outcome ran = run(command);
  ASSERT_TRUE(ran.ok()) << ran.story();
  const auto told = nlohmann::json::parse(lines(ran.out).back(), nullptr, false);
  ASSERT_TRUE(told.is_object()) << ran.story();
  EXPECT_EQ(told.at("failed"), nlohmann::json::array()) << told.dump(2);
  EXPECT_GE(told.at("passed"), 27);
  std::cout << "PyTorch " << told.at("version") << ": " << told.at("passed") << " results are right\n";
  // What cannot run says why, and what to do.
  EXPECT_NE(ran.err.find("this fatbin has no PTX for compute capability 8.0"), std::string::npos) << ran.story();
}

}  // namespace
}  // namespace nvmlab::test
