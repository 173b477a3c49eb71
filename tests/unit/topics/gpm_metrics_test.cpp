// SPDX-License-Identifier: Apache-2.0
// GPM metrics from two samples: means of shares, growth of counters, and what a MIG instance sees of its GPU.
#include "engine/topics/gpm/gpm_metrics.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace nvmlab {
namespace {

struct Samples {
  std::unique_ptr<GpmSample> before = std::make_unique<GpmSample>();
  std::unique_ptr<GpmSample> after = std::make_unique<GpmSample>();

  Samples() { after->taken_ms = 2000; }
  GpmMetric make(const GpmRow& row) const { return make_gpm_metric(row, *before, *after); }
};

constexpr GpmRow kSmShare{.id = 2,
                          .source = GpmSource::percent,
                          .offsets = {offsetof(Gpu, utilization.gpu_percent), offsetof(Gpu, gpm.sm_share_percent)}};

TEST(GpmMetrics, OfTimeAreTheMeanOfBothSamples) {
  const Samples samples;
  for (GpmSample* sample : {samples.before.get(), samples.after.get()})
    sample->gpu.gpm.sm_share_percent.set(50);
  samples.before->gpu.utilization.gpu_percent.set(20);
  EXPECT_EQ(samples.make(kSmShare).code, kNotSupported) << "the second sample has no value";
  samples.after->gpu.utilization.gpu_percent.set(60);
  const GpmMetric share = samples.make(kSmShare);
  EXPECT_EQ(share.code, kSuccess);
  EXPECT_DOUBLE_EQ(share.value, 20);
}

TEST(GpmMetrics, OfLinksAreTheGrowthOfCountersPerSecond) {
  const Samples samples;
  using Link = Nvlink::Link;
  const GpmRow row{
      .id = 60, .source = GpmSource::link_rate, .number = 1, .offsets = {offsetof(Link, data_tx_kib), kNoField}};
  EXPECT_EQ(samples.make(row).code, kNotSupported) << "no such link";
  for (GpmSample* sample : {samples.before.get(), samples.after.get()})
    sample->gpu.nvlink.links.count = 2;
  samples.before->gpu.nvlink.links[1].data_tx_kib.set(1024);
  samples.after->gpu.nvlink.links[1].data_tx_kib.set(5 * 1024);
  EXPECT_DOUBLE_EQ(samples.make(row).value, 2) << "4 MiB in 2 s";
  samples.after->gpu.nvlink.links[1].data_tx_kib.set(0);
  EXPECT_DOUBLE_EQ(samples.make(row).value, 0) << "a counter that was cleared has not grown";
}

TEST(GpmMetrics, NeedSamplesOfTwoRefreshesInTheirOrder) {
  const Samples samples;
  EXPECT_FALSE(in_one_refresh(*samples.before, *samples.after));
  EXPECT_TRUE(in_one_refresh(*samples.after, *samples.before));
  samples.after->taken_ms = kGpmRefreshMs - 1;
  EXPECT_TRUE(in_one_refresh(*samples.before, *samples.after));
}

TEST(GpmMetrics, OfAnInstanceAreThoseOfItsProcesses) {
  const auto gpu = std::make_unique<Gpu>();
  gpu->utilization.gpu_percent.set(90);
  auto& running = gpu->processes.running;
  for (const auto& [in, percent] : {std::pair{1U, 30U}, {1U, 80U}, {2U, 10U}}) {
    auto& process = running[running.count++];
    process.gpu_instance.set(in);
    process.compute_instance.set(0);
    process.sm_percent.set(percent);
  }
  Gpu instance = *gpu;
  restrict_to_instance(instance, 1, ~0U);
  EXPECT_EQ(instance.utilization.gpu_percent.value, 100U) << "at most all of it";
  instance = *gpu;
  restrict_to_instance(instance, 2, 0);
  EXPECT_EQ(instance.utilization.gpu_percent.value, 10U);
  instance = *gpu;
  restrict_to_instance(instance, 2, 1);
  EXPECT_EQ(instance.utilization.gpu_percent.value, 0U);
}

}  // namespace
}  // namespace nvmlab
