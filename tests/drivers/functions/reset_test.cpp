// SPDX-License-Identifier: Apache-2.0
//
// The reset that `nvidia-smi -r` calls through the internal table: who may, what stands against it, what it undoes.
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/drivers/functions/support/board.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned char kId[16] = {0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E,
                                   0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4};
constexpr unsigned kInUse = 19;

using ResetDevices = int (*)(unsigned count, const Word* devices, unsigned* results, unsigned* switches);

class Reset : public Board {
 protected:
  void* slot(unsigned number) {
    const Word* table = nullptr;
    EXPECT_EQ(driver.call("nvmlInternalGetExportTable", &table, kId), kSuccess);
    return reinterpret_cast<void*>(table[number]);
  }
  int reset(unsigned count) {
    const Word devices[2] = {gpu, driver.device(1)};
    unsigned switches = 77;
    results[0] = results[1] = 77;
    return reinterpret_cast<ResetDevices>(slot(168))(count, devices, results, &switches);
  }

  unsigned results[2] = {};
};

// As the kernel module says it where the machine has a log.
TEST_F(Reset, ThatIsNoLongerAskedForIsALineOfTheKernel) {
  const std::string log = machine.runtime_folder() / "kernel.log";
  const std::ofstream made(log);
  auto& path = machine.store().header.kernel_log;
  log.copy(path, sizeof path - 1);
  ASSERT_EQ(reset(1), kSuccess);
  EXPECT_EQ(read_file(log), "") << "nothing has changed";
  machine.change_gpu(0, [](Gpu& state) { state.modes.recovery_action.set(1); });
  ASSERT_EQ(reset(1), kSuccess);
  const Pci pci = machine.gpu(0).pci;
  char line[160];
  std::snprintf(
      line, sizeof line,
      "NVRM: Xid (PCI:%04x:%02x:%02x): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from "
      "0x1 (GPU Reset Required) to 0x0 (None)\n",
      pci.domain.value, pci.bus.value, pci.device.value);
  EXPECT_EQ(read_file(log), line);
}

