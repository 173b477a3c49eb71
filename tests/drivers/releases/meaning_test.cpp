// SPDX-License-Identifier: Apache-2.0
//
// What one call means in different drivers: field ids that were renumbered, process entries of the weeks in which they
// were wide, struct versions that a driver does not know yet.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>

#include "tests/drivers/functions/support/guarded.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

struct FieldValue {  // nvmlFieldValue_t
  unsigned id, scope;
  long long timestamp, latency;
  unsigned type;
  int code;
  unsigned long long value;
};
static_assert(sizeof(FieldValue) == 40);

FieldValue field(unsigned id, unsigned scope = 0) {
  FieldValue value{};
  value.id = id;
  value.scope = scope;
  const Driver& driver = Driver::get();
  EXPECT_EQ(driver.call("nvmlDeviceGetFieldValues", driver.device(0), 1, &value), kSuccess);
  return value;
}

class OnDriver {
 public:
  explicit OnDriver(const std::string& version) : machine(profile, version) {
    machine.change_gpu(0, [](Gpu& gpu) {
      gpu.pci.tx_bytes.set(7001);
      gpu.ecc.mode.set(1);
      gpu.modes.reset_required.set(1);
      gpu.thermal.memory_max_tlimit_c.set(11);
    });
    EXPECT_EQ(Driver::get().init(), kSuccess) << version;
  }
  ~OnDriver() { EXPECT_EQ(Driver::get().shutdown(), kSuccess); }
  OnDriver(const OnDriver&) = delete;
  OnDriver& operator=(const OnDriver&) = delete;

  static constexpr const char* profile = "dgx-a100";
  const SharedMachine machine;
};

// The number of a field by name in the header of a driver, from the facts.
std::map<std::string, unsigned> numbers_of(const std::string& header) {
  const auto release = codegen::view(Api::get().registry(), header);
  EXPECT_TRUE(release) << header;
  std::map<std::string, unsigned> numbers;
  for (const codegen::Macro& macro : release->macros) {
    if (macro.name.starts_with("NVML_FI_") && macro.value)
      numbers[macro.name] = static_cast<unsigned>(macro.value->bits);
  }
  return numbers;
}

TEST(FieldNumbers, IdsOfLaterHeadersAreNotSupported) {
  {
    const OnDriver old("470.256.02");
    EXPECT_EQ(field(1).code, kSuccess) << "ECC mode is as old as ids are";
    EXPECT_EQ(field(197).code, kNotSupported) << "PCIe bytes came with 12.3";
  }
  const OnDriver newer("560.35.05");
  EXPECT_EQ(field(197).code, kSuccess);
  EXPECT_EQ(field(197).value, 7001U);
}

// Measured through nvidia-smi: a branch's later releases know ids that its header does not.
TEST(FieldNumbers, IdsThatItsOwnSmiAsksForAreKnown) {
  for (const auto& [version, id, known] : {std::tuple{"525.147.05", 195U, true}, std::tuple{"520.61.05", 195U, false},
                                           std::tuple{"535.261.03", 226U, true}, std::tuple{"550.163.01", 226U, true},
                                           std::tuple{"545.29.06", 226U, false}}) {
    const OnDriver driver(version);
    EXPECT_EQ(field(id).code, known ? kSuccess : kNotSupported) << version << " " << id;
  }
}

// Every field that the library reads, on each side of each renumbering: the number that the driver's header gives it
// answers like the newest driver's number does.
TEST(FieldNumbers, FollowTheHeaderOfTheDriver) {
  std::map<std::string, FieldValue> newest;
  const auto today = numbers_of("13.5.37");
  {
    const OnDriver driver("999.0");
    for (const auto& [name, id] : today)
      newest[name] = field(id);
  }
  unsigned renumbered = 0;
  unsigned compared = 0;
  for (const auto& [version, header] :
       {std::pair{"550.163.01", "12.4.127"}, std::pair{"555.58.02", "12.5.82"}, std::pair{"570.148.08", "12.8.90"},
        std::pair{"575.64.05", "12.9.40"}, std::pair{"580.65.06", "13.0.39"}, std::pair{"580.82.07", "13.0.87"},
        std::pair{"590.48.01", "13.1.115"}}) {
    const OnDriver driver(version);
    for (const auto& [name, id] : numbers_of(header)) {
      if (name == "NVML_FI_MAX" || !today.contains(name)) continue;
      const FieldValue value = field(id);
      EXPECT_EQ(value.code, newest[name].code) << version << " " << name << " " << id;
      EXPECT_EQ(value.type, newest[name].type) << version << " " << name << " " << id;
      if (today.at(name) != id) ++renumbered;
      ++compared;
    }
  }
  EXPECT_GE(renumbered, 40U) << "nothing was moved, so nothing was tried";
  EXPECT_GE(compared, 1000U);
}

