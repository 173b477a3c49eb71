// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/reset.hpp"

#include "engine/topics/clocks/clock_rules.hpp"
#include "engine/topics/ecc/ecc_rules.hpp"

namespace nvmlab {
namespace {

template <class T>
void restore(Fact<T>& setting, const Fact<T>& to) {
  if (setting.has_value() && to.has_value()) setting = to;
}

template <class T>
void restore(Fact<T>& setting, T to) {
  if (setting.has_value()) setting.set(to);
}

void reset_clocks(Clocks& clocks) {
  restore(clocks.application_graphics_mhz, clocks.default_application_graphics_mhz);
  restore(clocks.application_memory_mhz, clocks.default_application_memory_mhz);
  restore(clocks.auto_boost, clocks.auto_boost_default);
  clocks.locked_graphics_min_mhz.set_error(kNotSupported);
  clocks.locked_graphics_max_mhz.set_error(kNotSupported);
  clocks.locked_memory_min_mhz.set_error(kNotSupported);
  clocks.locked_memory_max_mhz.set_error(kNotSupported);
  if (clocks.deferred_memory_mhz.has_value()) clocks.deferred_memory_mhz.set_error(kNotSupported);
  for (Clocks::Pstate& pstate : clocks.pstates) {
    restore(pstate.graphics_offset_mhz, 0);
    restore(pstate.memory_offset_mhz, 0);
  }
  settle_clocks(clocks);
}

void reset_power(Power& power) {
  restore(power.limit_mw, power.default_limit_mw);
  restore(power.enforced_limit_mw, power.default_limit_mw);
  restore(power.module_limit_mw, power.module_default_limit_mw);
  restore(power.module_enforced_limit_mw, power.module_default_limit_mw);
  power.workload_requested = {};
}

void reset_fans(Thermal& thermal) {
  for (Thermal::Fan& fan : thermal.fans) {
    restore(fan.policy, 0u);
    restore(fan.target_percent, fan.automatic_percent);
    restore(fan.speed_percent, fan.automatic_percent);
  }
}

void reset_modes(Modes& modes) {
  restore(modes.mig, modes.mig_pending);
  restore(modes.dram_encryption, modes.dram_encryption_pending);
  restore(modes.operation_mode, modes.operation_mode_pending);
  restore(modes.recovery_action, 0u);
  restore(modes.reset_required, 0u);
  restore(modes.drain_and_reset_recommended, 0u);
}

void reset_ecc(Ecc& ecc) {
  restore(ecc.mode, ecc.mode_pending);
  clear_volatile(ecc);
  restore(ecc.remap_pending, 0u);
}

}  // namespace

void reset_gpu(Gpu& gpu, std::uint64_t now_us) {
  reset_clocks(gpu.clocks);
  reset_power(gpu.power);
  reset_fans(gpu.thermal);
  reset_modes(gpu.modes);
  reset_ecc(gpu.ecc);
  gpu.processes.running = {};
  if (gpu.identity.hostname.has_value()) gpu.identity.hostname.set("", 0);
  gpu.identity.up_since_us.set(now_us);
}

void initialise_gpu(Gpu& gpu, std::uint64_t now_us) {
  reset_gpu(gpu, now_us);
  restore(gpu.modes.persistence, 0u);
  restore(gpu.modes.compute_mode, 0u);
  restore(gpu.modes.accounting, 0u);
  restore(gpu.modes.drain, 0u);
  restore(gpu.modes.api_restriction_application_clocks, 1u);
  restore(gpu.modes.api_restriction_auto_boost, 0u);
  restore(gpu.modes.rusd_poll_mask, std::uint64_t{0});
  restore(gpu.ecc.retirement_pending, 0u);
}

}  // namespace nvmlab
