// SPDX-License-Identifier: Apache-2.0
// GPU performance monitoring: samples that are made and freed, every metric of the newest header, and the struct that
// grew under one version.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/drivers/functions/support/guarded.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

struct Metric {  // nvmlGpmMetric_t
  unsigned id;
  int code;
  double value;
  const char* names[3];
};
static_assert(sizeof(Metric) == 40);

struct Head {  // of nvmlGpmMetricsGet_t
  unsigned version;
  unsigned count;
  Word before;
  Word after;
};

constexpr auto kBetween = std::chrono::milliseconds(125);  // counters are refreshed every 100

class Gpm : public testing::Test {
 protected:
  void SetUp() override {
    machine.advance(std::chrono::seconds(0));
    ASSERT_EQ(driver().init(), kSuccess);
    gpu = driver().device(0);
    for (Word* sample : {&before, &after})
      ASSERT_EQ(driver().call("nvmlGpmSampleAlloc", sample), kSuccess);
  }
  void TearDown() override {
    for (const Word sample : {before, after})
      EXPECT_EQ(driver().call("nvmlGpmSampleFree", sample), kSuccess);
    EXPECT_EQ(driver().shutdown(), kSuccess);
  }

  void take(const std::function<void(Gpu&)>& meanwhile = nullptr) {
    ASSERT_EQ(driver().call("nvmlGpmSampleGet", gpu, before), kSuccess);
    if (meanwhile) machine.change_gpu(0, meanwhile);
    machine.advance(kBetween);
    ASSERT_EQ(driver().call("nvmlGpmSampleGet", gpu, after), kSuccess);
  }

