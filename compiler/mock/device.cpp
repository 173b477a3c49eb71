// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/nearest.hpp"
#include "compiler/mock/rules.hpp"
#include "compiler/numbers.hpp"
#include "compiler/values.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab::compiler {
namespace {

struct EventReason {
  const char* name;
  std::uint64_t bit;
};

constexpr EventReason kReasons[] = {
    {"gpu_idle", nvml::abi::ClocksEventReasonGpuIdle},
    {"applications_clocks_setting", nvml::abi::ClocksEventReasonApplicationsClocksSetting},
    {"sw_power_cap", nvml::abi::ClocksEventReasonSwPowerCap},
    {"hw_slowdown", nvml::abi::ClocksThrottleReasonHwSlowdown},
    {"sync_boost", nvml::abi::ClocksEventReasonSyncBoost},
    {"sw_thermal_slowdown", nvml::abi::ClocksEventReasonSwThermalSlowdown},
    {"hw_thermal_slowdown", nvml::abi::ClocksThrottleReasonHwThermalSlowdown},
    {"hw_power_brake_slowdown", nvml::abi::ClocksThrottleReasonHwPowerBrakeSlowdown},
    {"display_clocks_setting", nvml::abi::ClocksEventReasonDisplayClockSetting},
};
constexpr std::uint64_t kAllReasons = [] {
  std::uint64_t all = 0;
  for (const EventReason& reason : kReasons)
    all |= reason.bit;
  return all;
}();

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

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '-' || letter == ' ') letter = '_';
  }
  return out;
}

bool is_word(const Field& field, std::string_view text) {
  for (std::uint32_t i = 0; i < field.label_count; ++i) {
    if (text == field.labels[i].name) return true;
  }
  return false;
}

// That mock's spelling of a value in ours.
std::string translated(const Field& field, const std::string& name, std::string_view text) {
  std::string word = lower(text);
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

template <class T>
void put(std::uint32_t leaf, T& fact, decltype(fact.value) value, GpuDraft& gpu) {
  if (gpu.marks[leaf].node != nullptr) return;
  fact.set(value);
  gpu.marks[leaf].source = &derived_source();
}

}  // namespace

const Source& mock_source() {
  static const Source source{"mock", "assumed", "a configuration of NVIDIA's Go mock of NVML", ""};
  return source;
}

std::uint32_t mock_number(const yaml::Node& node, const std::string& key, std::uint64_t most, std::uint32_t fallback,
                          Problems& problems) {
  auto number = node.is_scalar() ? parse_number(node.scalar) : std::unexpected(std::string());
  if (number && !number->negative && number->magnitude <= most) return static_cast<std::uint32_t>(number->magnitude);
  problems.push_back(
      node.error(fmt::format("{} was found; '{}' takes a whole number from 0 to {}",
                             node.is_scalar() ? in_quotes(node.scalar) : std::string(node.describe()), key, most)));
  return fallback;
}

bool mock_truth(const yaml::Node& node, const std::string& key, Problems& problems) {
  const std::string word = node.is_scalar() ? lower(node.scalar) : std::string();
  if (word == "true" || word == "yes" || word == "on" || word == "enabled" || word == "1") return true;
  if (word == "false" || word == "no" || word == "off" || word == "disabled" || word == "0") return false;
  problems.push_back(
      node.error(fmt::format("{} was found; '{}' takes true or false",
                             node.is_scalar() ? in_quotes(node.scalar) : std::string(node.describe()), key)));
  return false;
}

bool mock_address(const yaml::Node& node, const std::string& key, MockAddress& out, Problems& problems) {
  // 0000:07:00.0, with any number of digits in the domain, or without a domain.
  const auto part = [](std::string_view text, std::uint32_t most, std::uint32_t& value) {
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value, 16);
    return failed == std::errc{} && stop == end && value <= most;
  };
  std::string_view text = node.is_scalar() ? std::string_view(node.scalar) : std::string_view();
  const std::size_t dot = text.rfind('.');
  bool good = dot != std::string_view::npos && text.substr(dot) == ".0";
  if (good) text = text.substr(0, dot);
  const std::size_t device = text.rfind(':');
  good = good && device != std::string_view::npos && part(text.substr(device + 1), 0x1F, out.device);
  if (good) text = text.substr(0, device);
  const std::size_t bus = text.rfind(':');
  good = good && part(bus == std::string_view::npos ? text : text.substr(bus + 1), 0xFF, out.bus);
  if (good && bus != std::string_view::npos) good = part(text.substr(0, bus), 0xFFFF'FFFFu, out.domain);
  if (!good) {
    problems.push_back(
        node.error(fmt::format("{} was found; '{}' takes a PCI address such as 0000:07:00.0",
                               node.is_scalar() ? in_quotes(node.scalar) : std::string(node.describe()), key)));
  }
  return good;
}

