// SPDX-License-Identifier: Apache-2.0
//
// Programs on CUDA's driver API, unmodified: they find the devices of a machine as its profile describes them. Both
// take the functions of the driver by name, numba the newest that there is, so each gets the library of the driver.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

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

// The columns of the line that begins so: of pmon or of a list.
std::vector<std::string> columns_of(const std::string& text, const std::string& first) {
  for (const std::string& line : lines(text)) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
      words.push_back(word);
    if (std::find(words.begin(), words.end(), first) != words.end()) return words;
  }
  return {};
}

TEST(CudaBesideSmi, ARunningKernelOfNumbaIsShown) {
  NVMLAB_REQUIRE_CLIENT(numba, "numba");
  NVMLAB_REQUIRE_CLIENT(smi, "nvidia-smi-550");
  Command command;
  command.environment = node_environment(Node{});
  command.arguments = {nvmlab_program().string(),
                       "run",
                       "--share",
                       "--profile",
                       "g4dn-xlarge",
                       "--driver",
                       "550",
                       "--",
                       "env",
                       "PYTHONPATH=" + numba.program.parent_path().string(),
                       "PYTHONDONTWRITEBYTECODE=1",
                       "python3",
                       (source_folder() / "tests/clients/numba_beside_smi.py").string(),
                       (source_folder() / "tests/kernels/gate.ptx").string(),
                       smi.program.string()};
  const Outcome ran = run(command);
  ASSERT_TRUE(ran.ok()) << ran.story();
  std::vector<std::string> parts;
  const std::string between = "\n====\n";
  std::size_t from = 0;
  for (std::size_t at = 0; at != std::string::npos; from = at + between.size()) {
    at = ran.out.find(between, from);
    parts.push_back(ran.out.substr(from, at == std::string::npos ? at : at - from));
  }
  ASSERT_EQ(parts.size(), 4u) << ran.out;
  const std::string& pid = parts[0];
  const auto shown = columns_of(parts[1], pid);  // gpu pid type sm mem enc dec jpg ofa fb ccpm command
  ASSERT_GE(shown.size(), 11u) << parts[1];
  EXPECT_EQ(shown[2], "C");
  EXPECT_GE(std::stoi(shown[3]), 90) << parts[1];
  EXPECT_GE(std::stoi(shown[9]), 256 + 416) << parts[1];  // what it allocated, and its context
  const auto listed = columns_of(parts[2], pid + ",");
  ASSERT_EQ(listed.size(), 2u) << parts[2];
  EXPECT_GE(std::stoi(listed[1]), 256 + 416) << parts[2];
  EXPECT_NE(parts[3].find(listed[1] + "MiB"), std::string::npos) << parts[3];
}

INSTANTIATE_TEST_SUITE_P(Machines, CudaClients,
                         testing::Values("dgx-a100", "dgx-h100", "g6-xlarge", "hgx-a100-4gpu", "rtx-4090-server"),
                         NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
