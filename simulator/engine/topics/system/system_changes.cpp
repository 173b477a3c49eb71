// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/system/system_changes.hpp"

#include <cstring>

#include "engine/topics/generated/field_rules.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kAmber = 1;

// Settings of a feature that is off, or that the GPUs do not have.
bool is_on(const Confcompute& settings) { return settings.feature.value_or(0) != 0; }

bool was_ready(const NodeEdit& node) {
  Fact<std::uint32_t> before{};
  std::memcpy(&before, node.before_at(offsetof(Node, confcompute.ready)), sizeof before);
  return before.value_or(0) != 0;
}

// All units of a machine show the same color.
void light_all(NodeEdit& node, std::uint32_t color) {
  for (Unit::Box& box : node.edit(&Node::unit).boxes)
    box.led_color.set(color);
}

}  // namespace

// GPUs that once accepted work and then stopped never accept work again.
Code rules::accept_work(NodeEdit& node, std::uint32_t, const Written&) {
  Confcompute& settings = node.edit(&Node::confcompute);
  if (!settings.ready.has_value()) return kSuccess;
  if (!is_on(settings)) return kNotSupported;
  if (settings.ready_withdrawn.value_or(0) != 0) return kInvalidArgument;
  if (was_ready(node) && settings.ready.value == 0) settings.ready_withdrawn.set(1);
  return kSuccess;
}

Code rules::check_key_rotation(NodeEdit& node, std::uint32_t, const Written&) {
  const Confcompute& settings = node.view(&Node::confcompute);
  if (!settings.key_rotation_attacker_advantage.has_value()) return kSuccess;
  if (!is_on(settings)) return kNotSupported;
  return settings.ready.value_or(0) != 0 ? kInvalidState : kSuccess;
}

Code rules::light_all_units(NodeEdit& node, std::uint32_t item, const Written&) {
  const Fact<std::uint32_t> color = node.view(&Node::unit).boxes[item].led_color;
  if (color.has_value()) light_all(node, color.value);
  return kSuccess;
}

Code make(const SetGpusReady& change, NodeEdit& node) {
  const Confcompute& settings = node.view(&Node::confcompute);
  if (!settings.ready.has_value()) return settings.ready.code();
  if (!is_on(settings)) return kNotSupported;
  return write_setting(node, node.edit(&Node::confcompute).ready, change.accepting_work);
}

Code make(const SetKeyRotationAdvantage& change, NodeEdit& node) {
  const Confcompute& settings = node.view(&Node::confcompute);
  if (!settings.key_rotation_attacker_advantage.has_value()) return settings.key_rotation_attacker_advantage.code();
  if (!is_on(settings)) return kNotSupported;
  return write_setting(node, node.edit(&Node::confcompute).key_rotation_attacker_advantage, change.exponent);
}

Code make(const SetSystemNvlinkBandwidthMode& change, NodeEdit& node) {
  return write_setting(node, node.edit(&Node::system).nvlink_bandwidth_mode, change.mode);
}

Code make(const SetUnitLights& change, NodeEdit& node) {
  if (change.color > kAmber) return kInvalidArgument;
  light_all(node, change.color);
  return kSuccess;
}

}  // namespace nvmlab
