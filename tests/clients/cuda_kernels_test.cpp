// SPDX-License-Identifier: Apache-2.0
//
// Programs whose kernels run, unmodified: each brings its own compiler to PTX, and a script of ours holds what its
// kernels compute against NumPy (*_kernels.py). How long taichi's start takes is printed and not judged: machines
// differ.
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

std::string beside(const char* file) { return (source_folder() / "tests/clients" / file).string(); }

class CudaKernels : public testing::Test {
 protected:
  // What the script told as its last line; caches of what was compiled last as long as the test.
  nlohmann::json told_by(const Client& client, const std::string& profile, const char* script,
                         std::vector<std::string> settings = {}) const {
    Command command;
    command.environment = node_environment(Node{});
    const auto folder = client.program.parent_path();
    const auto own = folder / "bin/python3";
    command.arguments = {nvmlab_program().string(), "run", "--profile", profile, "--driver", "580", "--", "env"};
    const auto add = [&](const std::string& word) { command.arguments.push_back(word); };
    if (!exists(own)) add("PYTHONPATH=" + folder.string());
    add("PYTHONDONTWRITEBYTECODE=1");
    for (const auto* cache : {"XDG_CACHE_HOME", "TRITON_CACHE_DIR"})
      add(std::string(cache) + "=" + cache_.path().string());
    for (const auto& setting : settings)
      add(setting);
    add(exists(own) ? own.string() : "python3");
    add(beside(script));
    const Outcome ran = run(command);
    EXPECT_TRUE(ran.ok()) << ran.story();
    const auto told = lines(ran.out);
    return nlohmann::json::parse(told.empty() ? "" : told.back(), nullptr, false);
  }

  // At least so many results were right, and none was wrong.
  static void hold(const Client& client, const nlohmann::json& told, int least) {
    ASSERT_TRUE(told.is_object()) << client.name;
    EXPECT_EQ(told.at("failed"), nlohmann::json::array()) << told.dump(2);
    EXPECT_GE(told.at("passed"), least);
    std::cout << client.name << " " << client.version << ": " << told.at("passed") << " results are NumPy's\n";
  }

 private:
  TempFolder cache_;
};

TEST_F(CudaKernels, OfTinygradComputeAndTrain) {
  NVMLAB_REQUIRE_CLIENT(client, "tinygrad");
  hold(client, told_by(client, "dgx-h100", "tinygrad_kernels.py", {"DEV=CUDA:PTX"}), 44);
}

TEST_F(CudaKernels, OfDrJitComputeAndReadTextures) {
  NVMLAB_REQUIRE_CLIENT(client, "drjit");
  hold(client, told_by(client, "dgx-a100", "drjit_kernels.py"), 23);
}

TEST_F(CudaKernels, OfTaichiStartWithAThreadForEachRandomState) {
  NVMLAB_REQUIRE_CLIENT(client, "taichi");
  const auto told = told_by(client, "dgx-h100", "taichi_kernels.py");
  hold(client, told, 13);
  std::cout << "its start: " << told.at("started") << " s, " << told.at("processor") << " s of processor\n";
}

TEST_F(CudaKernels, OfTritonRunAsPtx) {
  NVMLAB_REQUIRE_CLIENT(client, "triton");
  if (!exists(std::filesystem::path{"/usr/bin/cc"}))
    GTEST_SKIP() << "triton compiles its launcher with the system's cc";
  const auto assembler = beside("ptx_as_it_is.sh");
  hold(client,
       told_by(client, "hgx-a100-4gpu", "triton_kernels.py",
               {"TRITON_PTXAS_PATH=" + assembler, "TRITON_PTXAS_BLACKWELL_PATH=" + assembler}),
       11);
}

TEST_F(CudaKernels, OfCudaCoreComeFromNvrtc) {
  NVMLAB_REQUIRE_CLIENT(client, "numba-cuda");
  hold(client, told_by(client, "dgx-h100", "cuda_core_kernels.py"), 10);
}

TEST_F(CudaKernels, OfNumbaAreLinkedAsPtx) {
  NVMLAB_REQUIRE_CLIENT(client, "numba-cuda");
  hold(client, told_by(client, "dgx-h100", "numba_kernels.py"), 19);
}

}  // namespace
}  // namespace nvmlab::test