  // As a caller with room for exactly these metrics: the page ends behind them.
  std::vector<Metric> metrics(const std::vector<unsigned>& ids, Word first, Word second) const {
    GuardedPage page;
    std::byte* room = page.place(sizeof(Head) + ids.size() * sizeof(Metric));
    const Head head{1, static_cast<unsigned>(ids.size()), first, second};
    std::memcpy(room, &head, sizeof head);
    std::vector<Metric> found(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
      std::memcpy(room + sizeof head + i * sizeof(Metric), &ids[i], sizeof ids[i]);
    EXPECT_EQ(driver().call("nvmlGpmMetricsGet", room), kSuccess);
    std::memcpy(found.data(), room + sizeof head, found.size() * sizeof(Metric));
    return found;
  }
  Metric metric(unsigned id) const { return metrics({id}, before, after)[0]; }

  SharedMachine machine{(source_folder() / "tests/drivers/functions/data/every-counter.yaml").string()};
  Word gpu = 0;
  Word before = 0;
  Word after = 0;
};

// Metrics that this board has by all that its profile says: everything but links and engines beyond its own.
TEST_F(Gpm, EveryMetricOfTheNewestHeaderHasACodeAndAName) {
  take();
  const auto last = static_cast<unsigned>(Api::get().enumerator("NVML_GPM_METRIC_MAX"));
  unsigned known = 0;
  for (unsigned id = 0; id < last; ++id) {
    const Metric found = metric(id);
    if (found.names[0] == nullptr) {
      EXPECT_EQ(found.code, kInvalidArgument) << id << " is no metric";
      continue;
    }
    ++known;
    EXPECT_GT(std::strlen(found.names[0]), 0U) << id;
    EXPECT_TRUE(found.code == kSuccess || found.code == kNotSupported) << found.names[0] << ": " << found.code;
    EXPECT_TRUE(std::isfinite(found.value) && found.value >= 0) << found.names[0];
    const bool percent = std::strcmp(found.names[2], "%") == 0;
    EXPECT_TRUE(!percent || found.value <= 100) << found.names[0];
  }
  EXPECT_GT(known, 400U);
  EXPECT_EQ(metric(last).code, kInvalidArgument);
}

TEST_F(Gpm, SharesFollowUtilization) {
  take();
  EXPECT_DOUBLE_EQ(metric(1).value, 50) << "graphics";
  EXPECT_DOUBLE_EQ(metric(2).value, 44) << "SM: 88 % of it";
  EXPECT_LE(metric(3).value, metric(2).value) << "occupancy";
  EXPECT_DOUBLE_EQ(metric(10).value, 30) << "memory";
  EXPECT_DOUBLE_EQ(metric(30).value, 10) << "first decoder";
  EXPECT_EQ(metric(36).code, kSuccess) << "the seventh decoder of seven";
  EXPECT_EQ(metric(37).code, kNotSupported);
  EXPECT_DOUBLE_EQ(metric(166).value, 20) << "encoder";
  EXPECT_EQ(metric(167).code, kNotSupported);
  EXPECT_DOUBLE_EQ(metric(164).value, 80) << "cache hits";
  EXPECT_DOUBLE_EQ(metric(248).value, 1000) << "cycles since boot";
  EXPECT_DOUBLE_EQ(metric(255).value, 123456789) << "PCIe bytes since boot";
}

TEST_F(Gpm, RatesAreWhatCountersGrewBy) {
  take([](Gpu& state) {
    state.nvlink.links[1].data_rx_kib.set(2048 + 10240);
    state.c2c.links[0].total_tx_kib.set(1024 + 20480);
    state.gpm.graphics_engines[0].elapsed_cycles.set(3000);
    state.gpm.graphics_engines[0].active_cycles.set(600);
    state.gpm.graphics_engines[0].requests.set(20);
  });
  EXPECT_DOUBLE_EQ(metric(64).value, 80) << "10 MiB in an eighth of a second";
  EXPECT_DOUBLE_EQ(metric(60).value, metric(62).value + metric(64).value) << "all links together";
  EXPECT_EQ(metric(66).code, kNotSupported) << "a link that the chip lacks";
  EXPECT_DOUBLE_EQ(metric(104).value, 160) << "chip-to-chip";
  EXPECT_DOUBLE_EQ(metric(100).value, metric(104).value);
  EXPECT_DOUBLE_EQ(metric(170).value, 2000);
  EXPECT_DOUBLE_EQ(metric(173).value, 50) << "cycles a request";
  EXPECT_DOUBLE_EQ(metric(174).value, 25) << "percent";
  EXPECT_EQ(metric(175).code, kNotSupported) << "a second graphics engine";
}

TEST_F(Gpm, SamplesMustBeTwoOfOneGpuInTheirOrder) {
  GuardedPage page;
  std::byte* room = page.place(sizeof(Head));
  const auto get = [&](Head head) {
    std::memcpy(room, &head, sizeof head);
    return driver().call("nvmlGpmMetricsGet", room);
  };
  EXPECT_EQ(get({1, 0, before, after}), kInvalidArgument) << "nothing taken yet";
  take();
  EXPECT_EQ(get({1, 0, before, after}), kSuccess);
  EXPECT_EQ(get({0, 0, before, after}), kArgumentVersionMismatch);
  EXPECT_EQ(get({sizeof(Head) | 1U << 24, 0, before, after}), kArgumentVersionMismatch) << "a plain 1, no version word";
  EXPECT_EQ(get({1, 0x80000000, before, after}), kInvalidArgument);
  EXPECT_EQ(get({1, 0, before, after ^ 1}), kInvalidArgument);
  EXPECT_EQ(get({1, 0, 0, after}), kInvalidArgument);
  EXPECT_EQ(metrics({1}, after, before)[0].code, kInvalidArgument) << "the wrong way round";
  EXPECT_EQ(metrics({1}, after, after)[0].code, kInvalidArgument) << "no time between them";
}

TEST_F(Gpm, AFreedSampleIsStale) {
  Word sample = 0;
  ASSERT_EQ(driver().call("nvmlGpmSampleAlloc", &sample), kSuccess);
  ASSERT_EQ(driver().call("nvmlGpmSampleFree", sample), kSuccess);
  EXPECT_EQ(driver().call("nvmlGpmSampleFree", sample), kInvalidArgument);
  EXPECT_EQ(driver().call("nvmlGpmSampleGet", gpu, sample), kInvalidArgument);
  std::vector<Word> many;
  int code = kSuccess;
  while (code == kSuccess && many.size() < 5000) {
    code = driver().call("nvmlGpmSampleAlloc", &sample);
    if (code == kSuccess) many.push_back(sample);
  }
  EXPECT_GE(many.size(), 512U);
  for (const Word each : many)
    EXPECT_EQ(driver().call("nvmlGpmSampleFree", each), kSuccess);
}

TEST_F(Gpm, StreamingIsASwitch) {
  EXPECT_AS_ROOT([this] {
    Steps steps;
    unsigned state = 9;
    steps.expect(driver().call("nvmlGpmQueryIfStreamingEnabled", gpu, &state), kSuccess, "ask").equal(state, 0, "off");
    steps.expect(driver().call("nvmlGpmSetStreamingEnabled", gpu, 2), kInvalidArgument, "no state");
    steps.expect(driver().call("nvmlGpmSetStreamingEnabled", gpu, 1), kSuccess, "on");
    steps.expect(driver().call("nvmlGpmQueryIfStreamingEnabled", gpu, &state), kSuccess, "ask");
    return steps.equal(state, 1, "on").said();
  });
}

TEST(GpmOfBoards, IsForHopperAndLater) {
  for (const auto& [profile, supported] : {std::pair{"dgx-h100", 1U}, std::pair{"dgx-a100", 0U}}) {
    const SharedMachine machine(profile);
    ASSERT_EQ(driver().init(), kSuccess);
    const Word gpu = driver().device(0);
    unsigned support[2] = {1, 9};
    ASSERT_EQ(driver().call("nvmlGpmQueryDeviceSupport", gpu, support), kSuccess);
    EXPECT_EQ(support[1], supported);
    support[0] = 2;
    EXPECT_EQ(driver().call("nvmlGpmQueryDeviceSupport", gpu, support), kArgumentVersionMismatch);
    Word sample = 0;
    ASSERT_EQ(driver().call("nvmlGpmSampleAlloc", &sample), kSuccess);
    EXPECT_EQ(driver().call("nvmlGpmSampleGet", gpu, sample), supported != 0 ? kSuccess : kNotSupported);
    EXPECT_EQ(driver().call("nvmlGpmSampleFree", sample), kSuccess);
    EXPECT_EQ(driver().shutdown(), kSuccess);
  }
}

}  // namespace
}  // namespace nvmlab::driver_test
