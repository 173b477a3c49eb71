// SPDX-License-Identifier: Apache-2.0
#include "engine/change/reset.hpp"

#include "engine/store/restore.hpp"
#include "engine/topics/clocks/clock_rules.hpp"
#include "engine/topics/faults/fault_changes.hpp"
#include "engine/topics/generated/resets.hpp"
#include "engine/topics/load/load_changes.hpp"
#include "engine/topics/mig/mig_changes.hpp"
#include "engine/topics/processes/process_changes.hpp"

namespace nvmlab {
namespace {

// The limit in force is the one asked for again, whatever held it back.
void enforce_as_asked(Fact<std::uint32_t>& enforced, const Fact<std::uint32_t>& asked,
                      const Fact<std::uint32_t>& shipped) {
  if (!asked.has_value()) return restore(enforced, shipped);
  if (enforced.has_value()) enforced.set(0);
}

void begin_anew(Gpu& gpu, std::uint64_t now_us) {
  release_memory_of_processes(gpu);
  release_memory_of_instances(gpu);
  start_over(gpu);
  Power& power = gpu.power;
  enforce_as_asked(power.enforced_limit_mw, power.limit_mw, power.default_limit_mw);
  enforce_as_asked(power.module_enforced_limit_mw, power.module_limit_mw, power.module_default_limit_mw);
  settle_clocks(gpu.clocks);
  gpu.identity.up_since_us.set(now_us);
}

}  // namespace

bool in_use(const GpuEdit& gpu) {
  return gpu.view(&Gpu::modes).persistence.value_or(0) != 0 || gpu.view(&Gpu::processes).running.size() > 0;
}

Code make(const ResetGpu&, GpuEdit& gpu) {
  begin_anew(gpu.edit_all(), gpu.now_ns() / 1000);
  heal_by_reset(gpu);
  end_load(gpu);
  return kSuccess;
}

Code make(const RemoveGpu&, GpuEdit& gpu) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.drain.has_value()) return modes.drain.code();
  return modes.drain.value == 0 || in_use(gpu) ? kInUse : kSuccess;
}

Code make(const ReturnGpu&, GpuEdit& gpu) {
  Gpu& state = gpu.edit_all();
  begin_anew(state, gpu.now_ns() / 1000);
  reload(state);
  forget_mig_mode(state.modes);
  heal_by_reload(gpu);
  end_load(gpu);
  return kSuccess;
}

}  // namespace nvmlab
