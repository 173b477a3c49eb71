// SPDX-License-Identifier: Apache-2.0
// What has a line for each item and not for each call: fields, performance metrics, counters of ports.
#pragma once

#include <cstdint>

#include "recorder/ask.hpp"

namespace nvmlab::recorder {

// Every field id of the newest header, by the number that this driver knows it by, in all its scopes. `driver` is
// nvml::detail::driver_release() of its version.
void ask_fields(Walking& walking, const Object& device, std::uint32_t driver);

void ask_prm_counters(Walking& walking, const Object& device);

// Samples of a device and its GPU instances: taken twice, then compared.
class MetricSamples {
 public:
  explicit MetricSamples(Walking& walking) : walking_(walking) {}
  MetricSamples(const MetricSamples&) = delete;
  MetricSamples& operator=(const MetricSamples&) = delete;
  ~MetricSamples();

  // The first samples; lines only where they cannot be taken.
  void take(const Object& device);
  // The second ones, not sooner than 200 ms after the first, and a line for each metric.
  void compare();

 private:
  struct Pair {
    Object about;
    Word device = 0;
    Word first = 0;
    Word second = 0;
  };
  int sample(const Pair& pair, Word into);
  void add(const Object& about, Word device);
  void write_metrics(const Pair& pair);
  void write_refusal(const char* function, const ObjectPlace& subject, int answer);

  Walking& walking_;
  std::vector<Pair> pairs_;
  std::int64_t taken_ = 0;  // milliseconds
};

}  // namespace nvmlab::recorder
