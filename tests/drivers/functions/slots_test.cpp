// SPDX-License-Identifier: Apache-2.0
//
// The slots of the internal table, as docs/reference/internal-table.md has them: refusals that write nothing, values of
// the store, and process entries in the shape of the simulated driver, between guard pages.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <tuple>

#include <unistd.h>

#include "engine/store/real_process.hpp"
#include "tests/drivers/functions/support/guarded.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned char kId[16] = {0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E,
                                   0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4};

using Slot = int (*)(Word, Word, Word, Word, Word);

Slot slot(unsigned number) {
  const Word* table = nullptr;
  EXPECT_EQ(Driver::get().call("nvmlInternalGetExportTable", &table, kId), kSuccess);
  return table == nullptr || number * 8 >= table[0] ? nullptr : reinterpret_cast<Slot>(table[number]);
}

Word address(void* memory) { return reinterpret_cast<Word>(memory); }

// Those of the form (device, one word out).
constexpr unsigned kWordSlots[] = {20, 65, 72, 108, 138, 139, 207, 209, 226, 230, 240, 242, 249};

TEST(Slots, OfOneWordRefuseWithoutWriting) {
  const Driver& driver = Driver::get();
  for (const unsigned number : kWordSlots) {
    const Slot call = slot(number);
    ASSERT_NE(call, nullptr) << number;
    GuardedPage page;
    const Word out = address(page.place(4));
    EXPECT_EQ(call(0, out, 0, 0, 0), kUninitialized) << number;
    ASSERT_EQ(driver.init(), kSuccess);
    const Word device = driver.device(0);
    for (unsigned bit = 0; bit < 64; ++bit) {
      EXPECT_EQ(call(device ^ Word{1} << bit, out, 0, 0, 0), kInvalidArgument) << number << " bit " << bit;
    }
    EXPECT_EQ(call(device, 0, 0, 0, 0), kInvalidArgument) << number;
    EXPECT_FALSE(page.changed()) << number;
    const int code = call(device, out, 0, 0, 0);
    EXPECT_EQ(page.changed(), code == kSuccess) << number;
    ASSERT_EQ(driver.shutdown(), kSuccess);
  }
}

