// SPDX-License-Identifier: Apache-2.0
// Rings of samples: their values, their times, and what a caller that comes back gets.
#include <gtest/gtest.h>

#include <sys/time.h>

#include <vector>

#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

const Driver& driver() { return Driver::get(); }

struct Sample {  // nvmlSample_t
  std::uint64_t time;
  std::uint64_t value;
};

std::uint64_t now_us() {
  timeval now{};
  gettimeofday(&now, nullptr);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_usec);
}

class Samples : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(driver().init(), kSuccess);
    gpu = driver().device(0);
  }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }

  int get(unsigned type, std::uint64_t seen, std::vector<Sample>& samples) const {
    unsigned value_type = 99;
    auto count = static_cast<unsigned>(samples.size());
    const int code = driver().call("nvmlDeviceGetSamples", gpu, type, seen, &value_type, &count, samples.data());
    EXPECT_EQ(value_type, 1U) << "unsigned int";
    samples.resize(code == kSuccess ? count : 0);
    return code;
  }

  SharedMachine machine{(source_folder() / "tests/drivers/functions/data/every-counter.yaml").string()};
  Word gpu = 0;
};

TEST_F(Samples, AreTheStatesValuesAtRegularTimes) {
  const Gpu state = machine.gpu(0);
  const std::pair<unsigned, std::uint32_t> expected[] = {
      {0, state.power.draw_mw.value},     {1, 50}, {2, 30}, {3, 20}, {4, 10}, {5, state.clocks.sm_mhz.value},
      {6, state.clocks.memory_mhz.value}, {8, 5},  {9, 4}};
  for (const auto& [type, value] : expected) {
    unsigned value_type = 0;
    unsigned count = 0;
    ASSERT_EQ(driver().call("nvmlDeviceGetSamples", gpu, type, 0, &value_type, &count, nullptr), kSuccess) << type;
    std::vector<Sample> samples(count);
    const std::uint64_t before = now_us();
    ASSERT_EQ(get(type, 0, samples), kSuccess) << type;
    ASSERT_EQ(samples.size(), count);
    EXPECT_LE(samples.back().time, now_us());
    const std::uint64_t period = samples[1].time - samples[0].time;
    EXPECT_GT(samples.back().time + 2 * period, before) << "the newest is recent";
    for (std::size_t i = 0; i < samples.size(); ++i) {
      EXPECT_EQ(samples[i].value, value) << type;
      EXPECT_EQ(samples[i].time, samples[0].time + i * period) << type;
    }
  }
}

TEST_F(Samples, ACallerThatComesBackGetsWhatIsNew) {
  std::vector<Sample> all(120);
  ASSERT_EQ(get(0, 0, all), kSuccess);
  std::vector<Sample> rest(120);
  ASSERT_EQ(get(0, all[99].time, rest), kSuccess);
  EXPECT_EQ(rest.front().time, all[100].time);
  EXPECT_GE(rest.size(), 20U);
  std::vector<Sample> none(120);
  EXPECT_EQ(get(0, now_us() + 60'000'000, none), kNotFound);
  none.resize(120);
  EXPECT_EQ(get(0, ~0ULL, none), kNotFound);
  std::vector<Sample> few(3);
  ASSERT_EQ(get(0, all[50].time, few), kSuccess);
  EXPECT_EQ(few.size(), 3U);
}

TEST_F(Samples, WhatIsNoKindOfSampleOrNotOfThisBoard) {
  std::vector<Sample> samples(120);
  unsigned value_type = 0;
  unsigned count = 5;
  EXPECT_EQ(driver().call("nvmlDeviceGetSamples", gpu, 10, 0, &value_type, &count, samples.data()), kInvalidArgument);
  EXPECT_EQ(driver().call("nvmlDeviceGetSamples", gpu, 7, 0, &value_type, &count, samples.data()), kNotSupported)
      << "no module with a CPU";
}

}  // namespace
}  // namespace nvmlab::driver_test
