// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "compiler/mock/overrides.hpp"
#include "compiler/mock/rules.hpp"
#include "compiler/mock/scalars.hpp"
#include "compiler/numbers.hpp"
#include "compiler/values.hpp"

namespace nvmlab::compiler {
namespace {

// Blocks that are no rows of the table.
constexpr std::string_view kSpecialBlocks[] = {"pci",        "fan",           "clocks_throttle_reasons",
                                               "ecc.errors", "fabric.health", "processes"};

bool has_parts(const std::string& key) {
  const std::string prefix = key + ".";
  const bool in_table = std::ranges::any_of(
      mock_rules(), [&](const MockRule& rule) { return std::string_view(rule.key).starts_with(prefix); });
  return key.empty() || in_table ||
         std::ranges::find(kSpecialBlocks, std::string_view(key)) != std::end(kSpecialBlocks);
}

bool is_word(const Field& field, std::string_view text) {
  for (std::uint32_t i = 0; i < field.label_count; ++i) {
    if (text == field.labels[i].name) return true;
  }
  return false;
}

// That mock's spelling of a value in ours.
std::string translated(const Field& field, const std::string& name, std::string_view text) {
  std::string word = mock_word(text);
  if (name == "identity.architecture" && word.starts_with("ada")) return "ada";
  if (name == "identity.architecture" && word.starts_with("blackwell")) return "blackwell";
  if (name == "fabric.peer_type") return word == "switch_connected" ? "switch" : "direct";
  if (name == "fabric.state" && word == "auto") return "completed";
  if ((name == "clocks.performance_state" || name == "power.state") && word.starts_with('p')) return word.substr(1);
  if (field.type == FieldType::flag && (word == "enabled" || word == "disabled"))
    return word == "enabled" ? "true" : "false";
  if (field.label_count > 0 && !is_word(field, word)) {
    std::string joined = word;
    std::erase(joined, '_');
    if (is_word(field, joined)) return joined;
  }
  return word;
}

}  // namespace

bool MockDevice::is_mapping(const yaml::Node& node, const std::string& key) {
  if (node.is_mapping()) return true;
  if (!node.is_null()) problem(node, fmt::format("{} was found; '{}' takes a mapping", node.describe(), key));
  return false;
}

void MockDevice::override_with(const yaml::Node& block, Problems& notes) {
  const std::set<std::string> unheeded = unheeded_;
  const auto first = static_cast<std::ptrdiff_t>(notes_.size());
  overriding_ = true;
  walk(block, "");
  for (const std::string& key : unheeded_) {
    if (!unheeded.contains(key)) problem(block, fmt::format("{} is no key of a device", in_quotes(key)));
  }
  notes.insert(notes.end(), notes_.begin() + first, notes_.end());
  notes_.erase(notes_.begin() + first, notes_.end());
}

void MockDevice::walk(const yaml::Node& node, const std::string& key) {
  if (has_parts(key) && key != "fan" && key != "ecc.errors" && key != "fabric.health" && key != "processes") {
    if (!is_mapping(node, key.empty() ? "a device" : key)) return;
    for (const auto& [name, value] : node.entries) {
      const std::string path = key.empty() ? name.scalar : fmt::format("{}.{}", key, name.scalar);
      if (overriding_ && key.empty() && !is_reloadable(path)) {
        note(name, fmt::format("'{}' stays as it was when the machine came up", path));
        continue;
      }
      if (special(value, path)) continue;
      bool known = has_parts(path);
      for (const MockRule& rule : mock_rules()) {
        if (path != rule.key) continue;
        known = true;
        if (rule.field != nullptr) set(value, rule.field);
        const bool says_something = rule.field == nullptr && !path.ends_with("free_bytes") && path != "index";
        if (says_something) note(name, fmt::format("'{}' has no meaning for nvmlab", path));
      }
      if (has_parts(path)) walk(value, path);
      if (known) continue;
      note(name, fmt::format("{} is unknown to nvmlab and left out", in_quotes(path)));
      unheeded_.insert(path);
    }
  }
}

bool MockDevice::special(const yaml::Node& node, const std::string& key) {
  constexpr std::string_view throttle_prefix = "clocks_throttle_reasons.";
  if (key == "pci.bus_id") return bus_id(node), true;
  if (key == "fan") return fans(node), true;
  if (key == "ecc.errors") return ecc_errors(node), true;
  if (key == "fabric.health") return fabric_health(node), true;
  if (key == "processes") return processes(node), true;
  if (key == "failure") return read_mock_failure(node, behaviour_.failure, problems_, notes_, unheeded_), true;
  if (key == "dynamic_metrics") return read_mock_dynamics(node, behaviour_.curves, problems_, notes_, unheeded_), true;
  if (key == "nvlink_error") return read_mock_link_errors(node, behaviour_.curves, problems_, notes_, unheeded_), true;
  if (key == "gpm") return performance_monitor(node), true;
  if (key == "supported_clocks") return supported_clocks(node), true;
  if (key == "topology") return topology_level(node), true;
  if (key == "encoder_stats.session_count")
    return sessions(node, key, "utilization.encoder_sessions", gpu_.state->utilization.encoder_sessions), true;
  if (key == "fbc_stats.session_count")
    return sessions(node, key, "utilization.fbc_sessions", gpu_.state->utilization.fbc_sessions), true;
  if (key == "fabric.health_summary") {
    if (node.is_scalar() && mock_word(node.scalar) != "auto") set(node, "fabric.health_summary");
    return true;
  }
  if (key.starts_with(throttle_prefix) && !key.starts_with("clocks_throttle_reasons.counters")) {
    return throttle(node, key.substr(throttle_prefix.size())), true;
  }
  return false;
}

void MockDevice::set(const yaml::Node& node, const std::string& name) {
  const FieldRef ref = *find_field(name);
  yaml::Node copy = node;
  const bool verbatim = ref.field->type == FieldType::text || ref.field->type == FieldType::bytes;
  if (node.is_scalar() && mock_word(node.scalar) == "n/a") {
    copy.kind = yaml::Kind::null;
  } else if (node.is_scalar() && !verbatim) {
    copy.scalar = translated(*ref.field, name, node.scalar);
    copy.quoted = false;  // that mock takes numbers in quotes
    const bool no_word = ref.field->label_count > 0 && !is_word(*ref.field, copy.scalar) &&
                         !parse_number(copy.scalar) && copy.scalar != "true" && copy.scalar != "false";
    if (no_word) return note(node, fmt::format("{} is no value of {} and left out", in_quotes(node.scalar), name));
  }
  if (!read_value(copy, *ref.field, name, gpu_.bytes() + ref.offset, problems_)) return;
  gpu_.marks[leaf_of(ref)] = {&mock_source(), &node.place};
}

void MockDevice::bus_id(const yaml::Node& node) {
  MockAddress address;
  if (!mock_address(node, "pci.bus_id", address, problems_)) return;
  Pci& pci = gpu_.state->pci;
  pci.domain.set(address.domain);
  pci.bus.set(address.bus);
  pci.device.set(address.device);
  for (const char* name : {"pci.domain", "pci.bus", "pci.device"})
    gpu_.marks[leaf_of(*find_field(name))] = {&mock_source(), &node.place};
}

void MockDevice::fans(const yaml::Node& node) {
  if (!is_mapping(node, "fan")) return;
  auto& fans = gpu_.state->thermal.fans;
  if (const yaml::Node* count = node.find("count"))
    fans.count = mock_number(*count, "fan.count", fans.capacity, 0, problems_);
  for (const auto& [key, value] : node.entries) {
    if (key.scalar == "count") continue;
    const bool speed = key.scalar == "speed_percent";
    if (!speed && key.scalar != "target_speed_percent") {
      note(key, fmt::format("'fan.{}' is unknown to nvmlab and left out", key.scalar));
      continue;
    }
    if (value.is_null() || (value.is_scalar() && mock_word(value.scalar) == "n/a")) continue;
    const std::uint32_t percent = mock_number(value, "fan." + key.scalar, 100, 0, problems_);
    for (auto& fan : fans)
      (speed ? fan.speed_percent : fan.target_percent).set(percent);
  }
  gpu_.marks[leaf_of(*find_field("thermal.fans"))] = {&mock_source(), &node.place};
}

void MockDevice::ecc_errors(const yaml::Node& node) {
  if (!is_mapping(node, "ecc.errors")) return;
  for (const auto& [scope, kinds] : node.entries) {
    const std::string at = "ecc.errors." + scope.scalar;
    if (scope.scalar != "volatile" && scope.scalar != "aggregate") {
      note(scope, fmt::format("'{}' is unknown to nvmlab and left out", at));
      continue;
    }
    if (!is_mapping(kinds, at)) continue;
    for (const auto& [kind, counts] : kinds.entries) {
      const bool corrected = kind.scalar == "single_bit";
      if (!corrected && kind.scalar != "double_bit") {
        note(kind, fmt::format("'{}.{}' is unknown to nvmlab and left out", at, kind.scalar));
        continue;
      }
      if (!is_mapping(counts, at + "." + kind.scalar)) continue;
      const std::string record = fmt::format("ecc.{}_{}.", corrected ? "corrected" : "uncorrected", scope.scalar);
      for (const auto& [location, count] : counts.entries) {
        const std::string member = location.scalar == "device_memory" ? "dram" : location.scalar;
        if (find_field(record + member)) {
          set(count, record + member);
        } else {
          note(location, fmt::format("'{}.{}.{}' is unknown to nvmlab and left out", at, kind.scalar, location.scalar));
        }
      }
    }
  }
}

void MockDevice::processes(const yaml::Node& node) {
  auto& running = gpu_.state->processes.running;
  running = {};
  if (node.is_null()) return;
  if (!node.is_sequence()) return problem(node, fmt::format("{} was found; 'processes' takes a list", node.describe()));
  if (node.items.size() > running.capacity) {
    problem(node, fmt::format("{} processes are too many; at most {} fit", node.items.size(), running.capacity));
  }
  for (const yaml::Node& item : node.items) {
    if (!is_mapping(item, "processes[]") || running.count == running.capacity) continue;
    auto& process = running[running.count++];
    process.kinds.set(1);
    for (const auto& [key, value] : item.entries) {
      const std::string at = "processes[]." + key.scalar;
      const auto number = [&](std::uint64_t most) { return mock_number(value, at, most, 0, problems_); };
      if (key.scalar == "pid") {
        process.pid.set(number(0xFFFF'FFFFu));
      } else if (key.scalar == "type") {
        process.kinds.set(value.is_scalar() && mock_word(value.scalar) == "g" ? 2 : 1);
      } else if (key.scalar == "used_memory_mib") {
        process.used_bytes.set(std::uint64_t{number(0xFFFF'FFFFu)} << 20);
      } else if (key.scalar == "sm_util") {
        process.sm_percent.set(number(100));
      } else if (key.scalar == "mem_util") {
        process.memory_percent.set(number(100));
      } else if (key.scalar == "enc_util") {
        process.encoder_percent.set(number(100));
      } else if (key.scalar == "dec_util") {
        process.decoder_percent.set(number(100));
      } else if (key.scalar == "name") {
        const Field& field = *find_member(*find_field("processes.running")->field->record, "name");
        read_value(value, field, at, reinterpret_cast<std::byte*>(&process.name), problems_);
      } else {
        note(key, fmt::format("'{}' is unknown to nvmlab and left out", at));
      }
    }
  }
  gpu_.marks[leaf_of(*find_field("processes.running"))] = {&mock_source(), &node.place};
}

// That mock counts sessions and says no more of them; they are numbered here.
template <class Sessions>
void MockDevice::sessions(const yaml::Node& node, const std::string& key, const char* field, Sessions& list) {
  list = {};
  list.count = static_cast<std::uint32_t>(mock_number(node, key, Sessions::capacity, 0, problems_));
  for (std::uint32_t i = 0; i < list.count; ++i)
    list[i].id.set(i + 1);
  gpu_.marks[leaf_of(*find_field(field))] = {&mock_source(), &node.place};
}

}  // namespace nvmlab::compiler
