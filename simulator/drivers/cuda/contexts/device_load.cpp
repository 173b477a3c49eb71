// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/contexts/device_load.hpp"

#include "drivers/cuda/process/process.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

struct DeviceLoad {
  std::uint32_t kernels;  // that run now
  std::uint32_t told;     // percent
  std::uint64_t window;   // when it began
  std::uint64_t since;    // when the first of them began, or the window
  std::uint64_t busy_ns;  // of the window, before that
};
DeviceLoad loads[kMaxVisibleDevices];

void tell(std::uint32_t device, std::uint32_t percent) {
  const CudaGpu gpu = gpu_of(process.devices[device]);
  process.engine->work(gpu.store, gpu.slot, percent);  // who may not write to the machine works without being seen
  loads[device].told = percent;
}

void begin_window(DeviceLoad& load, std::uint64_t now) {
  load.window = now;
  load.since = now;
  load.busy_ns = 0;
}

// At the end of a window, what it was.
void settle(std::uint32_t device, std::uint64_t now) {
  constexpr std::uint32_t kNoticeable = 5;
  DeviceLoad& load = loads[device];
  if (load.told == 0 || now - load.window < kLoadWindow) return;
  const std::uint64_t busy = load.busy_ns + (load.kernels > 0 ? now - load.since : 0);
  const auto rounded = static_cast<std::uint32_t>(busy * 100 / (now - load.window));
  const std::uint32_t percent = busy > 0 && rounded == 0 ? 1 : rounded;
  const std::uint32_t change = percent > load.told ? percent - load.told : load.told - percent;
  if (change >= kNoticeable || percent == 0) tell(device, percent);
  begin_window(load, now);
}

}  // namespace

void kernel_begins(std::uint32_t device) {
  const std::uint64_t now = sys::monotonic_ns();
  DeviceLoad& load = loads[device];
  settle(device, now);
  if (load.kernels++ == 0) load.since = now;
  if (load.told != 0) return;
  begin_window(load, now);
  tell(device, 100);  // until it is known better
}

void kernel_ends(std::uint32_t device) {
  const std::uint64_t now = sys::monotonic_ns();
  DeviceLoad& load = loads[device];
  if (load.kernels == 0) return;
  if (--load.kernels == 0) load.busy_ns += now - load.since;
  settle(device, now);
}

void forget_load(std::uint32_t device) { loads[device] = {}; }

bool load_is_told() {
  for (std::uint32_t device = 0; device < process.device_count; ++device) {
    if (loads[device].told != 0) return true;
  }
  return false;
}

void look_at_load() {
  const std::uint64_t now = sys::monotonic_ns();
  for (std::uint32_t device = 0; device < process.device_count; ++device)
    settle(device, now);
}

}  // namespace nvmlab::cuda
