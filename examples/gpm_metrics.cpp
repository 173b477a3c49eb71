// SPDX-License-Identifier: Apache-2.0
// What the parts of each GPU did for a second, from two samples of its performance counters (Hopper and newer).
#include <array>
#include <chrono>
#include <iostream>
#include <nvmlab/nvml.hpp>
#include <thread>

namespace {

constexpr std::array kMetrics = {nvml::GpmMetricId::sm_util, nvml::GpmMetricId::sm_occupancy,
                                 nvml::GpmMetricId::any_tensor_util, nvml::GpmMetricId::dram_bw_util};

nvml::Result<void> show(const nvml::Library& library, const nvml::Device& device) {
  const auto before = library.create_gpm_sample();
  if (!before) return nvml::unexpected(before.error());
  const auto after = library.create_gpm_sample();
  if (!after) return nvml::unexpected(after.error());

  if (auto taken = device.take_gpm_sample(*before); !taken) return taken;
  std::this_thread::sleep_for(std::chrono::seconds{1});
  if (auto taken = device.take_gpm_sample(*after); !taken) return taken;

  const auto metrics = library.gpm_metrics(*before, *after, kMetrics);
  if (!metrics) return nvml::unexpected(metrics.error());
  for (const nvml::GpmMetric& metric : *metrics) {
    std::cout << "  " << metric.short_name << ": ";
    if (metric.value) {
      std::cout << *metric.value << ' ' << metric.unit << '\n';
    } else {
      std::cout << metric.value.error().message() << '\n';
    }
  }
  return {};
}

}  // namespace

int main() {
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  for (const auto& device : library->devices()) {
    std::cout << device.name().value_or("a GPU") << '\n';
    if (const auto shown = show(*library, device); !shown) std::cout << "  " << shown.error().message() << '\n';
  }
}