bool MockDevice::is_mapping(const yaml::Node& node, const std::string& key) {
  if (node.is_mapping()) return true;
  if (!node.is_null()) problem(node, fmt::format("{} was found; '{}' takes a mapping", node.describe(), key));
  return false;
}

void MockDevice::walk(const yaml::Node& node, const std::string& key) {
  if (has_parts(key) && key != "fan" && key != "ecc.errors" && key != "fabric.health" && key != "processes") {
    if (!is_mapping(node, key.empty() ? "a device" : key)) return;
    for (const auto& [name, value] : node.entries) {
      const std::string path = key.empty() ? name.scalar : fmt::format("{}.{}", key, name.scalar);
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
      if (!known) note(name, fmt::format("{} is unknown to nvmlab and left out", in_quotes(path)));
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
  if (key == "encoder_stats.session_count")
    return sessions(node, key, "utilization.encoder_sessions", gpu_.state->utilization.encoder_sessions), true;
  if (key == "fbc_stats.session_count")
    return sessions(node, key, "utilization.fbc_sessions", gpu_.state->utilization.fbc_sessions), true;
  if (key == "fabric.health_summary") {
    if (node.is_scalar() && lower(node.scalar) != "auto") set(node, "fabric.health_summary");
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
  if (node.is_scalar() && lower(node.scalar) == "n/a") {
    copy.kind = yaml::Kind::null;
  } else if (node.is_scalar() && !verbatim) {
    copy.scalar = translated(*ref.field, name, node.scalar);
    copy.quoted = false;  // that mock takes numbers in quotes
    const bool no_word = ref.field->label_count > 0 && !is_word(*ref.field, copy.scalar) &&
                         !parse_number(copy.scalar) && copy.scalar != "true" && copy.scalar != "false";
    if (no_word) return note(node, fmt::format("{} is no value of {} and left out", in_quotes(node.scalar), name));
  }
  if (!read_value(copy, *ref.field, name, gpu_.bytes() + ref.offset, problems_)) return;
  gpu_.marks[leaf_of(ref)] = {&mock_source(), &node};
}

void MockDevice::bus_id(const yaml::Node& node) {
  MockAddress address;
  if (!mock_address(node, "pci.bus_id", address, problems_)) return;
  Pci& pci = gpu_.state->pci;
  pci.domain.set(address.domain);
  pci.bus.set(address.bus);
  pci.device.set(address.device);
  for (const char* name : {"pci.domain", "pci.bus", "pci.device"})
    gpu_.marks[leaf_of(*find_field(name))] = {&mock_source(), &node};
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
    if (value.is_null() || (value.is_scalar() && lower(value.scalar) == "n/a")) continue;
    const std::uint32_t percent = mock_number(value, "fan." + key.scalar, 100, 0, problems_);
    for (std::uint32_t i = 0; i < fans.size(); ++i)
      (speed ? fans[i].speed_percent : fans[i].target_percent).set(percent);
  }
  gpu_.marks[leaf_of(*find_field("thermal.fans"))] = {&mock_source(), &node};
}

void MockDevice::throttle(const yaml::Node& node, const std::string& name) {
  const auto* reason =
      std::ranges::find_if(kReasons, [&](const EventReason& candidate) { return name == candidate.name; });
  if (reason == std::end(kReasons)) {
    return note(node, fmt::format("'clocks_throttle_reasons.{}' is unknown to nvmlab and left out", name));
  }
  Clocks& clocks = gpu_.state->clocks;
  const std::uint64_t others = clocks.event_reasons.value_or(0) & ~reason->bit;
  const bool active = mock_truth(node, "clocks_throttle_reasons." + name, problems_);
  clocks.event_reasons.set(active ? others | reason->bit : others);
  clocks.event_reasons_supported.set(kAllReasons);
  for (const char* field : {"clocks.event_reasons", "clocks.event_reasons_supported"}) {
    gpu_.marks[leaf_of(*find_field(field))] = {&mock_source(), &node};
  }
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
        process.kinds.set(value.is_scalar() && lower(value.scalar) == "g" ? 2 : 1);
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
  gpu_.marks[leaf_of(*find_field("processes.running"))] = {&mock_source(), &node};
}

// That mock counts sessions and says no more of them; they are numbered here.
template <class Sessions>
void MockDevice::sessions(const yaml::Node& node, const std::string& key, const char* field, Sessions& list) {
  list = {};
  list.count = static_cast<std::uint32_t>(mock_number(node, key, Sessions::capacity, 0, problems_));
  for (std::uint32_t i = 0; i < list.count; ++i)
    list[i].id.set(i + 1);
  gpu_.marks[leaf_of(*find_field(field))] = {&mock_source(), &node};
}

void MockDevice::finish() {
  Gpu& gpu = *gpu_.state;
  put(leaf_of(*find_field("identity.multi_gpu_board")), gpu.identity.multi_gpu_board, 0, gpu_);
  put(leaf_of(*find_field("pci.base_class")), gpu.pci.base_class, 3, gpu_);
  put(leaf_of(*find_field("pci.sub_class")), gpu.pci.sub_class, 2, gpu_);
  put(leaf_of(*find_field("pci.replay_rollovers")), gpu.pci.replay_rollovers, 0, gpu_);
  const bool on =
      gpu.ecc.mode.value_or(0) == 1 && gpu.identity.architecture.value_or(0) >= nvml::abi::DEVICE_ARCH_AMPERE;
  put(leaf_of(*find_field("ecc.sram_supported")), gpu.ecc.sram_supported, on ? 1 : 0, gpu_);
  // Counters that the file leaves out are zero while error correction is on, as on a healthy board.
  const RecordTable& table = *find_field("ecc.sram")->field->record;
  for (std::uint32_t i = 0; on && i < table.field_count; ++i) {
    const FieldRef ref = *find_field(fmt::format("ecc.sram.{}", table.fields[i].name));
    if (gpu_.marks[leaf_of(ref)].node != nullptr) continue;
    yaml::Node zero;
    zero.kind = yaml::Kind::scalar;
    zero.scalar = "0";
    read_value(zero, *ref.field, ref.name, gpu_.bytes() + ref.offset, problems_);
    gpu_.marks[leaf_of(ref)].source = &derived_source();
  }
  fabric_summary();
  temperature_limits();
}

// From Ada on a board tells how far it is below its limits instead of the limits themselves.
void MockDevice::temperature_limits() {
  Thermal& thermal = gpu_.state->thermal;
  const std::uint32_t architecture = gpu_.state->identity.architecture.value_or(0);
  if (architecture < nvml::abi::DEVICE_ARCH_ADA || architecture == nvml::abi::DEVICE_ARCH_UNKNOWN ||
      !thermal.gpu_max_c.has_value())
    return;
  const auto limit = static_cast<std::int32_t>(thermal.gpu_max_c.value);
  const auto below = [&](auto& distance, auto& absolute) {
    if (absolute.has_value()) distance.set(limit - static_cast<std::int32_t>(absolute.value));
    absolute.set_error(kNotSupported);
  };
  if (thermal.gpu_c.has_value()) thermal.tlimit_c.set(limit - static_cast<std::int32_t>(thermal.gpu_c.value));
  below(thermal.shutdown_tlimit_c, thermal.shutdown_c);
  below(thermal.slowdown_tlimit_c, thermal.slowdown_c);
  below(thermal.gpu_max_tlimit_c, thermal.gpu_max_c);
  for (const char* name :
       {"thermal.tlimit_c", "thermal.shutdown_tlimit_c", "thermal.slowdown_tlimit_c", "thermal.gpu_max_tlimit_c"}) {
    gpu_.marks[leaf_of(*find_field(name))].source = &derived_source();
  }
}

}  // namespace nvmlab::compiler