TEST(Slots, AnswerWithTheFieldsOfTheStore) {
  const SharedMachine machine("dgx-a100");
  machine.fill_gpu(0);
  const Gpu gpu = machine.gpu(0);
  const Driver& driver = Driver::get();
  ASSERT_EQ(driver.init(), kSuccess);
  const auto value = [&](unsigned number) {
    std::uint32_t word = 0;
    EXPECT_EQ(slot(number)(driver.device(0), address(&word), 0, 0, 0), kSuccess) << number;
    return word;
  };
  EXPECT_EQ(value(20), gpu.identity.primary.value);
  EXPECT_EQ(value(65), gpu.identity.architecture.value);
  EXPECT_EQ(value(72), 1U);
  EXPECT_EQ(value(108), gpu.power.enforced_limit_mw.value);
  EXPECT_EQ(value(207), gpu.identity.module_id.value);
  EXPECT_EQ(value(209), gpu.clocks.voltage_uv.value);
  EXPECT_EQ(value(226), gpu.pci.atomics_outbound.value);
  EXPECT_EQ(value(230), gpu.pci.link_gen_host_max.value);
  EXPECT_EQ(value(240), static_cast<std::uint32_t>(gpu.thermal.tlimit_c.value));
  EXPECT_EQ(value(242), gpu.modes.addressing_mode.value);
  EXPECT_EQ(value(249), gpu.modes.sparse_operation.value);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

// Lengths as the libraries of those drivers publish them; a slot beyond the end is none.
TEST(Slots, TheTableIsThatOfTheDriver) {
  for (const auto& [version, words, sparse] :
       {std::tuple{"340.108", 140U, 0U}, std::tuple{"470.256.02", 213U, 0U}, std::tuple{"525.147.05", 238U, 0U},
        std::tuple{"535.261.03", 245U, 243U}, std::tuple{"550.163.01", 251U, 249U}, std::tuple{"555.58.02", 255U, 249U},
        std::tuple{"610.43.02", 255U, 249U}}) {
    const SharedMachine machine("dgx-a100", version);
    machine.fill_gpu(0);
    const Driver& driver = Driver::get();
    ASSERT_EQ(driver.init(), kSuccess);
    const Word* table = nullptr;
    EXPECT_EQ(driver.call("nvmlInternalGetExportTable", &table, kId), kSuccess);
    EXPECT_EQ(table[0], words * sizeof(Word)) << version;
    for (const unsigned number : {243U, 249U})
      EXPECT_EQ(slot(number) != nullptr, number == sparse) << version << " " << number;
    EXPECT_EQ(slot(213) != nullptr, words > 213) << version;
    EXPECT_NE(slot(81), nullptr) << version;
    if (sparse != 0) {
      std::uint32_t mode = 0;
      EXPECT_EQ(slot(sparse)(driver.device(0), address(&mode), 0, 0, 0), kSuccess) << version;
      EXPECT_EQ(mode, machine.gpu(0).modes.sparse_operation.value) << version;
    }
    EXPECT_EQ(driver.shutdown(), kSuccess);
  }
}

TEST(Slots, ProcessEntriesHaveTheShapeOfTheDriver) {
  for (const auto& [version, size, name] :
       {std::tuple{"525", 4120U, 24U}, std::tuple{"535", 4128U, 32U}, std::tuple{"570", 4128U, 32U}}) {
    const SharedMachine machine("dgx-a100", version);
    machine.change_gpu(0, [](Gpu& gpu) {
      gpu.processes.running.count = 2;
      for (std::uint32_t i = 0; i < 2; ++i) {
        auto& process = gpu.processes.running[i];
        process.pid.set(4000 + i);
        process.kinds.set(7);
        process.used_bytes.set(1024);
        process.name.set("python", 6);
      }
    });
    const Driver& driver = Driver::get();
    ASSERT_EQ(driver.init(), kSuccess);
    for (const unsigned number : {213U, 214U, 215U}) {
      GuardedPage page;
      std::byte* entries = page.place(2 * size);
      unsigned count = 2;
      ASSERT_EQ(slot(number)(driver.device(0), address(&count), address(entries), 0, 0), kSuccess) << version;
      ASSERT_EQ(count, 2U);
      for (unsigned i = 0; i < 2; ++i) {
        unsigned pid = 0;
        std::memcpy(&pid, entries + i * size, sizeof pid);
        EXPECT_EQ(pid, 4000 + i) << version;
        EXPECT_STREQ(reinterpret_cast<const char*>(entries + i * size + name), "python") << version;
      }
      entries = page.place(size);
      count = 1;
      EXPECT_EQ(slot(number)(driver.device(0), address(&count), address(entries), 0, 0), kInsufficientSize);
      EXPECT_EQ(count, 2U);
    }
    EXPECT_EQ(driver.shutdown(), kSuccess);
  }
}

// That only the machine knows, though its number is that of a process that runs here; and one that is followed.
TEST(Slots, ProcessesWithoutANameAreCalledAsTheyAreWhereTheyRun) {
  const SharedMachine machine("dgx-a100", "570");
  const auto own = static_cast<std::uint32_t>(::getpid());
  machine.change_gpu(0, [own](Gpu& gpu) {
    gpu.processes.running.count = 2;
    for (std::uint32_t i = 0; i < 2; ++i) {
      gpu.processes.running[i].pid.set(own);
      gpu.processes.running[i].kinds.set(1);
    }
    gpu.processes.running[1].start_ticks.set(start_of_process(own));
  });
  const Driver& driver = Driver::get();
  ASSERT_EQ(driver.init(), kSuccess);
  constexpr std::size_t kEntry = 4128;
  constexpr std::size_t kName = 32;
  std::array<char, 2 * kEntry> entries{};
  unsigned count = 2;
  ASSERT_EQ(slot(213)(driver.device(0), address(&count), address(entries.data()), 0, 0), kSuccess);
  ASSERT_EQ(count, 2U);
  EXPECT_STREQ(&entries[kName], "[Not Found]");
  EXPECT_NE(std::string(&entries[kEntry + kName]).find("functions_slots_test"), std::string::npos);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

// 192, 250 and 251 take a device and what to set; who may not administrate is refused. Of 192 and 193, nvidia-smi
// passes no third argument: there lies whatever lay there before.
TEST(Slots, SetModes) {
  const SharedMachine machine("dgx-a100");
  machine.change_gpu(0, [](Gpu& gpu) { gpu.modes.sparse_operation.set(0); });
  struct {
    std::uint32_t id;
    std::uint32_t value;
  } policy{0, 2};
  const auto set_all = [&](const char* role) {
    const Environment environment{{"NVMLAB_ROLE", role}};
    const Driver& driver = Driver::get();
    EXPECT_EQ(driver.init(), kSuccess);
    const Word device = driver.device(0);
    const std::array<int, 3> codes = {slot(192)(device, address(&policy), 77, 0, 0), slot(250)(device, 1, 0, 0, 0),
                                      slot(251)(device, 0, 0, 0, 0)};
    EXPECT_EQ(slot(192)(device, 0, 1, 0, 0), kInvalidArgument);
    EXPECT_EQ(slot(251)(0, 0, 0, 0, 0), kInvalidArgument);
    EXPECT_EQ(driver.shutdown(), kSuccess);
    return codes;
  };
  EXPECT_EQ(set_all("user"), (std::array<int, 3>{kNoPermission, kNoPermission, kNoPermission}));
  EXPECT_EQ(machine.gpu(0).modes.timeslice.value_or(9), 0U);
  EXPECT_EQ(set_all("root"), (std::array<int, 3>{kSuccess, kSuccess, kSuccess}));
  EXPECT_EQ(machine.gpu(0).modes.timeslice.value_or(9), 2U);
  EXPECT_EQ(machine.gpu(0).modes.sparse_operation.value_or(9), 1U);
  EXPECT_EQ(machine.gpu(0).modes.persistence.value_or(9), 0U);
  const Driver& driver = Driver::get();
  ASSERT_EQ(driver.init(), kSuccess);
  std::uint32_t policies[3] = {};
  EXPECT_EQ(slot(193)(driver.device(0), address(policies), 77, 0, 0), kSuccess);
  EXPECT_EQ(policies[0], 1U);
  EXPECT_EQ(policies[2], 2U);
  policy.value = 4;
  EXPECT_EQ(slot(192)(driver.device(0), address(&policy), 1, 0, 0), kInvalidArgument);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST(Slots, ReadAddressesWithoutInit) {
  std::uint32_t parts[4] = {};
  EXPECT_EQ(slot(12)(address(const_cast<char*>("2F:00.0")), address(&parts[0]), address(&parts[1]), address(&parts[2]),
                     address(&parts[3])),
            kSuccess);
  EXPECT_EQ(parts[1], 0x2FU);
  EXPECT_EQ(slot(12)(address(const_cast<char*>("zz")), address(&parts[0]), address(&parts[1]), address(&parts[2]),
                     address(&parts[3])),
            kInvalidArgument);
}

}  // namespace
}  // namespace nvmlab::driver_test