TEST_F(Reset, UndoesWhatIsNotKeptOnTheBoard) {
  const Gpu before = machine.gpu(0);
  ASSERT_EQ(call("nvmlDeviceSetPowerManagementLimit", 300'000), kSuccess);
  ASSERT_EQ(call("nvmlDeviceSetGpuLockedClocks", 990, 990), kSuccess);
  ASSERT_EQ(call("nvmlDeviceSetGpcClkVfOffset", 100), kSuccess);
  ASSERT_EQ(call("nvmlDeviceSetFanSpeed_v2", 0, 90), kSuccess);
  ASSERT_EQ(call("nvmlDeviceSetEccMode", 0), kSuccess);
  ASSERT_EQ(call("nvmlDeviceSetGpuOperationMode", 1), kSuccess);
  machine.change_gpu(0, [](Gpu& state) {
    state.modes.recovery_action.set(1);
    state.modes.reset_required.set(1);
    state.modes.dram_encryption_pending.set(1);
    state.ecc.remap_pending.set(1);
    state.ecc.uncorrected_volatile.dram.set(5);
    state.ecc.uncorrected_aggregate.dram.set(6);
  });
  ASSERT_EQ(reset(1), kSuccess);
  EXPECT_EQ(results[0], 0U);
  EXPECT_EQ(results[1], 77U);
  const Gpu after = machine.gpu(0);
  EXPECT_EQ(after.power.limit_mw.value, before.power.default_limit_mw.value);
  EXPECT_EQ(after.clocks.graphics_mhz.value, before.clocks.graphics_mhz.value);
  EXPECT_FALSE(after.clocks.locked_graphics_max_mhz.has_value());
  EXPECT_EQ(after.clocks.pstates[0].graphics_offset_mhz.value, 0);
  EXPECT_EQ(after.thermal.fans[0].target_percent.value, 40U);
  EXPECT_EQ(after.thermal.fans[0].policy.value, 0U);
  EXPECT_EQ(after.ecc.mode.value, 0U);
  EXPECT_EQ(after.modes.operation_mode.value, 1U);
  EXPECT_EQ(after.modes.dram_encryption.value, 1U);
  EXPECT_EQ(after.modes.recovery_action.value, 0U);
  EXPECT_EQ(after.modes.reset_required.value, 0U);
  EXPECT_EQ(after.ecc.remap_pending.value, 0U);
  EXPECT_EQ(after.ecc.uncorrected_volatile.dram.value, 0U);
  EXPECT_EQ(after.ecc.uncorrected_aggregate.dram.value, 6U);
}

TEST_F(Reset, AGpuInUseKeepsAllFromBeingReset) {
  ASSERT_EQ(driver.call("nvmlDeviceSetPersistenceMode", driver.device(1), 1), kSuccess);
  ASSERT_EQ(call("nvmlDeviceSetEccMode", 0), kSuccess);
  EXPECT_EQ(reset(2), kUnknown);
  EXPECT_EQ(results[0], 0U);
  EXPECT_EQ(results[1], kInUse);
  EXPECT_EQ(machine.gpu(0).ecc.mode.value, 1U) << "nothing was reset";
  EXPECT_EQ(reset(1), kSuccess);
  EXPECT_EQ(machine.gpu(0).ecc.mode.value, 0U);
}

// Where nvidia-persistenced runs, it is asked to let go of the GPU and to take it again. In a mount namespace of a
// child, since its socket has one place on a host.
TEST_F(Reset, HasNvidiaPersistencedLetGo) {
  ASSERT_EQ(call("nvmlDeviceSetPersistenceMode", 1), kSuccess);
  ASSERT_EQ(call("nvmlDeviceSetEccMode", 0), kSuccess);
  const std::string said = in_child([&]() -> std::string {
    const std::string folder = "/var/run/nvidia-persistenced";
    const char* const run = std::filesystem::is_symlink("/var/run") ? "/run" : "/var/run";
    if (::unshare(CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", run, "tmpfs", 0, nullptr) != 0)
      return "no namespace";
    const int without = reset(1);
    std::filesystem::create_directory(folder);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder + "/socket").copy(address.sun_path, sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return "no socket";
    const int with = reset(1);
    ::close(socket);
    return std::to_string(without) + " " + std::to_string(with) + " " + std::to_string(results[0]);
  });
  if (said == "no namespace") GTEST_SKIP() << "mount namespaces cannot be made here";
  EXPECT_EQ(said, "999 0 0");
  EXPECT_EQ(machine.gpu(0).ecc.mode.value, 0U) << "it was reset";
  EXPECT_EQ(machine.gpu(0).modes.persistence.value, 1U) << "and is held again";
}

TEST_F(Reset, IsRootsAndLooksAtItsArguments) {
  const auto call_slot = reinterpret_cast<ResetDevices>(slot(168));
  unsigned word = 0;
  const Word foreign = gpu ^ 4;
  EXPECT_EQ(call_slot(1, nullptr, results, &word), kInvalidArgument);
  EXPECT_EQ(call_slot(1, &gpu, nullptr, &word), kInvalidArgument);
  EXPECT_EQ(call_slot(1, &gpu, results, nullptr), kInvalidArgument);
  EXPECT_EQ(call_slot(0, &gpu, results, &word), kInvalidArgument);
  EXPECT_EQ(call_slot(1, &foreign, results, &word), kInvalidArgument);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(reset(1), kNoPermission);
  EXPECT_EQ(results[0], 77U);
}

// nvidia-smi 470 leaves whatever lay there in the place of the last argument.
TEST(ResetOfOldDrivers, WritesToNoFourthArgument) {
  const Environment root{{"NVMLAB_ROLE", "root"}};
  const SharedMachine machine("dgx-a100", "470");
  EXPECT_EQ(in_child([] {
              const Driver& driver = Driver::get();
              const Word* table = nullptr;
              if (driver.init() != kSuccess) return std::string("no init");
              if (driver.call("nvmlInternalGetExportTable", &table, kId) != kSuccess) return std::string("no table");
              const Word device = driver.device(0);
              unsigned result = 77;
              unsigned fourth = 77;
              const int code = reinterpret_cast<ResetDevices>(table[168])(1, &device, &result, &fourth);
              if (result == 77) return "answered " + std::to_string(code) + " and told nothing of the GPU";
              return fourth == 77 ? std::string() : std::string("wrote to a fourth argument");
            }),
            "");
}

TEST_F(Reset, AGroupIsMadeAskedAndLetGo) {
  const auto create = reinterpret_cast<int (*)(Word*, const Word*, unsigned)>(slot(182));
  const auto missing = reinterpret_cast<int (*)(Word, char**, unsigned*)>(slot(183));
  const auto free_group = reinterpret_cast<int (*)(Word)>(slot(184));
  Word group = 0;
  unsigned count = 77;
  ASSERT_EQ(create(&group, &gpu, 1), kSuccess);
  EXPECT_NE(group, 0U);
  EXPECT_EQ(missing(group, nullptr, &count), kSuccess);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(free_group(group), kSuccess);
  const Word foreign = gpu ^ 4;
  EXPECT_EQ(create(&group, &foreign, 1), kInvalidArgument);
  EXPECT_EQ(missing(0, nullptr, &count), kInvalidArgument);
  EXPECT_EQ(free_group(0), kInvalidArgument);
  unsigned fabric = 77;
  EXPECT_EQ(reinterpret_cast<int (*)(unsigned*)>(slot(169))(&fabric), kSuccess);
  EXPECT_EQ(fabric, 0U);
}

}  // namespace
}  // namespace nvmlab::driver_test
