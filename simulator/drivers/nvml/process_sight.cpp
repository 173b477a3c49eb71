// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/process_sight.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "engine/store/real_process.hpp"

namespace nvmlab::driver {
namespace {

// "535.113.01" as 535113.
std::uint32_t release_of(const char* version) {
  std::uint32_t parts[2] = {};
  for (std::uint32_t& part : parts) {
    for (; *version >= '0' && *version <= '9'; ++version)
      part = part * 10 + static_cast<std::uint32_t>(*version - '0');
    if (*version == '.') ++version;
  }
  return parts[0] * 1000 + parts[1];
}

constexpr std::uint32_t kFirstToTranslate = 535113;

bool driver_translates(const Store& store) {
  const auto version = read_field(store.node, &Node::system, &System::driver_version);
  return !version.has_value() || release_of(version.data) >= kFirstToTranslate;
}

}  // namespace

void ProcessSight::look_up(const Store& store, const GpuSlot& slot) {
  const std::uint64_t own_namespace = own_pid_namespace();
  if (own_namespace == 0) return;  // without /proc nothing is known to be elsewhere
  std::uint64_t start_ticks[decltype(Processes::running)::capacity];
  count_ = consistent(slot, [&](const Gpu& gpu) {
    std::uint32_t count = 0;
    visit_until(gpu.processes.running, [&](const Processes::Process& each) {
      const auto pid_namespace = load(each.pid_namespace);
      const auto start = load(each.start_ticks);
      if (!start.has_value() || pid_namespace.value_or(own_namespace) == own_namespace) return false;
      start_ticks[count] = start.value;
      foreign_[count++] = {pid_namespace.value, load(each.pid).value_or(0), 0};
      return false;
    });
    return count;
  });
  for (std::uint32_t i = 0; i < count_; ++i)
    foreign_[i].shown = pid_for_caller({foreign_[i].pid, foreign_[i].pid_namespace, start_ticks[i]}, own_namespace);
  if (count_ > 0) leaves_out_ = driver_translates(store);
}

const ProcessSight::Foreign* ProcessSight::find(const Processes::Process& each) const {
  const std::uint32_t pid = load(each.pid).value_or(0);
  const std::uint64_t pid_namespace = load(each.pid_namespace).value_or(0);
  for (std::uint32_t i = 0; i < count_; ++i)
    if (foreign_[i].pid == pid && foreign_[i].pid_namespace == pid_namespace) return &foreign_[i];
  return nullptr;
}

}  // namespace nvmlab::driver
