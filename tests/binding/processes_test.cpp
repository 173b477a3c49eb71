// SPDX-License-Identifier: Apache-2.0
// Lists of processes of drivers whose entries are wider than the name of their struct says.
#include "nvmlab/nvml/shapes/processes.hpp"

#include <gtest/gtest.h>

#include "nvmlab/nvml/generated/convert_processes.hpp"
#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::detail {
namespace {

constexpr unsigned kProcesses = 40;

template <class Entry>
abi::nvmlReturn_t fill(unsigned* count, Entry* entries) {
  const unsigned offered = *count;
  *count = kProcesses;
  if (offered < kProcesses) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  for (unsigned i = 0; i < kProcesses; ++i) {
    entries[i] = Entry{};
    entries[i].pid = i + 1;
    entries[i].usedGpuMemory = 1000 * (i + 1);
    entries[i].gpuInstanceId = i;
    entries[i].computeInstanceId = ~0U;
    if constexpr (requires { entries[i].usedGpuCcProtectedMemory; }) entries[i].usedGpuCcProtectedMemory = 5;
  }
  return abi::NVML_SUCCESS;
}

class Processes : public testing::TestWithParam<bool> {
 protected:
  Processes() {
    Functions& functions = library->functions;
    if (GetParam()) {
      functions.nvmlDeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned* count, Process* room) {
        return fill(count, reinterpret_cast<WideProcess*>(room));
      };
      functions.nvmlDeviceGetConfComputeMemSizeInfo = [](auto...) { return abi::NVML_ERROR_NOT_SUPPORTED; };
    } else {
      functions.nvmlDeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned* count, Process* room) {
        return fill(count, room);
      };
    }
  }
  static constexpr auto kSlot = &Functions::nvmlDeviceGetComputeRunningProcesses_v3;
  static constexpr auto kAsk = [](auto* f, unsigned* count, auto* where) {
    return f(nullptr, count, AnyPointer{where});
  };
  Shared library{new State};
};

TEST_P(Processes, AreTheSameInBothLayouts) {
  const auto all = processes<ProcessInfo>(library, kSlot, {Protocol::A}, kAsk);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), kProcesses);
  for (unsigned i = 0; i < kProcesses; ++i) {
    const ProcessInfo& process = (*all)[i];
    EXPECT_EQ(process.pid, i + 1);
    EXPECT_EQ(process.used_gpu_memory, Bytes{1000UL * (i + 1)});
    EXPECT_EQ(process.gpu_instance_id, i);
    EXPECT_EQ(process.compute_instance_id, std::nullopt);
    EXPECT_EQ(process.used_protected_memory.has_value(), GetParam());
  }
}

TEST_P(Processes, IntoTheCallersRoom) {
  std::vector<ProcessInfo> room(100);
  const auto filled = processes_into<ProcessInfo>(library, kSlot, {Protocol::A}, room, kAsk);
  ASSERT_TRUE(filled);
  ASSERT_EQ(filled->size(), kProcesses);
  for (unsigned i = 0; i < kProcesses; ++i) {
    EXPECT_EQ((*filled)[i].pid, i + 1);
    EXPECT_EQ((*filled)[i].used_gpu_memory, Bytes{1000UL * (i + 1)});
    EXPECT_EQ((*filled)[i].gpu_instance_id, i);
    EXPECT_EQ((*filled)[i].compute_instance_id, std::nullopt);
    EXPECT_EQ((*filled)[i].used_protected_memory.has_value(), GetParam());
  }
  room.assign(kProcesses, ProcessInfo{});
  EXPECT_TRUE(processes_into<ProcessInfo>(library, kSlot, {Protocol::A}, room, kAsk)) << "wide entries fit too";
}

INSTANTIATE_TEST_SUITE_P(Entries, Processes, testing::Bool(),
                         [](const auto& wide) { return wide.param ? "Wide" : "Narrow"; });

TEST(WideProcesses, AreThoseBetweenTwoFunctions) {
  Functions functions;
  EXPECT_FALSE(has_wide_processes(functions)) << "525 and older";
  functions.nvmlDeviceGetConfComputeMemSizeInfo = [](auto...) { return abi::NVML_SUCCESS; };
  EXPECT_TRUE(has_wide_processes(functions));
  functions.nvmlDeviceGetRunningProcessDetailList = [](auto...) { return abi::NVML_SUCCESS; };
  EXPECT_FALSE(has_wide_processes(functions)) << "535.98 and newer";
}

}  // namespace
}  // namespace nvml::detail
