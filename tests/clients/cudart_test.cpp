// SPDX-License-Identifier: Apache-2.0
//
// Programs on the CUDA runtime, as NVIDIA's compiler builds them: with the shared runtime they compute on ours, with
// the static one, which is nvcc's default, they report what NVIDIA's runtime says of a driver that is not NVIDIA's.
#include <gtest/gtest.h>

#include "tests/clients/smi.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

class CudartPrograms : public testing::Test {
 protected:
  std::string program() const { return (folder_.path() / "program").string(); }

  // The sources, and what else its compiler is told.
  Outcome compile(const Client& nvcc, const std::string& runtime, const std::string& capability = "75",
                  const std::vector<std::string>& sources = {"sum.cu"},
                  const std::vector<std::string>& more = {}) const {
    const std::string root = (nvcc.program.parent_path() / "nvidia/cu13").string();
    Command command;
    command.environment["PATH"] = root + "/bin:/usr/bin:/bin";
    // The wheel has the library under its soname alone.
    command.arguments = {root + "/bin/nvcc",
                         "-cudart",
                         runtime,
                         "-gencode",
                         "arch=compute_" + capability + ",code=compute_" + capability,
                         "-Xlinker",
                         "--no-as-needed",
                         "-o",
                         program(),
                         "-L",
                         folder_.path().string(),
                         "-L",
                         root + "/lib"};
    for (const std::string& each : sources)
      command.arguments.push_back((source_folder() / "tests/clients/cuda_programs" / each).string());
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    std::filesystem::create_symlink(root + "/lib/libcudart.so.13", folder_.path() / "libcudart.so");
    return run(command);
  }

  Outcome ran(std::vector<std::string> options) const {
    Command command;
    command.environment = node_environment(Node{});
    command.arguments = {nvmlab_program().string(), "run", "--gpus", "2", "--driver", "580"};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.arguments.insert(command.arguments.end(), {"--", program()});
    return run(command);
  }

  TempFolder folder_;
};

TEST_F(CudartPrograms, ComputeOnTheSharedRuntime) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-cuda-nvcc");
  const Outcome built = compile(client, "shared");
  ASSERT_TRUE(built.ok()) << built.story();
  const Outcome shown = ran({"--cudart", "13"});
  EXPECT_TRUE(shown.ok()) << shown.story();
  EXPECT_EQ(shown.out,
            "2 devices\n"
            "NVIDIA A100-SXM4-40GB: wrong=0 counted=3334 blocks=8 refused=1 time=1\n"
            "shown=42\n"
            "NVIDIA A100-SXM4-40GB: wrong=0 counted=3334 blocks=8 refused=1 time=1\n");
}

// Clusters by cooperative groups, in a program that is linked of parts.
TEST_F(CudartPrograms, RunClustersAndParts) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-cuda-nvcc");
  const std::string headers = (client.program.parent_path() / "nvidia/cu13/include/cccl").string();
  const Outcome built = compile(client, "shared", "90", {"clusters.cu", "clusters_part.cu"},
                                {"-std=c++17", "-rdc=true", "-I", headers, "-lcudadevrt"});
  ASSERT_TRUE(built.ok()) << built.story();
  const Outcome shown = ran({"--cudart", "13", "--profile", "dgx-h100"});
  EXPECT_TRUE(shown.ok()) << shown.story();
  EXPECT_EQ(shown.out,
            "clusters of 1: 0 0 wrong=0\n"
            "clusters of 2: 0 0 wrong=0\n"
            "clusters of 8: 0 0 wrong=0\n"
            "clusters of 4: 0 0 wrong=0\n"
            "parts: 0 42 43 44\n");
}

// The line that is not crossed.
TEST_F(CudartPrograms, ReportAForeignDriverWithTheStaticOne) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-cuda-nvcc");
  const Outcome built = compile(client, "static");
  ASSERT_TRUE(built.ok()) << built.story();
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--cudart", "13"}}) {
    const Outcome shown = ran(options);
    EXPECT_EQ(shown.exit_code, 1) << shown.story();
    // Its first table is refused.
    EXPECT_NE(shown.out.find("cudaErrorInvalidValue: invalid argument"), std::string::npos) << shown.story();
  }
  const Outcome old = ran({"--no-driver"});
  EXPECT_NE(old.out.find("no CUDA-capable device is detected"), std::string::npos) << old.story();
}

// Its kernels come from NVRTC, which gives PTX when it is asked to; what CuPy has compiled for GPUs alone is switched
// off.
TEST_F(CudartPrograms, CupyComputes) {
  NVMLAB_REQUIRE_CLIENT(client, "cupy-cuda12x");
  const std::filesystem::path root = client.program.parent_path();
  std::string libraries;
  for (const auto& part : std::filesystem::directory_iterator(root / "nvidia"))
    libraries += (libraries.empty() ? "" : ":") + (part.path() / "lib").string();
  Command command;
  command.environment = node_environment(Node{});
  command.environment["LD_LIBRARY_PATH"] = libraries;
  command.environment["PYTHONPATH"] = root.string();
  command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
  command.environment["CUDA_PATH"] = (root / "nvidia/cuda_runtime").string();
  command.environment["CUPY_CACHE_DIR"] = folder_.path().string();
  command.environment["CUPY_COMPILE_WITH_PTX"] = "1";
  command.environment["CUPY_ACCELERATORS"] = "";
  command.arguments = {nvmlab_program().string(),
                       "run",
                       "--cudart",
                       "12",
                       "--driver",
                       "550",
                       "--",
                       "python3",
                       (source_folder() / "tests/clients/cupy_computes.py").string()};
  const Outcome shown = run(command);
  EXPECT_TRUE(shown.ok()) << shown.story();
  EXPECT_EQ(shown.out, "8 NVIDIA A100-SXM4-40GB\nall right\n");
}

}  // namespace
}  // namespace nvmlab::test
