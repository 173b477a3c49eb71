// SPDX-License-Identifier: Apache-2.0
// MOCK_NVML_OVERRIDES: a process of a machine of its own looks at the file again, and what is new in it is told. Also
// what a configuration of that mock moves by itself, as a client of the driver meets it.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/drivers/functions/support/look.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned kXid = 8;

class Overrides : public testing::Test {
 protected:
  std::string path(const char* name) const { return (folder.path() / name).string(); }
  std::string configuration(const std::string& device = "") const {
    return folder
        .write("config.yaml",
               "version: \"1.0\"\nsystem: {driver_version: 550.163.01, num_devices: 2}\n"
               "device_defaults:\n  name: X\n  architecture: hopper\n"
               "  thermal: {temperature_gpu_c: 30}\n" +
                   device)
        .string();
  }
  // As that mock's program does: a new file takes the place of the one before.
  static void publish(const std::string& file, const std::string& text) {
    std::ofstream(file + ".new") << text;
    ASSERT_EQ(::rename((file + ".new").c_str(), file.c_str()), 0);
  }
  // Returns true if the driver has printed a line. look() keeps standard error in a file.
  static bool printed_a_line() {
    struct stat file {};
    return ::fstat(STDERR_FILENO, &file) == 0 && file.st_size > 0;
  }

  TemporaryFolder folder;
};

int celsius(Word device) {
  unsigned value = 0;
  const int code = Driver::get().call("nvmlDeviceGetTemperature", device, 0, &value);
  return code == kSuccess ? static_cast<int>(value) : -code;
}

TEST_F(Overrides, AreReadAgainWhileAClientRuns) {
  const std::string file = path("o.yaml");
  const std::string config = configuration();
  const Node node =
      look({{"MOCK_NVML_CONFIG", config}, {"MOCK_NVML_OVERRIDES", file}, {"MOCK_NVML_OVERRIDES_TTL", "20ms"}}, [&] {
        const Word first = Driver::get().device(0);
        const Word second = Driver::get().device(1);
        if (celsius(first) != 30) ::_exit(1);
        publish(file,
                "all: {thermal: {temperature_gpu_c: 70}}\ndevices: {\"1\": {thermal: {temperature_gpu_c: 91}}}\n");
        if (!test::eventually([&] { return celsius(first) == 70 && celsius(second) == 91; })) ::_exit(2);
        publish(file, "all: {thermal: {temperature_c: 70}}\n");
        // An invalid file changes nothing. The driver has read it when it prints why.
        if (!test::eventually([&] { return celsius(first) != 70 || printed_a_line(); })) ::_exit(3);
        if (celsius(first) != 70) ::_exit(3);
        publish(file, "devices: {\"1\": {failure: {mode: lost}}}\n");
        if (!test::eventually([&] { return celsius(second) == -kGpuIsLost; })) ::_exit(4);
        if (celsius(first) != 30) ::_exit(5);
        ::unlink(file.c_str());
        if (!test::eventually([&] { return celsius(second) == 30; })) ::_exit(6);
      });
  EXPECT_EQ(node.init, kSuccess) << node.err;
  EXPECT_EQ(node.lines(), 1) << node.err;
  EXPECT_TRUE(node.says("MOCK_NVML_OVERRIDES=" + file + ":1:6: 'thermal.temperature_c' is no key of a device"))
      << node.err;
}

TEST_F(Overrides, LieBesideTheConfigurationWhereNothingNamesThem) {
  const std::string config = configuration();
  publish(path("overrides.yaml"), "all: {thermal: {temperature_gpu_c: 55}}\n");
  look({{"MOCK_NVML_CONFIG", config}}, [&] {
    if (celsius(Driver::get().device(0)) != 55) ::_exit(1);
  });
}

// Who waits for events sees what the file brings.
TEST_F(Overrides, AnXidWakesWhoWaits) {
  const std::string file = path("o.yaml");
  const std::string config = configuration("  ecc: {mode_current: enabled}\n");
  look({{"MOCK_NVML_CONFIG", config}, {"MOCK_NVML_OVERRIDES", file}, {"MOCK_NVML_OVERRIDES_TTL", "20ms"}}, [&] {
    const Driver& driver = Driver::get();
    Word set = 0;
    struct Event {
      Word device;
      unsigned long long type;
      unsigned long long data;
      unsigned instances[2];
    } event{};
    if (driver.call("nvmlEventSetCreate", &set) != kSuccess) ::_exit(1);
    if (driver.call("nvmlDeviceRegisterEvents", driver.device(0), kXid, set) != kSuccess) ::_exit(2);
    std::thread later([&, waiter = ::gettid()] {
      test::becomes_blocked(waiter);
      publish(file, "devices: {\"0\": {failure: {mode: ecc_uncorrectable, xid: {code: 64}}}}\n");
    });
    const int code = driver.call("nvmlEventSetWait_v2", set, &event, test::kDeadlineMs);
    later.join();
    if (code != kSuccess || event.data != 64) ::_exit(3);
  });
}

TEST_F(Overrides, DynamicMetricsMoveAndFailuresComeWithTheCallThatTriggersThem) {
  const std::string config = configuration(
      "  dynamic_metrics: {temperature: {base_c: 60, ramp_c: 0}, utilization: {gpu_min: 40, gpu_max: 60}}\n"
      "  ecc: {mode_current: enabled}\n"
      "devices:\n  - {index: 1, failure: {mode: lost, after_calls: 4, xid: {code: 79}}}\n");
  const Node node = look({{"MOCK_NVML_CONFIG", config}}, [&] {
    const Driver& driver = Driver::get();
    unsigned busy[2] = {};
    if (celsius(driver.device(0)) != 60) ::_exit(1);
    if (driver.call("nvmlDeviceGetUtilizationRates", driver.device(0), busy) != kSuccess) ::_exit(2);
    if (busy[0] < 40 || busy[0] > 60) ::_exit(3);
    const Word second = driver.device(1);
    int calls = 0;
    while (celsius(second) == 60 && calls < 10)
      ++calls;
    if (calls > 4) ::_exit(4);
    if (driver.device(1) != 0) ::_exit(5);  // lost for good, whoever asks for it
  });
  EXPECT_EQ(node.err, "");
}

}  // namespace
}  // namespace nvmlab::driver_test
