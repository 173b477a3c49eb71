// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/system/system_changes.hpp"

namespace nvmlab {
namespace {

constexpr std::uint64_t kLowestAdvantage = 50;
constexpr std::uint64_t kHighestAdvantage = 65;
constexpr std::uint32_t kLastBandwidthMode = 4;
constexpr std::uint32_t kAmber = 1;

// Settings of a feature that is off, or that the GPUs do not have.
bool is_on(const Confcompute& settings) { return settings.feature.value_or(0) != 0; }

}  // namespace

Code make(const SetGpusReady& change, NodeEdit& node) {
  const Confcompute& settings = node.view(&Node::confcompute);
  if (!settings.ready.has_value()) return settings.ready.code();
  if (!is_on(settings)) return kNotSupported;
  if (change.accepting_work > 1) return kInvalidArgument;
  if (settings.ready_withdrawn.value_or(0) != 0) return kInvalidArgument;
  Confcompute& draft = node.edit(&Node::confcompute);
  if (draft.ready.value != 0 && change.accepting_work == 0) draft.ready_withdrawn.set(1);
  draft.ready.set(change.accepting_work);
  return kSuccess;
}

Code make(const SetKeyRotationAdvantage& change, NodeEdit& node) {
  const Confcompute& settings = node.view(&Node::confcompute);
  if (!settings.key_rotation_attacker_advantage.has_value()) return settings.key_rotation_attacker_advantage.code();
  if (!is_on(settings)) return kNotSupported;
  if (change.exponent < kLowestAdvantage || change.exponent > kHighestAdvantage) return kInvalidArgument;
  if (settings.ready.value_or(0) != 0) return kInvalidState;
  node.edit(&Node::confcompute).key_rotation_attacker_advantage.set(static_cast<std::uint32_t>(change.exponent));
  return kSuccess;
}

Code make(const SetSystemNvlinkBandwidthMode& change, NodeEdit& node) {
  const System& system = node.view(&Node::system);
  if (!system.nvlink_bandwidth_mode.has_value()) return system.nvlink_bandwidth_mode.code();
  if (change.mode > kLastBandwidthMode) return kInvalidArgument;
  node.edit(&Node::system).nvlink_bandwidth_mode.set(change.mode);
  return kSuccess;
}

Code make(const SetUnitLights& change, NodeEdit& node) {
  if (change.color > kAmber) return kInvalidArgument;
  for (Unit::Box& box : node.edit(&Node::unit).boxes)
    box.led_color.set(change.color);
  return kSuccess;
}

}  // namespace nvmlab