// The same number before and after 580.82, and the same field under both of its numbers.
TEST(FieldNumbers, OfSlowdownsChangePlacesWithPowerSmoothing) {
  for (const auto& [version, slowdown, other] :
       {std::tuple{"575.64.05", 251U, 269U}, std::tuple{"580.65.06", 251U, 269U}, std::tuple{"580.82.07", 269U, 251U},
        std::tuple{"590.48.01", 269U, 251U}}) {
    const OnDriver driver(version);
    driver.machine.change_gpu(0, [](Gpu& gpu) { gpu.clocks.sw_thermal_slowdown_us.set(4711); });
    EXPECT_EQ(field(slowdown).code, kSuccess) << version;
    EXPECT_EQ(field(slowdown).value, 4'711'000U) << version;
    EXPECT_NE(field(other).value, 4'711'000U) << version;
  }
  const OnDriver before("570.148.08");
  EXPECT_EQ(field(269).code, kNotSupported) << "12.8 ends at 268";
}

struct Entry {  // the one that lasted
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

TEST(ProcessEntries, AreWideInTheWeeksInWhichTheyWere) {
  for (const auto& [version, size] :
       {std::pair{"530.41.03", 24U}, std::pair{"535.54.03", 32U}, std::pair{"535.86.10", 32U}, std::pair{"535.98", 24U},
        std::pair{"535.261.03", 24U}, std::pair{"570.148.08", 24U}}) {
    const OnDriver driver(version);
    driver.machine.change_gpu(0, [](Gpu& gpu) {
      gpu.processes.running.count = 2;
      for (std::uint32_t i = 0; i < 2; ++i) {
        gpu.processes.running[i].pid.set(4000 + i);
        gpu.processes.running[i].kinds.set(7);
        gpu.processes.running[i].used_bytes.set(1024 + i);
      }
    });
    for (const char* name : {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v3",
                             "nvmlDeviceGetMPSComputeRunningProcesses_v3"}) {
      GuardedPage page;
      std::byte* entries = page.place(2 * size);
      unsigned count = 2;
      ASSERT_EQ(Driver::get().call(name, Driver::get().device(0), &count, entries), kSuccess) << version;
      ASSERT_EQ(count, 2U);
      for (unsigned i = 0; i < 2; ++i) {
        Entry entry{};
        std::memcpy(&entry, entries + i * size, sizeof entry);
        EXPECT_EQ(entry.pid, 4000 + i) << version << " " << name;
        EXPECT_EQ(entry.used, 1024 + i) << version << " " << name;
        EXPECT_EQ(entry.compute_instance, ~0U) << version << " " << name;
      }
    }
    // The older names kept their layouts.
    GuardedPage page;
    std::byte* entries = page.place(2 * std::size_t{24});
    unsigned count = 2;
    EXPECT_EQ(Driver::get().call("nvmlDeviceGetComputeRunningProcesses_v2", Driver::get().device(0), &count, entries),
              kSuccess);
  }
}

// A driver takes a version of a struct for a mistake as long as its header does not have it.
TEST(StructVersions, ThatADriverDoesNotKnowYetAreRefused) {
  constexpr unsigned kFabricV2 = 0x02000024;
  constexpr unsigned kFabricV3 = 0x03000028;
  for (const auto& [version, knows_v3] : {std::pair{"550.163.01", false}, std::pair{"575.64.05", false},
                                          std::pair{"580.65.06", true}, std::pair{"615.71.09", true}}) {
    const OnDriver driver(version);
    std::array<unsigned, 16> info{};
    const auto ask = [&](unsigned word) {
      info[0] = word;
      return Driver::get().call("nvmlDeviceGetGpuFabricInfoV", Driver::get().device(0), info.data());
    };
    EXPECT_NE(ask(kFabricV2), kArgumentVersionMismatch) << version;
    EXPECT_EQ(ask(kFabricV3) != kArgumentVersionMismatch, knows_v3) << version;
    EXPECT_EQ(ask(0x04000028), kArgumentVersionMismatch) << version;
  }
}

// A driver that has a function before its header does knows the first version of its struct.
TEST(StructVersions, OfBackportedFunctionsAreKnown) {
  const OnDriver driver("535.261.03");
  std::array<unsigned, 64> status{};
  status[0] = 0x01000068;  // nvmlEccSramErrorStatus_v1
  EXPECT_NE(Driver::get().call("nvmlDeviceGetSramEccErrorStatus", Driver::get().device(0), status.data()),
            kArgumentVersionMismatch);
}

}  // namespace
}  // namespace nvmlab::driver_test
